/** Pairing a site's companion plugin: with a code, as an administrator, once for all records of an account, audited. */
import assert from "node:assert/strict";
import { holds, type HoldsClient } from "../../platforms/_content/holds.ts";
import { FactCaches } from "../../guard/fact_caches.ts";
import { makeConnectorContext } from "../../guard/connector_context.ts";
import { createHttp } from "../../platforms/_http/http.ts";
import { CONNECTORS } from "../connectors.ts";
import { type HeldWorld, heldWorld } from "./_held.ts";

/** The client of the hold, as a call of a tool has it. */
async function clientOf({ gw: { store, clock } }: HeldWorld, id: string): Promise<HoldsClient> {
  const now = () => clock.now;
  const http = createHttp({ allowPrivate: ["127.0.0.1"], sleep: () => Promise.resolve(), now });
  const ports = { connectors: CONNECTORS, store, http, upstream: {}, cache: new FactCaches(now), now };
  const { connector, provision } = CONNECTORS.provider("cms", holds)!;
  const call = { site: await store.sites.get(id), caller: null, deadline: now() + 60_000 };
  return await provision.connect(makeConnectorContext(ports, call, connector)) as HoldsClient;
}

Deno.test("registering a site sends nothing, and an administrator's account is paired without a code", async () => {
  await using at = await heldWorld({ paired: [] });
  assert.equal(at.hold.gateways.length, 0);
  const isRead = ({ method, path }: { method: string; path: string }) =>
    path.startsWith("/mcp/") || path === "/site-ops/v1/health" || method === "HEAD";
  assert.deepEqual(
    at.cms.requests.filter((one) => !isRead(one)),
    [],
    "tools were listed, and the plugin was asked",
  );
  const { result } = await at.pair("acme") as { result: Record<string, unknown> };
  const [own] = at.hold.gateways;
  assert.deepEqual(result, { site_id: "acme", key_id: own!.key_id, shared_with: ["open"] });
  assert.match(own!.name, /^Site operations gateway \(.+\)$/);
  for (const id of ["acme", "open"]) {
    assert.deepEqual(await at.gw.store.sites.secret(id, "companion"), { key_id: own!.key_id, key: own!.key });
    assert.deepEqual((await (await clientOf(at, id)).state()).ready, true);
  }
  const [row] = await at.gw.audit();
  assert.deepEqual([row!.tool, row!.site_id, row!.token_id], ["site.pair", "acme", "master"]);
  assert.ok(!JSON.stringify(await at.gw.audit()).includes(own!.key), "the key stands in no row");
});

Deno.test("another account needs the code that the plugin's page shows, which works once", async () => {
  await using at = await heldWorld({ paired: [] });
  at.hold.code = "ABCD-EFGH";
  const without = JSON.stringify(await at.pair("editor"));
  assert.match(without, /"ok":false.*Connect a gateway.*run deno task admin site pair/);
  assert.doesNotMatch(without, /give it a role/, "nobody has to make the account an administrator's");
  assert.match(JSON.stringify(await at.pair("editor", "nonsense!")), /E_BAD_INPUT/);
  assert.match(JSON.stringify(await at.pair("editor", "WXYZ-EFGH")), /site_ops_pairing_code/);
  assert.equal((await at.pair("editor", "abcd-efgh")).ok, true);
  assert.match(JSON.stringify(await at.pair("editor", "ABCD-EFGH")), /site_ops_pairing_code/);
  assert.equal(at.hold.gateways.length, 1);
});

Deno.test("why a site has no hold is said in a sentence's part, and asked again when it may have changed", async () => {
  await using at = await heldWorld({ paired: [] });
  const why = async (id: string) => {
    const state = await (await clientOf(at, id)).state();
    return state.ready ? "ready" : state.why;
  };
  assert.equal(await why("acme"), "not paired: run deno task admin site pair acme");
  const state = await (await clientOf(at, "acme")).state();
  assert.deepEqual([state.ready, !state.ready && state.may_pair], [false, true]);
  const editor = await (await clientOf(at, "editor")).state();
  assert.deepEqual([editor.ready, !editor.ready && editor.may_pair], [false, false]);
  at.hold.why = "Calls are not held on networks of sites";
  assert.equal(await why("acme"), "Calls are not held on networks of sites", "pairing would not help");
  at.hold.why = null;
  await at.pair("acme");
  assert.equal(await why("acme"), "ready");
  at.hold.why = "The tables are MyISAM";
  assert.equal(await why("acme"), "The tables are MyISAM");
  at.hold.why = null;
  at.hold.leaks = true;
  assert.match(await why("acme"), /^its self-test failed: what it made is there/);
  at.hold.leaks = false;
  assert.equal(await why("acme"), "ready");
  at.hold.gateways.length = 0;
  assert.equal(
    await why("acme"),
    "the site does not accept this gateway's key (The key is unknown here: connect the gateway again): " +
      "run deno task admin site pair acme",
  );
  await using bare = await heldWorld({ paired: [], bare: true });
  const none = await (await clientOf(bare, "acme")).state();
  assert.deepEqual(none, { ready: false, why: "no companion plugin", may_pair: false });
});

Deno.test("a self-test that is asked too often has not failed: nothing is written without the hold for it", async () => {
  await using at = await heldWorld({ paired: [] });
  const page = at.tools.page({ title: "About" });
  const parent_id = at.tools.state.pages.get(page.id)!.elements[0]!.id;
  const args = { site_id: "acme", post_id: page.id, parent_id, widget_type: "heading", settings: {} };
  const body = { code: "rate_limited", message: "Slow down", data: { status: 429 } };
  const path = /hold-test/;
  at.cms.inject({ kind: "answer", status: 429, body }, {
    method: "POST",
    path,
    while: () => true,
    times: 20,
  });
  assert.equal((await at.pair("acme")).ok, true);
  const before = at.site();
  await at.gw.refuses("builder-mcp-add-free-widget", args, "E_UPSTREAM", /429/);
  assert.deepEqual([at.site(), at.calls()], [before, []]);
});

/** Another gateway's key of the administrator's account. */
const others = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    key_id: `${at}`.repeat(16),
    key: "0".repeat(64),
    name: "Another gateway",
    user_id: 1,
  }));

Deno.test("a gateway pairs beside others of the account, and the site's report says of itself whether it is paired", async () => {
  await using at = await heldWorld({ paired: [] });
  at.hold.gateways.push(...others(1));
  const state = async () => await (await clientOf(at, "acme")).state();
  assert.deepEqual(await state(), {
    ready: false,
    why: "not paired: run deno task admin site pair acme",
    may_pair: true,
  });
  assert.equal((await at.pair("acme")).ok, true);
  assert.equal(at.hold.gateways.length, 2);
  assert.equal((await state()).ready, true);
  const asked = at.cms.requests.findLast(({ path }) => path === "/site-ops/v1/health")!;
  assert.match(asked.headers["x-site-ops-signature"]!, new RegExp(`key=${at.hold.gateways[1]!.key_id};`));
  at.hold.gateways.pop();
  const revoked = await state();
  assert.match(String(!revoked.ready && revoked.why), /does not accept this gateway's key/);
  assert.equal(!revoked.ready && revoked.may_pair, false, "an operator decides whether it is paired again");
});

Deno.test("where the account has as many gateways as it may have, the refusal says so, and nothing is replaced", async () => {
  await using at = await heldWorld({ paired: [] });
  at.hold.gateways.push(...others(8));
  const before = [...at.hold.gateways];
  assert.match(JSON.stringify(await at.pair("acme")), /site_ops_pairing_limit.*disconnect one/);
  assert.deepEqual(at.hold.gateways, before);
  assert.equal(await at.gw.store.sites.secret("acme", "companion"), null);
});

Deno.test("from a plugin that gives an account one key the gateway takes it from no other by itself", async () => {
  await using at = await heldWorld({ paired: [] });
  at.hold.version = "1.2.0";
  at.hold.gateways.push(...others(1));
  const state = await (await clientOf(at, "acme")).state();
  assert.deepEqual(state, {
    ready: false,
    why: "the site's account is paired, and its key is not here: run deno task admin site pair acme",
    may_pair: false,
  });
});

Deno.test("a receipt of another key of the account tells nothing, so that it is not taken for none", async () => {
  await using at = await heldWorld();
  const id = "cd34".repeat(8);
  const run = {
    kind: "kept",
    about: "",
    digest: "0f",
    labels: [],
    effects: [],
    acknowledged: false,
  } as const;
  at.hold.runs.set(id, { ...run, user_id: 1, key_id: "9".repeat(16) });
  const client = await clientOf(at, "acme");
  await assert.rejects(() => client.settle(id), /site_ops_hold_other_key/);
  await assert.rejects(() => client.acknowledge(id), /site_ops_hold_other_key/);
});

Deno.test("the self-test is run once for a version, leaves nothing behind, and is run again for another", async () => {
  await using at = await heldWorld();
  const before = at.site();
  const client = await clientOf(at, "acme");
  at.hold.asked.length = 0; // pairing asked as well, in the gateway's own client
  for (let call = 0; call < 3; call++) assert.equal((await client.state()).ready, true);
  assert.equal(at.hold.asked.length, 1);
  at.gw.clock.now += 10_001;
  at.hold.version = "1.2.1";
  assert.equal((await client.state()).ready, true);
  assert.equal((await client.state()).ready, true);
  assert.equal(at.hold.asked.length, 2);
  assert.equal(at.site(), before);
});

Deno.test("a receipt is waited for, and is none where nothing was committed, and acknowledged", async () => {
  await using at = await heldWorld();
  const client = await clientOf(at, "acme");
  await client.state();
  const id = "ab12".repeat(8);
  assert.deepEqual(await client.settle(id), { outcome: "none" });
  const run = {
    kind: "kept",
    user_id: 1,
    key_id: at.hold.gateways[0]!.key_id,
    about: "",
    digest: "0f",
    labels: ["draft"],
    acknowledged: false,
  } as const;
  const effect = { label: "draft", what: "posts 7", change: "changed", table: "posts", key: "7" } as const;
  at.hold.runs.set(id, { ...run, effects: [{ ...effect, post: null, fields: [] }] });
  at.hold.running = 2;
  const receipt = await client.settle(id);
  assert.ok(receipt.outcome === "committed");
  assert.deepEqual([receipt.labels, receipt.effects.map(({ what }) => what)], [["draft"], ["posts 7"]]);
  at.hold.running = Infinity;
  await assert.rejects(() => client.settle(id), /cannot be told: it still runs/);
  at.hold.running = 0;
  await client.acknowledge(id);
  assert.equal(at.hold.runs.get(id)!.acknowledged, true);
  await assert.rejects(() => client.acknowledge("ff".repeat(16)), /site_ops_hold_not_found/);
});
