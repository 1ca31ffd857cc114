/** Receipts of held calls: who is told of one, what it keeps, how long it lives, and what its absence promises. */
import assert from "node:assert/strict";
import { Gateways } from "./pairing.ts";
import { Companion, cut, type Json, suite } from "./site.ts";

let wp: Companion;
let gateways: Gateways;
const test = suite(async () => {
  wp = await Companion.start();
  gateways = new Gateways(wp);
  return wp;
});

/** A receipt as a held call leaves it. */
const receipt = (id: string, user: string, more: Json = {}): Json => ({
  id,
  kind: "kept",
  key_id: "0".repeat(16),
  user_id: wp.site.users[user as "ed"].id,
  route: "/mcp/tools",
  body_hash: "d".repeat(64),
  digest: "0123456789abcdef",
  labels: ["draft"],
  effects: [{ label: "draft", what: 'Page 7 "Ö 😀" (draft)', fields: [] }],
  rows: {
    posts: { "7": [{ ID: "7", post_title: "Ö" }, { ID: "7", post_title: "😀" }], "8": [null, { ID: "8" }] },
  },
  ...more,
});

const call = async (method: string, ...args: unknown[]) =>
  (await wp.peek({ call: [`SiteOps\\Hold_Receipts::${method}`, args] })).result;

/** Stores the row that a held call would insert. */
async function store(row: Json): Promise<void> {
  const [table, values] = await call("statement", row) as [string, Record<string, string | number>];
  const texts = Object.values(values).map((value) =>
    `'${String(value).replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
  );
  const columns = Object.keys(values).map((name) => `\`${name}\``);
  const sql = `INSERT INTO ${table} (${columns.join()}) VALUES (${texts.join()})`;
  assert.equal((await wp.peek({ db: ["query", sql] })).result, 1);
}

const age = (id: string, seconds: number) =>
  wp.peek({
    db: ["query", `UPDATE wp_site_ops_holds SET created = created - ${seconds} WHERE id = '${id}'`],
  });

test("a receipt is told to the gateway that made the call, with the rows before until they are acknowledged", async () => {
  const [ed, other, auth] = [
    await gateways.keyOf("ed"),
    await gateways.furtherKey("ed"),
    await gateways.furtherKey("auth"),
  ];
  const id = "e".repeat(32);
  await store(receipt(id, "ed", { key_id: ed.key_id }));
  const told = await wp.signed("ed", ed, "GET", `/holds/${id}`);
  assert.deepEqual(Object.keys(told.body), ["id", "outcome", "digest", "labels", "effects", "at"]);
  assert.deepEqual(cut(told, "id", "outcome", "digest", "labels", "effects"), [
    200,
    id,
    "committed",
    "0123456789abcdef",
    ["draft"],
    [{ label: "draft", what: 'Page 7 "Ö 😀" (draft)', fields: [] }],
  ]);
  const at = String(told.body["at"]);
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  const before = (await wp.signed("ed", ed, "GET", `/holds/${id}?before=1`)).body["before"];
  assert.deepEqual(before, [
    { table: "posts", key: "7", row: { ID: "7", post_title: "Ö" } },
    { table: "posts", key: "8", row: null },
  ]);
  for (const [method, path] of [["GET", ""], ["GET", "?before=1"], ["POST", "/acknowledged"]] as const) {
    const foreign = await wp.signed("auth", auth, method, `/holds/${id}${path}`);
    assert.deepEqual(cut(foreign), [404, "site_ops_hold_not_found"]);
    // Not "not found": of its own account that would be taken for "nothing was committed".
    const second = await wp.signed("ed", other, method, `/holds/${id}${path}`);
    assert.deepEqual([cut(second), Object.keys(second.body)], [
      [403, "site_ops_hold_other_key"],
      ["code", "message", "data"],
    ]);
  }
  assert.deepEqual((await wp.signed("ed", ed, "GET", `/holds/${id}?before=1`)).body["before"], before);
  assert.equal((await wp.signed("ed", ed, "POST", `/holds/${id}/acknowledged`)).status, 200);
  assert.equal((await wp.signed("ed", ed, "POST", `/holds/${id}/acknowledged`)).status, 200);
  const after = await wp.signed("ed", ed, "GET", `/holds/${id}?before=1`);
  assert.deepEqual(cut(after, "outcome", "effects.0.label", "before"), [200, "committed", "draft", null]);
});

test("bytes that are no UTF-8 are kept as they were, and answered as base64", async () => {
  const key = await gateways.keyOf("ed");
  const id = "4".repeat(32);
  const row = { text: "\\ ' \u0000", bytes: "hex:fffe00" };
  await store(receipt(id, "ed", { key_id: key.key_id, rows: { other: { "1": [row, null] } } }));
  const { body } = await wp.signed("ed", key, "GET", `/holds/${id}?before=1`);
  assert.deepEqual(body["before"], [
    { table: "other", key: "1", row: { text: row.text, bytes: { base64: "//4A" } } },
  ]);
});

test("long rows are kept packed, and answered whole", async () => {
  const key = await gateways.keyOf("ed");
  const id = "6".repeat(32);
  const text = '{"Ö": "\\\\ 😀"}'.repeat(3000);
  await store(receipt(id, "ed", { key_id: key.key_id, rows: { other: { "1": [{ text }, null] } } }));
  const { body } = await wp.signed("ed", key, "GET", `/holds/${id}?before=1`);
  assert.deepEqual(body["before"], [{ table: "other", key: "1", row: { text } }]);
  const sql = `SELECT LENGTH(\`rows\`) FROM wp_site_ops_holds WHERE id = '${id}'`;
  assert.ok(Number((await wp.peek({ db: ["get_var", sql] })).result) < text.length / 10);
});

test("where there is no receipt the id is taken, so that a late call is refused", async () => {
  const key = await gateways.keyOf("ed");
  const id = "f".repeat(32);
  assert.equal(await call("used", id), false);
  assert.deepEqual(cut(await wp.signed("ed", key, "POST", `/holds/${id}/acknowledged`)), [
    404,
    "site_ops_hold_not_found",
  ]);
  assert.equal(await call("used", id), false);
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", `/holds/${id}`)), [404, "site_ops_hold_not_found"]);
  assert.equal(await call("used", id), true);
  assert.equal(await call("keep_dry", receipt(id, "ed")), false);
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", `/holds/${id}`)), [404, "site_ops_hold_not_found"]);
});

test("a dry run is kept for 20 minutes, and a receipt for 7 days", async () => {
  const key = await gateways.keyOf("ed");
  const [dry, old] = ["1".repeat(32), "2".repeat(32)];
  const { effects, rows } = receipt(dry, "ed");
  assert.equal(await call("keep_dry", receipt(dry, "ed")), true);
  const found = await call("dry", dry) as Json;
  assert.deepEqual([found["kind"], found["effects"], found["rows"]], ["dry", effects, rows]);
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", `/holds/${dry}`)), [404, "site_ops_hold_not_found"]);
  await store(receipt(old, "ed"));
  assert.equal(await call("dry", old), null);
  await age(dry, 1195);
  await age(old, 604_000);
  await call("expire");
  assert.deepEqual([await call("used", dry), await call("used", old)], [true, true]);
  await age(dry, 10);
  await age(old, 1000);
  assert.equal(await call("dry", dry), null);
  await wp.peek({ call: ["do_action", ["wp_scheduled_delete"]] });
  assert.deepEqual([await call("used", dry), await call("used", old)], [false, false]);
});

test("where receipts cannot be written nobody is told that nothing was committed; another version makes the table again", async () => {
  const key = await gateways.keyOf("ed");
  const path = `/holds/${"5".repeat(32)}`;
  await wp.peek({ db: ["query", "DROP TABLE wp_site_ops_holds"] });
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", path)), [503, "site_ops_busy"]);
  await wp.peek({ options: { site_ops_holds_version: "1.1.9" } });
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", path)), [404, "site_ops_hold_not_found"]);
  assert.deepEqual((await wp.peek({ db: ["get_col", "SHOW TABLES LIKE 'wp\\_site\\_ops%'"] })).result, [
    "wp_site_ops_holds",
  ]);
  const { options } = await wp.peek({ ask: ["site_ops_holds_version"] });
  assert.notEqual(options["site_ops_holds_version"], "1.1.9");
});
