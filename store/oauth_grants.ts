/** Grants of OAuth: codes redeemed once, refresh tokens in a row, access tokens, all kept by a SHA-256 of their texts. */
import type { Awaitable } from "../core/async.ts";
import { lasts } from "../core/lasting.ts";
import { type Grant, OAUTH_LIMITS, OAUTH_PREFIX } from "../core/model.ts";
import { RecordCache, type Version } from "./cache.ts";
import { AGAIN, checkSize, type Database, isId, listValues, sha256, untilSettled } from "./database.ts";
import type {
  Access,
  CodeOrder,
  IssuedTokens,
  ListedGrant,
  OAuthGrantStore,
  Redeemed,
  Refreshed,
} from "./oauth_types.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { randomText } from "./tokens.ts";

/** The value of `["oauth_codes", hash]`. */
interface KeptCode {
  readonly order: CodeOrder;
  readonly expires_at: number;
  /** What it was redeemed for. */
  readonly grant_id: string | null;
}

/** The value of `["oauth_families", grant id]`: the refresh token that counts, and what the one before was answered. */
interface Family {
  readonly current: string;
  readonly previous: string | null;
  readonly at: number;
  readonly sealed: Sealed | null;
  /** How many were used since when, within an hour. */
  readonly since: number;
  readonly count: number;
  /** Whether the answer was given up before it was stored: the token before this one is the last that its client has. */
  readonly unheard?: true;
  /** Whether the token before this one came again, and whoever asked was told so. */
  readonly repeated?: true;
}

/** The value of `["oauth_access", hash]`. */
type KeptAccess = Omit<Access, "grant"> & { readonly grant_id: string };

/** What is sealed of an answer. */
type Answer = Omit<IssuedTokens, "grant">;

const HOUR_MS = 60 * 60_000;
/** No text of ours is longer; a longer one is not worth a hash. */
const TEXT_CHARACTERS_MAX = 128;

const codeKey = (hash: string) => ["oauth_codes", hash];
const GRANTS = ["oauth_grants"];
const grantKey = (id: string) => [...GRANTS, id];
const byUser = (user_id: string) => ["oauth_grants_by_user", user_id];
const familyKey = (id: string) => ["oauth_families", id];
const refreshKey = (hash: string) => ["oauth_refresh", hash];
const accessKey = (hash: string) => ["oauth_access", hash];

/** The count with one more; an hour that is over, or lies ahead of the clock, begins anew. */
function counted({ since, count }: Family, now: number): Pick<Family, "since" | "count"> {
  return now >= since && now - since < HOUR_MS ? { since, count: count + 1 } : { since: now, count: 1 };
}

/** The OAuthGrantStore of a database. */
export class OAuthGrants implements OAuthGrantStore {
  readonly #access: RecordCache<Access>;

  constructor(
    private readonly db: Database,
    private readonly version: Version,
    private readonly sealer: Pick<Sealer, "seal" | "unseal">,
  ) {
    this.#access = new RecordCache(version, (hash) => this.#readAccess(hash), OAUTH_LIMITS.ACCESS_CACHED);
  }

  async issueCode(order: CodeOrder): Promise<string> {
    const code = OAUTH_PREFIX.code + randomText();
    const kept: KeptCode = { order, expires_at: this.db.now() + OAUTH_LIMITS.CODE_MS, grant_id: null };
    checkSize(kept);
    const key = codeKey(sha256(code));
    await this.db.commit(this.db.kv.atomic().set(key, kept, { expireIn: 2 * OAUTH_LIMITS.CODE_MS }));
    return code;
  }

  async redeem(code: string, judge: (order: CodeOrder) => string | null): Promise<Redeemed> {
    if (code.length > TEXT_CHARACTERS_MAX) return { outcome: "unknown" };
    const key = codeKey(sha256(code));
    return await untilSettled<Redeemed>(async () => {
      const entry = await this.db.kv.get<KeptCode>(key);
      if (entry.value === null) return { outcome: "unknown" };
      const { order, expires_at, grant_id } = entry.value;
      if (grant_id !== null) return { outcome: "used", grant_id };
      const now = this.db.now();
      if (!lasts(expires_at, OAUTH_LIMITS.CODE_MS, now)) return { outcome: "unknown" };
      const resource = judge(order);
      const grant: Grant = {
        id: this.db.newId(),
        ...order.granted,
        created_at: this.db.timestamp(),
        resource,
        ended_at: null,
        ended_why: null,
      };
      const answer = this.#newAnswer(grant);
      const life = { expireIn: this.#lifeOf(grant) };
      const change = this.db.kv.atomic().check(entry)
        .set(key, { ...entry.value, grant_id: grant.id }, life)
        .set(grantKey(grant.id), grant, life)
        .set([...byUser(grant.user_id), grant.id], true, life);
      this.#put(change, grant, answer, { previous: null, sealed: null, since: now, count: 0 });
      const unheard = () => this.end(grant.id, "its tokens were made too late to be handed over");
      if (!(await this.db.commit(change).catch(this.db.onceKept(unheard))).ok) return AGAIN;
      return { outcome: "redeemed", tokens: { grant, ...answer } };
    });
  }

  async refresh(text: string, judge: (grant: Grant) => Awaitable<void>): Promise<Refreshed> {
    if (text.length > TEXT_CHARACTERS_MAX) return { outcome: "unknown" };
    const hash = sha256(text);
    /** Whether it was the current one when it came: where it no longer is, a refresh at the same time was first. */
    let raced = false;
    return await untilSettled<Refreshed>(async () => {
      const { value: id } = await this.db.kv.get<string>(refreshKey(hash));
      if (id === null) return { outcome: "unknown" };
      const [granted, family] = await this.db.kv.getMany<[Grant, Family]>([grantKey(id), familyKey(id)]);
      if (granted.value === null || family.value === null) return { outcome: "unknown" };
      const grant = granted.value;
      await judge(grant);
      if (!this.#stands(grant)) return { outcome: "ended", grant };
      const { current, previous, at, unheard } = family.value;
      const now = this.db.now();
      const { expires_at } = grant;
      if (!lasts(expires_at, expires_at - Date.parse(grant.created_at), now)) {
        return { outcome: "other clock" };
      }
      if (hash === previous && (raced || Math.abs(now - at) < OAUTH_LIMITS.REPEAT_MS)) {
        const tokens = { grant, ...await this.#unsealed(id, family.value) };
        if (raced || family.value.repeated) return { outcome: "repeated", tokens, isFirst: false };
        const told = this.db.kv.atomic().check(family)
          .set(family.key, { ...family.value, repeated: true }, { expireIn: this.#lifeOf(grant) });
        if (!(await this.db.commit(told)).ok) return AGAIN;
        return { outcome: "repeated", tokens, isFirst: true };
      }
      if (hash !== current && !(unheard && hash === previous)) return { outcome: "used", grant };
      if (now - at >= OAUTH_LIMITS.REFRESH_IDLE_MS) return { outcome: "ended", grant };
      const { since, count } = counted(family.value, now);
      if (count > OAUTH_LIMITS.REFRESHES_PER_HOUR) {
        return { outcome: "too often", wait_ms: since + HOUR_MS - now };
      }
      const answer = this.#newAnswer(grant);
      const sealed = await this.sealer.seal(JSON.stringify(answer), familyKey(id));
      const change = this.db.kv.atomic().check(granted).check(family)
        .set(refreshKey(hash), id, { expireIn: OAUTH_LIMITS.REFRESH_KNOWN_MS });
      this.#put(change, grant, answer, { previous: hash, sealed, since, count });
      raced = true;
      const kept = this.db.commit(change).catch(this.db.onceKept((now) => this.#unheard(grant, now)));
      if (!(await kept).ok) return AGAIN;
      return { outcome: "refreshed", tokens: { grant, ...answer } };
    });
  }

  /** Notes of what stands since then that nobody was answered it. */
  async #unheard(grant: Grant, versionstamp: string): Promise<void> {
    const entry = await this.db.kv.get<Family>(familyKey(grant.id));
    if (entry.versionstamp !== versionstamp) return;
    const change = this.db.kv.atomic().check(entry)
      .set(entry.key, { ...entry.value, unheard: true }, { expireIn: this.#lifeOf(grant) });
    await this.db.commit(change);
  }

  access(text: string): Access | null | Promise<Access | null> {
    return text.length > TEXT_CHARACTERS_MAX ? null : this.#access.get(sha256(text));
  }

  async grantOf(text: string): Promise<Grant | null> {
    if (text.length > TEXT_CHARACTERS_MAX) return null;
    const hash = sha256(text);
    const { value: id } = await this.db.kv.get<string>(refreshKey(hash));
    return id === null ? (await this.#readAccess(hash))?.grant ?? null : await this.get(id);
  }

  async dropAccess(text: string): Promise<void> {
    await this.version.commit(this.db.kv.atomic().delete(accessKey(sha256(text))));
  }

  async get(id: string): Promise<Grant | null> {
    return isId(id) ? (await this.db.kv.get<Grant>(grantKey(id))).value : null;
  }

  async end(id: string, why: string): Promise<Grant | null> {
    return await untilSettled<Grant | null>(async () => {
      const entry = await this.db.kv.get<Grant>(grantKey(id));
      if (entry.value === null || !this.#stands(entry.value)) return null;
      const grant: Grant = { ...entry.value, ended_at: this.db.timestamp(), ended_why: why };
      const change = this.db.kv.atomic().check(entry)
        .set(grantKey(id), grant, { expireIn: OAUTH_LIMITS.ENDED_KNOWN_MS })
        .delete([...byUser(grant.user_id), id]);
      return await this.version.commit(change) ? grant : AGAIN;
    });
  }

  async list(user_id?: string): Promise<ListedGrant[]> {
    const grants = user_id === undefined
      ? await listValues<Grant>(this.db.kv, GRANTS)
      : await this.#grantsOf(user_id);
    const standing = grants.filter((one) => this.#stands(one));
    return await Promise.all(standing.map(async (grant) => {
      const { value } = await this.db.kv.get<Family>(familyKey(grant.id));
      return { grant, refreshed_at: value?.at ?? Date.parse(grant.created_at) };
    }));
  }

  async #grantsOf(user_id: string): Promise<Grant[]> {
    const ids: string[] = [];
    for await (const { key } of this.db.kv.list({ prefix: byUser(user_id) })) ids.push(String(key.at(-1)));
    const found = await Promise.all(ids.map((id) => this.get(id)));
    return found.filter((one) => one !== null);
  }

  /** New tokens; the access token does not outlive its grant. */
  #newAnswer({ expires_at }: Grant): Answer {
    return {
      access_token: OAUTH_PREFIX.access + randomText(),
      refresh_token: OAUTH_PREFIX.refresh + randomText(),
      expires_at: Math.min(this.db.now() + OAUTH_LIMITS.ACCESS_MS, expires_at),
    };
  }

  #put(
    change: Deno.AtomicOperation,
    grant: Grant,
    { access_token, refresh_token, expires_at }: Answer,
    before: Omit<Family, "current" | "at">,
  ): void {
    const current = sha256(refresh_token);
    const access: KeptAccess = { grant_id: grant.id, resource: grant.resource, expires_at };
    change
      .set(familyKey(grant.id), { current, at: this.db.now(), ...before }, { expireIn: this.#lifeOf(grant) })
      .set(refreshKey(current), grant.id, { expireIn: OAUTH_LIMITS.REFRESH_IDLE_MS })
      .set(accessKey(sha256(access_token)), access, { expireIn: OAUTH_LIMITS.ACCESS_MS });
  }

  async #unsealed(id: string, { sealed }: Family): Promise<Answer> {
    return JSON.parse(await this.sealer.unseal(sealed!, familyKey(id)));
  }

  async #readAccess(hash: string): Promise<Access | null> {
    const { value } = await this.db.kv.get<KeptAccess>(accessKey(hash));
    const grant = value && await this.get(value.grant_id);
    return grant && { grant, resource: value.resource, expires_at: value.expires_at };
  }

  #stands = ({ ended_at, expires_at }: Grant) => ended_at === null && this.db.now() < expires_at;
  #lifeOf = ({ expires_at }: Grant) => Math.max(1, expires_at - this.db.now()) + OAUTH_LIMITS.ENDED_KNOWN_MS;
}
