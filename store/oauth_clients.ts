/** Clients that registered themselves: few at a time, and forgotten where nobody lets them in. */
import { OAUTH_LIMITS, type OAuthClient } from "../core/model.ts";
import { AGAIN, checkSize, type Database, untilSettled } from "./database.ts";
import type { OAuthClientStore } from "./oauth_types.ts";

/** The value of `["oauth_clients", id]`. */
interface KeptClient extends OAuthClient {
  readonly expires_at: number;
  readonly used: boolean;
}

/** The value of `["oauth_registrations"]`: how many this minute took, and the place of the next. */
interface Registrations {
  readonly minute: number;
  readonly count: number;
  readonly next: number;
}

const MINUTE_MS = 60_000;
const clientKey = (id: string) => ["oauth_clients", id];
const REGISTRATIONS = ["oauth_registrations"];
const placeKey = (place: number) => ["oauth_client_places", place];
const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** The OAuthClientStore of a database. Who registers takes the next of a fixed number of places, and whose it was goes. */
export class OAuthClients implements OAuthClientStore {
  /** Registrations of this process take turns: however many come at once, none meets another's commit. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly db: Database) {}

  register(client: Omit<OAuthClient, "id">): ReturnType<OAuthClientStore["register"]> {
    const turn = this.#last.then(() => this.#register(client));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #register({ name, redirect_uris }: Omit<OAuthClient, "id">) {
    const issued_at = this.db.now();
    const minute = Math.floor(issued_at / MINUTE_MS);
    const client: KeptClient = {
      id: this.db.newId(),
      name,
      redirect_uris: [...redirect_uris],
      expires_at: issued_at + OAUTH_LIMITS.UNUSED_CLIENT_MS,
      used: false,
    };
    checkSize(client);
    const expiry = { expireIn: OAUTH_LIMITS.UNUSED_CLIENT_MS };
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Registrations>(REGISTRATIONS);
      const { next, ...before } = entry.value ?? { minute, count: 0, next: 0 };
      const count = before.minute === minute ? before.count : 0;
      if (count >= OAUTH_LIMITS.REGISTRATIONS_PER_MINUTE) return null;
      const change = this.db.kv.atomic().check(entry)
        .set(REGISTRATIONS, { minute, count: count + 1, next: (next + 1) % OAUTH_LIMITS.UNUSED_CLIENTS })
        .set(clientKey(client.id), client, expiry)
        .set(placeKey(next), client.id, expiry);
      await this.#clear(change, next);
      if (!(await this.db.commit(change)).ok) return AGAIN;
      return { id: client.id, name, redirect_uris: client.redirect_uris, issued_at };
    });
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
        });
      if (!(await this.db.commit(change)).ok) return AGAIN;
    });
  }

  /** Forgets whose place it was, but for one that was let in. */
  async #clear(change: Deno.AtomicOperation, place: number): Promise<void> {
    const { value: id } = await this.db.kv.get<string>(placeKey(place));
    if (id === null) return;
    const entry = await this.db.kv.get<KeptClient>(clientKey(id));
    if (entry.value?.used === false) change.check(entry).delete(clientKey(id));
  }
}
