/** What may be tried only so often, and challenges that are taken once: short-lived, and the same at every instance. */
import { lasts } from "../lib/lasting.ts";
import { PEOPLE_LIMITS } from "../model.ts";
import { AGAIN, type Database, sha256, untilSettled } from "./database.ts";
import type { AttemptLimit, AttemptStore, ChallengeStore } from "./people_types.ts";
import { randomText } from "./tokens.ts";

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

  async forget(name: string): Promise<void> {
    await this.db.commit(this.db.kv.atomic().delete(attemptsKey(name)));
  }
}

/** The value of `["challenges", hash of the challenge]`. */
interface KeptChallenge {
  /** SHA-256 of what the browser that asked is known by. */
  readonly bound_to: string;
  readonly expires_at: number;
}

/** The ChallengeStore of a database. */
export class Challenges implements ChallengeStore {
  constructor(private readonly db: Database) {}

  async create(bound_to: string): Promise<string> {
    const challenge = randomText();
    const kept: KeptChallenge = {
      bound_to: sha256(bound_to),
      expires_at: this.db.now() + PEOPLE_LIMITS.CHALLENGE_MS,
    };
    const expiry = { expireIn: PEOPLE_LIMITS.CHALLENGE_MS };
    await this.db.commit(this.db.kv.atomic().set(challengeKey(challenge), kept, expiry));
    return challenge;
  }

  async take(challenge: string, bound_to: string): Promise<boolean> {
    const entry = await this.db.kv.get<KeptChallenge>(challengeKey(challenge));
    if (entry.value === null || entry.value.bound_to !== sha256(bound_to)) return false;
    const { ok } = await this.db.commit(this.db.kv.atomic().check(entry).delete(entry.key));
    return ok && lasts(entry.value.expires_at, PEOPLE_LIMITS.CHALLENGE_MS, this.db.now());
  }
}
