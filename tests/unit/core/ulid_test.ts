/** Ids: each greater than the one before, none twice, spelled with the whole alphabet. */
import assert from "node:assert/strict";
import { growingIds } from "../../../core/ulid.ts";

const T0 = Date.UTC(2026, 0, 1);
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

Deno.test("ids of one maker grow within a millisecond, from one to the next, and when the clock is set back", () => {
  const next = growingIds();
  const ids = [T0, T0, T0, T0 + 1, T0 - 5000, T0 + 2].map((now) => next(now));
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, ids.length);
});

Deno.test("ids stay random beyond the bytes that are asked for at once", () => {
  const next = growingIds();
  const random = Array.from({ length: 2000 }, (_, at) => next(T0 + at).slice(10));
  assert.equal(new Set(random).size, random.length);
  for (let place = 0; place < random[0]!.length; place++) {
    assert.equal(new Set(random.map((one) => one[place])).size, ALPHABET.length, `place ${place}`);
  }
  assert.ok(random.every((one) => [...one].every((letter) => ALPHABET.includes(letter))));
});
