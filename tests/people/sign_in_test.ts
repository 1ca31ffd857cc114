/** Signing in: invitations, sessions, limits, and what somebody learns who may not. */
import assert from "node:assert/strict";
import { browserOf } from "../../console/admin/words.ts";
import { passphraseFault } from "../../identity/sign_in/passphrase.ts";
import { PEOPLE_LIMITS } from "../../core/model.ts";
import { gateway, type Kit } from "../kit.ts";
import {
  BASE,
  invited,
  joined,
  PASSPHRASE,
  person,
  PersonBrowser,
  reaching,
  said,
  withLostKeys,
} from "./kit.ts";
import { folder } from "../folder.ts";

Deno.test("an invitation sets a passphrase, which signs in; the link works once", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const link = await invited(gw, ann);
  const browser = new PersonBrowser(gw);
  const page = await browser.open(link);
  assert.equal(page.title, "Your invitation");
  assert.match(page.text, /ann@agency\.example/);
  await browser.join(link);
  assert.equal((await browser.open("/admin/account")).status, 200);
  const again = await new PersonBrowser(gw).open(link);
  assert.deepEqual([again.status, again.title], [410, "This invitation cannot be used"]);
  assert.match(again.text, /used already/);
  const other = new PersonBrowser(gw);
  await other.signIn("ANN@agency.example");
  assert.equal((await other.open("/admin/account")).status, 200);
});

Deno.test("who guesses is stopped after ten attempts for an account, at whichever instance, and reads nothing out of it", async () => {
  await using place = await folder();
  const settings = { kvPath: `${place.path}/kv.db` };
  await using here = await gateway({ settings });
  await using there = await gateway({ settings });
  const ann = await person(here, "ann@agency.example");
  await joined(here, ann);
  const guess = async (at: Kit, email: string) => {
    const browser = new PersonBrowser(at);
    const page = await browser.signIn(email, "not the passphrase");
    return { status: page.status, text: said(page), retry: page.headers.get("retry-after") };
  };
  for (const at of [here, there]) {
    const known = await guess(at, ann.email.toUpperCase());
    assert.deepEqual([known.status, known.text], [401, "The e-mail address or the passphrase is wrong."]);
    const unknown = await guess(at, "nobody@agency.example");
    assert.deepEqual([unknown.status, unknown.text], [known.status, known.text]);
  }
  for (const email of [ann.email, "nobody@agency.example"]) {
    const limit = {
      most: PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ACCOUNT,
      window_ms: PEOPLE_LIMITS.SIGN_IN_WINDOW_MS,
    };
    for (let n = 2; n < limit.most; n++) {
      assert.equal(await here.store.attempts.take(`sign in, account ${email}, address unknown`, limit), 0);
    }
  }
  const refused = await guess(there, ann.email);
  assert.match(
    refused.text,
    /^Too many attempts to sign in for .*; try again in 15 minutes, sign in with a passkey/,
  );
  assert.deepEqual([refused.status, refused.retry], [429, "900"]);
  const nobody = await guess(there, "nobody@agency.example");
  assert.equal(nobody.text.replace("nobody@", "ann@"), refused.text);
  const right = new PersonBrowser(here);
  assert.equal((await right.signIn(ann.email)).status, 429, "not even the right one is tried");
  const rows = (await here.audit()).filter(({ tool, status }) =>
    tool === "session.sign_in" && status === "denied"
  );
  assert.deepEqual(rows.map(({ error, token_name }) => [error, token_name]), [
    ["E_RATE_LIMITED", "sign-in page"],
    ["E_RATE_LIMITED", "sign-in page"],
  ], "one row for each account, however many attempts follow");
  const back = await joined(here, ann); // another invitation is a way in
  await back.submit("/admin/sign-out", {});
  assert.equal((await right.signIn(ann.email)).status, 200);
});

Deno.test("who tries many accounts from one address is stopped there, and others are not", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  await joined(gw, ann);
  const { attempts } = gw.store;
  const limit = { most: PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ADDRESS, window_ms: PEOPLE_LIMITS.SIGN_IN_WINDOW_MS };
  const name = "sign in, address 203.0.113.9";
  for (let n = 0; n < limit.most; n++) assert.equal(await attempts.take(name, limit), 0);
  const from = reaching(gw);
  const page = await new PersonBrowser(from("203.0.113.9")).signIn(ann.email);
  assert.equal(page.status, 429);
  assert.equal(
    said(page),
    "Too many attempts to sign in from your network address; try again in 15 minutes, sign in with a passkey or in a " +
      "browser that you have signed in from before, or ask for another invitation.",
  );
  assert.equal((await new PersonBrowser(from("203.0.113.8")).signIn(ann.email)).status, 200);
  gw.clock.now += limit.window_ms;
  assert.equal((await new PersonBrowser(from("203.0.113.9")).signIn(ann.email)).status, 200);
});

Deno.test("who guesses at an account from one address shuts it to nobody elsewhere; a hundred from anywhere do", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  await joined(gw, ann);
  const from = reaching(gw);
  const window_ms = PEOPLE_LIMITS.SIGN_IN_WINDOW_MS;
  const guesses = async (name: string, most: number) => {
    for (let n = 0; n < most; n++) await gw.store.attempts.take(name, { most, window_ms });
  };
  const account = `sign in, account ${ann.email}`;
  await guesses(`${account}, address 203.0.113.9`, PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ACCOUNT);
  assert.equal((await new PersonBrowser(from("203.0.113.9")).signIn(ann.email)).status, 429);
  const own = new PersonBrowser(from("203.0.113.8"));
  assert.equal((await own.signIn(ann.email)).status, 200);
  await guesses(account, PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ACCOUNT_ALL);
  assert.equal((await new PersonBrowser(from("203.0.113.7")).signIn(ann.email)).status, 429);
  await own.open("/admin/account");
  const another = {
    current: PASSPHRASE,
    passphrase: "nine blue kettles sing",
    again: "nine blue kettles sing",
  };
  const changed = await own.submit("/admin/account/passphrase", another);
  assert.equal(changed.path, "/admin/account?done=passphrase", "whoever has signed in is not concerned");
});

Deno.test("an address that is too long to be anybody's is judged, shown and recorded cut short", async () => {
  await using gw = await gateway();
  const browser = new PersonBrowser(gw);
  await browser.open("/admin/sign-in");
  const email = `${"a".repeat(60_000)}@agency.example`;
  const cut = email.slice(0, PEOPLE_LIMITS.EMAIL_CHARACTERS_MAX + 1);
  const limit = { most: PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ACCOUNT, window_ms: PEOPLE_LIMITS.SIGN_IN_WINDOW_MS };
  for (let n = 0; n < limit.most; n++) {
    await gw.store.attempts.take(`sign in, account ${cut}, address unknown`, limit);
  }
  const page = await browser.submit("/admin/sign-in", { email, passphrase: "not the passphrase" });
  assert.equal(page.status, 429);
  assert.ok(page.text.length < 10_000, `a page of ${page.text.length} characters`);
  const [row] = (await gw.audit()).filter(({ tool }) => tool === "session.sign_in");
  assert.deepEqual(row?.arguments, { email: cut, address: "unknown" });
});

Deno.test("an invitation opens for 72 hours, the newest alone; looking at it uses nothing up", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  const first = await invited(gw, ann);
  const second = await invited(gw, ann);
  const browser = new PersonBrowser(gw);
  assert.match((await browser.open(first)).text, /A newer invitation takes the place/);
  for (let look = 0; look < 3; look++) assert.equal((await browser.open(second)).status, 200);
  assert.equal((await browser.open(`${second.slice(0, -1)}`)).status, 410);
  gw.clock.now += PEOPLE_LIMITS.INVITATION_MS - 1;
  assert.equal((await browser.open(second)).status, 200);
  gw.clock.now += 1;
  assert.match(
    (await browser.submit(second.slice(BASE.length), form(PASSPHRASE))).text,
    /older than 72 hours/,
  );
  assert.deepEqual(await gw.store.signIns.get(ann.id), {
    passphrase: null,
    passkeys: [],
    unopened: null,
  });
});

const form = (passphrase: string) => ({ passphrase, again: passphrase });

Deno.test("a passkey that names itself as another user's does takes nothing from that user", async () => {
  await using gw = await gateway();
  const [ann, eve] = [await person(gw, "ann@agency.example"), await person(gw, "eve@agency.example")];
  const { signIns } = gw.store;
  const passkey = (id: string) => ({
    id,
    public_key: "pQEC",
    counter: 0,
    transports: [],
    name: "Passkey",
    created_at: "2026-01-01T00:00:00.000Z",
    last_used_at: null,
  });
  await signIns.change(ann.id, (now) => ({ ...now, passkeys: [passkey("anns")] }));
  const taking = signIns.change(eve.id, (now) => ({ ...now, passkeys: [passkey("own"), passkey("anns")] }));
  await assert.rejects(taking, { code: "E_BAD_INPUT", message: /belongs to another account/ });
  assert.deepEqual((await signIns.get(eve.id)).passkeys, []);
  assert.equal(await signIns.userOfPasskey("anns"), ann.id);
  await signIns.change(ann.id, (now) => ({ ...now, passkeys: [...now.passkeys, passkey("second")] }));
  await signIns.remove(ann.id);
  await signIns.change(eve.id, (now) => ({ ...now, passkeys: [passkey("anns")] }));
  assert.equal(await signIns.userOfPasskey("anns"), eve.id);
});

Deno.test("sessions are named by browser and system, whatever a browser sends", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
  const phone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1";
  assert.deepEqual([chrome, phone, `${chrome} Edg/156.0`, "Firefox/140.0", "curl/8", ""].map(browserOf), [
    "Chrome on Linux",
    "Safari on iOS",
    "Edge on Linux",
    "Firefox",
    "curl/8",
    "A browser that does not say what it is",
  ]);
});

Deno.test("which passphrases may not be chosen", () => {
  const own = ["ann@agency.example", "ann"];
  const refused: [string, RegExp][] = [
    ["", /at least 12/],
    ["elevenchars", /at least 12/],
    ["𝒶𝒶𝒶𝒶𝒶𝒶", /at least 12/],
    ["x".repeat(257), /at most 256/],
    ["aaaaaaaaaaaaa", /more than three different/],
    ["Password1234!", /first passphrases/],
    ["P@ssw0rd2026!", /first passphrases/],
    ["correct horse battery staple", /first passphrases/],
    ["qwertyuiopasdf", /first passphrases/],
    ["098765432109", /first passphrases/],
    ["abcabcabcabcd", /first passphrases/],
    ["ann@agency.example1", /your own e-mail/],
  ];
  for (const [passphrase, why] of refused) {
    assert.match(passphraseFault(passphrase, own) ?? "", why, passphrase);
  }
  for (
    const fine of [
      PASSPHRASE,
      "Tr0ub4dor&3xyz",
      "пароль из слов",
      "x y z w q r s t",
      "annual rain in Spain",
      "a".repeat(250) + "bcdefg",
    ]
  ) {
    assert.equal(passphraseFault(fine, own), null, fine);
  }
});

Deno.test("no passphrase, invitation or cookie stands in the store, the log or the audit", async () => {
  await using place = await folder();
  await using gw = await gateway({ settings: { kvPath: `${place.path}/kv.db` } });
  const ann = await person(gw, "ann@agency.example");
  const link = await invited(gw, ann);
  const browser = new PersonBrowser(gw);
  await browser.join(link);
  const secrets = [PASSPHRASE, link.split("/").at(-1)!, browser.cookies.get("gateway_person")!];
  const rows = JSON.stringify([await gw.audit(), gw.logged]);
  assert.match(rows, /user\.invite[\s\S]*|user\.join/);
  const { passphrase } = await gw.store.signIns.get(ann.id);
  secrets.push(passphrase!.hash);
  await gw.store.audit.flush();
  const kept: string[] = [];
  for await (const { name } of Deno.readDir(place.path)) {
    kept.push(new TextDecoder("latin1").decode(await Deno.readFile(`${place.path}/${name}`)));
  }
  for (const secret of secrets) {
    assert.ok(!rows.includes(secret));
    assert.ok(!kept.some((text) => text.includes(secret)), "it is kept as a hash, or sealed");
  }
  assert.ok(kept.some((text) => text.includes(ann.email)), "the files are the store");
});

Deno.test("a passphrase that no key opens signs in nobody, tells nobody, and is replaced by an invitation", async () => {
  await using place = await folder();
  const kvPath = `${place.path}/kv.db`;
  const ann = await (async () => {
    await using gw = await gateway({ settings: { kvPath } });
    const user = await person(gw, "ann@agency.example");
    await joined(gw, user);
    return user;
  })();
  await using gw = await withLostKeys(kvPath);
  const browser = new PersonBrowser(gw);
  const known = await browser.signIn(ann.email);
  const unknown = await browser.signIn("nobody@agency.example");
  const said = (text: string) => text.replace(/value="[^"]*"/g, "");
  assert.deepEqual([known.status, said(known.text)], [unknown.status, said(unknown.text)]);
  const logged = gw.logged.filter(({ event }) => event === "internal");
  assert.equal(logged.length, 1);
  assert.match(String(logged[0]!.cause), /which ENCRYPTION_KEYS lacks/);
  assert.equal((await joined(gw, ann)).page?.title, "Overview");
  assert.equal((await browser.signIn(ann.email)).title, "Overview");
});
