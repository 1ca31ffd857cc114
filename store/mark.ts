/** The mark of a store: its format, which versions may open it, and whether the keys are those it is sealed under. */
import { GatewayError } from "../core/errors.ts";
import { VERSION } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import { proveEnds } from "./audit/ends.ts";
import { DamagedEntry, MARK_KEY } from "./damage.ts";
import { commitInTurn, inTurn } from "./database.ts";
import { HOW_TO_ACCEPT } from "./registers.ts";
import { numbersOf, type Seen, signAll } from "./registered_kind.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { sealedRecords } from "./sealed_kinds.ts";
import { stampAll } from "./stamped_kv.ts";

/** The format that this version writes; docs/UPGRADING.md says when to raise it, and lists what each one brought. */
export const STORE_FORMAT = 6;
/** The oldest format that this version brings forward; 1 is that of stores without a mark. */
const OLDEST_FORMAT = 1;
/** The lowest format a version must know to open what this one writes, and the first version that knows it. */
const LOWEST = { format: 6, version: "0.6.0" };
/** From that format on records have registers, and the mark's seal is bound to that. */
const REGISTERED_FORMAT = 5;
/** From that format on segments of the audit are proven, and the mark's seal is bound to that too. */
const PROVEN_AUDIT_FORMAT = 6;

/** Where it stands how far a copy is that is being laid here; gone once it is whole. */
export const LAYING_KEY = ["store", "copy"];

/** The value of `["store", "copy"]`. */
export interface Laying {
  /** What is laid here: the id of a store, or the hash of a backup. */
  readonly from: string;
  /** The command that finishes it. */
  readonly command: string;
  /** What is laid so far: the last key of a store, the lines of a backup; null where it must begin anew. */
  readonly at: Deno.KvKey | number | null;
  readonly entries: number;
  /** In milliseconds since the epoch. */
  readonly begun_at: number;
}

/** The value of `["store"]`. */
export interface StoreMark {
  /** Made with the store: of two stores with one id, one is a copy of the other. */
  readonly id: string;
  readonly format: number;
  /** Who may open it: versions that know that format, of which `version` was the first. */
  readonly lowest: { readonly format: number; readonly version: string };
  /** The id, sealed under the first key of the last start; from format 5 on bound to there being registers, from 6 on to proven segments too. */
  readonly check: Sealed;
  /**
   * When a command of an operator last said that the store is right as it is, though its records may be older than a
   * machine has seen them; milliseconds since the epoch, absent where none has. The check is bound to it.
   */
  readonly put_back_at?: number;
}

/** A place that has held a store. */
export type Held = "file" | "database";

/** What is expected of a store that is opened. */
export interface Expected {
  /** What it is called in messages, as `"data/gateway.sqlite3"`. */
  readonly name: string;
  /** What it is where it has held a store before, so that nothing in it means a loss; null where it has not. */
  readonly held: Held | null;
  /** Whether its keys are lost, and these are to take their place. */
  readonly keysLost?: boolean;
  /** How this machine saw it last; null where it has not, or its records had no registers. */
  readonly seen?: Seen | null;
}

/** A store's mark, and whether this start made it of nothing. */
export interface Marked {
  readonly mark: StoreMark;
  readonly isNew: boolean;
  /** How many records this start proved, where a version before had not; null where they were. */
  readonly signed: number | null;
  /** How far its registers have counted, and since when. */
  readonly seen: Seen;
}

/**
 * Reads the mark, and writes it where there is none or this version or its keys bring another. Throws a GatewayError
 * with one sentence, and changes nothing, where this version must not open the store, the keys are not its own, or
 * nothing is where something was.
 */
export async function marked(kv: Deno.Kv, sealer: Sealer, expected: Expected): Promise<Marked> {
  await assertWhole(kv, expected.name);
  for (;;) {
    const entry = await readMark(kv);
    const isNew = entry.value === null && await isEmpty(kv);
    if (isNew && expected.held !== null) throw lost(expected.name, expected.held, "holds nothing");
    if (entry.value !== null) assertFormat(entry.value, expected);
    if (!expected.keysLost) await assertOwn(kv, sealer, entry.value, expected.name);
    const isSigned = isRegistered(entry.value) && !expected.keysLost;
    if (isSigned) await assertNotOlder(kv, sealer, entry.value!, expected);
    else await assertNotStripped(kv, entry.value, expected);
    const signed = isSigned ? null : await signAll(kv, sealer.records, isNew);
    if (!isNew && (!hasProvenAudit(entry.value) || expected.keysLost)) await proveOthers(kv, sealer);
    const mark = await wanted(entry.value, sealer);
    const change = kv.atomic().check(entry).set(MARK_KEY, mark);
    if (mark !== entry.value && !(await commitInTurn(change)).ok) continue;
    return { mark, isNew, signed, seen: await countedOf(kv, sealer, mark) };
  }
}

/** Whether the records of a store with that mark have registers. */
export const isRegistered = (mark: StoreMark | null): boolean =>
  mark !== null && mark.format >= REGISTERED_FORMAT;

/** Whether a version that proves segments of the audit has opened a store with that mark. */
export const hasProvenAudit = (mark: Pick<StoreMark, "format"> | null): boolean =>
  mark !== null && mark.format >= PROVEN_AUDIT_FORMAT;

/** Proves what has no register: the ends of the audit's chains, and records that carry their proof. */
export async function proveOthers(kv: Deno.Kv, sealer: Sealer): Promise<void> {
  await proveEnds(kv, sealer);
  await stampAll(kv, sealer.records, ({ judged, key }) => judged === "closed" || key === null, Date.now());
}

/** How far the registers of a store with that mark have counted. Throws where one is not the gateway's. */
export async function countedOf(
  kv: Parameters<typeof numbersOf>[0],
  sealer: Sealer,
  { put_back_at = 0 }: StoreMark,
): Promise<Seen> {
  return { numbers: await numbersOf(kv, sealer.records), put_back_at };
}

/**
 * Throws where a register is not the gateway's, or older than this machine has seen it: all of it may have been put back.
 * What an operator put back since then is older by right.
 */
async function assertNotOlder(
  kv: Deno.Kv,
  sealer: Sealer,
  mark: StoreMark,
  { name, seen }: Expected,
): Promise<void> {
  const { numbers, put_back_at } = await countedOf(kv, sealer, mark);
  if (seen === undefined || seen === null || put_back_at > seen.put_back_at) return;
  if (put_back_at < seen.put_back_at) {
    throw new GatewayError(
      "E_INTERNAL",
      `KV_PATH: ${name} is from before a copy was put back there: an older copy was put in its place; ${HOW_TO_ACCEPT}`,
    );
  }
  for (const [kind, n] of Object.entries(seen.numbers)) {
    const now = numbers[kind] ?? 0;
    if (now >= n) continue;
    throw new GatewayError(
      "E_INTERNAL",
      `KV_PATH: ${name} holds older ${kind} than it did when this machine saw it last (change ${now} in the place of ` +
        `${n}): an older copy was put in its place; ${HOW_TO_ACCEPT}`,
    );
  }
}

/** Throws where records had registers, and the mark does not say so any more. */
async function assertNotStripped(
  kv: Deno.Kv,
  mark: StoreMark | null,
  { name, seen, keysLost }: Expected,
): Promise<void> {
  if (keysLost || isRegistered(mark)) return;
  let isStripped = seen !== undefined && seen !== null;
  for await (const { value } of kv.list<Partial<Sealed>>({ prefix: ["credentials"] }, { batchSize: 100 })) {
    isStripped ||= typeof value?.to === "string";
  }
  if (!isStripped) return;
  throw new GatewayError(
    "E_INTERNAL",
    `KV_PATH: the records of ${name} were proven by the gateway, and its mark does not say so any more: it was changed, ` +
      `or an older copy was put in its place; ${HOW_TO_ACCEPT}`,
  );
}

/** What the seal of a mark is bound to. */
function markBound(mark: Pick<StoreMark, "format" | "put_back_at">): string[] {
  if (mark.format < REGISTERED_FORMAT) return MARK_KEY;
  const laidBack = mark.put_back_at === undefined ? [] : [`${mark.put_back_at}`];
  return [...MARK_KEY, "registers", ...hasProvenAudit(mark) ? ["audit"] : [], ...laidBack];
}

/** The same mark, sealed under the first key. */
export async function sealedAnew(mark: StoreMark, sealer: Sealer): Promise<StoreMark> {
  return { ...mark, check: await sealer.seal(mark.id, markBound(mark)) };
}

/**
 * Says in a store that its records are right as they are, so that no machine that has seen newer ones refuses it; `seen`
 * is how this machine saw it last. A store whose records have no registers stays as it is.
 */
export async function sayPutBack(
  kv: Deno.Kv,
  sealer: Sealer,
  { now, seen }: { readonly now: number; readonly seen: Seen | null },
): Promise<void> {
  for (;;) {
    const entry = await readMark(kv);
    if (entry.value === null || !isRegistered(entry.value)) return;
    const before = Math.max(entry.value.put_back_at ?? 0, seen?.put_back_at ?? 0);
    const mark = await sealedAnew({ ...entry.value, put_back_at: Math.max(now, before + 1) }, sealer);
    if ((await commitInTurn(kv.atomic().check(entry).set(MARK_KEY, mark))).ok) return;
  }
}

/** The stored mark, with its version; its value is null where there is none. Throws a DamagedEntry for what is no mark. */
export async function readMark(kv: Pick<Deno.Kv, "get">): Promise<Deno.KvEntryMaybe<StoreMark>> {
  const entry = await inTurn(() => kv.get<StoreMark>(MARK_KEY));
  if (entry.versionstamp !== null && !isMark(entry.value)) throw new DamagedEntry(MARK_KEY);
  return entry;
}

/** The stored mark, null where there is none; a GatewayError that names the store where it is damaged. */
export async function markOf(kv: Pick<Deno.Kv, "get">, name: string): Promise<StoreMark | null> {
  try {
    return (await readMark(kv)).value;
  } catch (cause) {
    if (!(cause instanceof DamagedEntry)) throw cause;
    throw new GatewayError(
      "E_INTERNAL",
      `The mark of ${name}, its entry ["store"], is damaged, so nobody can tell what may open it; use a copy from before ` +
        "that (deno task admin store restore puts one back)",
      { cause },
    );
  }
}

/** Whether a value is the mark of a store. */
export function isMark(value: unknown): value is StoreMark {
  if (!isFields(value) || !isFields(value["lowest"]) || typeof value["id"] !== "string") return false;
  const { format, lowest, put_back_at } = value;
  if (put_back_at !== undefined && !Number.isSafeInteger(put_back_at)) return false;
  return Number.isSafeInteger(format) && Number.isSafeInteger(lowest["format"]) && isFields(value["check"]);
}

/** How far a copy is that is being laid there; null where none is. */
export async function readLaying(kv: Pick<Deno.Kv, "get">): Promise<Laying | null> {
  const { value, versionstamp } = await inTurn(() => kv.get<Laying>(LAYING_KEY));
  if (versionstamp !== null && !isFields(value)) throw new DamagedEntry(LAYING_KEY);
  return value;
}

async function assertWhole(kv: Deno.Kv, name: string): Promise<void> {
  const laying = await readLaying(kv);
  if (laying === null) return;
  throw new GatewayError(
    "E_INTERNAL",
    `KV_PATH: ${name} holds a part of a store only, for what laid it there was cut off after ${laying.entries} ` +
      `entries; finish it with ${laying.command}`,
  );
}

/** What is thrown where a store was and is no more. */
export function lost(name: string, held: Held, how: string): GatewayError {
  const next = held === "database"
    ? "put a backup back into it (deno task admin store restore), or name the right database"
    : "mount its volume or put back a copy (deno task admin store restore)";
  return new GatewayError(
    "E_INTERNAL",
    `KV_PATH: ${name} ${how}, and it held the store of this gateway; ${next}, or begin with an empty store ` +
      "(deno task admin store init)",
  );
}

/** Whether a store holds nothing at all. */
export async function isEmpty(kv: Pick<Deno.Kv, "list">): Promise<boolean> {
  for await (const { key } of kv.list({ prefix: [] }, { batchSize: 2 })) if (key[0] !== "probe") return false;
  return true;
}

/**
 * Throws a GatewayError where the keys do not open what that mark (null: none) says. Without a mark they do where one of
 * them opens something in the store, or nothing is sealed.
 */
export async function assertOwn(
  kv: Deno.Kv,
  sealer: Sealer,
  mark: StoreMark | null,
  name: string,
): Promise<void> {
  if (mark !== null) return await assertSealed(mark, sealer, name);
  let sealedWith: string | null = null;
  for await (const { key } of sealedRecords(kv)) {
    if (sealer.knows(key)) return;
    sealedWith = key;
  }
  if (sealedWith !== null) throw wrongKeys(name, sealedWith);
}

/** Throws a GatewayError where none of the keys opens what that mark holds, or it was changed. */
export async function assertSealed(mark: StoreMark, sealer: Sealer, name: string): Promise<void> {
  const { id, check } = mark;
  if (!sealer.knows(check.key)) throw wrongKeys(name, check.key);
  if (await sealer.unseal(check, markBound(mark)).catch(() => null) === id) return;
  throw new GatewayError("E_INTERNAL", `KV_PATH: the mark of ${name} was changed; put back a copy`);
}

/** Whether only a newer version may open a store of that mark. */
export const isNewer = ({ lowest }: StoreMark): boolean => lowest.format > STORE_FORMAT;

/** What a gateway says whose store a newer version has made its own meanwhile. */
export const raised = ({ format, lowest }: StoreMark): GatewayError =>
  new GatewayError(
    "E_INTERNAL",
    `The store was brought to format ${format} by a newer version while this gateway ran, which is ${VERSION} (format ` +
      `${STORE_FORMAT}) and would misread it, so calls are refused; stop this one and start version ${lowest.version} or ` +
      "later, or stop every gateway and put back the backup from before (docs/UPGRADING.md)",
  );

/** Throws a GatewayError where this version does not open stores of that mark. */
export function assertFormat(mark: StoreMark, { name }: Pick<Expected, "name">): void {
  const { format, lowest } = mark;
  if (isNewer(mark)) {
    throw new GatewayError(
      "E_INTERNAL",
      `KV_PATH: ${name} was written by a newer version (format ${format}); version ${lowest.version} or later opens ` +
        `it, and this is ${VERSION} (format ${STORE_FORMAT}): start that one, or put back a copy from before it`,
    );
  }
  if (format < OLDEST_FORMAT) {
    throw new GatewayError(
      "E_INTERNAL",
      `KV_PATH: ${name} has format ${format}, and version ${VERSION} opens format ${OLDEST_FORMAT} and later; start ` +
        "a version in between first (docs/UPGRADING.md)",
    );
  }
}

function wrongKeys(name: string, key: string): GatewayError {
  return new GatewayError(
    "E_INTERNAL",
    `ENCRYPTION_KEYS: none of them opens ${name}, which is sealed under key "${key}"; load the file that holds it ` +
      "(set -a; . ./.env; set +a), or where it is lost for good: deno task admin store accept-keys",
  );
}

const NO_SEAL: Sealed = { key: "", iv: new Uint8Array(), data: new Uint8Array() };

/** The mark that should be stored; the stored mark, where it fits. */
export async function wanted(mark: StoreMark | null, sealer: Sealer): Promise<StoreMark> {
  const isOurs = mark !== null && mark.format >= STORE_FORMAT;
  if (isOurs && mark.check.key === sealer.first) return mark;
  const id = mark?.id ?? crypto.randomUUID();
  const kept = mark !== null && isRegistered(mark) ? mark : {}; // of an older form nothing else is proven
  const whole = isOurs ? mark : { ...kept, id, format: STORE_FORMAT, lowest: LOWEST, check: NO_SEAL };
  return await sealedAnew(whole, sealer);
}
