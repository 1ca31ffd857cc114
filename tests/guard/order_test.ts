/** The fixed order of refusals: each rung's call breaks its own rule and every later one, and nothing is sent. */
import assert from "node:assert/strict";
import { CLOCK } from "../../core/async.ts";
import { gateway, type Kit, type KitOptions, NOW, owned } from "../kit.ts";
import { parted } from "../proof.ts";
import { scenes } from "../scenes.ts";
import { APP, LADDER, LOUD, OPTIONS } from "./ladder.ts";

const test = scenes(() => gateway(OPTIONS));

for (const rung of LADDER) {
  test(`step ${rung.step}`, async (gw) => {
    await gw.refuses(rung.tool ?? "toy_write", rung.args, rung.code, rung.says, { as: rung.as });
    assert.deepEqual(gw.requests, [], "nothing was sent");
    const rows = await gw.audit();
    assert.equal(rows.length, 2, "one row for each door");
    assert.deepEqual(rows.map((row) => row.door).sort(), ["mcp", "rest"]);
    for (const row of rows) assert.deepEqual([row.status, row.error], [rung.audit, rung.code]);
  });
}

const withSecret: KitOptions = { ...OPTIONS, settings: { upstream: { ...APP, ADS_DEVELOPER_TOKEN: "dev" } } };

test("step 1: authentication comes before the body, and leaves no row", async (gw) => {
  const response = await gw.http("/api/v1/tools/toy_write", { method: "POST", body: "{", as: null });
  assert.equal(response.status, 401);
  assert.equal((await response.json()).error.code, "E_AUTH");
  assert.equal(
    response.headers.get("www-authenticate"),
    'Bearer resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource"',
  );
  assert.deepEqual(await gw.audit(), []);
});

/** A token may call once a minute of a clock that stands. */
function onceAMinute() {
  const at = { elapsed: 0 };
  const storage = { clock: { ...CLOCK, elapsed: () => at.elapsed } };
  return { at, options: { ...OPTIONS, storage, settings: { ...OPTIONS.settings, rateLimitToken: 1 } } };
}

Deno.test("step 2: the token's rate comes before the body", async () => {
  const { at, options } = onceAMinute();
  await using gw = await gateway(options);
  await gw.end("list_sites", {});
  const response = await gw.http("/api/v1/tools/nothing", { method: "POST", body: "{" });
  assert.equal(response.status, 429);
  assert.equal((await response.json()).error.code, "E_RATE_LIMITED");
  assert.equal(response.headers.get("retry-after"), "60");
  at.elapsed += 60_000;
  assert.equal((await gw.http("/api/v1/tools/nothing", { method: "POST", body: "{" })).status, 400);
});

test("step 3: the body's size, then its form, before the tool is looked up; both leave a row", async (gw) => {
  const post = async (body: BodyInit) => {
    const response = await gw.http("/api/v1/tools/nothing", { method: "POST", body, as: "narrow" });
    return [response.status, (await response.json()).error.code];
  };
  assert.deepEqual(await post(`{"a": "${"x".repeat(3 * 1024 * 1024)}`), [413, "E_PAYLOAD_TOO_LARGE"]);
  assert.deepEqual(await post("{"), [400, "E_BAD_JSON"]);
  assert.deepEqual((await gw.audit()).map((row) => row.error), ["E_BAD_JSON", "E_PAYLOAD_TOO_LARGE"]);
});

test("step 4: what a caller puts in place of names leaves no credential in its row", async (gw) => {
  const secret = `eyJ${"a".repeat(60)}.${"b".repeat(40)}.${"c".repeat(43)}`;
  await gw.refuses(secret, {}, "E_TOOL_NOT_FOUND");
  await gw.refuses("toy_write", { site_id: `ghp_${"b".repeat(36)}`, title: "x" }, "E_NOT_FOUND");
  const rows = await gw.audit();
  assert.equal(rows.length, 4);
  assert.ok(!JSON.stringify(rows).includes("bbbb"), JSON.stringify(rows));
});

test("step 3: a body over the tool's own limit is refused once the tool is known", async (gw) => {
  const text = "x".repeat(3 * 1024 * 1024);
  await gw.refuses("toy_write", { site_id: "linked", title: text }, "E_PAYLOAD_TOO_LARGE");
});

test("step 6: a super-admin tool is refused to a token with an owner", async (gw) => {
  const { text } = await owned(gw.store, { role: "admin" });
  const response = await gw.http("/api/v1/tools/toy_destroy", {
    method: "POST",
    body: '{"site_id":"acme","confirm":true}',
    headers: { authorization: `Bearer ${text}` },
  });
  assert.equal(response.status, 403);
  assert.equal((await response.json()).error.code, "E_SUPER_ADMIN_ONLY");
  assert.equal((await gw.audit())[0]?.status, "denied");
});

Deno.test("step 10: the site's rate", async () => {
  await using gw = await gateway({ ...OPTIONS, settings: { ...OPTIONS.settings, rateLimitSite: 2 } });
  const args = { title: "a", site_id: "acme", ...LOUD };
  await gw.refuses("toy_write", args, "E_PUBLISH_NOT_ALLOWED");
  await gw.refuses("toy_write", args, "E_RATE_LIMITED");
});

const methods = (gw: Kit) => gw.requests.map((one) => one.method);
const CALL = { title: "a", site_id: "linked" };
const answering = (status: number): typeof fetch => () => Promise.resolve(new Response("{}", { status }));

Deno.test("step 14: the plan reads, refuses, and nothing is written", async () => {
  await using gw = await gateway({ ...withSecret, fetch: answering(423), allowPrivate: ["linked.example"] });
  await gw.refuses("toy_write", { ...CALL, confirm: true }, "E_FORBIDDEN_OP", { as: "high" });
  assert.deepEqual(methods(gw), ["GET", "GET"]);
});

Deno.test("step 15: without confirm a preview is answered and nothing is written, through both doors alike", async () => {
  await using gw = await gateway({ ...withSecret, fetch: answering(200), allowPrivate: ["linked.example"] });
  const args = { ...CALL, confirm: false };
  const previews = [await gw.call("toy_write", args), await gw.call("toy_write", CALL, { door: "mcp" })];
  for (const preview of previews as Record<string, unknown>[]) {
    const { confirm_token, expires_at, next, undoable_reason, ...shown } = preview;
    assert.match(String(confirm_token), /^cft_/);
    assert.equal(expires_at, new Date(NOW + 15 * 60_000).toISOString());
    assert.match(String(next), /send the same call with confirm: true and this confirm_token/);
    assert.match(String(undoable_reason), /^Nothing is kept that would set it back/);
    assert.deepEqual(shown, {
      needs_confirmation: true,
      tool: "toy_write",
      site_id: "linked",
      tier: 1,
      summary: 'Write "a"',
      changes: [{ field: "title", from: null, to: "a" }],
      revision: null,
      undoable: false,
      warnings: [],
    });
  }
  assert.deepEqual(methods(gw), ["GET", "GET"]);
  assert.deepEqual((await gw.audit()).map((row) => row.status), ["needs_confirmation", "needs_confirmation"]);
});

Deno.test("step 15: a super-admin token may skip the confirm gate", async () => {
  const tokens = { bold: { skip_write_confirm: true } };
  await using gw = await gateway({
    ...withSecret,
    tokens,
    fetch: answering(200),
    allowPrivate: ["linked.example"],
  });
  assert.deepEqual(parted(await gw.call("toy_write", CALL, { as: "bold" })).done, { id: "toy-1" });
});

Deno.test("step 16: a confirmed write is made once and leaves one row with its result", async () => {
  await using gw = await gateway({ ...withSecret, fetch: answering(200), allowPrivate: ["linked.example"] });
  const { done, proof } = parted(await gw.call("toy_write", { ...CALL, confirm: true }));
  assert.deepEqual(done, { id: "toy-1" });
  assert.deepEqual(methods(gw), ["GET", "POST"]);
  const [row, ...more] = await gw.audit();
  assert.deepEqual(more, []);
  assert.deepEqual([row?.status, row?.result_id, row?.tier, row?.site_id], ["ok", "toy-1", 1, "linked"]);
  assert.equal(row?.request_id, proof.request_id);
});

Deno.test("step 16: while the audit cannot be written nothing is written upstream", async () => {
  await using gw = await gateway({
    ...withSecret,
    fetch: answering(200),
    allowPrivate: ["linked.example"],
    store: (real) => ({
      ...real,
      audit: { ...real.audit, append: () => Promise.reject(new Error("disk full")) },
    }),
  });
  await gw.refuses("toy_write", { ...CALL, confirm: true }, "E_INTERNAL", /audit log cannot be written/);
  assert.deepEqual(methods(gw), ["GET", "GET"]);
  assert.ok(gw.logged.some((event) => event.event === "audit_failed"));
});

test("a fault inside a handler is logged, and its text reaches neither caller nor audit", async (gw) => {
  const says = await gw.refuses("toy_fault", {}, "E_INTERNAL", /request id "[0-9A-Z]{26}"/);
  assert.ok(!says.includes("secret"));
  assert.match(String(gw.logged[0]?.cause), /TypeError/);
  assert.ok(!JSON.stringify(await gw.audit()).includes("secret"));
});

test("a text that parses as an object is unwrapped over REST, a plain one is itself", async (gw) => {
  for (
    const [text, result] of [['{"a":1}', { a: 1 }], ["[1]", [1]], ["1", "1"], ["plain", "plain"], ["{", "{"]]
  ) {
    assert.deepEqual(await gw.call("toy_fault", { text }), result);
  }
});

Deno.test("step 2: listing the tools counts against the token's rate at both doors", async () => {
  await using gw = await gateway(onceAMinute().options);
  const frame = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const list = () =>
    gw.http(
      "/mcp",
      { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(frame) },
    );
  assert.equal((await list()).status, 200);
  const refused = await list();
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "60"]);
  assert.equal((await refused.json()).error.code, "E_RATE_LIMITED");
  assert.equal((await gw.http("/api/v1/tools")).status, 429);
});
