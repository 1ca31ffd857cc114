/** Passphrases are judged a few at a time, and strangers keep nobody waiting who is known. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Passphrases } from "../../../identity/sign_in/passphrase.ts";

const CHEAP = { n: 2, r: 1, p: 1 };
/** As many as are judged at once, and as many as may wait. */
const FULL = 2 + 20;

Deno.test("strangers who fill the line are told to come back, and whoever is known is judged before those who wait", async () => {
  const ends: (() => void)[] = [];
  const hash = () => new Promise<Buffer>((resolve) => void ends.push(() => resolve(Buffer.alloc(32))));
  const passphrases = new Passphrases(CHEAP, hash);
  const done: string[] = [];
  const judged = async (who: string, known: boolean) => {
    await passphrases.isRight("not the passphrase", null, known);
    done.push(who);
  };
  const strangers = Array.from({ length: FULL }, (_, at) => judged(`stranger ${at}`, false));
  await assert.rejects(judged("one more", false), /Too many people are signing in at this moment/);
  const known = judged("known", true);
  const all = Promise.all([...strangers, known]);
  while (done.length < FULL + 1) {
    ends.shift()?.();
    await Promise.resolve();
  }
  await all;
  assert.equal(done.indexOf("known"), 2, done.join());
});

Deno.test("what is kept is made of 32 MiB and a third of a second, and judged by what it was made of", async () => {
  const kept = await new Passphrases().keep("correct horse battery");
  assert.deepEqual([kept.n, kept.r, kept.p], [2 ** 15, 8, 3]);
  const cheap = new Passphrases(CHEAP);
  assert.ok(cheap.isOutdated(kept));
  assert.equal(await cheap.isRight("correct horse battery", kept), true);
  assert.equal(await cheap.isRight("correct horse batterz", kept), false);
});
