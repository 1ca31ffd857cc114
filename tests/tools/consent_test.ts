/** Confirm tokens of other calls, policies and idempotency keys; that each write is what was shown is in approved_test.ts. */
import assert from "node:assert/strict";
import type { Args, CmsKit } from "../cms_kit.ts";
import { test, type World, world } from "./_stand_in.ts";

interface Shown {
  readonly needs_confirmation: true;
  readonly confirm_token: string;
  readonly revision: string | null;
  readonly expires_at: string;
}

const EDIT = (at: World): Args => ({ site_id: "open", post_id: at.draft.id, title: "From the gateway" });

async function shown(at: World, tool: string, args: Args, as?: string): Promise<Shown> {
  return await at.kit.gw.call<Shown>(tool, args, { as });
}

const writes = (kit: CmsKit) => kit.writes;

test("a token of another call is refused, and says whose it is", async (at) => {
  const call = { ...EDIT(at), confirm: true };
  const { confirm_token, revision } = await shown(at, "update_draft", EDIT(at));
  assert.match(confirm_token, /^cft_[A-Za-z0-9_-]{22}$/);
  assert.match(revision ?? "", /^rev_/);
  const before = at.kit.gw.requests.length;
  const cases: [Args, RegExp][] = [
    [{ title: "Other" }, /with other arguments, which differ in title/],
    [{ excerpt: "More" }, /with other arguments, which differ in excerpt/],
    [{ site_id: "acme" }, /of a preview for open/],
  ];
  for (const [other, says] of cases) {
    const args = { ...call, confirm_token, ...other };
    const message = await at.kit.gw.refuses("update_draft", args, "E_CONFIRM_INVALID", says);
    assert.match(message, /preview again and confirm with the new one$/);
  }
  const draft = { site_id: "open", title: "T", content_html: "x", confirm: true, confirm_token };
  await at.kit.gw.refuses("create_draft", draft, "E_CONFIRM_INVALID", /of a preview of "update_draft"/);
  assert.equal(at.kit.gw.requests.length, before, "nothing was sent");
});

Deno.test("a token is its grant's own, and good while its site leads where it led at the preview", async () => {
  await using at = await world({ tokens: { other: {} } });
  const { gw } = at.kit;
  const { confirm_token } = await shown(at, "update_draft", EDIT(at));
  const call = { ...EDIT(at), confirm: true, confirm_token };
  const before = gw.requests.length;
  await gw.refuses("update_draft", call, "E_CONFIRM_INVALID", /it belongs to another token/, { as: "other" });
  await gw.store.sites.update("open", { base_url: "https://moved.example" });
  const moved = /the settings of site "open" have changed, so the call would go elsewhere/;
  await gw.refuses("update_draft", call, "E_CONFIRM_INVALID", moved);
  assert.equal(gw.requests.length, before, "nothing was sent");
});

Deno.test("under the policy preview confirm alone answers the preview again; its token writes", async () => {
  await using at = await world({ tokens: { strict: { confirm_policy: "preview" } } });
  const call = { ...EDIT(at), confirm: true };
  const before = writes(at.kit);
  const preview = await shown(at, "update_draft", call, "strict");
  assert.equal(preview.needs_confirmation, true);
  assert.equal(writes(at.kit), before);
  await at.kit.gw.call("update_draft", { ...call, confirm_token: preview.confirm_token }, { as: "strict" });
  assert.equal(writes(at.kit) - before, 1);
  await at.kit.gw.store.sites.update("open", { confirm_policy: "preview" });
  assert.equal(
    (await shown(at, "update_draft", call)).needs_confirmation,
    true,
    "a site asks for it as well",
  );
});

async function keyed(at: World, key: string, args: Args, as = "all") {
  const response = await at.kit.gw.http("/api/v1/tools/create_draft", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ site_id: "open", content_html: "x", confirm: true, ...args }),
    as,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

Deno.test("a key makes one draft of equal calls, refuses another call, and is each token's own", async () => {
  await using at = await world({ tokens: { other: {} } });
  const before = writes(at.kit);
  const all = await Promise.all(Array.from({ length: 50 }, () => keyed(at, "k-1", { title: "Keyed" })));
  assert.equal(new Set(all.map(({ body }) => body.result.id)).size, 1);
  assert.equal(all.filter(({ headers }) => headers.get("idempotent-replayed") === "true").length, 49);
  assert.equal(writes(at.kit) - before, 1);
  const other = await keyed(at, "k-1", { title: "Other" });
  assert.deepEqual([other.status, other.body.error.code], [422, "E_IDEMPOTENCY_KEY"]);
  const foreign = await keyed(at, "k-1", { title: "Other" }, "other");
  assert.equal(foreign.status, 200, "another token's key is another key");
  for (const bad of ["a b", "k".repeat(256)]) {
    assert.equal((await keyed(at, bad, { title: "T" })).body.error.code, "E_IDEMPOTENCY_KEY");
  }
  at.kit.gw.clock.now += 24 * 60 * 60_000;
  const later = await keyed(at, "k-1", { title: "Keyed" });
  assert.notEqual(later.body.result.id, all[0]!.body.result.id, "after a day the key is free");
});

test("the same key through MCP's _meta is the same call", async (at) => {
  const before = writes(at.kit);
  const first = await keyed(at, "shared", { title: "Both doors" });
  const response = await at.kit.gw.http("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "create_draft",
        arguments: { site_id: "open", content_html: "x", title: "Both doors", confirm: true },
        _meta: { "site-operations/idempotency-key": "shared" },
      },
    }),
  });
  const again = JSON.parse((await response.json()).result.content[0].text);
  assert.deepEqual(again, { ...first.body.result, replayed: true });
  assert.equal(writes(at.kit) - before, 1);
});

test("a preview takes no key, and a call refused before it wrote anything frees both", async (at) => {
  assert.equal((await keyed(at, "k", { title: "T", confirm: false })).body.result.needs_confirmation, true);
  const refused = await keyed(at, "k", { title: "T", featured_media_id: 987_654 });
  assert.equal(refused.body.ok, false);
  const made = await keyed(at, "k", { title: "T" });
  assert.equal(made.body.ok, true, JSON.stringify(made.body));
  assert.equal(made.headers.get("idempotent-replayed"), null);
});
