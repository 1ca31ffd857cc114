/** Sites and, sealed beside them, their credentials. */
import { GatewayError } from "../core/errors.ts";
import { type CredentialKind, type Credentials, FLAGS, type Site, SITE_POLICIES } from "../core/model.ts";
import { ListCache, RecordCache, type Version } from "./cache.ts";
import { recordOf } from "./damage.ts";
import { AGAIN, checkKeyPart, checkSize, type Database, listRecords, untilSettled } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { type Sealing, SEALING_KEY } from "./registers.ts";
import type { Awaitable } from "../core/async.ts";
import { isFields } from "../core/values.ts";
import type { NewSite, SiteInput, SiteShape, SiteStore, SiteUpdate } from "./store.ts";

const recordKey = (id: string) => ["sites", id];
const secretKey = (id: string, kind: CredentialKind) => ["credentials", id, kind];

/** Where a credential may be sent that is for no address of the site's own: to what its product's settings name. */
const TO_SETTINGS = "settings";
/** Where one may be sent whose site has no address yet. */
const TO_NOWHERE = "nowhere";

/** What may be set of a record beside the fields of connectors. */
const SETTABLE = [
  "name",
  "base_url",
  "project_id",
  ...SITE_POLICIES,
] as const;
const NO_FLAGS = Object.fromEntries(FLAGS.map((flag) => [flag, false])) as Site["flags"];

/** Where a credential of a site with that address may be sent; `addressBound` are the kinds that go to it. */
export const placeFor = (addressBound: readonly string[], kind: string, base_url: string | null): string =>
  addressBound.includes(kind) ? originOf(base_url) ?? TO_NOWHERE : TO_SETTINGS;

type SealedByKind = ReadonlyMap<CredentialKind, Sealed | null>;

/** A credential as it is also kept in memory, and the address of its site then. */
interface KeptSecret {
  readonly base_url: string | null;
  readonly sealed: Sealed | null;
  /** Whether every credential names the place it is for. */
  readonly places: boolean;
}

/** The SiteStore of a database. */
export class Sites implements SiteStore {
  readonly #byId: RecordCache<Site>;
  readonly #all: ListCache<Site>;
  readonly #secrets: RecordCache<KeptSecret>;
  /** What is cached is opened once, and forgotten with the record it was sealed in. */
  readonly #opened = new WeakMap<Sealed, unknown>();

  constructor(
    private readonly db: Database,
    private readonly version: Version,
    private readonly sealer: Sealer,
    private readonly shape: SiteShape,
  ) {
    this.#byId = new RecordCache(version, async (id) => {
      const value = recordOf(await db.kv.get<Site>(recordKey(id)));
      return value === null ? null : this.#whole(value);
    });
    this.#all = new ListCache(
      version,
      async () => (await listRecords<Site>(db.kv, "sites")).map((site) => this.#whole(site)),
    );
    this.#secrets = new RecordCache(version, async (name) => {
      const [id, kind] = JSON.parse(name) as [string, CredentialKind];
      const keys = [recordKey(id), secretKey(id, kind), SEALING_KEY] as const;
      const [site, sealed, sealing] = await db.kv.getMany<[Site, Sealed, Sealing]>(keys);
      const places = sealing.value?.places === true;
      return site.value && { base_url: site.value.base_url, sealed: sealed.value, places };
    });
  }

  async create(input: NewSite): Promise<Site | null> {
    checkKeyPart("id", input.id);
    const secrets = await this.#seal(input.id, input.credentials, input.base_url ?? null);
    const site = this.#merge(blank(input, this.shape, this.db.timestamp()), input, secrets);
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

  async update(id: string, patch: SiteInput, judge?: (stored: Site) => void): Promise<SiteUpdate | null> {
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Site>(recordKey(id));
      const stored = recordOf(entry);
      if (stored === null) return null;
      const before = this.#whole(stored);
      judge?.(before);
      const base_url = patch.base_url === undefined ? before.base_url : patch.base_url;
      const given = await this.#seal(id, patch.credentials, base_url);
      const dropped = this.#left(before, patch).filter((kind) => !given.has(kind));
      const secrets: SealedByKind = new Map([...given, ...dropped.map((kind) => [kind, null] as const)]);
      const site = this.#merge(before, patch, secrets);
      checkSize(site);
      const change = this.db.kv.atomic().check(entry).set(recordKey(id), site);
      setSecrets(change, id, secrets);
      await this.#sealAnew(change, before, site, secrets);
      return await this.version.commit(change) ? { before, site, dropped } : AGAIN;
    });
  }

  async secret<K extends CredentialKind>(
    id: string,
    kind: K,
    base_url?: string | null,
  ): Promise<NonNullable<Credentials[K]> | null> {
    const kept = await this.#secrets.get(JSON.stringify([id, kind]));
    if (base_url !== undefined && kept && kept.base_url !== base_url) throw moved(id);
    const sealed = kept?.sealed ?? null;
    if (sealed === null) return null;
    const known = this.#opened.get(sealed);
    if (known !== undefined) return known as NonNullable<Credentials[K]>;
    if (kept!.places && sealed.to === undefined) throw ofOlderForm(id, kind);
    const opened = Object.freeze(JSON.parse(await this.#open(id, kind, sealed, kept!.base_url)));
    this.#opened.set(sealed, opened);
    return opened;
  }

  #to(kind: CredentialKind, base_url: string | null): string {
    return placeFor(this.shape.addressBound, kind, base_url);
  }

  /** The text of a credential; E_MISSING_SECRET, and nothing is opened, where it was sealed for another place. */
  async #open(id: string, kind: CredentialKind, sealed: Sealed, base_url: string | null): Promise<string> {
    const to = this.#to(kind, base_url);
    if (sealed.to !== undefined && sealed.to !== to) throw sealedForAnother(id, kind, sealed.to, to);
    return await this.sealer.unseal(sealed, secretKey(id, kind));
  }

  /**
   * Seals for the site as it is from now on what stays of its credentials and was sealed otherwise: by an older version, or
   * before the site had an address. What does not open stays as it is, and goes on not to open.
   */
  async #sealAnew(
    change: Deno.AtomicOperation,
    before: Site,
    { id, base_url }: Site,
    secrets: SealedByKind,
  ): Promise<void> {
    const known = this.shape.credentialKinds as readonly CredentialKind[];
    const kinds = before.credentials.filter((kind) => known.includes(kind) && !secrets.has(kind));
    if (kinds.length === 0) return;
    const entries = await this.db.kv.getMany<Sealed[]>(kinds.map((kind) => secretKey(id, kind)));
    for (const [at, entry] of entries.entries()) {
      const [kind, sealed] = [kinds[at]!, entry.value];
      if (sealed === null || sealed.to === this.#to(kind, base_url)) continue;
      const text = await this.#open(id, kind, sealed, before.base_url).catch(() => null);
      if (text === null) continue;
      change.check(entry).set(entry.key, await this.#sealOne(id, kind, text, base_url));
    }
  }

  #sealOne(id: string, kind: CredentialKind, text: string, base_url: string | null): Promise<Sealed> {
    return this.sealer.seal(text, secretKey(id, kind), this.#to(kind, base_url));
  }

  /** The record with what it was kept without, for connectors come and bring their fields, and fields grow keys. */
  #whole(site: Site): Site {
    const initial = {
      ...this.shape.blank({ platform: site.platform }),
      flags: NO_FLAGS,
      confirm_policy: "flag",
      four_eyes: false,
      confirm_proxied: false,
    };
    const kept = Object.entries(site).map((
      [name, value],
    ) => [name, Object.hasOwn(initial, name) ? merged(initial[name as keyof typeof initial], value) : value]);
    return { ...initial, ...Object.fromEntries(kept) } as unknown as Site;
  }

  /** The credentials of the origin that a patch takes the site away from. */
  #left(site: Site, { base_url }: SiteInput): CredentialKind[] {
    const origin = originOf(site.base_url);
    if (base_url === undefined || origin === null || originOf(base_url) === origin) return [];
    const { addressBound, credentialKinds } = this.shape;
    // Of one whose connector is gone it is not known where it belongs.
    return site.credentials.filter((kind) => addressBound.includes(kind) || !credentialKinds.includes(kind));
  }

  /** What was not given stays; fields that hold an object are merged key by key. */
  #merge(site: Site, { credentials: _, ...patch }: SiteInput, secrets: SealedByKind): Site {
    const has = (kind: CredentialKind) =>
      secrets.has(kind) ? secrets.get(kind) !== null : site.credentials.includes(kind);
    const base_url = patch.base_url?.replace(/(?<!\/)\/+$/, "") ?? patch.base_url;
    const known = [...SETTABLE, ...Object.keys(this.shape.blank({ platform: site.platform }))];
    const fields = Object.entries({ ...patch, base_url }).filter(([name]) => known.includes(name));
    const kinds = this.shape.credentialKinds as readonly CredentialKind[];
    const strange = site.credentials.filter((kind) => !kinds.includes(kind) && has(kind)); // their connector is gone, and may return
    return {
      ...site,
      ...Object.fromEntries(
        fields.filter(([, value]) => value !== undefined)
          .map(([name, value]) => [name, merged(site[name as keyof Site], value)]),
      ),
      credentials: [...kinds.filter(has), ...strange],
      credentials_version: site.credentials_version + (secrets.size > 0 ? 1 : 0),
      updated_at: this.db.timestamp(),
    };
  }

  async #seal(
    id: string,
    credentials: SiteInput["credentials"] = {},
    base_url: string | null,
  ): Promise<SealedByKind> {
    const sealed = new Map<CredentialKind, Sealed | null>();
    for (const kind of this.shape.credentialKinds as readonly CredentialKind[]) {
      const secret = credentials[kind];
      if (secret === undefined) continue;
      if (secret !== null) checkSize({ [`credentials.${kind}`]: secret });
      const text = JSON.stringify(secret);
      sealed.set(kind, secret === null ? null : await this.#sealOne(id, kind, text, base_url));
    }
    return sealed;
  }
}

const originOf = (address: string | null) => address === null ? null : URL.parse(address)?.origin ?? null;

function ofOlderForm(id: string, kind: string): GatewayError {
  return new GatewayError(
    "E_MISSING_SECRET",
    `The "${kind}" credential of site "${id}" names no place that it is for, and all were sealed for theirs: an older ` +
      "one was put back, so nothing was sent; set it again",
  );
}

function sealedForAnother(id: string, kind: string, sealed: string, to: string): GatewayError {
  return new GatewayError(
    "E_MISSING_SECRET",
    `The "${kind}" credential of site "${id}" was set for ${sealed}, and would be sent to ${to} now, so nothing was ` +
      "sent; set it again if the site's address is right",
  );
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

function blank(input: NewSite, shape: SiteShape, at: string): Site {
  const { credentials: _, ...given } = input;
  return {
    ...shape.blank(given),
    id: input.id,
    name: input.name,
    platform: input.platform,
    base_url: null,
    project_id: null,
    flags: NO_FLAGS,
    confirm_policy: "flag",
    four_eyes: false,
    confirm_proxied: false,
    credentials: [],
    credentials_version: 0,
    created_at: at,
    updated_at: at,
  } as unknown as Site;
}

function merged(before: unknown, value: unknown): unknown {
  if (!isFields(before) || !isFields(value)) return value;
  return { ...before, ...Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) };
}
