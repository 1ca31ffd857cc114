/** Which keys a store is sealed and proven under, and sealing and proving all of it under the first. */
import { commitInTurn, inTurn } from "./database.ts";
import { hasKeyOfFirst, makeAuditKey } from "./audit/keys.ts";
import type { Expiries } from "./expiry.ts";
import { hasProvenAudit, isRegistered as hasRegisters, readMark, sealedAnew } from "./mark.ts";
import { MARK_KEY } from "./damage.ts";
import { registeredKv } from "./registered_kv.ts";
import { renewKind } from "./registered_kind.ts";
import {
  type BucketValue,
  isRegistered,
  placeOf,
  REGISTERED,
  type Root,
  rootKey,
  rowsOf,
  SEALING,
  SEALING_KEY,
} from "./registers.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { judgeStamped, stampAll, STAMPED } from "./stamped_kv.ts";
import type { Kv } from "./store_timeout.ts";
import { boundOf, SEALED_KINDS, sealedOf, withSealed } from "./sealed_kinds.ts";

/** One commit has so many records: KV takes a hundred checks. */
const AT_ONCE = 40;
/** What others write meanwhile is looked at again so often. */
const PASSES = 10;
const BATCH = 100;

/** How many records of a kind stand under a key. */
export interface KeyCount {
  readonly kind: string;
  /** Whether they are sealed, or proven by a register. */
  readonly how: "sealed" | "proven";
  /** The id of the key. */
  readonly key: string;
  readonly records: number;
}

/** Which keys there are, and what stands under each. */
export interface KeyStatus {
  /** The ids of the keys that were given, the first first. */
  readonly keys: readonly string[];
  readonly counts: readonly KeyCount[];
  /** Credentials of an older form, which names no place. */
  readonly without_place: number;
  /** Ids of keys under which nothing stands any more: they can be taken out of ENCRYPTION_KEYS. */
  readonly unused: readonly string[];
  /** Ids of keys under which something stands and that were not given. */
  readonly missing: readonly string[];
}

/** Counts what is sealed or proven under which key. The store is only read, and may be in use. */
export async function keyStatus(kv: Pick<Deno.Kv, "get" | "list">, sealer: Sealer): Promise<KeyStatus> {
  const counts = new Map<string, { kind: string; how: "sealed" | "proven"; key: string; records: number }>();
  const count = (kind: string, how: "sealed" | "proven", key: string, records = 1) => {
    const name = JSON.stringify([kind, how, key]);
    const known = counts.get(name) ?? { kind, how, key, records: 0 };
    counts.set(name, { ...known, records: known.records + records });
  };
  let without_place = 0;
  const { value: mark } = await readMark(kv as Deno.Kv);
  if (mark !== null) count("store", "sealed", mark.check.key);
  for (const kind of SEALED_KINDS) {
    for await (const { value } of kv.list({ prefix: [kind] }, { batchSize: BATCH })) {
      const sealed = sealedOf(kind, value);
      if (sealed === null) continue;
      count(kind, "sealed", sealed.key);
      if (kind === "credentials" && sealed.to === undefined) without_place++;
    }
  }
  for (const kind of REGISTERED) {
    const { value: root } = await kv.get<Partial<Root>>(rootKey(kind));
    if (typeof root?.key === "string") count(kind, "proven", root.key, 0);
    for await (const { value } of kv.list<BucketValue>({ prefix: rootKey(kind) }, { batchSize: BATCH })) {
      count(kind, "proven", value.key, rowsOf(value));
    }
  }
  for (const kind of STAMPED) {
    for await (const { key, value } of kv.list({ prefix: [kind] }, { batchSize: BATCH })) {
      const { key: of } = judgeStamped(sealer.records, key, value);
      if (of !== null) count(kind, "proven", of);
    }
  }
  const all = [...counts.values()].sort((one, other) => one.kind < other.kind ? -1 : 1);
  const used = new Set(all.map(({ key }) => key));
  return {
    keys: sealer.ids,
    counts: all,
    without_place,
    unused: sealer.ids.slice(1).filter((key) => !used.has(key)),
    missing: [...used].filter((key) => !sealer.knows(key)),
  };
}

/** What sealing anew needs. */
export interface Resealing {
  readonly sealer: Sealer;
  readonly expiries: Pick<Expiries, "of">;
  /** Where a credential of that kind may be sent, of a site with that address. */
  readonly placeFor: (kind: string, base_url: string | null) => string;
  readonly now: () => number;
  /** Is told how many records are sealed anew so far. */
  readonly told?: ((records: number) => void) | undefined;
}

/** What was done, and what could not be. */
export interface Resealed {
  /** By kind how many records were sealed anew. */
  readonly resealed: Readonly<Record<string, number>>;
  /** How many proofs were made anew. */
  readonly proven: number;
  /** By kind how many records do not open: under a key that was not given, or damaged. */
  readonly closed: Readonly<Record<string, number>>;
}

/**
 * Seals under the first key what is sealed under another, and credentials for the place they are for; proves all records
 * under the first key. The store may be in use by any number of gateways that have all these keys. Cut off, it goes on by
 * being run again: what is done is not done twice. Throws a ForeignRecord at a record that is not as the gateway wrote it.
 */
export async function reseal(raw: Deno.Kv, given: Resealing): Promise<Resealed> {
  const kv = registeredKv(raw, given.sealer.records);
  const work = new Reseal(raw, kv, given);
  // The mark first: a gateway that runs without that key is told by it, before the first record is closed to it.
  await work.mark();
  for (const kind of SEALED_KINDS) await work.kind(kind);
  // Whoever has the older key and an older copy of the store knows the key that proved the audit until now.
  const isProven = hasProvenAudit((await readMark(raw)).value);
  if (isProven && !await hasKeyOfFirst(raw, given.sealer)) await makeAuditKey(kv, given.sealer, given.now);
  let proven = isProven ? await stampAll(raw, given.sealer.records, isOlder(given.sealer), given.now()) : 0;
  for (const kind of REGISTERED) proven += await renewKind(raw, given.sealer.records, kind);
  return { resealed: work.done, proven, closed: work.closed };
}

/** Whether a proof that a record carries is right, and of another key than the first. */
const isOlder = ({ first }: Sealer) => ({ judged, key }: ReturnType<typeof judgeStamped>): boolean =>
  judged === "proven" && key !== first;

type Entry = Deno.KvEntry<unknown>;

class Reseal {
  readonly done: Record<string, number> = {};
  readonly closed: Record<string, number> = {};
  #told = 0;

  constructor(
    private readonly raw: Deno.Kv,
    private readonly kv: Kv,
    private readonly given: Resealing,
  ) {}

  /** Until nothing of the kind is left that opens and is not as it should be. */
  async kind(kind: string): Promise<void> {
    for (let pass = 1; pass <= PASSES; pass++) {
      const [wanted, closed] = await this.#wanted(kind);
      let failed = 0;
      for (const some of batchesOf(kind, wanted)) {
        if (!await this.#commit(kind, some)) failed += some.length;
      }
      if (closed > 0) this.closed[kind] = closed;
      if (failed > 0) continue;
      if (kind === "credentials" && closed === 0) await this.#allHavePlaces();
      return;
    }
    this.closed[kind] ??= 0;
  }

  /** Seals the mark of the store under the first key. */
  async mark(): Promise<void> {
    const { sealer } = this.given;
    const entry = await readMark(this.raw);
    if (entry.value === null || entry.value.check.key === sealer.first) return;
    const next = await sealedAnew(entry.value, sealer);
    await commitInTurn(this.raw.atomic().check(entry).set(MARK_KEY, next));
  }

  /** What is to be sealed anew of a kind, and how many do not open. */
  async #wanted(kind: string): Promise<[Entry[], closed: number]> {
    const { sealer } = this.given;
    const found: Entry[] = [];
    let closed = 0;
    for await (const entry of this.kv.list<unknown>({ prefix: [kind] }, { batchSize: BATCH })) {
      const sealed = sealedOf(kind, entry.value);
      if (sealed === null) continue;
      const isDone = sealed.key === sealer.first && !(kind === "credentials" && sealed.to === undefined);
      if (isDone) continue;
      if (await this.#text(entry, sealed) === null) closed++;
      else found.push(entry);
    }
    return [found, closed];
  }

  async #text(entry: Entry, sealed: Sealed): Promise<string | null> {
    return await this.given.sealer.unseal(sealed, boundOf(entry.key, entry.value)).catch(() => null);
  }

  /** False where one of them was written meanwhile. */
  async #commit(kind: string, entries: readonly Entry[]): Promise<boolean> {
    const { sealer, expiries, now } = this.given;
    const change = this.kv.atomic();
    for (const entry of entries) {
      const sealed = sealedOf(kind, entry.value)!;
      const text = await this.#text(entry, sealed);
      if (text === null) return false;
      const to = kind === "credentials" ? sealed.to ?? await this.#placeOf(entry.key) : sealed.to;
      const next = await sealer.seal(text, boundOf(entry.key, entry.value), to);
      const ends_at = expiries.of(entry, now());
      const options = ends_at === null ? {} : { expireIn: Math.max(1, ends_at - now()) };
      change.check(entry).set(entry.key, withSealed(kind, entry.value, next), options);
    }
    if (!(await inTurn(() => change.commit())).ok) return false;
    this.done[kind] = (this.done[kind] ?? 0) + entries.length;
    this.given.told?.(this.#told += entries.length);
    return true;
  }

  async #placeOf([, site, kind]: Deno.KvKey): Promise<string> {
    const { value } = await this.kv.get<{ readonly base_url: string | null }>(["sites", site!]);
    return this.given.placeFor(String(kind), value?.base_url ?? null);
  }

  async #allHavePlaces(): Promise<void> {
    const entry = await this.kv.get(SEALING_KEY);
    if (entry.value !== null) return;
    await inTurn(() => this.kv.atomic().check(entry).set(SEALING_KEY, SEALING).commit());
  }
}

/** A commit's worth each; of a kind with a register one commit changes one bucket. */
function* batchesOf(kind: string, entries: readonly Entry[]): Generator<Entry[]> {
  const groups = isRegistered(kind)
    ? Map.groupBy(entries, ({ key }) => placeOf(key).bucket).values()
    : [entries];
  for (const group of groups) {
    for (let at = 0; at < group.length; at += AT_ONCE) yield group.slice(at, at + AT_ONCE);
  }
}

/** Whether a store can be sealed anew: one that no version with registers has opened is opened by the gateway first. */
export async function canReseal(kv: Deno.Kv): Promise<boolean> {
  return hasRegisters((await readMark(kv)).value);
}
