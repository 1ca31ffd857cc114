/** Sessions of people: fixed, stolen, idle, ended, at two instances; forms that are not ours. */
import assert from "node:assert/strict";
import { LIMITS, PEOPLE_LIMITS } from "../../core/model.ts";
import { gateway } from "../kit.ts";
import { ownAddress } from "../../identity/origin.ts";
import { BASE, invited, joined, operator, PASSPHRASE, person, PersonBrowser } from "./kit.ts";
import { folder } from "../folder.ts";

const COOKIE = "gateway_person";

/** Whether a browser is let in. */
async function isIn(browser: PersonBrowser): Promise<boolean> {
  return (await browser.open("/admin/account")).title === "Your account";
}

Deno.test("the cookie is out of reach of scripts and other sites; over https of this host alone", async () => {
  await using gw = await gateway();
  const browser = await joined(gw, await person(gw, "ann@agency.example"));
  const line = browser.given.findLast((one) => one.startsWith(`${COOKIE}=`))!;
  assert.deepEqual(line.split("; ").slice(1).sort(), ["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Lax"]);

  await using safe = await gateway({ settings: { baseUrl: "https://gateway.example" } });
  const response = await safe.http("/admin/sign-in", { as: null });
  await response.body?.cancel();
  const given = response.headers.getSetCookie()[0]!;
  assert.match(given, /^__Host-gateway_form=/);
  assert.deepEqual(given.split("; ").slice(1).sort(), ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"]);
});

Deno.test("a session that was fixed beforehand is not taken over by signing in", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  await joined(gw, ann);
  const victim = new PersonBrowser(gw);
  victim.cookies.set(COOKIE, "chosen-by-an-attacker");
  await victim.open("/admin/sign-in");
  const before = new Map(victim.cookies);
  await victim.submit("/admin/sign-in", { email: ann.email, passphrase: PASSPHRASE });
  assert.ok(await isIn(victim));
  assert.notEqual(victim.cookies.get(COOKIE), before.get(COOKIE));
  const attacker = new PersonBrowser(gw);
  for (const [name, value] of before) attacker.cookies.set(name, value);
  assert.ok(!await isIn(attacker));
});

Deno.test("signing in again ends the session there was, whoever has stolen it", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const browser = await joined(gw, ann);
  const thief = browser.stolen();
  assert.ok(await isIn(thief));
  await browser.open("/admin/sign-in?again=1");
  await browser.submit("/admin/sign-in", { email: ann.email, passphrase: PASSPHRASE });
  assert.deepEqual([await isIn(browser), await isIn(thief)], [true, false]);
});

Deno.test("a session is over after signing out, everywhere, when idle, and after twelve hours", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const browser = await joined(gw, ann);
  const thief = browser.stolen();
  await browser.submit("/admin/sign-out", {});
  assert.deepEqual([await isIn(thief), browser.cookies.has(COOKIE)], [false, false]);
  assert.equal((await thief.api("GET", "tokens")).error?.code, "E_AUTH");

  const [one, two] = [new PersonBrowser(gw), new PersonBrowser(gw)];
  await one.signIn(ann.email);
  await two.signIn(ann.email);
  await one.open("/admin/account");
  await one.submit("/admin/account/sessions/end-all", {});
  assert.deepEqual([await isIn(one), await isIn(two)], [false, false]);

  await one.signIn(ann.email);
  gw.clock.now += PEOPLE_LIMITS.SESSION_IDLE_MS - 1;
  assert.ok(await isIn(one));
  gw.clock.now += PEOPLE_LIMITS.SESSION_IDLE_MS;
  assert.ok(!await isIn(one));

  await two.signIn(ann.email);
  const ends_at = gw.clock.now + LIMITS.SESSION_MS;
  for (; gw.clock.now < ends_at; gw.clock.now += PEOPLE_LIMITS.SESSION_IDLE_MS - 1) {
    assert.ok(await isIn(two), "it is in use");
  }
  assert.ok(!await isIn(two));
});

Deno.test("another passphrase ends every other session; another invitation ends all, and what was set before", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const browser = await joined(gw, ann);
  const other = new PersonBrowser(gw);
  await other.signIn(ann.email);
  const next = "eight blue kettles sing";
  await browser.open("/admin/account");
  const wrong = await browser.submit("/admin/account/passphrase", {
    current: "not the passphrase at all",
    passphrase: next,
    again: next,
  });
  assert.match(wrong.text, /This is not your passphrase/);
  await browser.submit("/admin/account/passphrase", { current: PASSPHRASE, passphrase: next, again: next });
  assert.deepEqual([await isIn(browser), await isIn(other)], [true, false]);

  const recovered = await joined(gw, ann); // sets the first passphrase again
  assert.deepEqual([await isIn(recovered), await isIn(browser)], [true, false]);
  assert.equal((await other.signIn(ann.email, next)).status, 401);
});

Deno.test("of two instances on one store each knows at once who has signed in, and who no longer", async () => {
  await using place = await folder();
  const settings = { kvPath: `${place.path}/kv.db` };
  await using here = await gateway({ settings });
  await using there = await gateway({ settings });
  const ann = await person(here, "ann@agency.example");
  const browser = await joined(here, ann);
  const beside = new PersonBrowser(there);
  beside.cookies.set(COOKIE, browser.cookies.get(COOKIE)!);
  assert.ok(await isIn(beside));
  await browser.open("/admin/account");
  await browser.submit("/admin/sign-out", {});
  assert.ok(!await isIn(beside));

  const link = await invited(here, ann);
  const [one, two] = [new PersonBrowser(here), new PersonBrowser(there)];
  await one.open(link);
  await two.open(link);
  const form = { passphrase: PASSPHRASE, again: PASSPHRASE };
  const path = link.slice(BASE.length);
  const pages = await Promise.all([one.submit(path, form), two.submit(path, form)]);
  assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 410], "an invitation is used once");
});

Deno.test("a sign-in that is under way while every session is ended, at another instance too, comes to nothing", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const { personSessions } = gw.store;
  const session = { user_id: ann.id, method: "passphrase", agent: "" } as const;
  const mark = await personSessions.mark(ann.id);
  const before = await personSessions.create(session, mark);
  assert.equal(await personSessions.endAll(ann.id), 1);
  assert.equal(await personSessions.create(session, mark), null);
  assert.equal(await personSessions.find(before!.text), null);
  const after = await personSessions.create(session, await personSessions.mark(ann.id));
  assert.equal((await personSessions.find(after!.text))?.user_id, ann.id);
});

Deno.test("a user who is removed is signed out at once, and cannot come back", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const browser = await joined(gw, ann);
  await browser.open("/admin/tokens");
  const open = browser.stolen();
  await open.open("/admin/tokens");
  const link = await invited(gw, ann);
  const removed = await operator(gw, "POST", `users/${ann.id}/remove`, {});
  assert.equal(removed.result.email, ann.email);
  const sent = await open.submit("/admin/tokens", { name: "late", env: "prod", allowed_sites: "*" });
  assert.deepEqual([sent.status, sent.title], [401, "Your session has ended"]);
  assert.deepEqual((await gw.store.tokens.list()).map(({ name }) => name), ["all"]);
  assert.ok(!await isIn(browser));
  assert.equal((await new PersonBrowser(gw).open(link)).status, 410);
  assert.equal((await new PersonBrowser(gw).signIn(ann.email)).status, 401);
  assert.equal((await operator(gw, "POST", `users/${ann.id}/remove`, {})).error?.code, "E_NOT_FOUND");
});

Deno.test("a form counts only where our own page made it, for this very session", async () => {
  await using gw = await gateway({ sites: [] });
  const fields = (csrf?: string) =>
    new URLSearchParams({
      ...(csrf === undefined ? {} : { csrf }),
      name: "forged",
      env: "prod",
      allowed_sites: "*",
      allowed_tools: "*",
    });
  const foreign = new PersonBrowser(gw);
  const theirs = await foreign.open("/admin/sign-in");
  const other = /name="csrf" value="([^"]+)"/.exec(theirs.text)![1]!;
  const browser = await joined(gw, await person(gw, "ann@agency.example"));
  const csrf = /name="csrf" value="([^"]+)"/.exec(browser.page!.text)![1]!;
  const send = async (body: (csrf: string) => URLSearchParams, headers: Record<string, string> = {}) => {
    const { status } = await browser.post("/admin/tokens", body(csrf), { headers });
    assert.deepEqual((await gw.store.tokens.list()).map(({ name }) => name), ["all"]);
    return status;
  };
  assert.equal(await send(() => fields()), 403);
  assert.equal(await send(() => fields("")), 403);
  assert.equal(await send(() => fields(other)), 403);
  assert.equal(await send(fields, { origin: "https://evil.example" }), 403);
  assert.equal(await send(fields, { origin: "null" }), 403);
  assert.equal(await send(fields, { "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await send(fields, { "content-type": "text/plain" }), 400);
  assert.equal(await send((csrf) => new URLSearchParams(`${fields(csrf)}&pad=${"x".repeat(70_000)}`)), 413);
  const page = await foreign.post("/admin/sign-in", new URLSearchParams({ email: "a@b", passphrase: "x" }));
  assert.equal(
    page.status,
    403,
    "signing in has the same proof, so that nobody is signed in as somebody else",
  );
});

Deno.test("after signing in one is led to a page of the gateway, wherever the address pointed", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  await joined(gw, ann);
  const browser = new PersonBrowser(gw);
  const asked = "/oauth/authorize?a=1&b=%2F";
  await browser.open(`/admin/sign-in?${new URLSearchParams({ next: asked })}`);
  const fields = { email: ann.email, passphrase: PASSPHRASE };
  const page = await browser.submit("/admin/sign-in", fields, { stay: true });
  assert.deepEqual([page.status, page.path], [303, asked]);
  const elsewhere = [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/.//evil.example",
    "/admin/..//evil.example",
    "/%2e//evil.example",
    "/./\\evil.example",
    "evil",
    "",
    null,
  ];
  for (const next of [...elsewhere, "javascript:alert(1)", "/\n//evil.example"]) {
    assert.equal(ownAddress(next, BASE, "/home"), "/home", String(next));
  }
  const dotted = await browser.open(`/admin/sign-in?${new URLSearchParams({ next: "/.//evil.example" })}`, {
    stay: true,
  });
  assert.deepEqual([dotted.status, dotted.path], [303, "/admin"]);
});
