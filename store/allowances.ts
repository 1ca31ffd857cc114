/** Requests counted by the day, and answers kept, of upstreams that allow only a few requests a day. */
import { AGAIN, checkKeyPart, type Database, sha256, untilSettled } from "./database.ts";
import { pack, unpack } from "./packed.ts";
import type { AllowanceStore, Allowed, Kept } from "./store.ts";
import { readMany } from "./store_timeout.ts";

/** A day is over everywhere by then. */
const COUNT_MS = 3 * 24 * 60 * 60 * 1000;
const NONE: Allowed = { used: 0, exhausted: false };

/** What stands for a packed value: its parts are named after it, so that no reader joins those of two values. */
interface Head {
  readonly id: string;
  readonly parts: number;
  readonly at: number;
  readonly expires_at: number;
  /** SHA-256 of the first part of its name, by which it is found where that is erased. */
  readonly of?: string;
}

const headKey = (name: readonly string[]) => ["kept", sha256(JSON.stringify(name))];
const partKey = (id: string, at: number) => ["kept_parts", id, at];

/** The AllowanceStore of a database. */
export class Allowances implements AllowanceStore {
  constructor(private readonly db: Database) {}

  async read(scope: readonly string[], day: string): Promise<Allowed> {
    return (await this.db.kv.get<Allowed>(countKey(scope, day))).value ?? NONE;
  }

  async take(scope: readonly string[], day: string, most: number): Promise<boolean> {
    return await this.#change(scope, day, ({ used, exhausted }) => {
      return exhausted || used >= most ? null : { used: used + 1, exhausted };
    });
  }

  async exhaust(scope: readonly string[], day: string): Promise<void> {
    await this.#change(scope, day, ({ used }) => ({ used, exhausted: true }));
  }

  async find<T>(name: readonly string[]): Promise<Kept<T> | null> {
    const { value: head } = await this.db.kv.get<Head>(headKey(name));
    if (head === null || typeof head.id !== "string" || !(this.db.now() < head.expires_at)) return null;
    const parts: Uint8Array[] = [];
    const keys = Array.from({ length: head.parts }, (_, at) => partKey(head.id, at));
    for (const { value } of await readMany<Uint8Array>(this.db.kv, keys)) {
      if (value === null) return null; // it ran out while it was read
      parts.push(value);
    }
    try {
      return { value: await unpack(parts) as T, at: head.at };
    } catch {
      return null; // a damaged one is asked for again, as one that ran out is
    }
  }

  async keep(name: readonly string[], value: unknown, ttl_ms: number): Promise<void> {
    const { kv } = this.db;
    const id = this.db.newId();
    const parts = await pack(value);
    for (const [at, part] of parts.entries()) {
      await this.db.commit(kv.atomic().set(partKey(id, at), part, { expireIn: ttl_ms }));
    }
    const at = this.db.now();
    const of = sha256(name[0] ?? "");
    const head: Head = { id, parts: parts.length, at, expires_at: at + ttl_ms, of };
    await this.db.commit(kv.atomic().set(headKey(name), head, { expireIn: ttl_ms }));
  }

  /** Whether it was changed: `next` answers null to keep the stored value. */
  async #change(
    scope: readonly string[],
    day: string,
    next: (standing: Allowed) => Allowed | null,
  ): Promise<boolean> {
    const key = countKey(scope, day);
    return await untilSettled(async () => {
      const standing = await this.db.kv.get<Allowed>(key);
      const value = next(standing.value ?? NONE);
      if (value === null) return false;
      const change = this.db.kv.atomic().check(standing).set(key, value, { expireIn: COUNT_MS });
      return (await this.db.commit(change)).ok ? true : AGAIN;
    });
  }
}

function countKey(scope: readonly string[], day: string): Deno.KvKey {
  for (const part of scope) checkKeyPart("account", part);
  return ["allowances", ...scope, day];
}
