/** Users: the people tokens belong to, one per e-mail. */
import { GatewayError } from "../core/errors.ts";
import type { User } from "../core/model.ts";
import { ListCache, RecordCache, type Version } from "./cache.ts";
import { recordOf } from "./damage.ts";
import { AGAIN, checkKeyPart, checkSize, type Database, listRecords, untilSettled } from "./database.ts";
import type { Awaitable } from "../core/async.ts";
import type { UserInput, UserStore } from "./store.ts";

/** No e-mail address is longer. */
const EMAIL_CHARACTERS_MAX = 256;

const recordKey = (id: string) => ["users", id];
const emailKey = (email: string) => ["users_by_email", email.toLowerCase()];

/** The UserStore of a database. */
export class Users implements UserStore {
  readonly #byId: RecordCache<User>;
  readonly #all: ListCache<User>;

  constructor(private readonly db: Database, private readonly version: Version) {
    this.#byId = new RecordCache(version, async (id) => recordOf(await db.kv.get<User>(recordKey(id))));
    this.#all = new ListCache(version, () => listRecords<User>(db.kv, "users"));
  }

  async create(input: Omit<User, "id" | "created_at">): Promise<User | null> {
    checkKeyPart("email", input.email);
    const user: User = {
      id: this.db.newId(),
      email: input.email,
      role: input.role,
      allowed_sites: [...input.allowed_sites],
      max_risk: input.max_risk,
      approve_sites: [...input.approve_sites ?? []],
      created_at: this.db.timestamp(),
    };
    checkSize(user);
    const change = this.db.kv.atomic()
      .check({ key: emailKey(user.email), versionstamp: null })
      .set(emailKey(user.email), user.id)
      .set(recordKey(user.id), user);
    return await this.version.commit(change) ? user : null;
  }

  get(id: string): Awaitable<User | null> {
    return this.#byId.get(id);
  }

  async byEmail(email: string): Promise<User | null> {
    const { value: id } = await this.db.kv.get<string>(emailKey(email.slice(0, EMAIL_CHARACTERS_MAX)));
    return id === null ? null : await this.#byId.get(id);
  }

  async list(): Promise<User[]> {
    return [...await this.#all.get()];
  }

  async update(id: string, patch: UserInput, judge?: (stored: User) => void): Promise<User | null> {
    if (patch.email !== undefined) checkKeyPart("email", patch.email);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<User>(recordKey(id));
      const stored = recordOf(entry);
      if (stored === null) return null;
      judge?.(stored);
      const user: User = {
        ...stored,
        ...patch.email !== undefined && { email: patch.email },
        ...patch.role !== undefined && { role: patch.role },
        ...patch.allowed_sites !== undefined && { allowed_sites: [...patch.allowed_sites] },
        ...patch.max_risk !== undefined && { max_risk: patch.max_risk },
        ...patch.approve_sites !== undefined && { approve_sites: [...patch.approve_sites] },
      };
      checkSize(user);
      const change = this.db.kv.atomic().check(entry).set(recordKey(id), user);
      await this.#moveEmail(change, stored, user);
      return await this.version.commit(change) ? user : AGAIN;
    });
  }

  async remove(id: string): Promise<User | null> {
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<User>(recordKey(id));
      const stored = recordOf(entry);
      if (stored === null) return null;
      const change = this.db.kv.atomic().check(entry).delete(entry.key).delete(emailKey(stored.email));
      return await this.version.commit(change) ? stored : AGAIN;
    });
  }

  async #moveEmail(change: Deno.AtomicOperation, before: User, after: User): Promise<void> {
    const key = emailKey(after.email);
    if (before.email.toLowerCase() === key[1]) return;
    const taken = await this.db.kv.get(key);
    if (taken.value !== null) {
      throw new GatewayError("E_BAD_INPUT", `email: "${after.email}" belongs to another user`);
    }
    change.check(taken).delete(emailKey(before.email)).set(key, after.id);
  }
}
