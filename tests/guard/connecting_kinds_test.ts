/** Another vendor's way, from a folder of its own: no PKCE, no refresh token, an end that only its person can put off. */
import assert from "node:assert/strict";
import { gateway, type Kit, MASTER, NOW, owned } from "../kit.ts";

const DAY_MS = 86_400_000;
const ROOTS = [new URL("../fixtures/accounts/", import.meta.url)];

async function admin(gw: Kit, method: string, path: string, body?: unknown) {
  const response = await gw.http(`/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await response.json();
}

Deno.test("a connector that drops in is connected by the same links and pages, and ends by itself", async () => {
  const asked: string[] = [];
  await using gw = await gateway({
    roots: ROOTS,
    allowPrivate: ["account.example"],
    fetch: (input, init) => {
      const url = new URL(String(input));
      asked.push(`${init?.method} ${url.pathname}${url.search}${init?.body ?? ""}`);
      const code = url.searchParams.get("code");
      const token = code === null ? "long-lived" : `short-of-${code}`;
      return Promise.resolve(Response.json({ access_token: token }));
    },
  });
  const { user, text } = await owned(gw.store);
  const order = { user: user.id, kind: "toy_account" };
  const { result: { link } } = await admin(gw, "POST", "connections", order);
  const consent = await gw.http(`${new URL(link).pathname}/consent`, { as: null });
  const dialog = new URL(consent.headers.get("location")!);
  assert.deepEqual([dialog.origin + dialog.pathname, dialog.searchParams.get("scope")], [
    "https://account.example/dialog",
    "toys_read",
  ]);
  const cookie = consent.headers.getSetCookie()[0]!.split(";")[0]!;
  const back = `/connect/callback?${new URLSearchParams({
    state: dialog.searchParams.get("state")!,
    code: "c1",
  })}`;
  const page = await (await gw.http(back, { as: null, headers: { cookie } })).text();
  assert.match(page, /The Toys account Ann Toy is connected\./);
  assert.deepEqual(asked, ["GET /oauth?code=c1", "GET /oauth?exchange=short-of-c1"]);

  const shown = async () => (await admin(gw, "GET", "connections")).result.connections[0];
  const { account_id, rights, ends_at, health, message } = await shown();
  assert.deepEqual(
    [account_id, rights, ends_at, health, message],
    ["toy-1", ["toys"], new Date(NOW + 60 * DAY_MS).toISOString(), "active", null],
  );
  gw.clock.now = NOW + 54 * DAY_MS;
  assert.match((await shown()).message, /^It ends at .* and cannot be renewed without its person/);
  gw.clock.now = NOW + 60 * DAY_MS;
  assert.deepEqual([(await shown()).health, (await shown()).last_refreshed_at], ["needs_reconnect", null]);
  const call = await gw.http("/api/v1/tools/toy_mine", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${text}` },
    body: "{}",
  });
  const { error } = await call.json();
  assert.match(error.message, /^reconnect: .* its time is over and it cannot be renewed without its person/);
  assert.equal(asked.length, 2, "what cannot be renewed is not tried");
  const { result } = await admin(gw, "POST", "connections/disconnect", order);
  assert.deepEqual([result.revoked, asked.at(-1)], [true, 'POST /token{"end":"long-lived"}']);
});
