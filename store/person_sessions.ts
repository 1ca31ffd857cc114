/** Sessions of people, kept by a SHA-256 of their cookie; each look-up reads the store. */
import { LIMITS, PEOPLE_LIMITS } from "../model.ts";
import { AGAIN, type Database, isId, listValues, sha256, untilSettled } from "./database.ts";
import type { PersonSession, PersonSessionStore, SessionMark } from "./people_types.ts";
import { randomText } from "./tokens.ts";

const AGENT_CHARACTERS_MAX = 200;
/** A longer cookie is none of ours. */
const TEXT_CHARACTERS_MAX = 256;

const hashKey = (hash: string) => ["person_sessions_by_hash", hash];
const recordKey = (user_id: string, id: string) => ["person_sessions", user_id, id];

const endedKey = (user_id: string) => ["sessions_ended", user_id];

/** The value of `["person_sessions_by_hash", hash]`. */
interface Place {
  readonly user_id: string;
  readonly id: string;
}

/** A session as it is kept. */
type KeptSession = PersonSession & { readonly hash: string };

/** The PersonSessionStore of a database. */
export class PersonSessions implements PersonSessionStore {
  constructor(private readonly db: Database) {}

  async mark(user_id: string): Promise<SessionMark> {
    return (await this.db.kv.get(endedKey(user_id))).versionstamp;
  }

  async create(
    { user_id, method, agent }: Pick<PersonSession, "user_id" | "method" | "agent">,
    mark: SessionMark,
  ): Promise<{ session: PersonSession; text: string } | null> {
    const text = randomText();
    const now = this.db.now();
    const kept: KeptSession = {
      id: this.db.newId(),
      user_id,
      method,
      agent: agent.slice(0, AGENT_CHARACTERS_MAX),
      created_at: now,
      seen_at: now,
      ends_at: now + LIMITS.SESSION_MS,
      hash: sha256(text),
    };
    const expiry = { expireIn: LIMITS.SESSION_MS };
    const place: Place = { user_id, id: kept.id };
    const change = this.db.kv.atomic().check({ key: endedKey(user_id), versionstamp: mark })
      .set(recordKey(user_id, kept.id), kept, expiry)
      .set(hashKey(kept.hash), place, expiry);
    return (await this.db.commit(change)).ok ? { session: shown(kept), text } : null;
  }

  async find(text: string): Promise<PersonSession | null> {
    if (text.length > TEXT_CHARACTERS_MAX) return null;
    const { value: place } = await this.db.kv.get<Place>(hashKey(sha256(text)));
    if (place === null) return null;
    const key = recordKey(place.user_id, place.id);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<KeptSession>(key);
      if (entry.value === null || !this.#stands(entry.value)) return null;
      const now = this.db.now();
      if (now - entry.value.seen_at < PEOPLE_LIMITS.SESSION_SEEN_MS) return shown(entry.value);
      const seen: KeptSession = { ...entry.value, seen_at: now };
      const expiry = { expireIn: Math.max(1, seen.ends_at - now) };
      // Checked, so that a session that ends at this moment is not brought back.
      const change = this.db.kv.atomic().check(entry).set(key, seen, expiry);
      return (await this.db.commit(change)).ok ? shown(seen) : AGAIN;
    });
  }

  async list(user_id: string): Promise<PersonSession[]> {
    const kept = await listValues<KeptSession>(this.db.kv, ["person_sessions", user_id]);
    return kept.filter((one) => this.#stands(one)).map(shown).reverse();
  }

  async end(user_id: string, id: string): Promise<boolean> {
    if (!isId(id)) return false;
    const { value } = await this.db.kv.get<KeptSession>(recordKey(user_id, id));
    if (value === null) return false;
    await this.db.commit(this.db.kv.atomic().delete(recordKey(user_id, id)).delete(hashKey(value.hash)));
    return true;
  }

  async endAll(user_id: string, but?: string): Promise<number> {
    // First, so that what is made of an earlier mark either is in the list or is not made.
    await this.db.commit(this.db.kv.atomic().set(endedKey(user_id), this.db.now()));
    const kept = await listValues<KeptSession>(this.db.kv, ["person_sessions", user_id]);
    const gone = kept.filter(({ id }) => id !== but);
    for (const { id } of gone) await this.end(user_id, id);
    return gone.filter((one) => this.#stands(one)).length;
  }

  #stands({ seen_at, ends_at }: KeptSession): boolean {
    const now = this.db.now();
    return now < ends_at && now - seen_at < PEOPLE_LIMITS.SESSION_IDLE_MS;
  }
}

function shown({ hash: _, ...session }: KeptSession): PersonSession {
  return session;
}
