/** Moves a store from any place to any other: every entry copied, what is there afterwards compared and verified. */
import { hash } from "node:crypto";
import { addressWithout, isDatabase, PASSWORD } from "../core/env_values.ts";
import { type Compared, comparedMark, Comparison } from "./comparison.ts";
import { aroundDamage, UNREADABLE } from "./damage.ts";
import { assertAlone, isFile, isKept, nameOf, underName } from "./engines.ts";
import { Expiries } from "./expiry.ts";
import { judgeFile } from "./file_check.ts";
import { Intake } from "./intake.ts";
import { isBroken } from "./key_ranges.ts";
import { KnownStores } from "./known_stores.ts";
import { assertFormat, assertOwn, markOf, readLaying, type StoreMark } from "./mark.ts";
import { openBare, openToRead } from "./opening.ts";
import { Sealer } from "./seal.ts";
import { toPortable } from "./portable.ts";
import { assertStore, isReadable, messageOf, openFile, refusal, sizeOf } from "./store_file.ts";
import { type Condition, survey } from "./survey.ts";

const TOLD_EVERY = 1000;
const NAMED_MAX = 5;
const COPY = "copy it";
const BOTH_STOPPED = "no gateway may run on either of them";

/** A place, and the variable or argument that named it. */
export interface NamedPlace {
  readonly path: string;
  readonly named: string;
}

/** From where to where, and what the store is opened with. */
export interface Copying {
  readonly from: NamedPlace;
  readonly to: NamedPlace;
  readonly keys: readonly Uint8Array[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The folder that remembers which files have held a store. */
  readonly known: string;
  /** Is given what an operator should know before it goes on. */
  readonly notice?: (sentence: string) => void;
  /** Is told how many entries are copied, or compared, so far. */
  readonly told?: (what: "copied" | "compared", entries: number) => void;
}

/** What is at the new place, and its condition. */
export interface Copied extends Condition {
  readonly entries: number;
  /** Each kind of entry, the mark of the store among them, counted and hashed at both places: they are the same. */
  readonly compared: readonly Compared[];
}

/**
 * Copies a store to an empty place, while no gateway runs on either; a copy that was cut off goes on where it was. Throws
 * a GatewayError where one of the two is in use, the keys are not the store's, something else is at the new place, or what
 * is there afterwards is not what was copied. The store it comes from is only read.
 */
export async function copyStoreTo(copying: Copying): Promise<Copied> {
  const [{ path: from }, { path: to }] = [copying.from, copying.to];
  const atSource = <T>(work: Promise<T>) => underName(work, copying.from.named);
  const atTarget = <T>(work: Promise<T>) => underName(work, copying.to.named);
  if (from === to) throw refusal(`${nameOf(to)} is the store itself; name another place`);
  await atSource(assertSource(from));
  await atTarget(assertTarget(to));
  await using source = await atSource(openToRead(from));
  await atSource(assertAlone(source, from, COPY, copying.notice));
  const sealer = await Sealer.open(copying.keys);
  const mark = await atSource(wholeMark(source, from, sealer));
  await atSource(assertWhole(source, from));
  await using target = await atTarget(openBare(to));
  await atTarget(assertAlone(target, to, COPY, copying.notice));
  using expiries = await Expiries.of(source, from, copying.now);
  const intake = await Intake.begin({
    kv: target,
    name: nameOf(to),
    mark,
    from: mark?.id ?? hash("sha256", from),
    command: commandOf(from, to),
    now: copying.now,
  });
  await copyEntries(copying, source, intake, expiries);
  const beside = await compare(copying, [source, target], intake, expiries);
  const { faults, audit } = await survey(target, { path: to, sealer, now: copying.now });
  await intake.finish();
  const compared = [...beside, ...await comparedMark(target)].sort((one, other) =>
    one.kind < other.kind ? -1 : 1
  );
  if (isKept(to)) await new KnownStores(copying.known).add(to);
  return { entries: compared.reduce((sum, { entries }) => sum + entries, 0), compared, faults, audit };
}

/** What is left to somebody whose store is damaged, for both places could not be the same. */
const HOW_TO_MOVE =
  "put back a copy (deno task admin store restore), or move what is left of it: deno task admin store backup " +
  "<file>.ndjson leaves out what cannot be read, and store restore puts that at the new place";

/** Refuses a store of which an entry cannot be read: both places could not be the same. */
async function assertWhole(kv: Deno.Kv, path: string): Promise<void> {
  const found: string[] = [];
  try {
    for await (const { key, value } of aroundDamage(() => kv).list({ prefix: [] })) {
      if (value === UNREADABLE) found.push(toPortable(key));
    }
  } catch (error) {
    if (!isBroken(error)) throw error;
    throw refusal(`${nameOf(path)} is damaged (${messageOf(error)}); ${HOW_TO_MOVE}`, error);
  }
  if (found.length === 0) return;
  const more = found.length > NAMED_MAX ? ` and ${found.length - NAMED_MAX} more` : "";
  throw refusal(
    `${nameOf(path)} holds entries that cannot be read: ${
      found.slice(0, NAMED_MAX).join(", ")
    }${more}; ${HOW_TO_MOVE}`,
  );
}

/**
 * The command that goes on with a copy, for whoever opens what is at the new place, and so has set KV_PATH (or DATABASE_URL)
 * to it where it is a database. The password of another database is for that person to fill in.
 */
function commandOf(from: string, to: string): string {
  const copy = "deno task admin store copy";
  if (!isDatabase(from)) return `${copy} ${nameOf(from)} ${isDatabase(to) ? "KV_PATH" : nameOf(to)}`;
  const set = isDatabase(to)
    ? `KV_PATH=${quoted(from)} DATABASE_URL=${quoted(to)} ${copy} KV_PATH DATABASE_URL`
    : `KV_PATH=${quoted(from)} ${copy} KV_PATH ${nameOf(to)}`;
  return set.includes(PASSWORD) ? `${set} (write the password in the place of ${PASSWORD})` : set;
}

/** An address as a shell takes it, complete but for its password. */
const quoted = (address: string) => `'${addressWithout(address).replaceAll("'", "%27")}'`;

async function copyEntries(
  { told, now }: Copying,
  source: Deno.Kv,
  intake: Intake,
  expiries: Expiries,
): Promise<void> {
  const after = Array.isArray(intake.at) ? intake.at as Deno.KvKey : null;
  const selector = after === null ? { prefix: [] } : { prefix: [], start: after };
  let read = intake.entries;
  let isFirst = after !== null; // the first is the one that it stands at, unless that is gone
  for await (const entry of source.list(selector)) {
    if (isFirst && JSON.stringify(entry.key) === JSON.stringify(after)) {
      isFirst = false;
      continue;
    }
    isFirst = false;
    await intake.put({ ...entry, ends_at: expiries.of(entry, now()) }, entry.key);
    if (++read % TOLD_EVERY === 0) told?.("copied", read);
  }
  await intake.flush();
}

/** Where the two differ the copy is of no use: the next one begins anew. */
async function compare(
  { from: { path: from }, to: { path: to }, told, now }: Copying,
  [source, target]: readonly [Deno.Kv, Deno.Kv],
  intake: Intake,
  expiries: Expiries,
): Promise<readonly Compared[]> {
  const comparison = new Comparison(now, (entry) => expiries.of(entry, intake.begunAt));
  const { compared, different } = await comparison.run(source, target, (entries) => {
    if (entries % TOLD_EVERY === 0) told?.("compared", entries);
  });
  if (different.length === 0) return compared;
  await intake.spoil();
  throw refusal(
    `${nameOf(to)} is not what ${
      nameOf(from)
    } holds (first at ${different[0]!}): one of the two was written ` +
      `meanwhile, and ${BOTH_STOPPED}; stop them and run the command again, which begins anew`,
  );
}

/** The mark of a store that is whole, which this version and these keys open; null for one from before stores had one. */
async function wholeMark(kv: Deno.Kv, path: string, sealer: Sealer): Promise<StoreMark | null> {
  const name = nameOf(path);
  const laying = await readLaying(kv);
  if (laying !== null) {
    throw refusal(`${name} holds a part of a store only; finish it first, with ${laying.command}`);
  }
  const mark = await markOf(kv, name);
  if (mark !== null) assertFormat(mark, { name });
  await assertOwn(kv, sealer, mark, name);
  return mark;
}

async function assertSource(path: string): Promise<void> {
  if (path === ":memory:") throw refusal('":memory:" holds nothing that could be copied; name a store');
  if (!isFile(path)) return;
  if ((await sizeOf(path) ?? 0) === 0) {
    throw refusal(`"${path}" does not exist or is empty; name the store that is to be copied`);
  }
  {
    using database = openFile(path, true);
    assertStore(database, path);
  }
  await assertUnused(path);
  const { damage } = await judgeFile(path, Infinity);
  if (damage === null) return;
  throw refusal(`"${path}" is damaged (${damage}); ${HOW_TO_MOVE}`);
}

async function assertTarget(path: string): Promise<void> {
  if (path === ":memory:") throw refusal('":memory:" keeps nothing; name a place that does');
  if (isFile(path) && (await sizeOf(path) ?? 0) > 0) await assertUnused(path);
}

/** Refuses a file that another process has open. */
async function assertUnused(path: string): Promise<void> {
  const isWhole = await isReadable(path, () => Promise.resolve(true), COPY);
  if (!isWhole) {
    throw refusal(`"${path}" is damaged; see what is left of it with deno task admin store check`);
  }
}
