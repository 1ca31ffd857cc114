/** Calls that tools make of other tools: every step of the tool within holds, and nothing is sent before confirm. */
import assert from "node:assert/strict";
import { type Code } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { ChangingSource, offer } from "../changing_source.ts";
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";
import { parted } from "../proof.ts";
import { scenes } from "../scenes.ts";

const OPTIONS: KitOptions = {
  roots: [new URL("../fixtures/toys/", import.meta.url), new URL("../fixtures/nested/", import.meta.url)],
  fetch: () => Promise.resolve(new Response("{}", { headers: { "content-type": "application/json" } })),
  http: { lookup: () => Promise.resolve(["93.184.215.14"]) },
  sites: [
    site("acme", "cms"),
    site("open", "cms", { flags: { allow_publish: true } }),
    site("files", "static"),
    site("other", "cms"),
    site("careful", "cms", { confirm_policy: "preview" }),
  ],
  tokens: {
    low: { allowed_sites: ["acme", "open"], max_risk: 1 },
    mid: { allowed_sites: ["acme", "open", "files"], max_risk: 3 },
    outer: { allowed_tools: ["note_again", "note_explain"] },
    skipping: { skip_write_confirm: true },
  },
};
const write = (site_id: string, more: Record<string, unknown> = {}) => ({
  tool: "note_write",
  args: { site_id, title: "new", ...more },
});
const sent = (gw: Kit) => gw.requests.splice(0).map(({ method, url }) => `${method} ${new URL(url).host}`);

const REFUSED: readonly {
  name: string;
  as?: string;
  call: { tool: string; args: Record<string, unknown> };
  code: Code;
  status: string;
}[] = [
  {
    name: "a flag of the site",
    as: "mid",
    call: write("acme", { loud: true }),
    code: "E_PUBLISH_NOT_ALLOWED",
    status: "error",
  },
  {
    name: "the risk ceiling",
    as: "low",
    call: write("open", { loud: true }),
    code: "E_SCOPE_DENIED",
    status: "risk_capped",
  },
  {
    name: "the tools of the token",
    as: "outer",
    call: write("acme"),
    code: "E_SCOPE_DENIED",
    status: "denied",
  },
  {
    name: "the sites of the token",
    as: "low",
    call: write("other"),
    code: "E_SCOPE_DENIED",
    status: "denied",
  },
  { name: "the schema", call: write("acme", { titel: "a" }), code: "E_BAD_INPUT", status: "error" },
  { name: "the platform", as: "mid", call: write("files"), code: "E_NOT_SUPPORTED", status: "error" },
  {
    name: "a name that is no tool's",
    call: { tool: "note_wriet", args: {} },
    code: "E_TOOL_NOT_FOUND",
    status: "error",
  },
];

const test = scenes(() => gateway(OPTIONS));

for (const { name, as, call, code, status } of REFUSED) {
  test(`a call within another is refused by ${name}, and nothing is sent`, async (gw) => {
    for (const confirm of [false, true]) {
      await gw.refuses("note_again", { calls: [call], confirm, late: false }, code, { as });
      await gw.refuses("note_again", { calls: [call], confirm: true, late: true }, code, { as });
      await gw.refuses("note_explain", call, code, { as });
    }
    assert.deepEqual(sent(gw), []);
    const rows = (await gw.audit()).filter((row) => row.tool === "note_again");
    for (const row of rows) {
      assert.deepEqual([row.status, row.error], [status, code]);
      assert.deepEqual(row.calls?.map((one) => [one.tool, one.error]), [[call.tool, code]]);
    }
  });
}

test("a publishing word is refused wherever it stands: among the arguments, and of the call within", async (gw) => {
  const call = write("acme", { status: "publish" });
  await gw.refuses("note_again", { calls: [call] }, "E_FORBIDDEN_OP");
  await gw.refuses("note_explain", call, "E_FORBIDDEN_OP", /which "note_write" never does/);
  assert.deepEqual(sent(gw), []);
});

test("the preview shows what the calls within would change, after reads only; confirmed, they are carried out", async (gw) => {
  const calls = [write("acme"), write("open", { title: "loud", loud: true })];
  for (const door of ["rest", "mcp"] as const) {
    const seen = await gw.call<Record<string, unknown>>("note_again", { calls }, { door });
    assert.deepEqual(sent(gw), ["GET acme.example", "GET open.example"]);
    assert.deepEqual(
      [seen.needs_confirmation, seen.tool, seen.site_id, seen.tier],
      [true, "note_again", "acme", 3],
    );
    assert.deepEqual(seen.changes, [
      { field: "title", from: "old", to: "new" },
      { field: "title", from: "old", to: "loud" },
    ]);
    assert.deepEqual(seen.calls, [
      { tool: "note_write", site_id: "acme", tier: 1, summary: 'Write "new"', fields: ["title"] },
      { tool: "note_write", site_id: "open", tier: 3, summary: 'Write "loud"', fields: ["title"] },
    ]);
    const done = await gw.call("note_again", { calls, confirm: true }, { door });
    const proven = { verified: true, warnings: [] };
    const answers = [{ written: "new", ...proven }, { written: "loud", ...proven }];
    assert.deepEqual(parted(done).done, { answers });
    assert.deepEqual(
      sent(gw).sort(),
      ["GET acme.example", "GET open.example", "POST acme.example", "POST open.example"],
    );
  }
});

test("confirm: true among the arguments of the call within confirms nothing", async (gw) => {
  const seen = await gw.call<Record<string, unknown>>("note_again", {
    calls: [write("acme", { confirm: true })],
  });
  assert.equal(seen.needs_confirmation, true);
  assert.deepEqual(sent(gw), ["GET acme.example"]);
});

test("a token that skips the gate skips it for the whole call, and for nothing else", async (gw) => {
  const done = await gw.call("note_again", { calls: [write("acme")] }, { as: "skipping" });
  assert.deepEqual(parted(done).done, { answers: [{ written: "new", verified: true, warnings: [] }] });
  await gw.refuses("note_again", { calls: [write("acme", { loud: true })] }, "E_PUBLISH_NOT_ALLOWED", {
    as: "skipping",
  });
});

test("one row tells of the whole call: the intent names the calls within, the outcome their facts", async (gw) => {
  const before: unknown[] = [];
  const append = gw.store.audit.append.bind(gw.store.audit);
  gw.store.audit.append = async (row) => {
    before.push([row.status, row.calls?.map((one) => one.site_id), gw.requests.length]);
    await append(row);
  };
  await gw.call("note_again", { calls: [write("acme"), write("open")], confirm: true });
  assert.deepEqual(before, [["started", ["acme", "open"], 2], ["ok", ["acme", "open"], 4]]);
  const rows = await gw.audit();
  assert.equal(rows.length, 1);
  const [row] = rows;
  assert.deepEqual([row?.tool, row?.site_id, row?.tier, row?.result_id], ["note_again", "acme", 1, "new"]);
  assert.deepEqual(row?.calls, [
    { tool: "note_write", site_id: "acme", tier: 1, error: null, result_id: "new" },
    { tool: "note_write", site_id: "open", tier: 1, error: null, result_id: "new" },
  ]);
  const change = { field: "title", from: "old", to: "new" };
  assert.deepEqual(row?.changes, [change, change]);
});

Deno.test("a write that fails within is the failure of the call, and the row says which it was", async () => {
  const broken: typeof fetch = (_, init) =>
    init?.method === "POST" ? Promise.reject(new TypeError("cut off")) : Promise.resolve(new Response("{}"));
  await using gw = await gateway({ ...OPTIONS, fetch: broken });
  const args = { calls: [write("acme"), write("open")], confirm: true };
  await gw.refuses("note_again", args, "E_UPSTREAM", { door: "rest" });
  const [row] = await gw.audit();
  assert.equal(row?.status, "error");
  assert.deepEqual(row?.calls?.map((one) => one.error), ["E_UPSTREAM", null]);
});

test("a write that was not planned before the call was confirmed does not run, nor does one run twice", async (gw) => {
  const late = { calls: [write("acme")], confirm: true, late: true };
  await gw.refuses("note_again", late, "E_INTERNAL", { door: "rest" });
  assert.deepEqual(sent(gw), ["GET acme.example"]);
  await gw.refuses("note_again", { calls: [write("acme")], confirm: true, twice: true }, "E_INTERNAL", {
    door: "rest",
  });
  assert.deepEqual(sent(gw), ["GET acme.example", "POST acme.example"]);
  assert.match(String(gw.logged.at(-1)?.cause), /has run/);
});

test("a tool that only reads may plan a write and carry out reads, and no write", async (gw) => {
  const { planned } = await gw.call<{ planned: unknown }>("note_explain", write("acme"));
  assert.deepEqual(planned, {
    tool: "note_write",
    site_id: "acme",
    tier: 1,
    summary: 'Write "new"',
    changes: [{ field: "title", from: "old", to: "new" }],
    revision: { title: "old" },
    warnings: [],
    restores: false,
  });
  await gw.refuses("note_explain", { ...write("acme"), run: true }, "E_INTERNAL", { door: "rest" });
  assert.ok(gw.requests.every(({ method }) => method === "GET"));
  const read = { tool: "note_read", args: { site_id: "acme" }, run: true };
  assert.deepEqual(await gw.call("note_explain", read), { answer: { answer: 200 } });
  const [row] = await gw.audit();
  assert.deepEqual([row?.tier, row?.site_id, row?.calls?.[0]?.tool], [0, "acme", "note_read"]);
});

test("no tool calls itself, at whatever depth, and calls stand in each other only so deep", async (gw) => {
  const again = (...calls: unknown[]) => ({ tool: "note_again", args: { calls } });
  const explained = { tool: "note_explain", args: write("acme") };
  await gw.refuses("note_again", { calls: [again(write("acme"))] }, "E_FORBIDDEN_OP");
  await gw.refuses("note_explain", again(explained), "E_FORBIDDEN_OP");
  assert.deepEqual(sent(gw), []);
  const deep = { tool: "note_relay", args: again(write("acme")), run: true };
  await gw.refuses("note_explain", deep, "E_FORBIDDEN_OP", /too deep/);
  assert.deepEqual(sent(gw), []);
  const seen = await gw.call<{ planned: { changes: unknown } }>("note_explain", again(write("acme")));
  assert.deepEqual(seen.planned.changes, [{ field: "title", from: "old", to: "new" }]);
});

test("one call makes a bounded number of others", async (gw) => {
  const calls = (count: number) => ({ calls: Array.from({ length: count }, () => write("acme")) });
  await gw.call("note_again", calls(LIMITS.NESTED_CALLS_MAX));
  await gw.refuses("note_again", calls(LIMITS.NESTED_CALLS_MAX + 1), "E_BAD_INPUT");
});

Deno.test("a site's own tool is called within another only to read, for its write has no preview", async () => {
  const source = new ChangingSource(
    offer("shop-find", ["acme"]),
    offer("shop-put", ["acme"], { writes: true }),
  );
  await using gw = await gateway({ ...OPTIONS, sources: [source] });
  const message = await gw.refuses("note_again", {
    calls: [{ tool: "shop-put", args: {} }],
    confirm: true,
  }, "E_FORBIDDEN_OP");
  assert.match(message, /has no preview/);
  const read = { tool: "shop-find", args: { text: "a" }, run: true };
  assert.deepEqual(await gw.call("note_explain", read), {
    answer: { result: { site: "acme", args: { text: "a" } } },
  });
});

Deno.test("calls within share the deadline of the whole call", async () => {
  const clock = { gw: null as Kit | null };
  const slow: typeof fetch = () => {
    clock.gw!.clock.now += LIMITS.CALL_DEADLINE_MS / 2 + 1;
    return Promise.resolve(new Response("{}"));
  };
  await using gw = await gateway({ ...OPTIONS, fetch: slow });
  clock.gw = gw;
  const calls = [write("acme"), write("open"), write("other")];
  await gw.refuses("note_again", { calls }, "E_UPSTREAM", { door: "rest" });
  assert.equal(gw.requests.length, 2);
});

test("the strictest policy of all sites that calls within touch holds, and a row is found under each of them", async (gw) => {
  const calls = [write("acme"), write("careful")];
  for (const door of ["rest", "mcp"] as const) {
    const seen = await gw.call<{ needs_confirmation: true; confirm_token: string }>(
      "note_again",
      { calls, confirm: true },
      { door },
    );
    assert.equal(seen.needs_confirmation, true, "confirm: true alone writes nothing");
    assert.ok(sent(gw).every((one) => one.startsWith("GET")));
    const { confirm_token } = seen;
    const done = await gw.call("note_again", { calls, confirm: true, confirm_token }, { door });
    assert.equal(parted<{ answers: unknown[] }>(done).done.answers.length, 2);
    assert.deepEqual(sent(gw).filter((one) => one.startsWith("POST")), [
      "POST acme.example",
      "POST careful.example",
    ]);
  }
  const found = await gw.store.audit.list({ site_id: "careful" }, { limit: 10 });
  assert.deepEqual(found.rows.map(({ tool, status }) => [tool, status]), [
    ["note_again", "ok"],
    ["note_again", "needs_confirmation"],
    ["note_again", "ok"],
    ["note_again", "needs_confirmation"],
  ]);
  assert.deepEqual((await gw.store.audit.list({ site_id: "other" }, { limit: 10 })).rows, []);
});

test("a site of a call within that leads elsewhere since the preview is not written to", async (gw) => {
  const calls = [write("acme"), write("other")];
  const { confirm_token } = await gw.call<{ confirm_token: string }>("note_again", { calls });
  await gw.store.sites.update("other", { base_url: "https://moved.example" });
  sent(gw);
  const args = { calls, confirm: true, confirm_token };
  await gw.refuses("note_again", args, "E_STALE_PREVIEW", /^"site other": changed/);
  assert.ok(sent(gw).every((one) => one.startsWith("GET")));
});
