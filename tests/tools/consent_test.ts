/** What ties a write to what was approved: confirm tokens and idempotency keys, over a CMS that people edit meanwhile. */
import assert from "node:assert/strict";
import { type Args, type CmsKit, DOORS } from "../cms_kit.ts";
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

for (const door of DOORS) {
  test(`through ${door}: what was shown is carried out once, and repeated to the same call`, async (at) => {
    const { confirm_token, revision } = await shown(at, "update_draft", EDIT(at));
    assert.match(confirm_token, /^cft_[A-Za-z0-9_-]{22}$/);
    assert.match(revision ?? "", /^rev_/);
    const call = { ...EDIT(at), confirm: true, confirm_token };
    const before = writes(at.kit);
    const first = await at.kit.gw.call<Args>("update_draft", call, { door });
    assert.equal(first.replayed, undefined);
    const again = await at.kit.gw.call<Args>("update_draft", call, { door });
    assert.deepEqual(again, { ...first, replayed: true });
    assert.equal(writes(at.kit) - before, 1);
  });

  test(`through ${door}: a person's edit in between is never overwritten`, async (at) => {
    const { confirm_token } = await shown(at, "update_draft", EDIT(at));
    at.edit(at.draft, { title: "A person's own title" });
    const call = { ...EDIT(at), confirm: true, confirm_token };
    const before = writes(at.kit);
    const message = await at.kit.gw.refuses("update_draft", call, "E_STALE_PREVIEW", { door });
    assert.match(message, /"title": changed since the preview, so nothing was written/);
    assert.equal(writes(at.kit), before);
    const { confirm_token: fresh } = await shown(at, "update_draft", EDIT(at));
    await at.kit.gw.call("update_draft", { ...call, confirm_token: fresh }, { door });
  });

  test(`through ${door}: fifty equal calls at once under one token write once`, async (at) => {
    const { confirm_token } = await shown(at, "create_draft", {
      site_id: "open",
      title: "Once",
      content_html: "x",
    });
    const call = { site_id: "open", title: "Once", content_html: "x", confirm: true, confirm_token };
    const before = writes(at.kit);
    const all = await Promise.all(
      Array.from({ length: 50 }, () => at.kit.gw.call<Args>("create_draft", call, { door })),
    );
    assert.equal(new Set(all.map(({ id }) => id)).size, 1);
    assert.equal(all.filter(({ replayed }) => replayed !== true).length, 1);
    assert.equal(writes(at.kit) - before, 1);
  });
}

Deno.test("a token of another call is refused, and says whose it is", async () => {
  await using at = await world({ tokens: { other: {} } });
  const call = { ...EDIT(at), confirm: true };
  const { confirm_token } = await shown(at, "update_draft", EDIT(at));
  const before = at.kit.gw.requests.length;
  const cases: [string, Args, RegExp, string?][] = [
    [
      "update_draft",
      { ...call, title: "Other", confirm_token },
      /with other arguments, which differ in title/,
    ],
    [
      "update_draft",
      { ...call, excerpt: "More", confirm_token },
      /with other arguments, which differ in excerpt/,
    ],
    ["update_draft", { ...call, site_id: "acme", confirm_token }, /of a preview for open/],
    [
      "unschedule",
      { site_id: "open", post_id: at.draft.id, confirm: true, confirm_token },
      /of a preview of "update_draft"/,
    ],
    ["update_draft", { ...call, confirm_token }, /belongs to another token/, "other"],
    [
      "update_draft",
      { ...call, confirm_token: confirm_token.slice(0, -1) },
      /unknown, or its 15 minutes are over/,
    ],
    [
      "update_draft",
      { ...call, confirm_token: `cft_${"A".repeat(22)}` },
      /unknown, or its 15 minutes are over/,
    ],
    ["update_draft", { ...call, confirm_token: "x".repeat(100_000) }, /unknown, or its 15 minutes are over/],
  ];
  for (const [tool, args, says, as] of cases) {
    const message = await at.kit.gw.refuses(tool, args, "E_CONFIRM_INVALID", says, { as });
    assert.match(message, /preview again and confirm with the new one$/);
  }
  assert.equal(at.kit.gw.requests.length, before, "nothing was sent");
});

test("a token is over after fifteen minutes, and where its site leads elsewhere", async (at) => {
  const call = { ...EDIT(at), confirm: true };
  const first = await shown(at, "update_draft", EDIT(at));
  await at.kit.gw.store.sites.update("open", { seo: { channel: "plugin" } });
  const moved = await at.kit.gw.refuses(
    "update_draft",
    { ...call, confirm_token: first.confirm_token },
    "E_CONFIRM_INVALID",
  );
  assert.match(moved, /the settings of site "open" have changed/);
  const second = await shown(at, "update_draft", EDIT(at));
  at.kit.gw.clock.now += 15 * 60_000;
  const late = await at.kit.gw.refuses(
    "update_draft",
    { ...call, confirm_token: second.confirm_token },
    "E_CONFIRM_INVALID",
  );
  assert.match(late, /15 minutes are over/);
});

test("equal arguments in another order are the same call", async (at) => {
  const { confirm_token } = await shown(at, "update_draft", {
    title: "T",
    post_id: at.draft.id,
    site_id: "open",
  });
  await at.kit.gw.call(
    "update_draft",
    { confirm_token, site_id: "open", confirm: true, post_id: at.draft.id, title: "T" },
  );
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
