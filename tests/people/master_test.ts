/** Signing in with the master token on the pages: what it sees, how it ends, who else gets in with it. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { gateway, MASTER } from "../kit.ts";
import { MASTER_FORM as FORM, masterBrowser } from "./master_kit.ts";
import { ask, asking, edit } from "../tools/_approvals.ts";
import { joined, person, PersonBrowser, plain } from "./kit.ts";

const COOKIE = "gateway_session";
const PAGES = ["tokens", "connections", "clients", "freezes", "account", "approvals"].map((one) =>
  `/admin/${one}`
);

const isIn = async (browser: PersonBrowser) =>
  (await browser.open("/admin/account")).title === "Master token";

Deno.test("whoever holds the master token signs in before there is any person, and sees every page", async () => {
  await using gw = await gateway();
  const browser = new PersonBrowser(gw);
  assert.equal(
    (await browser.open("/admin/login?next=/admin/freezes")).title,
    "Sign in with the master token",
  );
  assert.equal((await browser.submit(FORM, { master_token: MASTER })).title, "Freezes");
  for (const path of PAGES) {
    const page = await browser.open(path);
    assert.deepEqual([page.status, page.path], [200, path]);
    assert.match(page.text, /Master token/);
    assert.doesNotMatch(page.text, new RegExp(MASTER));
  }
  const line = browser.given.find((one) => one.startsWith(`${COOKIE}=`))!;
  assert.deepEqual(line.split("; ").slice(1).sort(), [
    "HttpOnly",
    "Max-Age=28800",
    "Path=/admin",
    "SameSite=Strict",
  ]);
});

Deno.test("with the master token everybody's tokens are seen, made and revoked, in its name", async () => {
  await using gw = await gateway();
  const browser = await masterBrowser(gw);
  await browser.open("/admin/tokens");
  const made = await browser.submit("/admin/tokens", {
    name: "first",
    env: "prod",
    allowed_sites: "*",
    allowed_tools: "*",
    max_risk: "1",
    confirm_policy: "preview",
  });
  assert.equal(made.title, "Your new token");
  const token = (await gw.store.tokens.list()).find(({ name }) => name === "first")!;
  assert.deepEqual([token.owner_user_id, token.super_admin], [null, false]);
  await browser.open(`/admin/tokens/${token.id}`);
  await browser.submit(`/admin/tokens/${token.id}/revoke`, {});
  assert.notEqual((await gw.store.tokens.get(token.id))?.revoked_at, null);
  const { rows } = await gw.store.audit.list({ tool: "token.revoke" }, { limit: 1 });
  assert.deepEqual([rows[0]!.token_id, rows[0]!.owner_user_id], ["master", null]);
});

Deno.test("what is a person's own is refused to the master token, with the way to it", async () => {
  await using gw = await gateway();
  const browser = await masterBrowser(gw);
  await browser.open("/admin/account");
  const csrf = /name="csrf" value="([^"]+)"/.exec(browser.page!.text)![1]!;
  for (const path of ["/admin/account/passphrase", "/admin/connections/connect"]) {
    const page = await browser.post(path, new URLSearchParams({ csrf, passphrase: "x", kind: "google" }));
    assert.equal(page.status, 403, path);
    assert.match(page.text, /You signed in with the master token, which is no person/);
  }
  assert.equal((await browser.open("/oauth/authorize?client_id=x")).status, 400, "it lets no client in");
});

Deno.test("a session of the master token ends: signed out, all ended, after eight hours, with another token", async () => {
  await using gw = await gateway();
  const browser = await masterBrowser(gw);
  const thief = browser.stolen();
  assert.ok(await isIn(thief));
  await browser.open("/admin/account");
  assert.equal((await browser.submit("/admin/sign-out", {})).title, "Sign in with the master token");
  assert.deepEqual([await isIn(thief), browser.cookies.has(COOKIE)], [false, false]);
  assert.equal((await thief.api("GET", "tokens")).error?.code, "E_AUTH");

  const [one, two] = [await masterBrowser(gw), await masterBrowser(gw)];
  await one.open("/admin/account");
  await one.submit("/admin/account/sessions/end-all", {});
  assert.deepEqual([await isIn(one), await isIn(two)], [false, false]);

  const late = await masterBrowser(gw);
  gw.clock.now += LIMITS.MASTER_SESSION_MS - 1;
  assert.ok(await isIn(late));
  gw.clock.now += 2;
  assert.ok(!await isIn(late));

  const text = await gw.store.sessions.create(LIMITS.MASTER_SESSION_MS, "another master token");
  const other = new PersonBrowser(gw);
  other.cookies.set(COOKIE, text);
  assert.ok(!await isIn(other));
});

Deno.test("who tries master tokens is told to wait, and the audit says so once a minute, without what was tried", async () => {
  await using gw = await gateway();
  const browser = new PersonBrowser(gw);
  const statuses = new Set<number>();
  for (let tries = 0; tries <= LIMITS.LOGIN_ATTEMPTS_PER_MINUTE; tries++) {
    await browser.open("/admin/login");
    const page = await browser.submit(FORM, { master_token: `wrong-<b>${tries}` });
    assert.doesNotMatch(page.text, /wrong-/);
    statuses.add(page.status);
  }
  assert.deepEqual([...statuses], [401, 429]);
  assert.equal(browser.cookies.has(COOKIE), false);
  const told = async () => (await gw.store.audit.list({ tool: "session.sign_in" }, { limit: 10 })).rows;
  assert.deepEqual((await told()).map(({ status, error, arguments: what }) => [status, error, what]), [
    ["denied", "E_RATE_LIMITED", { method: "master token" }],
  ]);
  const api = () =>
    gw.http("/admin/api/tokens", { headers: { authorization: "Bearer wrong-and-quite-as-long-as-a-token" } });
  assert.equal((await api()).status, 429, "the API counts with the page");
  assert.equal((await told()).length, 1);
  gw.clock.now += 60_001;
  for (let tries = 0; tries <= LIMITS.LOGIN_ATTEMPTS_PER_MINUTE + 2; tries++) await api();
  assert.equal((await told()).length, 2);
  assert.doesNotMatch(JSON.stringify(await told()), /wrong-/);
  assert.ok(await isIn(await masterBrowser(gw)));
});

Deno.test("nobody is signed in with the master token by another site, nor does anything with its cookie", async () => {
  await using gw = await gateway();
  const browser = new PersonBrowser(gw);
  await browser.open("/admin/login");
  const csrf = /name="csrf" value="([^"]+)"/.exec(browser.page!.text)![1]!;
  const foreign = { headers: { origin: "https://evil.example" } };
  const fields = new URLSearchParams({ csrf, master_token: MASTER });
  assert.equal((await browser.post(FORM, fields, foreign)).status, 403);
  assert.equal((await browser.post(FORM, new URLSearchParams({ master_token: MASTER }))).status, 403);
  assert.equal(browser.cookies.has(COOKIE), false);

  const master = await masterBrowser(gw);
  await master.open("/admin/freezes");
  const own = /name="csrf" value="([^"]+)"/.exec(master.page!.text)![1]!;
  const freeze = new URLSearchParams({ csrf: own, place: "all" });
  assert.equal((await master.post("/admin/freezes", freeze, foreign)).status, 403);
  assert.equal((await master.post("/admin/freezes", new URLSearchParams({ place: "all" }))).status, 403);
  assert.deepEqual(await gw.store.freezes.list(), []);
});

Deno.test("of a person and the master token one is signed in at a browser, whoever came last", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const browser = await joined(gw, ann);
  const before = browser.stolen();
  await browser.open("/admin/login");
  await browser.submit(FORM, { master_token: MASTER });
  assert.ok(await isIn(browser));
  assert.equal((await before.open("/admin/account")).title, "Sign in");
  const master = browser.stolen();
  await browser.open("/admin/sign-in?again=1");
  await browser.submit("/admin/sign-in", { email: ann.email, passphrase: "seven green lamps hum" });
  assert.equal((await browser.open("/admin/account")).title, "Your account");
  assert.ok(!await isIn(master));
});

Deno.test("a member who opens an admin's page is told so, with the pages that are a member's", async () => {
  await using gw = await gateway();
  const browser = await joined(gw, await person(gw, "ann@agency.example"));
  const page = await browser.open("/admin/freezes");
  assert.equal(page.status, 403);
  assert.match(page.text, /Only an admin freezes sites, and you are a member; ask an admin of yours/);
  assert.match(page.text, /href="\/admin\/tokens"/);
});

Deno.test("the master token decides on a request by its page, named so, and never under four eyes", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const browser = await masterBrowser(gw);
  const [one, two] = [await ask(at, edit(at)), await ask(at, edit(at, { title: "Another" }))];
  const pathOf = ({ approval }: typeof one) => `/admin/approvals/${approval.id}`;
  assert.equal(/data-waiting[^>]*>2</.test((await browser.open("/admin")).text), true, "both are counted");
  await browser.open(pathOf(one));
  const done = await browser.submit(`${pathOf(one)}/approve`, {});
  assert.match(plain(done.text), /Approved by master token/);
  assert.equal((await gw.store.approvals.find(one.approval.id))!.state, "approved");

  const writes = at.kit.writes;
  const open = await browser.open(pathOf(two));
  const [shown, csrf] = ["shown", "csrf"].map((name) =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(open.text)![1]!
  );
  await gw.store.sites.update("open", { four_eyes: true });
  const page = await browser.open(pathOf(two));
  assert.doesNotMatch(page.text, /action="[^"]*\/(approve|reject)"/);
  const fields = new URLSearchParams({ csrf: csrf!, shown: shown! });
  assert.equal((await browser.post(`${pathOf(two)}/approve`, fields)).status, 403);
  assert.deepEqual([at.kit.writes, (await gw.store.approvals.find(two.approval.id))!.state], [
    writes,
    "pending",
  ]);
});
