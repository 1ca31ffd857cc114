/** Passphrases are judged a few at a time, and strangers keep nobody waiting who is known. */
import assert from "node:assert/strict";
import { Passphrases } from "../../../identity/sign_in/passphrase.ts";
import type { KeptPassphrase } from "../../../store/store.ts";

/** Of no cost, so that a test waits for nobody. */
const KEPT: KeptPassphrase = {
  algorithm: "scrypt",
  n: 2,
  r: 1,
  p: 1,
  salt: "AAAA",
  hash: "A".repeat(43) + "=",
};
/** As many as are judged at once, and as many as may wait. */
const FULL = 2 + 20;

Deno.test("strangers who fill the line are told to come back, and whoever is known is judged before those who wait", async () => {
  const passphrases = new Passphrases();
  const done: string[] = [];
  const judged = async (who: string, known: boolean) => {
    await passphrases.isRight("not the passphrase", KEPT, known);
    done.push(who);
  };
  const strangers = Array.from({ length: FULL }, (_, at) => judged(`stranger ${at}`, false));
  await assert.rejects(judged("one more", false), /Too many people are signing in at this moment/);
  const known = judged("known", true);
  await Promise.all([...strangers, known]);
  assert.equal(done.length, FULL + 1);
  assert.ok(done.indexOf("known") <= 4, done.join());
});
