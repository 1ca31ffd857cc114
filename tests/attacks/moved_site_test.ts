/** A site that moves gets its new credentials at its new address only. */
import assert from "node:assert/strict";
import type { Credentials } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import { gateway, site } from "../kit.ts";

const MOVED = {
  base_url: "https://new.example",
  credentials: { cms: { username: "admin", application_password: "new and unknown to the old host" } },
};

Deno.test("credentials set with a new base_url are not sent to the old one by a call under way", async () => {
  const sent: string[] = [];
  const moves = (store: Store): Store => ({
    ...store,
    sites: Object.assign(Object.create(store.sites), {
      async secret(id: string, kind: keyof Credentials, base_url?: string | null) {
        await store.sites.update("acme", MOVED);
        return await store.sites.secret(id, kind, base_url);
      },
      get: store.sites.get.bind(store.sites),
      list: store.sites.list.bind(store.sites),
      create: store.sites.create.bind(store.sites),
    }),
  });
  await using gw = await gateway({
    sites: [site("acme", "cms")],
    store: moves,
    http: { lookup: () => Promise.resolve(["8.8.8.8"]), sleep: () => Promise.resolve() },
    fetch: (input, init) => {
      sent.push(`${new URL(String(input)).host} ${new Headers(init?.headers).get("authorization")}`);
      return Promise.resolve(new Response(null, { status: 404 }));
    },
  });
  const ending = await gw.end("get_post", { site_id: "acme", post_id: 1 });
  assert.match(JSON.stringify(ending), /was given another base_url.*nothing was sent, try again/);
  assert.deepEqual(sent, []);
  const [row] = await gw.audit();
  assert.deepEqual([row?.status, row?.error], ["error", "E_INTERNAL"]);
});

Deno.test("after a move the next call sends nothing to the new host until credentials are sent for it", async () => {
  const sent: string[] = [];
  await using gw = await gateway({
    sites: [site("acme", "cms")],
    http: { lookup: () => Promise.resolve(["8.8.8.8"]), sleep: () => Promise.resolve() },
    fetch: (input, init) => {
      sent.push(`${new URL(String(input)).host} ${new Headers(init?.headers).get("authorization")}`);
      return Promise.resolve(new Response(null, { status: 404 }));
    },
  });
  const call = () => gw.end("get_post", { site_id: "acme", post_id: 1 });
  await call();
  assert.ok(sent.length > 0 && sent.every((one) => !one.startsWith("new.example")));
  sent.length = 0;
  await gw.store.sites.update("acme", { base_url: MOVED.base_url });
  assert.match(JSON.stringify(await call()), /has no cms credentials; its operator can set them/);
  assert.equal(sent.join("\n"), "");
  await gw.store.sites.update("acme", { credentials: MOVED.credentials });
  await call();
  const signed = `new.example Basic ${btoa("admin:new and unknown to the old host")}`;
  assert.ok(sent.includes(signed), sent.join("\n"));
});
