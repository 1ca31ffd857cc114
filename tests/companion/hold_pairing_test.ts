/** Connecting a gateway to the companion plugin: codes, keys, signatures, receipts, the page in the admin area, and what uninstalling leaves. */
import assert from "node:assert/strict";
import {
  type Answer,
  Companion,
  cut,
  type Json,
  type PairedKey,
  Screens,
  type Signing,
  suite,
} from "./site.ts";

let wp: Companion;
const test = suite(async () => (wp = await Companion.start()));

const PAGE = "/wp-admin/tools.php?page=site-ops";
const TABLES = { db: ["get_col", "SHOW TABLES LIKE 'wp\\_site\\_ops%'"] };
const OPTIONS = {
  db: ["get_col", "SELECT option_name FROM wp_options WHERE option_name LIKE 'site\\_ops%'"],
};

/** What the plugin has in the database: tables and options. */
const kept = async (at: Companion) => [(await at.peek(TABLES)).result, (await at.peek(OPTIONS)).result];

/** Presses a button of the page; the page after it. */
async function press(screens: Screens, button: RegExp): Promise<string> {
  const page = await screens.ask(PAGE);
  const form = page.split("<form").find((text) => button.test(text)) ?? assert.fail(`no ${button}: ${page}`);
  const [, nonce] = /name="_wpnonce" value="(\w+)"/.exec(form)!;
  const [, name, value] = /name="(site_ops_\w+)" value="(\w+)"/.exec(form)!;
  return await screens.ask(PAGE, new URLSearchParams({ _wpnonce: nonce!, [name!]: value! }));
}

/** A code as the page shows it. */
async function newCode(): Promise<string> {
  const page = await press(await Screens.login(wp.site, "admin"), />Connect a gateway</);
  return /<code[^>]*>(\w{4}-\w{4})<\/code>/.exec(page)![1]!;
}

const connect = (login: "admin" | "ed" | "auth", more: Json = {}) =>
  wp.call(login, "POST", "/gateways", { name: "Gateway", ...more });

/** Connects with a fresh code where one is needed; the key. */
async function keyOf(login: "admin" | "ed" | "auth"): Promise<PairedKey> {
  const answer = await connect(login, login === "admin" ? {} : { code: await newCode() });
  assert.deepEqual([answer.status, Object.keys(answer.body)], [201, ["key_id", "key"]]);
  return answer.body as unknown as PairedKey;
}

const message = ({ body }: Answer) => String(body["message"]);

test("until a gateway is connected the plugin keeps nothing, and says that none is", async () => {
  await using site = (await Companion.start()).site;
  const fresh = new Companion(site);
  const { features } = (await fresh.call("ed", "GET", "/health")).body as unknown as { features: Json };
  const hold = features["hold"] as Json;
  assert.deepEqual([hold["active"], hold["paired"]], [false, false]);
  assert.match(String(hold["why"]), /^[A-Z]/);
  await fresh.call("ed", "GET", `/holds/${"a".repeat(32)}`);
  assert.deepEqual(await kept(fresh), [[], []]);
});

test("an administrator connects without a code, anybody else is told to get one", async () => {
  const key = await keyOf("admin");
  assert.match(key.key_id, /^[0-9a-f]{16}$/);
  assert.match(key.key, /^[0-9a-f]{64}$/);
  const refused = await connect("ed");
  assert.deepEqual(cut(refused), [403, "site_ops_pairing_code"]);
  assert.match(message(refused), /pressing "Connect a gateway" in WordPress under Tools, Site Ops/);
  assert.deepEqual(cut(await connect("admin", { name: " <b></b> " })), [400, "rest_invalid_param"]);
  const [stored] = (await wp.peek({ ask: ["site_ops_gateways"] })).options["site_ops_gateways"] as Json[];
  assert.deepEqual([stored!["key_id"], stored!["name"]], [key.key_id, "Gateway"]);
  const { result } = await wp.peek({
    db: ["get_var", "SELECT autoload FROM wp_options WHERE option_name = 'site_ops_gateways'"],
  });
  assert.match(String(result), /^(no|off)$/);
});

test("a code works once, however it is written, and the health report then says connected", async () => {
  const paired = async () => {
    const { features } = (await wp.call("ed", "GET", "/health")).body as unknown as { features: Json };
    return (features["hold"] as Json)["paired"];
  };
  assert.equal(await paired(), false);
  const code = await newCode();
  const answer = await connect("ed", { code: code.toLowerCase().replace("-", " ") });
  assert.equal(answer.status, 201);
  assert.equal(await paired(), true);
  const again = await connect("ed", { code });
  assert.deepEqual(cut(again), [403, "site_ops_pairing_code"]);
  assert.match(message(again), /No code waits/);
});

test("a code is kept as a hash, ends after 15 minutes, and a new one ends the one before", async () => {
  const [first, second] = [await newCode(), await newCode()];
  const { options } = await wp.peek({ ask: ["site_ops_pairing_code"] });
  const stored = options["site_ops_pairing_code"] as { made_at: number };
  assert.ok(!JSON.stringify(stored).includes(second.slice(0, 4)));
  assert.match(message(await connect("auth", { code: first })), /tries left: 4/);
  const aged = (seconds: number) =>
    wp.peek({ options: { site_ops_pairing_code: { ...stored, made_at: stored.made_at - seconds } } });
  await aged(905);
  assert.match(message(await connect("auth", { code: second })), /No code waits/);
  const third = await newCode();
  const { made_at, ...rest } = (await wp.peek({ ask: ["site_ops_pairing_code"] }))
    .options["site_ops_pairing_code"] as { made_at: number };
  await wp.peek({ options: { site_ops_pairing_code: { ...rest, made_at: made_at - 840 } } });
  assert.equal((await connect("auth", { code: third })).status, 201);
});

test("five wrong tries end a code, also when they come at once and from an administrator", async () => {
  const code = await newCode();
  const wrong = code.startsWith("2") ? `3${code.slice(1)}` : `2${code.slice(1)}`;
  const tries = await Promise.all(
    [1, 2, 3, 4, 5].map((at) => connect(at === 5 ? "admin" : "ed", { code: wrong })),
  );
  assert.deepEqual(tries.map((answer) => cut(answer)), tries.map(() => [403, "site_ops_pairing_code"]));
  const told = tries.map((answer) => /left: (\d)/.exec(message(answer))?.[1] ?? "ended").sort();
  assert.deepEqual(told, ["1", "2", "3", "4", "ended"]);
  assert.match(message(await connect("ed", { code })), /No code waits/);
});

test("an account that connects again has one key, and the one before signs nothing any more", async () => {
  const [old, key] = [await keyOf("ed"), await keyOf("ed")];
  const path = `/holds/${"b".repeat(32)}`;
  const refused = await wp.signed("ed", old, "GET", path);
  assert.deepEqual(cut(refused), [403, "site_ops_hold_signature"]);
  assert.match(message(refused), /unknown/);
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", path)), [404, "site_ops_hold_not_found"]);
});

test("a signature holds for one method, route, body, hold, account and time", async () => {
  const key = await keyOf("ed");
  const id = "c".repeat(32);
  const now = Math.floor(Date.now() / 1000);
  const other = { ...key, key: "0".repeat(64) };
  const rows: readonly [name: RegExp | null, asked: Signing, by?: PairedKey, login?: "auth"][] = [
    [null, {}],
    [null, { t: now - 290 }],
    [/unknown/, {}, { ...key, key_id: "0".repeat(16) }],
    [/wrong/, {}, other],
    [/wrong/, { body: { a: 1 }, signed: { body: '{"a":2}' } }],
    [/wrong/, { signed: { route: `/site-ops/v1/holds/${id}` } }],
    [/wrong/, { hold: "dry", signed: { hold: "hold" } }],
    [/wrong/, { signed: { hold: "dry" } }],
    [/differ by 40\d seconds/, { t: now - 400 }],
    [/differ by (39|40)\d seconds/, { t: now + 400 }],
    [/another account/, {}, key, "auth"],
  ];
  for (const [refused, asked, by = key, login = "ed"] of rows) {
    const answer = await wp.signed(login, by, "POST", `/holds/${id}/acknowledged`, asked);
    const want = refused === null ? [404, "site_ops_hold_not_found"] : [403, "site_ops_hold_signature"];
    assert.deepEqual(cut(answer), want, `${refused} ${JSON.stringify(asked)}: ${message(answer)}`);
    if (refused !== null) assert.match(message(answer), refused);
  }
  const none = await wp.call("ed", "GET", `/holds/${id}`);
  assert.match(message(none), /no signature/);
  const odd = { "x-site-ops-signature": `v2; key=${key.key_id}` };
  assert.match(
    message(await wp.send("ed", "GET", `/wp-json/site-ops/v1/holds/${id}`, undefined, odd)),
    /not written/,
  );
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

test("a receipt is told to the account that made the call, with the rows before until they are acknowledged", async () => {
  const [ed, auth] = [await keyOf("ed"), await keyOf("auth")];
  const id = "e".repeat(32);
  await store(receipt(id, "ed"));
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
  }
  const renewed = await keyOf("ed");
  assert.equal((await wp.signed("ed", renewed, "POST", `/holds/${id}/acknowledged`)).status, 200);
  assert.equal((await wp.signed("ed", renewed, "POST", `/holds/${id}/acknowledged`)).status, 200);
  const after = await wp.signed("ed", renewed, "GET", `/holds/${id}?before=1`);
  assert.deepEqual(cut(after, "outcome", "effects.0.label", "before"), [200, "committed", "draft", null]);
});

test("bytes that are no UTF-8 are kept as they were, and answered as base64", async () => {
  const key = await keyOf("ed");
  const id = "4".repeat(32);
  const row = { text: "\\ ' \u0000", bytes: "hex:fffe00" };
  await store(receipt(id, "ed", { rows: { other: { "1": [row, null] } } }));
  const { body } = await wp.signed("ed", key, "GET", `/holds/${id}?before=1`);
  assert.deepEqual(body["before"], [
    { table: "other", key: "1", row: { text: row.text, bytes: { base64: "//4A" } } },
  ]);
});

test("where there is no receipt the id is taken, so that a late call is refused", async () => {
  const key = await keyOf("ed");
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
  const key = await keyOf("ed");
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

test("the test of holding writes only where it is held", async () => {
  assert.deepEqual(cut(await wp.call("admin", "POST", "/hold-test", {})), [403, "site_ops_not_allowed"]);
  const { id } = await wp.peek({ post: { post_title: "Other", post_status: "draft" } });
  assert.deepEqual((await wp.call("ed", "GET", `/hold-test/${id}`)).body, { exists: false });
  const left = await wp.peek({ post: { post_title: "Site Ops hold test", post_status: "draft" } });
  assert.deepEqual((await wp.call("ed", "GET", `/hold-test/${left.id}`)).body, { exists: true });
  await wp.peek({ options: { site_ops_hold_test: 4711 } });
  assert.deepEqual((await wp.call("ed", "GET", "/hold-test/4711")).body, { exists: true });
});

test("the page lists the gateways to an administrator, disconnects them, and is closed to an editor", async () => {
  const key = await keyOf("ed");
  await connect("admin", { name: 'A "name" & <more' });
  const admin = await Screens.login(wp.site, "admin");
  const page = await admin.ask(PAGE);
  assert.match(page, /<td>A &quot;name&quot; &amp; &lt;more<\/td><td>admin<\/td>/);
  assert.match(page, /<td>Gateway<\/td><td>ed<\/td>/);
  assert.ok(!page.includes(key.key));
  const forged = await admin.ask(
    PAGE,
    new URLSearchParams({ site_ops_disconnect: key.key_id, _wpnonce: "0" }),
  );
  assert.match(forged, /link you followed has expired/);
  assert.equal((await wp.signed("ed", key, "GET", `/holds/${"3".repeat(32)}`)).status, 404);
  const without = await press(admin, new RegExp(`value="${key.key_id}"`));
  assert.ok(without.includes("<td>admin</td>") && !without.includes("<td>ed</td>"));
  assert.equal((await wp.signed("ed", key, "GET", `/holds/${"3".repeat(32)}`)).status, 403);
  const editor = await Screens.login(wp.site, "ed");
  assert.match(await editor.ask("/wp-admin/"), /Dashboard/);
  assert.match(await editor.ask(PAGE), /not allowed to access this page/);
  assert.ok(!(await editor.ask("/wp-admin/tools.php")).includes("page=site-ops"));
});

test("where receipts cannot be written nobody is told that nothing was committed; another version makes the table again", async () => {
  const key = await keyOf("ed");
  const path = `/holds/${"5".repeat(32)}`;
  await wp.peek({ db: ["query", "DROP TABLE wp_site_ops_holds"] });
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", path)), [503, "site_ops_busy"]);
  await wp.peek({ options: { site_ops_holds_version: "1.1.9" } });
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", path)), [404, "site_ops_hold_not_found"]);
  assert.deepEqual((await wp.peek(TABLES)).result, ["wp_site_ops_holds"]);
  const { options } = await wp.peek({ ask: ["site_ops_holds_version"] });
  assert.notEqual(options["site_ops_holds_version"], "1.1.9");
});

test("deleting the plugin leaves no table and no option", async () => {
  await using site = (await Companion.start()).site;
  const own = new Companion(site);
  assert.equal((await own.call("admin", "POST", "/gateways", { name: "Gateway" })).status, 201);
  await press(await Screens.login(site, "admin"), />Connect a gateway</);
  assert.deepEqual(await kept(own), [["wp_site_ops_holds"], [
    "site_ops_gateways",
    "site_ops_holds_version",
    "site_ops_pairing_code",
  ]]);
  await own.rest("admin", "POST", "/plugins/site-ops/site-ops", { status: "inactive" });
  assert.equal((await own.rest("admin", "DELETE", "/plugins/site-ops/site-ops")).status, 200);
  assert.deepEqual(await kept(own), [[], []]);
});
