/** Admin sessions, kept by a SHA-256 of their cookie and of what they were opened with. */
import { lasts } from "../core/lasting.ts";
import { type Database, deleteListed, sha256 } from "./database.ts";
import type { SessionStore } from "./store.ts";
import { randomText } from "./tokens.ts";

const nameOf = (text: string, under: string) => sha256(`${text}\n${under}`);
const recordKey = (text: string, under: string) => ["sessions", nameOf(text, under)];

/** The value of `["sessions", hash]`. */
interface KeptSession {
  readonly ends_at: number;
  readonly lifetime_ms: number;
}

/** The SessionStore of a database. */
export class Sessions implements SessionStore {
  constructor(private readonly db: Database) {}

  async create(lifetime_ms: number, under: string): Promise<string> {
    const text = randomText();
    const session: KeptSession = { ends_at: this.db.now() + lifetime_ms, lifetime_ms };
    const expiry = { expireIn: lifetime_ms };
    await this.db.commit(this.db.kv.atomic().set(recordKey(text, under), session, expiry));
    return text;
  }

  async valid(text: string, under: string): Promise<boolean> {
    return await this.stands(nameOf(text, under));
  }

  nameOf(text: string, under: string): string {
    return nameOf(text, under);
  }

  async stands(name: string): Promise<boolean> {
    const { value } = await this.db.kv.get<KeptSession>(["sessions", name]);
    return value !== null && lasts(value.ends_at, value.lifetime_ms, this.db.now());
  }

  async end(text: string, under: string): Promise<void> {
    await this.db.commit(this.db.kv.atomic().delete(recordKey(text, under)));
  }

  async endAll(): Promise<void> {
    await deleteListed(this.db, ["sessions"], () => true, () => Promise.resolve(true));
  }
}
