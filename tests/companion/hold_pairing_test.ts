/** Connecting a gateway to the companion plugin: codes, keys, signatures, the health report, the page in the admin area, and what uninstalling leaves. */
import assert from "node:assert/strict";
import { Gateways, message, PAGE, press } from "./pairing.ts";
import { Companion, cut, type Json, type PairedKey, Screens, type Signing, suite } from "./site.ts";

let wp: Companion;
let gateways: Gateways;
const test = suite(async () => {
  wp = await Companion.start();
  gateways = new Gateways(wp);
  return wp;
});

const TABLES = { db: ["get_col", "SHOW TABLES LIKE 'wp\\_site\\_ops%'"] };
const OPTIONS = {
  db: ["get_col", "SELECT option_name FROM wp_options WHERE option_name LIKE 'site\\_ops%'"],
};

/** What the plugin has in the database: tables and options. */
const kept = async (at: Companion) => [(await at.peek(TABLES)).result, (await at.peek(OPTIONS)).result];

/** What the health report says of the hold, to a gateway that signs and to one that does not. */
async function holdOf(login: "ed" | "auth", key?: PairedKey, asked: Signing = {}): Promise<Json> {
  const answer = key === undefined
    ? await wp.call(login, "GET", "/health")
    : await wp.signed(login, key, "GET", "/health", asked);
  assert.equal(answer.status, 200);
  return (answer.body["features"] as Json)["hold"] as Json;
}

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
  const key = await gateways.keyOf("admin");
  assert.match(key.key_id, /^[0-9a-f]{16}$/);
  assert.match(key.key, /^[0-9a-f]{64}$/);
  const refused = await gateways.connect("ed");
  assert.deepEqual(cut(refused), [403, "site_ops_pairing_code"]);
  assert.match(message(refused), /pressing "Connect a gateway" in WordPress under Tools, Site Ops/);
  assert.deepEqual(cut(await gateways.connect("admin", { name: " <b></b> " })), [400, "rest_invalid_param"]);
  const [stored] = (await wp.peek({ ask: ["site_ops_gateways"] })).options["site_ops_gateways"] as Json[];
  assert.deepEqual([stored!["key_id"], stored!["name"]], [key.key_id, "Gateway"]);
  const { result } = await wp.peek({
    db: ["get_var", "SELECT autoload FROM wp_options WHERE option_name = 'site_ops_gateways'"],
  });
  assert.match(String(result), /^(no|off)$/);
});

test("a code works once, however it is written, and the health report then says connected", async () => {
  const paired = async () => (await holdOf("ed"))["paired"];
  assert.equal(await paired(), false);
  const code = await gateways.newCode();
  const answer = await gateways.connect("ed", { code: code.toLowerCase().replace("-", " ") });
  assert.equal(answer.status, 201);
  assert.equal(await paired(), true);
  const again = await gateways.connect("ed", { code });
  assert.deepEqual(cut(again), [403, "site_ops_pairing_code"]);
  assert.match(message(again), /No code waits/);
});

test("a code is kept as a hash, ends after 15 minutes, and a new one ends the one before", async () => {
  const [first, second] = [await gateways.newCode(), await gateways.newCode()];
  const { options } = await wp.peek({ ask: ["site_ops_pairing_code"] });
  const stored = options["site_ops_pairing_code"] as { made_at: number };
  assert.ok(!JSON.stringify(stored).includes(second.slice(0, 4)));
  assert.match(message(await gateways.connect("auth", { code: first })), /tries left: 4/);
  const aged = (seconds: number) =>
    wp.peek({ options: { site_ops_pairing_code: { ...stored, made_at: stored.made_at - seconds } } });
  await aged(905);
  assert.match(message(await gateways.connect("auth", { code: second })), /No code waits/);
  const third = await gateways.newCode();
  const { made_at, ...rest } = (await wp.peek({ ask: ["site_ops_pairing_code"] }))
    .options["site_ops_pairing_code"] as { made_at: number };
  await wp.peek({ options: { site_ops_pairing_code: { ...rest, made_at: made_at - 840 } } });
  assert.equal((await gateways.connect("auth", { code: third })).status, 201);
});

test("five wrong tries end a code, also when they come at once and from an administrator", async () => {
  const code = await gateways.newCode();
  const wrong = code.startsWith("2") ? `3${code.slice(1)}` : `2${code.slice(1)}`;
  const tries = await Promise.all(
    [1, 2, 3, 4, 5].map((at) => gateways.connect(at === 5 ? "admin" : "ed", { code: wrong })),
  );
  assert.deepEqual(tries.map((answer) => cut(answer)), tries.map(() => [403, "site_ops_pairing_code"]));
  const told = tries.map((answer) => /left: (\d)/.exec(message(answer))?.[1] ?? "ended").sort();
  assert.deepEqual(told, ["1", "2", "3", "4", "ended"]);
  assert.match(message(await gateways.connect("ed", { code })), /No code waits/);
});

test("an account that connects again has a further key, and the older one works until it is disconnected", async () => {
  const [old, key] = [await gateways.keyOf("ed"), await gateways.furtherKey("ed")];
  const path = `/holds/${"b".repeat(32)}`;
  for (const one of [old, key]) {
    assert.deepEqual(cut(await wp.signed("ed", one, "GET", path)), [404, "site_ops_hold_not_found"]);
  }
  await gateways.disconnect(old);
  const refused = await wp.signed("ed", old, "GET", path);
  assert.deepEqual(cut(refused), [403, "site_ops_hold_signature"]);
  assert.match(message(refused), /unknown/);
  assert.deepEqual(cut(await wp.signed("ed", key, "GET", path)), [404, "site_ops_hold_not_found"]);
});

test("an account has eight gateways at most; the ninth is told how to make room, and its code is not used up", async () => {
  await gateways.keyOf("auth");
  const keys = [await gateways.keyOf("ed")];
  for (let at = 2; at <= 8; at++) keys.push(await gateways.furtherKey("ed", { name: `Gateway ${at}` }));
  await gateways.furtherKey("auth");
  const code = await gateways.newCode();
  const full = await gateways.connect("ed", { code });
  assert.deepEqual(cut(full), [409, "site_ops_pairing_limit"]);
  assert.match(
    message(full),
    /has 8 connected gateways.*disconnects one.*under Tools, Site Ops; then connect again/,
  );
  assert.equal((await holdOf("ed", keys[0]))["paired"], true, "the oldest one works");
  await gateways.disconnect(keys[3]!);
  assert.equal((await gateways.connect("ed", { code })).status, 201);
  const stored = (await wp.peek({ ask: ["site_ops_gateways"] })).options["site_ops_gateways"] as Json[];
  assert.equal(stored.filter(({ user_id }) => user_id === wp.site.users.ed.id).length, 8);
});

test("of gateways that connect at once no account gets more than eight", async () => {
  await wp.peek({ options: { site_ops_gateways: [] } });
  const answers = await Promise.all(Array.from({ length: 12 }, () => gateways.connect("admin")));
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(new Set(made.map(({ body }) => body["key_id"])).size, 8);
  const refused = answers.filter(({ status }) => status !== 201).map((answer) => cut(answer));
  assert.deepEqual(refused, Array(4).fill([409, "site_ops_pairing_limit"]));
});

test("the health report says of the gateway that signs whether it is connected, and unsigned whether any is", async () => {
  const key = await gateways.keyOf("ed");
  const now = Math.floor(Date.now() / 1000);
  const rows: readonly [why: RegExp | null, login: "ed" | "auth", by?: PairedKey, asked?: Signing][] = [
    [null, "ed"],
    [null, "ed", key],
    [/not connected to a gateway/, "auth"],
    [/another account/, "auth", key],
    [/unknown/, "ed", { ...key, key_id: "0".repeat(16) }],
    [/wrong/, "ed", { ...key, key: "0".repeat(64) }],
    [/wrong/, "ed", key, { signed: { route: "/site-ops/v1/holds" } }],
    [/differ by (39|40)\d seconds/, "ed", key, { t: now - 400 }],
  ];
  for (const [why, login, by, asked] of rows) {
    const hold = await holdOf(login, by, asked);
    const told = [hold["paired"], hold["active"]];
    assert.deepEqual(told, [why === null, why === null], `${why} ${JSON.stringify(hold)}`);
    if (why === null) assert.equal(hold["why"], null);
    else assert.match(String(hold["why"]), why);
  }
  await gateways.disconnect(key);
  assert.equal((await holdOf("ed", key))["paired"], false);
});

test("a signature holds for one method, route, body, hold, account and time", async () => {
  const key = await gateways.keyOf("ed");
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
  const key = await gateways.keyOf("ed");
  const second = await gateways.furtherKey("ed", { name: "Second" });
  await gateways.connect("admin", { name: 'A "name" & <more' });
  const admin = await Screens.login(wp.site, "admin");
  const page = await admin.ask(PAGE);
  assert.match(page, /<td>A &quot;name&quot; &amp; &lt;more<\/td><td>admin<\/td>/);
  assert.ok(page.includes(`<td>Gateway</td><td>ed</td><td><code>${key.key_id}</code></td>`));
  assert.ok(page.includes(`<td>Second</td><td>ed</td><td><code>${second.key_id}</code></td>`));
  assert.ok(!page.includes(key.key) && !page.includes(second.key));
  const forged = await admin.ask(
    PAGE,
    new URLSearchParams({ site_ops_disconnect: key.key_id, _wpnonce: "0" }),
  );
  assert.match(forged, /link you followed has expired/);
  assert.equal((await wp.signed("ed", key, "GET", `/holds/${"3".repeat(32)}`)).status, 404);
  const without = await press(admin, new RegExp(`value="${key.key_id}"`));
  assert.ok(without.includes("<td>admin</td>") && without.includes("<td>Second</td><td>ed</td>"));
  assert.ok(!without.includes(key.key_id));
  assert.equal((await wp.signed("ed", second, "GET", `/holds/${"3".repeat(32)}`)).status, 404);
  assert.equal((await wp.signed("ed", key, "GET", `/holds/${"3".repeat(32)}`)).status, 403);
  const editor = await Screens.login(wp.site, "ed");
  assert.match(await editor.ask("/wp-admin/"), /Dashboard/);
  assert.match(await editor.ask(PAGE), /not allowed to access this page/);
  assert.ok(!(await editor.ask("/wp-admin/tools.php")).includes("page=site-ops"));
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
