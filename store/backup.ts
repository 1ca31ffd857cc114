/** A portable backup: made of a store at any place while it is in use, and put back at any place. */
import { CLOCK } from "../core/async.ts";
import { rm } from "node:fs/promises";
import { AuditReading, partsBelow } from "./backup_audit.ts";
import { BackupReader, BackupWriter, headerOf } from "./backup_file.ts";
import { HOW_TO_RESTORE, MARK_KEY, UNREADABLE } from "./damage.ts";
import { Database, HOW_TO_MEND } from "./database.ts";
import { assertAlone, isFile, nameOf, placeText } from "./engines.ts";
import { judgeFile, readablePlace } from "./file_check.ts";
import { aroundRanges, isBroken } from "./key_ranges.ts";
import { isPassing } from "./ends.ts";
import { Expiries } from "./expiry.ts";
import { Intake, isOfMark, type Laid } from "./intake.ts";
import { assertFormat, assertSealed, markOf, readLaying, type StoreMark } from "./mark.ts";
import { openBare, openToRead } from "./opening.ts";
import { RecordCheck } from "./record_check.ts";
import { Sealer } from "./seal.ts";
import type { AuditVerdict } from "./store.ts";
import { messageOf, refusal } from "./store_file.ts";
import type { Condition } from "./survey.ts";

const TRIES = 5;
const TOLD_EVERY = 1000;
/** What belongs to the processes that run, and to none that begins with the backup. */
const OF_PROCESSES = ["leases", "probe"];
/** Beside what goes by itself, records that stand for themselves. */
const ALONE = ["accounts"];
/** How kinds begin that go by themselves and are changed together with others. */
const BOUND = ["oauth_", "person_", "invitation", "connect_", "preview_"];
/** Of those that go by themselves, what is read before others: whoever names something comes before what it names. */
const FIRST = ["consents", "kept"];

/** What is backed up, and to where. */
export interface BackingUp {
  readonly path: string;
  /** A new file. */
  readonly to: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Is told how many entries are written so far. */
  readonly told?: (entries: number) => void;
}

/** What was written, and what is wrong with it; `unsettled` names the kinds of records that were changed all the while. */
export interface BackedUp extends Condition {
  readonly entries: number;
  readonly unsettled: readonly string[];
}

/**
 * Writes all entries of a store, as they are stored, into a new file. The store may be in use: the configuration in the file
 * is that of one moment, the audit is whole up to a moment after the call began, and every other record is as it was at
 * some moment meanwhile. An entry that cannot be read is left out, and named. Throws a GatewayError, and leaves no file, where
 * that cannot be done.
 */
export async function backUp(what: BackingUp): Promise<BackedUp> {
  const { path } = what;
  if (path === ":memory:") {
    throw refusal('KV_PATH: ":memory:" is kept by the gateway alone, so nobody else can copy it');
  }
  const damage = isFile(path) ? (await judgeFile(path, Infinity)).damage : null;
  await using place = await readablePlace(path, damage !== null);
  await using kv = await openToRead(place.path).catch((error) => {
    if (damage === null) throw error;
    throw refusal(
      `${nameOf(path)} is damaged (${damage}), and nothing of it can be read; ${HOW_TO_RESTORE}`,
      error,
    );
  });
  try {
    const laying = await readLaying(kv);
    if (laying !== null) {
      throw refusal(`${nameOf(path)} holds a part of a store only; finish it with ${laying.command}`);
    }
    const mark = await markOf(kv, nameOf(path));
    if (mark === null) {
      throw refusal(`${nameOf(path)} has no mark; start this version of the gateway on it once`);
    }
    assertFormat(mark, { name: nameOf(path) });
    const ofFile = damage === null ? [] : [`The file ${nameOf(path)} is damaged (${damage})`];
    const all = { ...what, place: place.path, mark, ofFile };
    try {
      return await write(all, kv, new Set());
    } catch (error) {
      if (!isBroken(error)) throw error;
      const around = aroundRanges(kv); // slower, and so not from the beginning
      return await write(all, around.kv, around.unreadable);
    }
  } catch (error) {
    if (!isBroken(error)) throw error;
    throw refusal(`${nameOf(path)} is damaged (${messageOf(error)}); ${HOW_TO_MEND}`, error);
  }
}

/** What is written where: `place` is where it is read. */
interface Writing extends BackingUp {
  readonly place: string;
  readonly mark: StoreMark;
  /** What is wrong with the file as a whole. */
  readonly ofFile: readonly string[];
}

/** Leaves no file where that cannot be done. */
async function write(
  { path, place, to, mark, ofFile, now, told }: Writing,
  kv: Deno.Kv,
  unreadable: ReadonlySet<string>,
): Promise<BackedUp> {
  const db = new Database(kv, now, CLOCK.elapsed, undefined, { place: placeText(path) }).aroundDamage();
  using expiries = await Expiries.of(kv, place, now);
  using file = await BackupWriter.create(to, headerOf(mark, now()));
  try {
    await file.put({ key: MARK_KEY, value: mark, ends_at: null });
    const read = await new Reading(db, file, (entry) => expiries.of(entry, now()), told).run();
    const faults = [...ofFile, ...unreadable, ...read.faults];
    await file.finish(faults);
    return { ...read, entries: file.entries, faults };
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

/** Reads a store into a file, around what is damaged. */
class Reading {
  #records = new RecordCheck(null);

  constructor(
    private readonly db: Database,
    private readonly file: BackupWriter,
    private readonly expiryOf: (entry: Deno.KvEntry<unknown>) => number | null,
    private readonly told: BackingUp["told"],
  ) {}

  async run(): Promise<Condition & { readonly unsettled: readonly string[] }> {
    const kinds = (await Array.fromAsync(partsBelow(this.db.kv, [])))
      .filter((kind) => kind !== "audit" && !isOfMark([kind]) && !OF_PROCESSES.includes(kind));
    const isAlone = (kind: string) =>
      ALONE.includes(kind) || (isPassing(kind) && !BOUND.some((begin) => kind.startsWith(begin)));
    const together = kinds.filter((kind) => !isAlone(kind));
    const alone = kinds.filter(isAlone).sort((one, other) =>
      Number(FIRST.includes(other)) - Number(FIRST.includes(one))
    );
    const audit = await this.#audit();
    const ofAudit = this.#records.faults();
    await this.#ofOneMoment(together);
    await this.#write(alone, this.#put);
    const faults = [...ofAudit, ...this.#records.faults()];
    return { faults, audit: audit.verdict, unsettled: audit.isSettled ? [] : ["audit"] };
  }

  /** A gap that is there each time is damage, and nothing that moves. */
  async #audit(): Promise<{ readonly verdict: AuditVerdict; readonly isSettled: boolean }> {
    let verdict: AuditVerdict;
    let before: string | null = null;
    const isSettled = await this.#untilQuiet(async () => {
      const found = await new AuditReading(this.db).run(this.#put);
      verdict = found.verdict;
      const same = before;
      before = verdict.faults.join("\n");
      return found.isQuiet || (before !== "" && before === same);
    });
    return { verdict: verdict!, isSettled };
  }

  /** What is kept together is of one moment where its versions were the same twice. */
  async #ofOneMoment(kinds: readonly string[]): Promise<void> {
    let before = await this.#write(kinds, () => Promise.resolve());
    const same = async () => {
      const stamps = await this.#write(kinds, this.#put);
      const isSame = stamps === before;
      before = stamps;
      return isSame;
    };
    if (await this.#untilQuiet(same)) return;
    throw refusal("The configuration was changed all the while it was read; run the command again");
  }

  /** Writes once more where what was read was not of one moment; false where it never was, and the last stands. */
  async #untilQuiet(write: () => Promise<boolean>): Promise<boolean> {
    const from = this.file.here();
    for (let tries = 1;; tries++) {
      this.#records = new RecordCheck(null);
      if (await write()) return true;
      if (tries === TRIES) return false;
      await this.file.goBack(from);
    }
  }

  readonly #put = async (entry: Laid): Promise<void> => {
    await this.#records.take(entry);
    if (entry.value === UNREADABLE) return;
    await this.file.put(entry);
    if (this.file.entries % TOLD_EVERY === 0) this.told?.(this.file.entries);
  };

  /** Answers the versions of all that was written: where they are the same twice, nothing was changed in between. */
  async #write(kinds: readonly string[], put: (entry: Laid) => Promise<void>): Promise<string> {
    const stamps: string[] = [];
    for (const kind of kinds) {
      for await (const entry of this.db.kv.list(rangeOf(kind))) {
        stamps.push(entry.versionstamp);
        await put({ ...entry, ends_at: entry.value === UNREADABLE ? null : this.expiryOf(entry) });
      }
    }
    return stamps.join();
  }
}

/** A key of one part is of its kind too, which a prefix would leave out. */
const rangeOf = (kind: string) => ({ start: [kind], end: [`${kind}\0`] });

/** Where a backup is put back. */
export interface PuttingBack {
  readonly path: string;
  /** Is given what an operator should know before it goes on. */
  readonly notice?: (sentence: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Is told how many entries are there so far. */
  readonly told?: (entries: number) => void;
}

/**
 * Reads a backup to its end. Throws a GatewayError where it is only a part, was changed, is of a newer version, or none of the
 * keys opens it.
 */
export async function openBackup(path: string, keys: readonly Uint8Array[]): Promise<BackupReader> {
  const backup = await BackupReader.open(path);
  assertFormat(backup.mark, { name: `"${path}"` });
  await assertSealed(backup.mark, await Sealer.open(keys), `"${path}"`);
  return backup;
}

/**
 * Lays a backup into an empty place, or goes on where that was cut off; it is a store once all is there. Throws a
 * GatewayError, and changes nothing, where something else is there or others have it open. Answers how many entries are there.
 */
export async function layBackup(
  backup: BackupReader,
  { path, now, told, notice }: PuttingBack,
): Promise<number> {
  await using kv = await openBare(path);
  await assertAlone(kv, path, "put the backup back", notice);
  const intake = await Intake.begin({
    kv,
    name: nameOf(path),
    mark: backup.mark,
    from: backup.sha256,
    command: `deno task admin store restore "${backup.path}"`,
    now,
  });
  let line = typeof intake.at === "number" ? intake.at : 0;
  for await (const entry of backup.read(line)) {
    await intake.put(entry, ++line);
    if (line % TOLD_EVERY === 0) told?.(line);
  }
  await intake.flush();
  await intake.finish();
  return intake.entries;
}
