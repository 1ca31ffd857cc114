/** Tokens, kept by a SHA-256 of their text. */
import { isSuperAdmin, type Token } from "../core/model.ts";
import { RecordCache, type Version } from "./cache.ts";
import { recordOf } from "./damage.ts";
import { AGAIN, checkSize, type Database, listRecords, sha256, untilSettled } from "./database.ts";
import type { Awaitable } from "../core/async.ts";
import type { NewToken, TokenPatch, TokenStore } from "./store.ts";

const RANDOM_BYTES = 32;
/** No token is longer; a longer text is not worth a hash. */
const TEXT_CHARACTERS_MAX = 256;

const recordKey = (id: string) => ["tokens", id];
const hashKey = (hash: string) => ["tokens_by_hash", hash];

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
  /** The text looked up last: each call looks its token up twice, and calls of one token come in rows. */
  #last = { text: "", hash: sha256("") };

  constructor(
    private readonly db: Database,
    private readonly version: Version,
    private readonly prefix: string,
  ) {
    this.#byHash = new RecordCache(version, (hash) => this.#read(hash));
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
    return this.#byHash.get(this.#last.hash);
  }

  async get(id: string): Promise<Token | null> {
    const value = recordOf(await this.db.kv.get<Token>(recordKey(id)));
    return value && whole(value);
  }

  async list(): Promise<Token[]> {
    return (await listRecords<Token>(this.db.kv, "tokens")).map(whole);
  }

  async update(id: string, patch: TokenPatch): Promise<Token | null> {
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Token>(recordKey(id));
      const stored = recordOf(entry);
      if (stored === null) return null;
      const { name, allowed_sites, allowed_tools, max_risk, confirm_policy, confirm_proxied, listing } = {
        ...whole(stored),
        ...patch,
      };
      const lists = { allowed_sites: [...allowed_sites], allowed_tools: [...allowed_tools] };
      const token: Token = { ...stored, name, ...lists, max_risk, confirm_policy, confirm_proxied, listing };
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

  async #read(hash: string): Promise<Token | null> {
    const { value: id } = await this.db.kv.get<string>(hashKey(hash));
    return id === null ? null : await this.get(id);
  }
}
