/** The official client learns from the whole gateway that its tools have changed, and is let go of in order. */
import assert from "node:assert/strict";
import { SUBSCRIPTION_LIMITS } from "../../core/model.ts";
import type { OfferedTool } from "../../registry/source.ts";
import { ChangingSource, offer } from "../changing_source.ts";
import { type Kit, owned, site } from "../kit.ts";
import { Client2, Transport2 } from "../packages/mcp_clients.ts";
import { authorized } from "./held_fetch.ts";
import { start, type Started } from "./mcp_start.ts";

const INFO = { name: "test", version: "1.0.0" };
const CHANGED = "notifications/tools/list_changed";

/** A client of 2026-07-28, and how often it was told that tools have changed. */
async function connected({ url }: Started, token: string, query = "") {
  const client = new Client2(INFO, { versionNegotiation: { mode: "auto" } });
  let told = 0;
  let next = Promise.withResolvers<void>();
  client.setNotificationHandler(CHANGED, () => {
    told++;
    next.resolve();
    next = Promise.withResolvers<void>();
  });
  await client.connect(new Transport2(new URL(url + query), authorized(token)));
  return {
    client,
    get told() {
      return told;
    },
    /** Resolves when it is told once more. */
    change: () => next.promise,
    tools: async () =>
      (await client.listTools()).tools.map((one) => one.name).filter((one) => /^shop/.test(one)),
  };
}

/** A gateway with a source that changes, and tokens of each of its two sites. */
async function opened(...tools: OfferedTool[]) {
  const source = new ChangingSource(...tools);
  let kit: Kit | null = null;
  const started = await start({
    sources: [source],
    sites: [site("bolt", "cms")],
    tokens: { acme: { allowed_sites: ["acme"] }, bolt: { allowed_sites: ["bolt"] } },
    settings: { rateLimitToken: 0 },
  }, (opened) => void (kit = opened));
  return { source, started, kit: kit as unknown as Kit, [Symbol.asyncDispose]: () => started.stop() };
}

Deno.test("who listens is told of a change of the own list and finds it, and of no other's", async () => {
  await using at = await opened(offer("shop-find", ["acme", "bolt"]));
  const acme = await connected(at.started, at.kit.token("acme"));
  const bolt = await connected(at.started, at.kit.token("bolt"));
  const listening = [acme, bolt].map(({ client }) => client.listen({ toolsListChanged: true }));
  const [ofAcme, ofBolt] = await Promise.all(listening);
  assert.deepEqual(ofAcme!.honoredFilter, { toolsListChanged: true });
  assert.deepEqual(await acme.tools(), ["shop-find"]);
  let change = acme.change();
  at.source.put(offer("shop-find", ["acme", "bolt"]), offer("shop-put", ["acme"]));
  await change;
  assert.deepEqual(await acme.tools(), ["shop-find", "shop-put"]);
  change = acme.change();
  const others = bolt.change();
  at.source.put();
  await Promise.all([change, others]);
  assert.deepEqual([await acme.tools(), await bolt.tools()], [[], []]);
  assert.deepEqual([acme.told, bolt.told], [2, 1], "a tool of acme alone was nothing to bolt");
  await ofAcme!.close();
  await ofBolt!.close();
  await Promise.all([acme.client.close(), bolt.client.close()]);
});

Deno.test("who listens at the address of one site is told of that site's tools alone", async () => {
  await using at = await opened(offer("shop-find", ["acme", "bolt"]));
  const ofAcme = await connected(at.started, at.kit.token("all"), "?site=acme&groups=*");
  const ofAll = await connected(at.started, at.kit.token("all"));
  const heard = [];
  for (const { client } of [ofAcme, ofAll]) heard.push(await client.listen({ toolsListChanged: true }));
  const everywhere = ofAll.change();
  at.source.put(offer("shop-find", ["acme", "bolt"]), offer("shop-put", ["bolt"]));
  await everywhere;
  assert.deepEqual(await ofAcme.tools(), ["shop-find"]);
  const change = ofAcme.change();
  at.source.put(offer("shop-put", ["bolt"]));
  await change;
  assert.deepEqual([await ofAcme.tools(), ofAcme.told], [[], 1]);
  for (const one of heard) await one.close();
  await Promise.all([ofAcme.client.close(), ofAll.client.close()]);
});

Deno.test("a person whose rights change is told, and a client that refreshes by itself has the list at once", async () => {
  await using at = await opened(offer("shop-find", ["acme"]));
  const { user, text } = await owned(at.kit.store, { allowed_sites: ["bolt"] });
  const refreshed = Promise.withResolvers<string[]>();
  const client = new Client2(INFO, {
    versionNegotiation: { mode: "auto" },
    listChanged: {
      tools: {
        onChanged: (error, tools) =>
          error ? refreshed.reject(error) : refreshed.resolve(tools?.map((one) => one.name) ?? []),
      },
    },
  });
  await client.connect(new Transport2(new URL(at.started.url), authorized(text)));
  assert.ok(client.autoOpenedSubscription, "it saw that the server tells of changes");
  assert.ok(!(await client.listTools()).tools.some((one) => one.name === "shop-find"));
  await at.kit.store.users.update(user.id, { allowed_sites: ["acme"] });
  assert.ok((await refreshed.promise).includes("shop-find"));
  await client.autoOpenedSubscription.close();
  await client.close();
});

Deno.test("a token that is revoked ends its streams, a gateway that stops ends all of them", async () => {
  await using at = await opened(offer("shop-find", ["acme", "bolt"]));
  const acme = await connected(at.started, at.kit.token("acme"));
  const bolt = await connected(at.started, at.kit.token("bolt"));
  const ofAcme = await acme.client.listen({ toolsListChanged: true });
  const ofBolt = await bolt.client.listen({ toolsListChanged: true });
  const token = (await at.kit.store.tokens.find(at.kit.token("acme")))!;
  await at.kit.store.tokens.revoke(token.id);
  assert.equal(await ofAcme.closed, "graceful");
  at.kit.gateway.drain();
  assert.equal(await ofBolt.closed, "graceful");
  await Promise.all([acme.client.close(), bolt.client.close()]);
});

Deno.test("streams whose clients have gone make room for others", async () => {
  await using at = await opened();
  for (let round = 0; round < 3; round++) {
    const clients = [];
    for (let n = 0; n < SUBSCRIPTION_LIMITS.STREAMS_PER_TOKEN; n++) {
      const { client } = await connected(at.started, at.kit.token());
      clients.push(client);
      await client.listen({ toolsListChanged: true });
    }
    const one = await connected(at.started, at.kit.token());
    await assert.rejects(one.client.listen({ toolsListChanged: true }), /has 16 streams open/);
    await Promise.all([...clients, one.client].map((client) => client.close()));
  }
});
