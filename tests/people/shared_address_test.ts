/** Who is shut out with somebody who guesses at the same address: not a passkey, and nobody who signed in there before. */
import assert from "node:assert/strict";
import { PEOPLE_LIMITS } from "../../core/model.ts";
import { gateway, type Kit } from "../kit.ts";
import { Authenticator, joinWith, signInWith } from "./authenticator.ts";
import { BASE, invited, joined, operator, person, PersonBrowser, reaching, said } from "./kit.ts";

const OFFICE = "203.0.113.9";
const { SIGN_IN_ATTEMPTS_ADDRESS, SIGN_IN_ATTEMPTS_ACCOUNT_ALL, SIGN_IN_WINDOW_MS, DEVICE_MS } =
  PEOPLE_LIMITS;

/** Somebody has guessed so often that nothing more is tried from the office, nor for that account. */
async function guessed(gw: Kit, email: string): Promise<void> {
  const counts = [
    [`sign in, address ${OFFICE}`, SIGN_IN_ATTEMPTS_ADDRESS],
    [`sign in, account ${email}`, SIGN_IN_ATTEMPTS_ACCOUNT_ALL],
  ] as const;
  for (const [name, most] of counts) {
    const limit = { most, window_ms: SIGN_IN_WINDOW_MS };
    while (await gw.store.attempts.take(name, limit) === 0);
  }
}

/** The cookies by which a browser is known, as they were written. */
const devices = ({ given }: PersonBrowser) => given.filter((line) => /gateway_device_/.test(line));

Deno.test("a passkey signs in from an address where somebody guesses, and nothing is kept of who only asks", async () => {
  await using gw = await gateway();
  const device = new Authenticator();
  const ann = await person(gw, "ann@agency.example");
  await joinWith(device, new PersonBrowser(gw), await invited(gw, ann));
  await guessed(gw, ann.email);
  const at = reaching(gw)(OFFICE);
  for (let n = 0; n < 3; n++) {
    assert.equal((await signInWith(device, new PersonBrowser(at))).title, "Overview");
  }
  const asked = new PersonBrowser(at);
  await asked.open("/admin/sign-in");
  const before = await gw.audit();
  for (let n = 0; n < 2 * SIGN_IN_ATTEMPTS_ADDRESS; n++) {
    const answer = await asked.post(
      "/admin/sign-in/passkey/options",
      new URLSearchParams({ csrf: /name="csrf" value="([^"]*)"/.exec(asked.page!.text)?.[1] ?? "" }),
    );
    await asked.open("/admin/sign-in");
    assert.equal(answer.status, 200, answer.text);
  }
  assert.equal((await gw.audit()).length, before.length);
});

Deno.test("whoever signed in from that browser before signs in, whatever was guessed at the address and the account", async () => {
  await using gw = await gateway();
  const [ann, bob] = [await person(gw, "ann@agency.example"), await person(gw, "bob@agency.example")];
  const at = reaching(gw)(OFFICE);
  const own = new PersonBrowser(at);
  for (const user of [ann, bob]) {
    await joined(gw, user);
    assert.equal((await own.signIn(user.email)).status, 200);
    await own.submit("/admin/sign-out", {});
  }
  for (const { email } of [ann, bob]) await guessed(gw, email);
  const stranger = new PersonBrowser(at);
  const refused = await stranger.signIn(ann.email);
  assert.equal(refused.status, 429);
  assert.match(
    said(refused),
    /from your network address; .* in a browser that you have signed in from before/,
  );
  for (const { email } of [ann, bob]) {
    assert.equal((await own.signIn(email)).title, "Overview", "two share a browser");
    await own.submit("/admin/sign-out", {});
  }
  const lent = new PersonBrowser(at);
  for (const [name, value] of own.cookies) {
    if (!name.startsWith("gateway_device_")) continue;
    lent.cookies.set(name, value.replace(/^.{43}/, "A".repeat(43)));
  }
  assert.equal(lent.cookies.size, 2);
  assert.equal((await lent.signIn(ann.email)).status, 429, "a text that nobody signed");
  const [first, second] = [...own.cookies].filter(([name]) => name.startsWith("gateway_device_"));
  const swapped = new PersonBrowser(at);
  swapped.cookies.set(first![0], second![1]).set(second![0], first![1]);
  assert.equal((await swapped.signIn(ann.email)).status, 429, "another person's");
  gw.clock.now += DEVICE_MS;
  await guessed(gw, ann.email);
  assert.equal((await own.signIn(ann.email)).status, 429, "its time is over");
});

Deno.test("a browser that is known has ten wrong passphrases, and they are nobody else's", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  await joined(gw, ann);
  const from = reaching(gw);
  const own = new PersonBrowser(from(OFFICE));
  await own.signIn(ann.email);
  await own.submit("/admin/sign-out", {});
  const [, name] = /gateway_device_\w+=([\w-]{43})\./.exec(devices(own).at(-1)!)!;
  const limit = { most: PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ACCOUNT, window_ms: SIGN_IN_WINDOW_MS };
  for (let n = 1; n < limit.most; n++) {
    assert.equal(await gw.store.attempts.take(`sign in, browser ${name}`, limit), 0);
  }
  assert.equal((await own.signIn(ann.email, "not the passphrase")).status, 401);
  const refused = await own.signIn(ann.email);
  assert.equal(refused.status, 429);
  assert.match(
    said(refused),
    /^Too many attempts to sign in for "ann@agency\.example" from this browser; try again/,
  );
  assert.equal((await new PersonBrowser(from(OFFICE)).signIn(ann.email)).status, 200);
});

Deno.test("who is right is not counted, so that any number of people sign in behind one address", async () => {
  await using gw = await gateway();
  const ann = await person(gw, "ann@agency.example");
  await joined(gw, ann);
  const limit = { most: SIGN_IN_ATTEMPTS_ADDRESS, window_ms: SIGN_IN_WINDOW_MS };
  for (let n = 1; n < limit.most; n++) await gw.store.attempts.take(`sign in, address ${OFFICE}`, limit);
  const from = reaching(gw);
  for (let n = 0; n < 2; n++) {
    assert.equal((await new PersonBrowser(from(OFFICE)).signIn(ann.email)).status, 200);
  }
  assert.equal((await new PersonBrowser(from(OFFICE)).signIn(ann.email, "not the passphrase")).status, 401);
  assert.equal((await new PersonBrowser(from(OFFICE)).signIn(ann.email)).status, 429);
});

Deno.test("the cookie of a known browser is out of reach of scripts and of other hosts, and opens nothing", async () => {
  for (const baseUrl of [BASE, "https://gateway.example"]) {
    await using gw = await gateway({ settings: { baseUrl } });
    const link = new URL(await invited(gw, await person(gw, "ann@agency.example"))).pathname;
    const browser = new PersonBrowser(gw);
    await browser.open(link);
    const fields = { passphrase: "seven green lamps hum", again: "seven green lamps hum" };
    await browser.submit(link, fields, { headers: { origin: baseUrl } });
    const [line] = devices(browser);
    assert.match(
      line!,
      baseUrl === BASE ? /^gateway_device_[0-9a-f]{16}=/ : /^__Host-gateway_device_[0-9a-f]{16}=/,
    );
    for (const part of ["HttpOnly", "SameSite=Lax", "Path=/", `Max-Age=${DEVICE_MS / 1000}`]) {
      assert.ok(line!.includes(part), line);
    }
    assert.equal(line!.includes("Secure"), baseUrl !== BASE);
    assert.doesNotMatch(line!, /ann|agency/);
    const alone = new PersonBrowser(gw);
    for (const [name, value] of browser.cookies) {
      if (name.includes("gateway_device_")) alone.cookies.set(name, value);
    }
    assert.equal((await alone.open("/admin/tokens", { stay: true })).status, 303, "it signs nobody in");
  }
});

Deno.test("behind a proxy that nobody named all count as one, and the log and the operator's health say so", async () => {
  await using gw = await gateway();
  const by = (path: string, forwarded: string) => {
    const headers = { "x-forwarded-for": forwarded };
    const remoteAddr = { transport: "tcp", hostname: "172.18.0.2", port: 1 } as const;
    return gw.gateway.fetch(new Request(`${BASE}${path}`, { headers }), { remoteAddr });
  };
  for (const path of ["/healthz", "/api/v1/whoami", "/mcp", "/admin/sign-in"]) await by(path, "203.0.113.5");
  const said = gw.logged.filter(({ event }) => event === "proxy_not_trusted");
  assert.deepEqual(said.map(({ address }) => address), ["172.18.0.2"], "once, not for each request");
  const { result } = await operator(gw, "GET", "health");
  assert.equal(result.proxies.length, 1);
  assert.match(result.proxies[0].message, /set TRUSTED_PROXIES to 172\.18\.0\.2$/);
  assert.equal(result.ok, true, "a stranger can send the header too");
});
