/** Clients that registered themselves: few at a time, and forgotten where nobody lets them in. */
import { OAUTH_LIMITS, type OAuthClient } from "../model.ts";
import { AGAIN, checkSize, type Database, untilSettled } from "./database.ts";
import type { OAuthClientStore } from "./oauth_types.ts";

/** The value of `["oauth_clients", id]`. */
interface KeptClient extends OAuthClient {
  readonly expires_at: number;
  readonly used: boolean;
}

const MINUTE_MS = 60_000;
const clientKey = (id: string) => ["oauth_clients", id];
const UNUSED = ["oauth_clients_unused"];
const unusedKey = (id: string) => [...UNUSED, id];
const minuteKey = (minute: number) => ["oauth_registrations", minute];
const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** The OAuthClientStore of a database. Ids only grow, so the unused ones stand in the order they came in. */
export class OAuthClients implements OAuthClientStore {
  constructor(private readonly db: Database) {}

  async register({ name, redirect_uris }: Omit<OAuthClient, "id">) {
    if (!await this.#mayRegister()) return null;
    const issued_at = this.db.now();
    const client: KeptClient = {
      id: this.db.newId(),
      name,
      redirect_uris: [...redirect_uris],
      expires_at: issued_at + OAUTH_LIMITS.UNUSED_CLIENT_MS,
      used: false,
    };
    checkSize(client);
    const expiry = { expireIn: OAUTH_LIMITS.UNUSED_CLIENT_MS };
    const change = this.db.kv.atomic()
      .set(clientKey(client.id), client, expiry)
      .set(unusedKey(client.id), true, expiry);
    await this.db.commit(change);
    await this.#dropOldest();
    return { id: client.id, name, redirect_uris: client.redirect_uris, issued_at };
  }

  async get(id: string): Promise<OAuthClient | null> {
    if (!ID.test(id)) return null;
    const { value } = await this.db.kv.get<KeptClient>(clientKey(id));
    if (value === null || this.db.now() >= value.expires_at) return null;
    return { id: value.id, name: value.name, redirect_uris: value.redirect_uris };
  }

  async keep(id: string, until: number): Promise<void> {
    if (!ID.test(id)) return;
    await untilSettled(async () => {
      const entry = await this.db.kv.get<KeptClient>(clientKey(id));
      if (entry.value === null || (entry.value.used && entry.value.expires_at >= until)) return;
      const expires_at = Math.max(until, entry.value.expires_at);
      const change = this.db.kv.atomic().check(entry)
        .set(clientKey(id), { ...entry.value, expires_at, used: true }, {
          expireIn: Math.max(1, expires_at - this.db.now()),
        })
        .delete(unusedKey(id));
      if (!(await this.db.commit(change)).ok) return AGAIN;
    });
  }

  /** Counts one registration of this minute; false where there were as many as may be. */
  async #mayRegister(): Promise<boolean> {
    const key = minuteKey(Math.floor(this.db.now() / MINUTE_MS));
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<number>(key);
      const count = entry.value ?? 0;
      if (count >= OAUTH_LIMITS.REGISTRATIONS_PER_MINUTE) return false;
      const change = this.db.kv.atomic().check(entry).set(key, count + 1, { expireIn: 2 * MINUTE_MS });
      return (await this.db.commit(change)).ok || AGAIN;
    });
  }

  async #dropOldest(): Promise<void> {
    const unused: Deno.KvKey[] = [];
    for await (const { key } of this.db.kv.list({ prefix: UNUSED }, { batchSize: 500 })) unused.push(key);
    for (const key of unused.slice(0, Math.max(0, unused.length - OAUTH_LIMITS.UNUSED_CLIENTS))) {
      await this.#dropUnused(String(key.at(-1)));
    }
  }

  /** Not one that was let in meanwhile. */
  async #dropUnused(id: string): Promise<void> {
    const entry = await this.db.kv.get<KeptClient>(clientKey(id));
    if (entry.value?.used) return;
    await this.db.commit(
      this.db.kv.atomic().check(entry).delete(clientKey(id)).delete(unusedKey(id)),
    );
  }
}
