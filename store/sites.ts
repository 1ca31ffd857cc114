/** Sites and, sealed beside them, their credentials. */
import { GatewayError } from "../errors.ts";
import {
  CREDENTIAL_KINDS,
  type CredentialKind,
  type Credentials,
  FLAGS,
  type Site,
  SITE_LINK_FIELDS,
} from "../model.ts";
import { type ConfigVersion, ListCache, RecordCache } from "./cache.ts";
import { AGAIN, checkKeyPart, checkSize, type Database, listValues, untilSettled } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";
import type { Awaitable, NewSite, SiteInput, SiteStore } from "./store.ts";

const recordKey = (id: string) => ["sites", id];
const secretKey = (id: string, kind: CredentialKind) => ["credentials", id, kind];

type SealedByKind = ReadonlyMap<CredentialKind, Sealed | null>;

/** The SiteStore of a database. */
export class Sites implements SiteStore {
  readonly #byId: RecordCache<Site>;
  readonly #all: ListCache<Site>;

  constructor(
    private readonly db: Database,
    private readonly version: ConfigVersion,
    private readonly sealer: Sealer,
  ) {
    this.#byId = new RecordCache(version, async (id) => (await db.kv.get<Site>(recordKey(id))).value);
    this.#all = new ListCache(version, () => listValues<Site>(db.kv, ["sites"]));
  }

  async create(input: NewSite): Promise<Site | null> {
    checkKeyPart("id", input.id);
    const secrets = await this.#seal(input.id, input.credentials);
    const site = merge(blank(input, this.db.timestamp()), input, secrets, this.db.timestamp());
    checkSize(site);
    const change = this.db.kv.atomic()
      .check({ key: recordKey(site.id), versionstamp: null })
      .set(recordKey(site.id), site);
    setSecrets(change, site.id, secrets);
    return await this.version.commit(change) ? site : null;
  }

  get(id: string): Awaitable<Site | null> {
    return this.#byId.get(id);
  }

  list(): Awaitable<readonly Site[]> {
    return this.#all.get();
  }

  async update(id: string, patch: SiteInput): Promise<Site | null> {
    const secrets = await this.#seal(id, patch.credentials);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Site>(recordKey(id));
      if (entry.value === null) return null;
      const site = merge(entry.value, patch, secrets, this.db.timestamp());
      checkSize(site);
      const change = this.db.kv.atomic().check(entry).set(recordKey(id), site);
      setSecrets(change, id, secrets);
      return await this.version.commit(change) ? site : AGAIN;
    });
  }

  async secret<K extends CredentialKind>(
    id: string,
    kind: K,
    base_url?: string | null,
  ): Promise<NonNullable<Credentials[K]> | null> {
    const key = secretKey(id, kind);
    const [{ value: site }, { value }] = await this.db.kv.getMany<[Site, Sealed]>([recordKey(id), key]);
    if (value === null) return null;
    if (base_url !== undefined && site?.base_url !== base_url) throw moved(id);
    return JSON.parse(await this.sealer.unseal(value, key));
  }

  async #seal(id: string, credentials: SiteInput["credentials"] = {}): Promise<SealedByKind> {
    const sealed = new Map<CredentialKind, Sealed | null>();
    for (const kind of CREDENTIAL_KINDS) {
      const secret = credentials[kind];
      if (secret === undefined) continue;
      if (secret !== null) checkSize({ [`credentials.${kind}`]: secret });
      const key = secretKey(id, kind);
      sealed.set(kind, secret === null ? null : await this.sealer.seal(JSON.stringify(secret), key));
    }
    return sealed;
  }
}

function moved(id: string): GatewayError {
  return new GatewayError(
    "E_INTERNAL",
    `Site "${id}" was given another base_url while the call was under way; nothing was sent, try again`,
  );
}

function setSecrets(change: Deno.AtomicOperation, id: string, secrets: SealedByKind): void {
  for (const [kind, sealed] of secrets) {
    if (sealed === null) change.delete(secretKey(id, kind));
    else change.set(secretKey(id, kind), sealed);
  }
}

function blank(input: NewSite, at: string): Site {
  const cms = input.platform === "cms";
  return {
    id: input.id,
    name: input.name,
    platform: input.platform,
    base_url: null,
    project_id: null,
    flags: Object.fromEntries(FLAGS.map((flag) => [flag, false])) as Site["flags"],
    credentials: [],
    credentials_version: 0,
    available_builders: cms ? ["block"] : [],
    default_builder: cms ? "block" : null,
    seo: { enabled: false, channel: "rest" },
    ...Object.fromEntries(SITE_LINK_FIELDS.map((field) => [field, null])) as Pick<
      Site,
      typeof SITE_LINK_FIELDS[number]
    >,
    created_at: at,
    updated_at: at,
  };
}

/** What was not given stays; flags and seo are merged key by key. */
function merge(site: Site, patch: SiteInput, secrets: SealedByKind, at: string): Site {
  const has = (kind: CredentialKind) =>
    secrets.has(kind) ? secrets.get(kind) !== null : site.credentials.includes(kind);
  return {
    ...site,
    ...given({
      ...Object.fromEntries(SITE_LINK_FIELDS.map((field) => [field, patch[field]])),
      name: patch.name,
      base_url: patch.base_url?.replace(/\/+$/, "") ?? patch.base_url,
      project_id: patch.project_id,
      available_builders: patch.available_builders && [...patch.available_builders],
      default_builder: patch.default_builder,
    }),
    flags: { ...site.flags, ...given(patch.flags ?? {}) },
    seo: { ...site.seo, ...given(patch.seo ?? {}) },
    credentials: CREDENTIAL_KINDS.filter(has),
    credentials_version: site.credentials_version + (secrets.size > 0 ? 1 : 0),
    updated_at: at,
  };
}

function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
