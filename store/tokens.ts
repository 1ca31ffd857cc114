/** Tokens, kept by a SHA-256 of their text. */
import { isSuperAdmin, LIMITS, type Token } from "../core/model.ts";
import { definedOf } from "../core/values.ts";
import { ListCache, RecordCache, type Version } from "./cache.ts";
import { recordOf } from "./damage.ts";
import { AGAIN, checkSize, type Database, listRecords, sha256, untilSettled } from "./database.ts";
import type { Awaitable } from "../core/async.ts";
import type { NewToken, TokenPatch, TokenStore } from "./store.ts";

const RANDOM_BYTES = 32;
/** No token is longer; a longer text is not worth a hash. */
const TEXT_CHARACTERS_MAX = 256;
const GET_MANY_MAX = 10;
/** So many uses are remembered before they are forgotten, and said again. */
const USES_MAX = 10_000;

/** What the ids of tokens begin with that trials are run with. */
export const TRIAL_TOKEN = "try_";
/** Whether that is the id of such a token, which has no text that anybody could send. */
export const isTrialToken = (id: string): boolean => id.startsWith(TRIAL_TOKEN);
/** Where a token is kept. Those of trials go by themselves, and are on no list. */
export const tokenKey = (id: string) => [isTrialToken(id) ? "trial_tokens" : "tokens", id];

const recordKey = tokenKey;
const hashKey = (hash: string) => ["tokens_by_hash", hash];
const useKey = (id: string) => ["token_uses", id];

/** Random text with 256 bits, safe in an address, a header and a cookie. */
export function randomText(): string {
  return crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/** A token with what it was kept without by an older version. */
const whole = (token: Token): Token => ({ ...token, confirm_policy: token.confirm_policy ?? "flag" });

/** The TokenStore of a database; token texts begin with `prefix`. */
export class Tokens implements TokenStore {
  readonly #byHash: RecordCache<Token>;
  readonly #all: ListCache<Token>;
  /** The text looked up last: each call looks its token up twice, and calls of one token come in rows. */
  #last = { text: "", hash: sha256("") };
  /** When this process last wrote that a token was used, and what is being written. */
  readonly #uses = new Map<string, number>();
  readonly #writing = new Set<Promise<void>>();

  constructor(
    private readonly db: Database,
    private readonly version: Version,
    private readonly prefix: string,
  ) {
    this.#byHash = new RecordCache(version, (hash) => this.#read(hash));
    this.#all = new ListCache(
      version,
      async () => (await listRecords<Token>(db.kv, "tokens")).map(whole),
    );
  }

  async create(input: NewToken): Promise<{ token: Token; text: string }> {
    const text = `${this.prefix}_${input.env}_${randomText()}`;
    const token: Token = {
      id: this.db.newId(),
      name: input.name,
      env: input.env,
      allowed_sites: [...input.allowed_sites],
      allowed_tools: [...input.allowed_tools],
      max_risk: input.max_risk,
      skip_write_confirm: input.skip_write_confirm,
      confirm_policy: input.confirm_policy ?? "flag",
      ...(input.confirm_proxied === true ? { confirm_proxied: true } : {}),
      ...(input.listing === undefined ? {} : { listing: input.listing }),
      ...(input.expires_at === undefined ? {} : { expires_at: input.expires_at }),
      ...(input.allowed_ips === undefined ? {} : { allowed_ips: [...input.allowed_ips] }),
      owner_user_id: input.owner_user_id,
      super_admin: isSuperAdmin(input),
      created_at: this.db.timestamp(),
      revoked_at: null,
    };
    checkSize(token);
    const change = this.db.kv.atomic()
      .check({ key: recordKey(token.id), versionstamp: null })
      .set(recordKey(token.id), token)
      .set(hashKey(sha256(text)), token.id);
    if (!await this.version.commit(change)) return await this.create(input);
    return { token, text };
  }

  find(text: string): Awaitable<Token | null> {
    if (text.length > TEXT_CHARACTERS_MAX) return null;
    if (text !== this.#last.text) this.#last = { text, hash: sha256(text) };
    const { hash } = this.#last;
    const found = this.#byHash.get(hash);
    return found instanceof Promise
      ? found.then((token) => this.#unlessReplaced(token, hash))
      : this.#unlessReplaced(found, hash);
  }

  /** null for a token that was asked for by a text whose time is over. */
  #unlessReplaced(token: Token | null, hash: string): Token | null {
    const before = token?.previous_text;
    return before?.hash === hash && this.db.now() >= Date.parse(before.until) ? null : token;
  }

  async get(id: string): Promise<Token | null> {
    const value = recordOf(await this.db.kv.get<Token>(recordKey(id)));
    return value && whole(value);
  }

  async list(): Promise<Token[]> {
    return [...await this.#all.get()];
  }

  async update(id: string, patch: TokenPatch, judge?: (stored: Token) => void): Promise<Token | null> {
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Token>(recordKey(id));
      const stored = recordOf(entry);
      if (stored === null) return null;
      judge?.(whole(stored));
      const {
        name,
        allowed_sites,
        allowed_tools,
        max_risk,
        confirm_policy,
        confirm_proxied,
        listing,
        expires_at,
        allowed_ips,
      } = {
        ...whole(stored),
        ...definedOf(patch),
      };
      const { expires_at: _, allowed_ips: __, ...before } = stored;
      const lists = { allowed_sites: [...allowed_sites], allowed_tools: [...allowed_tools] };
      const token: Token = {
        ...before,
        name,
        ...lists,
        max_risk,
        confirm_policy,
        ...confirm_proxied === undefined ? {} : { confirm_proxied },
        ...listing === undefined ? {} : { listing },
        ...expires_at && { expires_at },
        ...allowed_ips && { allowed_ips: [...allowed_ips] },
      };
      checkSize(token);
      const change = this.db.kv.atomic().check(entry).set(recordKey(id), token);
      return await this.version.commit(change) ? token : AGAIN;
    });
  }

  async revoke(id: string): Promise<Token | null> {
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Token>(recordKey(id));
      const stored = recordOf(entry);
      if (stored === null || stored.revoked_at !== null) return stored;
      const token: Token = { ...stored, revoked_at: this.db.timestamp() };
      const change = this.db.kv.atomic().check(entry).set(recordKey(id), token);
      return await this.version.commit(change) ? token : AGAIN;
    });
  }

  async rotate(
    id: string,
    until: number,
    judge?: (stored: Token) => void,
  ): Promise<{ token: Token; text: string } | null> {
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Token>(recordKey(id));
      const stored = recordOf(entry);
      if (stored === null) return null;
      judge?.(whole(stored));
      const text = `${this.prefix}_${stored.env}_${randomText()}`;
      const texts = await this.#hashesOf(id);
      const older = stored.previous_text?.hash;
      const [last] = texts.filter((hash) => hash !== older);
      const { previous_text: _, ...rest } = stored;
      const left = until - this.db.now();
      const isKept = last !== undefined && left > 0;
      const token: Token = {
        ...rest,
        ...isKept ? { previous_text: { hash: last, until: new Date(until).toISOString() } } : {},
      };
      checkSize(token);
      const change = this.db.kv.atomic().check(entry).set(recordKey(id), token).set(
        hashKey(sha256(text)),
        id,
      );
      for (const hash of texts) {
        // The record says when it is over; by then the entry goes as well.
        if (hash === last && isKept) change.set(hashKey(hash), id, { expireIn: left });
        else change.delete(hashKey(hash));
      }
      return await this.version.commit(change) ? { token: whole(token), text } : AGAIN;
    });
  }

  /** The hashes that lead to it, which nothing but they themselves name. */
  async #hashesOf(id: string): Promise<string[]> {
    const hashes: string[] = [];
    for await (const { key, value } of this.db.kv.list<string>({ prefix: ["tokens_by_hash"] })) {
      if (value === id) hashes.push(String(key[1]));
    }
    return hashes;
  }

  used(id: string): void {
    const now = this.db.now();
    const last = this.#uses.get(id);
    // A clock that was set back says so as well.
    if (last !== undefined && Math.abs(now - last) < LIMITS.TOKEN_USE_MS) return;
    if (this.#uses.size >= USES_MAX) this.#uses.clear();
    this.#uses.set(id, now);
    const write = this.#writeUse(id).catch(() => void this.#uses.delete(id));
    this.#writing.add(write);
    void write.finally(() => this.#writing.delete(write));
  }

  async uses(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const uses = new Map<string, string>();
    for (let at = 0; at < ids.length; at += GET_MANY_MAX) {
      const some = await this.db.kv.getMany<string[]>(ids.slice(at, at + GET_MANY_MAX).map(useKey));
      for (const { key, value } of some) if (typeof value === "string") uses.set(String(key[1]), value);
    }
    return uses;
  }

  /** Resolves once what is being written of uses has ended. */
  async finish(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** Of a token that is gone meanwhile nothing is kept. */
  async #writeUse(id: string): Promise<void> {
    const entry = await this.db.kv.get(recordKey(id));
    if (entry.value === null) return;
    await this.db.kv.atomic().check(entry).set(useKey(id), this.db.timestamp()).commit();
  }

  async #read(hash: string): Promise<Token | null> {
    const { value: id } = await this.db.kv.get<string>(hashKey(hash));
    return id === null ? null : await this.get(id);
  }
}
