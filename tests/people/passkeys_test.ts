/** Passkeys: what a device answers counts once, here, in time, and only with its owner at hand. */
import assert from "node:assert/strict";
import { PEOPLE_LIMITS } from "../../core/model.ts";
import { gateway, type Kit } from "../kit.ts";
import {
  type AnswerOptions,
  answerWith,
  Authenticator,
  challengeOf,
  joinWith,
  signInWith,
} from "./authenticator.ts";
import { invited, person, PersonBrowser, withLostKeys } from "./kit.ts";
import { folder } from "../folder.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Somebody is there, but has not proven to be the owner. */
const UNVERIFIED = 0x01;

/** Joins with a device. */
async function joinedWith(gw: Kit, email: string): Promise<Authenticator> {
  const device = new Authenticator();
  const link = await invited(gw, await person(gw, email));
  assert.equal((await joinWith(device, new PersonBrowser(gw), link)).title, "Overview");
  return device;
}

Deno.test("a passkey signs in whoever proves to be its owner, at this address, within five minutes", async () => {
  await using gw = await gateway();
  const device = await joinedWith(gw, "ann@agency.example");
  const signIn = async (options: Parameters<typeof signInWith>[2]) =>
    await signInWith(device, new PersonBrowser(gw), options);
  assert.equal((await signIn({})).title, "Overview");
  const refused: [string, AnswerOptions & { late?: () => void }][] = [
    ["another address", { origin: "https://evil.example" }],
    ["no owner", { flags: UNVERIFIED }],
    ["too late", { late: () => gw.clock.now += PEOPLE_LIMITS.CHALLENGE_MS }],
    ["a clock that jumps ahead", { late: () => gw.clock.now += 400 * DAY_MS }],
    ["a clock that jumps back", { late: () => gw.clock.now -= 400 * DAY_MS }],
  ];
  for (const [name, options] of refused) {
    const page = await signIn(options);
    assert.deepEqual([page.status, page.title], [400, "Sign in"], name);
    assert.match(page.text, /could not be accepted/, name);
    assert.equal((await signIn({})).title, "Overview", `nobody is shut out by ${name}`);
  }
});

Deno.test("an answer of a passkey counts once, in the browser that asked, and not with a counter that went back", async () => {
  await using gw = await gateway();
  const device = await joinedWith(gw, "ann@agency.example");
  const [browser, other] = [new PersonBrowser(gw), new PersonBrowser(gw)];
  await browser.open("/admin/sign-in");
  await other.open("/admin/sign-in");
  const answer = device.used(await challengeOf(browser, "/admin/sign-in/passkey/options"));
  const { page } = browser;
  assert.equal((await answerWith(answer, other)).status, 400, "another browser");
  assert.equal((await answerWith(answer, browser)).title, "Overview");
  await browser.submit("/admin/sign-out", {});
  browser.page = page;
  assert.equal((await answerWith(answer, browser)).title, "That was not done", "its form is over");
  await browser.open("/admin/sign-in");
  assert.equal((await answerWith(answer, browser)).status, 400, "once more");
  device.counter = 0;
  assert.equal((await signInWith(device, browser)).status, 400, "a copy of the device");
});

Deno.test("a passkey signs in where no key opens the passphrase beside it", async () => {
  await using place = await folder();
  const kvPath = `${place.path}/kv.db`;
  const device = await (async () => {
    await using gw = await gateway({ settings: { kvPath } });
    const made = await joinedWith(gw, "ann@agency.example");
    const browser = new PersonBrowser(gw);
    await signInWith(made, browser);
    await browser.open("/admin/account");
    const passphrase = "seven green lamps hum";
    const set = await browser.submit("/admin/account/passphrase", { passphrase, again: passphrase });
    assert.match(set.text, /The passphrase is changed/);
    return made;
  })();
  await using gw = await withLostKeys(kvPath);
  const browser = new PersonBrowser(gw);
  assert.equal((await signInWith(device, browser)).title, "Overview");
  assert.match((await browser.open("/admin/account")).text, /Set a passphrase/);
});
