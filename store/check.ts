/** Checks a store for operators: its file, every entry, counters, records, what is sealed, the audit. */
import { readRecord } from "./account_record.ts";
import { verifyAudit } from "./audit_verify.ts";
import { Database } from "./database.ts";
import { isFile, nameOf } from "./engines.ts";
import { judgeFile } from "./file_check.ts";
import { RangeReading, rangeText } from "./key_ranges.ts";
import { assertFormat, assertSealed, readLaying, readMark } from "./mark.ts";
import { openBare } from "./opening.ts";
import { type Sealed, Sealer } from "./seal.ts";
import { toPortable } from "./portable.ts";
import type { AuditVerdict, VerifyOptions } from "./store.ts";
import { messageOf, refusal, sizeOf } from "./store_file.ts";

const TOLD_EVERY = 1000;
/** Of one kind of fault so many are named, and the rest counted. */
const NAMED_MAX = 20;

/** What is checked, and with what. */
export interface Checking extends VerifyOptions {
  readonly path: string;
  readonly keys: readonly Uint8Array[];
  readonly now: () => number;
  /** Is told how many entries were read so far. */
  readonly read?: (entries: number) => void;
}

/** What was found. */
export interface Checked {
  readonly ok: boolean;
  readonly entries: number;
  /** How many entries there are of each kind: the first part of the key. */
  readonly kinds: Readonly<Record<string, number>>;
  /** What is wrong, a sentence each. */
  readonly faults: readonly string[];
  /** null where nothing of the store can be read. */
  readonly audit: AuditVerdict | null;
}

/**
 * Checks a store, which may be in use, and changes nothing. Whatever is wrong with what is there is a fault of the answer;
 * throws a GatewayError only where no store is there or it does not answer.
 */
export async function checkStore(checking: Checking): Promise<Checked> {
  const { path, keys, now } = checking;
  if (path === ":memory:") {
    throw refusal('KV_PATH: ":memory:" is kept by the gateway alone, so nobody else can check it');
  }
  if (isFile(path) && (await sizeOf(path) ?? 0) === 0) {
    throw refusal(`KV_PATH: there is no store at "${path}"`);
  }
  const faults: string[] = [];
  const damage = isFile(path) ? (await judgeFile(path, Infinity)).damage : null;
  if (damage !== null) faults.push(`The file ${nameOf(path)} is damaged (${damage})`);
  await using place = await readablePlace(path, damage !== null);
  let kv: Deno.Kv;
  try {
    kv = await openBare(place.path, "read");
  } catch (error) {
    if (damage === null) throw error;
    faults.push(`Nothing of it can be read (${messageOf((error as Error).cause ?? error)})`);
    return { ok: false, entries: 0, kinds: {}, faults, audit: null };
  }
  try {
    const sealer = await Sealer.open(keys);
    faults.push(...await faultsOfMark(kv, sealer, nameOf(path)));
    const found = await readAll(kv, sealer, checking);
    faults.push(...found.faults);
    const audit = await verifyAudit(new Database(kv, now, performance.now), checking);
    const entries = Object.values(found.kinds).reduce((sum, count) => sum + count, 0);
    return { ok: faults.length === 0 && audit.ok, entries, kinds: found.kinds, faults, audit };
  } finally {
    await kv.close();
  }
}

/** The place itself; of a damaged file a copy, for KV writes to what it opens. */
async function readablePlace(path: string, isDamaged: boolean): Promise<{ path: string } & AsyncDisposable> {
  if (!isDamaged) return { path, [Symbol.asyncDispose]: () => Promise.resolve() };
  const folder = await Deno.makeTempDir();
  for (const suffix of ["", "-wal"]) {
    if (await sizeOf(`${path}${suffix}`) !== null) {
      await Deno.copyFile(`${path}${suffix}`, `${folder}/store.sqlite3${suffix}`);
    }
  }
  return {
    path: `${folder}/store.sqlite3`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

async function faultsOfMark(kv: Deno.Kv, sealer: Sealer, name: string): Promise<string[]> {
  try {
    const laying = await readLaying(kv);
    if (laying !== null) return [`It holds a part of a store only; finish it with ${laying.command}`];
    const { value } = await readMark(kv);
    if (value === null) return [];
    assertFormat(value, { name });
    await assertSealed(value, sealer, name);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

async function readAll(
  kv: Deno.Kv,
  sealer: Sealer,
  { read }: Checking,
): Promise<{ kinds: Record<string, number>; faults: string[] }> {
  const kinds: Record<string, number> = {};
  const records = new RecordCheck(sealer);
  const reading = new RangeReading(kv);
  let entries = 0;
  for await (const entry of reading.entries()) {
    const kind = String(entry.key[0]);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    await records.take(entry);
    if (++entries % TOLD_EVERY === 0) read?.(entries);
  }
  return { kinds, faults: [...reading.unreadable.map(rangeText), ...records.faults()] };
}

type Fields = Readonly<Record<string, unknown>>;
type Judge = (key: Deno.KvKey, value: unknown) => boolean;

const isCounter: Judge = (_, value) => value instanceof Deno.KvU64;
const isOfItsKey: Judge = (key, value) =>
  typeof value === "object" && value !== null && (value as Fields).id === key[1];
const isText: Judge = (_, value) => typeof value === "string";

/** Kinds of record that are known at a glance. */
const JUDGES: Readonly<Record<string, Judge>> = {
  versions: isCounter,
  tool_catalogs_version: isCounter,
  tokens: isOfItsKey,
  users: isOfItsKey,
  projects: isOfItsKey,
  sites: isOfItsKey,
  tokens_by_hash: isText,
  users_by_email: isText,
  accounts: (_, value) => readRecord(value) !== null,
};

/** Which records name others, which come before them in the order of keys. */
const NAMES: Readonly<Record<string, string>> = { tokens_by_hash: "tokens", users_by_email: "users" };

/** What is sealed in a record, and what it is bound to beside its key. */
const SEALED: Readonly<Record<string, (value: Fields) => readonly [sealed: unknown, ...bound: unknown[]]>> = {
  credentials: (value) => [value],
  accounts: (value) => [value.sealed, value.id],
  sign_ins: (value) => [value.passphrase],
  consents: (value) => [value.sealed],
  consent_answers: (value) => [value],
  oauth_families: (value) => [value.sealed],
};

/** Looks at records one after the other. */
class RecordCheck {
  readonly #known = new Map<string, Set<unknown>>(Object.values(NAMES).map((kind) => [kind, new Set()]));
  readonly #faults: string[] = [];
  readonly #lost = new Map<string, number>();
  #more = 0;

  constructor(private readonly sealer: Sealer) {}

  async take({ key, value }: Deno.KvEntry<unknown>): Promise<void> {
    const kind = String(key[0]);
    this.#known.get(kind)?.add(key[1]);
    if (Object.hasOwn(JUDGES, kind) && !JUDGES[kind]!(key, value)) {
      this.#fault(`${toPortable(key)} does not hold what it should: it was damaged or changed`);
    } else if (Object.hasOwn(NAMES, kind) && !this.#known.get(NAMES[kind]!)!.has(value)) {
      this.#fault(`${toPortable(key)} names a record that is not there`);
    }
    if (Object.hasOwn(SEALED, kind)) await this.#open(key, SEALED[kind]!((value ?? {}) as Fields));
  }

  /** All that is wrong, the rest counted. */
  faults(): string[] {
    const lost = [...this.#lost].map(([key, count]) =>
      `${count} records are sealed under key "${key}", which ENCRYPTION_KEYS lacks`
    );
    return [
      ...this.#faults,
      ...this.#more > 0 ? [`${this.#more} records more are not as they should be`] : [],
      ...lost,
    ];
  }

  async #open(key: Deno.KvKey, [sealed, ...bound]: readonly unknown[]): Promise<void> {
    const { key: id } = (sealed ?? {}) as Partial<Sealed>;
    if (typeof id !== "string") return;
    if (!this.sealer.knows(id)) return void this.#lost.set(id, (this.#lost.get(id) ?? 0) + 1);
    try {
      await this.sealer.unseal(sealed as Sealed, [...key, ...bound].map(String));
    } catch {
      this.#fault(`What is sealed in ${toPortable(key)} was damaged or changed`);
    }
  }

  #fault(sentence: string): void {
    if (this.#faults.length < NAMED_MAX) this.#faults.push(sentence);
    else this.#more++;
  }
}
