/** A portable backup: made of a store at any place while it is in use, and put back at any place. */
import { rm } from "node:fs/promises";
import { AuditReading, partsBelow } from "./backup_audit.ts";
import { BackupReader, BackupWriter, headerOf } from "./backup_file.ts";
import { assertAlone, isFile, nameOf } from "./engines.ts";
import { Expiries, isPassing } from "./expiry.ts";
import { Intake, isOfMark, type Laid } from "./intake.ts";
import { assertFormat, assertSealed, MARK_KEY, readLaying, readMark } from "./mark.ts";
import { openBare } from "./opening.ts";
import { Sealer } from "./seal.ts";
import { assertStore, openFile, refusal, sizeOf } from "./store_file.ts";

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

/** What was written; `unsettled` names the kinds of records that were changed all the while. */
export interface BackedUp {
  readonly entries: number;
  readonly unsettled: readonly string[];
}

/**
 * Writes all entries of a store, as they are stored, into a new file. The store may be in use: the configuration in the file
 * is that of one moment, the audit is whole up to a moment after the call began, and every other record is as it was at
 * some moment meanwhile. Throws a GatewayError, and leaves no file, where that cannot be done.
 */
export async function backUp({ path, to, now, told }: BackingUp): Promise<BackedUp> {
  await assertThere(path);
  await using kv = await openBare(path, "read");
  const laying = await readLaying(kv);
  if (laying !== null) {
    throw refusal(`${nameOf(path)} holds a part of a store only; finish it with ${laying.command}`);
  }
  const { value: mark } = await readMark(kv);
  if (mark === null) {
    throw refusal(`${nameOf(path)} has no mark; start this version of the gateway on it once`);
  }
  assertFormat(mark, { name: nameOf(path) });
  using expiries = await Expiries.of(kv, path, now);
  using file = await BackupWriter.create(to, headerOf(mark, now()));
  try {
    await file.put({ key: MARK_KEY, value: mark, ends_at: null });
    const put = async (entry: Laid) => {
      await file.put(entry);
      if (file.entries % TOLD_EVERY === 0) told?.(file.entries);
    };
    const unsettled = await new Reading(kv, file, put, (entry) => expiries.of(entry, now()), now).run();
    await file.finish();
    return { entries: file.entries, unsettled };
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

class Reading {
  constructor(
    private readonly kv: Deno.Kv,
    private readonly file: BackupWriter,
    private readonly put: (entry: Laid) => Promise<void>,
    private readonly expiryOf: (entry: Deno.KvEntry<unknown>) => number | null,
    private readonly now: () => number,
  ) {}

  async run(): Promise<string[]> {
    const kinds = (await Array.fromAsync(partsBelow(this.kv, [])))
      .filter((kind) => kind !== "audit" && !isOfMark([kind]) && !OF_PROCESSES.includes(kind));
    const isAlone = (kind: string) =>
      ALONE.includes(kind) || (isPassing(kind) && !BOUND.some((begin) => kind.startsWith(begin)));
    const together = kinds.filter((kind) => !isAlone(kind));
    const alone = kinds.filter(isAlone).sort((one, other) =>
      Number(FIRST.includes(other)) - Number(FIRST.includes(one))
    );
    const unsettled: string[] = [];
    if (!await this.#untilQuiet(() => new AuditReading(this.kv, this.now).run(this.put))) {
      unsettled.push("audit");
    }
    let before = await this.#write(together, () => Promise.resolve());
    const same = async () => {
      const stamps = await this.#write(together, this.put);
      const isSame = stamps === before;
      before = stamps;
      return isSame;
    };
    if (!await this.#untilQuiet(same)) {
      throw refusal("The configuration was changed all the while it was read; run the command again");
    }
    await this.#write(alone, this.put);
    return unsettled;
  }

  /** Writes once more where what was read was not of one moment; false where it never was, and the last stands. */
  async #untilQuiet(write: () => Promise<boolean>): Promise<boolean> {
    const from = this.file.here();
    for (let tries = 1; !await write(); tries++) {
      if (tries === TRIES) return false;
      await this.file.goBack(from);
    }
    return true;
  }

  /** Answers the versions of all that was written: where they are the same twice, nothing was changed in between. */
  async #write(kinds: readonly string[], put: (entry: Laid) => Promise<void>): Promise<string> {
    const stamps: string[] = [];
    for (const kind of kinds) {
      for await (const entry of this.kv.list(rangeOf(kind))) {
        stamps.push(entry.versionstamp);
        await put({ ...entry, ends_at: this.expiryOf(entry) });
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
  await using kv = await openBare(path, "fill");
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

async function assertThere(path: string): Promise<void> {
  if (path === ":memory:") {
    throw refusal('KV_PATH: ":memory:" is kept by the gateway alone, so nobody else can copy it');
  }
  if (!isFile(path)) return;
  if ((await sizeOf(path) ?? 0) === 0) throw refusal(`KV_PATH: there is no store at "${path}"`);
  using database = openFile(path, true);
  assertStore(database, path);
}
