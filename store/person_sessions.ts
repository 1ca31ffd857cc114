/** Sessions of people, kept by a SHA-256 of their cookie; each look-up reads the store. */
import { lasts } from "../core/lasting.ts";
import { LIMITS, PEOPLE_LIMITS } from "../core/model.ts";
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

/** A session as it is kept; one of another mark than the user's has ended. */
type KeptSession = PersonSession & { readonly hash: string; readonly mark: SessionMark };

/** The PersonSessionStore of a database. */
export class PersonSessions implements PersonSessionStore {
  constructor(private readonly db: Database) {}

  async mark(user_id: string): Promise<SessionMark> {
    return (await this.db.kv.get<string>(endedKey(user_id))).value;
  }

  async create(
    { user_id, method, agent }: Pick<PersonSession, "user_id" | "method" | "agent">,
    mark: SessionMark,
  ): Promise<{ session: PersonSession; text: string } | null> {
    const ended = await this.db.kv.get<string>(endedKey(user_id));
    if (ended.value !== mark) return null;
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
      mark,
    };
    const expiry = { expireIn: LIMITS.SESSION_MS };
    const place: Place = { user_id, id: kept.id };
    const change = this.db.kv.atomic().check(ended)
      .set(recordKey(user_id, kept.id), kept, expiry)
      .set(hashKey(kept.hash), place, expiry);
    return (await this.db.commit(change)).ok ? { session: shown(kept), text } : null;
  }

  async find(text: string): Promise<PersonSession | null> {
    if (text.length > TEXT_CHARACTERS_MAX) return null;
    const { value: place } = await this.db.kv.get<Place>(hashKey(sha256(text)));
    if (place === null) return null;
    const keys = [recordKey(place.user_id, place.id), endedKey(place.user_id)] as const;
    return await untilSettled(async () => {
      const [entry, ended] = await this.db.kv.getMany<[KeptSession, string]>(keys);
      if (entry.value === null || !this.#stands(entry.value, ended.value)) return null;
      const now = this.db.now();
      if (Math.abs(now - entry.value.seen_at) < PEOPLE_LIMITS.SESSION_SEEN_MS) return shown(entry.value);
      const seen: KeptSession = { ...entry.value, seen_at: now };
      // Checked, so that a session that ends at this moment is not brought back.
      const change = this.db.kv.atomic().check(entry).set(keys[0], seen, this.#expiry(seen));
      return (await this.db.commit(change)).ok ? shown(seen) : AGAIN;
    });
  }

  async list(user_id: string): Promise<PersonSession[]> {
    const mark = await this.mark(user_id);
    const kept = await listValues<KeptSession>(this.db.kv, ["person_sessions", user_id]);
    return kept.filter((one) => this.#stands(one, mark)).map(shown).reverse();
  }

  async end(user_id: string, id: string): Promise<boolean> {
    if (!isId(id)) return false;
    const { value } = await this.db.kv.get<KeptSession>(recordKey(user_id, id));
    if (value === null) return false;
    await this.db.commit(this.db.kv.atomic().delete(recordKey(user_id, id)).delete(hashKey(value.hash)));
    return true;
  }

  async endAll(user_id: string, but?: string): Promise<number> {
    return await untilSettled(async () => {
      const change = this.db.kv.atomic();
      const { count, clear } = await this.addEnd(change, user_id, but);
      if (!(await this.db.commit(change)).ok) return AGAIN;
      await clear();
      return count;
    });
  }

  /**
   * Adds to a change that all sessions of that user but one end with it, at once and whole: they are of an earlier mark
   * then. `clear` forgets their records once it is committed.
   */
  async addEnd(change: Deno.AtomicOperation, user_id: string, but?: string): Promise<EndOfAll> {
    const ended = await this.db.kv.get<string>(endedKey(user_id));
    const kept = await listValues<KeptSession>(this.db.kv, ["person_sessions", user_id]);
    const mark = this.db.newId();
    change.check(ended).set(endedKey(user_id), mark);
    const standing = kept.filter((one) => this.#stands(one, ended.value));
    const others = standing.filter(({ id }) => id !== but);
    if (others.length < standing.length) {
      const stays = await this.db.kv.get<KeptSession>(recordKey(user_id, but!));
      change.check(stays);
      if (stays.value) change.set(stays.key, { ...stays.value, mark }, this.#expiry(stays.value));
    }
    return {
      count: others.length,
      clear: async () => {
        // What cannot be deleted now runs out by itself.
        for (const { id } of kept) if (id !== but) await this.end(user_id, id).catch(() => {});
      },
    };
  }

  #stands({ seen_at, ends_at, mark }: KeptSession, current: SessionMark): boolean {
    const now = this.db.now();
    return mark === current && lasts(ends_at, LIMITS.SESSION_MS, now) &&
      now - seen_at < PEOPLE_LIMITS.SESSION_IDLE_MS;
  }

  #expiry = ({ ends_at }: KeptSession) => ({ expireIn: Math.max(1, ends_at - this.db.now()) });
}

/** What is left to do once all sessions of a user have ended, and how many those were. */
export interface EndOfAll {
  readonly count: number;
  clear(): Promise<void>;
}

function shown({ hash: _, mark: __, ...session }: KeptSession): PersonSession {
  return session;
}
