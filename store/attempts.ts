/** What may be tried only so often, and challenges that are taken once: short-lived, and the same at every instance. */
import { lasts } from "../core/lasting.ts";
import { PEOPLE_LIMITS } from "../core/model.ts";
import { AGAIN, type Database, sha256, untilSettled } from "./database.ts";
import type { AttemptLimit, AttemptStore, ChallengeStore } from "./people_types.ts";
import type { Signatures } from "./signatures.ts";

const attemptsKey = (name: string) => ["attempts", sha256(name)];
const challengeKey = (challenge: string) => ["challenges", sha256(challenge)];

/** The AttemptStore of a database. */
export class Attempts implements AttemptStore {
  constructor(private readonly db: Database) {}

  async take(name: string, { most, window_ms }: AttemptLimit): Promise<number> {
    const key = attemptsKey(name);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<readonly number[]>(key);
      const now = this.db.now();
      // Those of a clock that has gone back do not count.
      const made = (entry.value ?? []).filter((at) => at <= now && now - at < window_ms);
      if (made.length >= most) return made[made.length - most]! + window_ms - now;
      const change = this.db.kv.atomic().check(entry).set(key, [...made, now], { expireIn: window_ms });
      return (await this.db.commit(change)).ok ? 0 : AGAIN;
    });
  }

  async giveBack(name: string): Promise<void> {
    const key = attemptsKey(name);
    await untilSettled(async () => {
      const entry = await this.db.kv.get<readonly number[]>(key);
      if (entry.value === null || entry.value.length === 0) return null;
      // It ends when the others would have; what is too old by then does not count.
      const change = this.db.kv.atomic().check(entry)
        .set(key, entry.value.slice(0, -1), { expireIn: PEOPLE_LIMITS.SIGN_IN_WINDOW_MS });
      return (await this.db.commit(change)).ok ? null : AGAIN;
    });
  }

  async forget(name: string): Promise<void> {
    await this.db.commit(this.db.kv.atomic().delete(attemptsKey(name)));
  }
}

/** So many random bytes, and so many that say until when, are proven by the rest. */
const RANDOM_BYTES = 16;
const UNTIL_BYTES = 8;
const PROOF_BYTES = 32;

/** The ChallengeStore of a database: what is kept is which were taken. */
export class Challenges implements ChallengeStore {
  constructor(private readonly db: Database, private readonly signatures: Signatures) {}

  create(bound_to: string): string {
    const bytes = new Uint8Array(RANDOM_BYTES + UNTIL_BYTES + PROOF_BYTES);
    crypto.getRandomValues(bytes.subarray(0, RANDOM_BYTES));
    const until = BigInt(this.db.now() + PEOPLE_LIMITS.CHALLENGE_MS);
    new DataView(bytes.buffer).setBigUint64(RANDOM_BYTES, until);
    bytes.set(this.signatures.sign(said(bytes, bound_to)), RANDOM_BYTES + UNTIL_BYTES);
    return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  }

  async take(challenge: string, bound_to: string): Promise<boolean> {
    const bytes = bytesOf(challenge);
    if (bytes?.length !== RANDOM_BYTES + UNTIL_BYTES + PROOF_BYTES) return false;
    if (!this.signatures.isSigned(said(bytes, bound_to), bytes.subarray(RANDOM_BYTES + UNTIL_BYTES))) {
      return false;
    }
    const until = Number(new DataView(bytes.buffer).getBigUint64(RANDOM_BYTES));
    if (!lasts(until, PEOPLE_LIMITS.CHALLENGE_MS, this.db.now())) return false;
    const key = challengeKey(bytes.toHex());
    const taken = this.db.kv.atomic().check({ key, versionstamp: null })
      .set(key, true, { expireIn: 2 * PEOPLE_LIMITS.CHALLENGE_MS });
    return (await this.db.commit(taken)).ok;
  }
}

/** What a challenge is signed over. */
const said = (bytes: Uint8Array, bound_to: string) => [
  "challenge",
  bytes.subarray(0, RANDOM_BYTES + UNTIL_BYTES).toHex(),
  bound_to,
];

function bytesOf(challenge: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.fromBase64(challenge, { alphabet: "base64url" });
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
