/** ULIDs that only grow, from random bytes that are asked for many at a time. */
import { encodeTime } from "ulid";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const POOL_BYTES = 4096;

/**
 * Makes ids each of which is greater than the one before; `now` is the time they begin with, the system's when left out.
 * Of one millisecond, or of a clock that went back, each is the one before with 1 added to its random part.
 */
export function growingIds(): (now?: number) => string {
  const pool = new Uint8Array(POOL_BYTES);
  const digits = new Uint8Array(RANDOM_CHARACTERS);
  const codes = new Array<number>(RANDOM_CHARACTERS).fill(0);
  let used = POOL_BYTES;
  let last = -1;
  let time = "";
  const begin = (now: number) => {
    time = encodeTime(now, TIME_CHARACTERS);
    last = now;
    if (used === POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    for (let at = 0; at < RANDOM_CHARACTERS; at++) digits[at] = pool[used++]! % ALPHABET.length;
  };
  return (now = Date.now()) => {
    if (now > last) begin(now);
    else if (!grow(digits)) begin(last + 1);
    for (let at = 0; at < RANDOM_CHARACTERS; at++) codes[at] = CODES[digits[at]!]!;
    return time + String.fromCharCode.apply(null, codes);
  };
}

/** Adds 1; false where every digit was the highest. */
function grow(digits: Uint8Array): boolean {
  for (let at = digits.length; at-- > 0;) {
    if (digits[at]! < ALPHABET.length - 1) {
      digits[at]!++;
      return true;
    }
    digits[at] = 0;
  }
  return false;
}
