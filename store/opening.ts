/** Opens the KV beneath a store, and says in plain words why it cannot. */
import { basename, dirname } from "node:path";
import { isDatabase } from "../core/env_values.ts";
import { GatewayError } from "../core/errors.ts";
import { aroundDamage, DamagedEntry } from "./damage.ts";
import { commitInTurn, HOW_TO_MEND, inTurn, isDamage, isLocked } from "./database.ts";
import { type GoingCheck, judgeFile } from "./file_check.ts";
import { makeFile, makeFolder } from "./file_owner.ts";
import type { KnownStores } from "./known_stores.ts";
import { isAddress, isFile, isKept, nameOf, openPlace, openPlaceToRead } from "./engines.ts";
import { isEmpty, lost, type Marked, marked } from "./mark.ts";
import { PROBE_KEY, Unanswered } from "./store_timeout.ts";
import type { Sealer } from "./seal.ts";
import { beginFile } from "./store_file.ts";

/** The longest that opening takes, waiting for a lock included. */
export const OPEN_DEADLINE_MS = 8000;

/** What is opened, and how. */
export interface Opening {
  /** A file, ":memory:" or an address; undefined is the KV of the host. */
  readonly path: string | undefined;
  /** Opens the KV; that of the place when left out. */
  readonly open?: (path: string | undefined) => Promise<Deno.Kv>;
  readonly sealer: Sealer;
  /** Which files have held a store; without it none has. */
  readonly known?: KnownStores;
  /** These keys take the place of lost ones. */
  readonly keysLost?: boolean;
  readonly deadline_ms: number;
}

/** A KV that this version may open, under keys that are its own. */
export interface Opened extends Marked {
  readonly kv: Deno.Kv;
  /** What still reads a large file for damage; whoever opened it ends that. */
  readonly check: GoingCheck | null;
}

/**
 * Opens it, makes sure that it can be written, and reads its mark. Throws a GatewayError with one sentence that names
 * KV_PATH or ENCRYPTION_KEYS and says what to do.
 */
export async function openMarked(opening: Opening): Promise<Opened> {
  const { path, open: openKv = (place) => openPlace(place), sealer, known, keysLost, deadline_ms } = opening;
  const isHeld = isKept(path) && await known?.has(path) === true;
  const held = isHeld ? isFile(path) ? "file" : "database" : null;
  if (isFile(path)) await assertNotLost(path, known ?? null, isHeld);
  const check = isFile(path) ? await assertSound(path) : null;
  let wanted = true;
  // Where a file is locked, Deno waits seconds for it, and no timer runs meanwhile.
  let openingMs = 0;
  const timed = async () => {
    const began = performance.now();
    try {
      return await openKv(path);
    } finally {
      openingMs += performance.now() - began;
    }
  };
  const open = async () => {
    if (isFile(path)) await makePlace(path);
    // Two processes that make the file at once lock each other out for a moment.
    const kv = await inTurn(timed, () => wanted && openingMs < deadline_ms);
    try {
      await probe(kv);
      const seen = isHeld && isKept(path) ? await known?.seen(path) : null;
      return { kv, ...await marked(kv, sealer, { name: nameOf(path), held, keysLost, seen }) };
    } catch (error) {
      kv.close();
      throw error;
    }
  };
  const opened = open();
  try {
    return { ...await within(deadline_ms, opened, isFile(path) ? "database is locked" : LATE), check };
  } catch (cause) {
    check?.stop();
    wanted = false;
    opened.then(({ kv }) => kv.close(), () => {});
    if (cause instanceof DamagedEntry) throw notOpened(path, cause);
    if (cause instanceof GatewayError && !(cause instanceof Unanswered)) throw cause;
    throw new GatewayError("E_INTERNAL", `KV_PATH: ${await explain(cause, path)}`, { cause });
  }
}

/**
 * Opens a place as it is, for a command that fills it: no mark is read or written. A file, and the tables of a database,
 * are made where there are none. Throws a GatewayError with one sentence that names the place and says what to do.
 */
export async function openBare(path: string): Promise<Deno.Kv & AsyncDisposable> {
  if (isFile(path)) await makePlace(path);
  return await openedInTime(path, () => openPlace(path));
}

/**
 * Opens a store for a command that only reads: nothing is made or changed there. Throws a GatewayError with one sentence
 * where it cannot be opened, or no store is there.
 */
export async function openToRead(path: string): Promise<Deno.Kv & AsyncDisposable> {
  if (isFile(path) && (await sizeOf(path) ?? 0) === 0) throw noStore(path, "");
  const kv = await openedInTime(path, () => openPlaceToRead(path));
  const holdsNothing = await isEmpty(aroundDamage(() => kv)).catch(async (error) => {
    if (!(error instanceof GatewayError)) return false; // what cannot be read is not nothing
    await kv.close();
    throw error;
  });
  if (holdsNothing) {
    await kv.close();
    throw noStore(path, ": it holds nothing");
  }
  return kv;
}

const noStore = (path: string, why: string) =>
  new GatewayError(
    "E_INTERNAL",
    `KV_PATH: there is no store ${isFile(path) ? "at" : "in"} ${
      nameOf(path)
    }${why}; name the place of a store`,
  );

async function openedInTime(
  path: string,
  openKv: () => Promise<Deno.Kv>,
): Promise<Deno.Kv & AsyncDisposable> {
  const open = async () => {
    const kv = await openKv();
    try {
      await inTurn(() => kv.get(PROBE_KEY));
      return kv;
    } catch (error) {
      kv.close();
      throw error;
    }
  };
  const opened = inTurn(open);
  try {
    const kv = await within(OPEN_DEADLINE_MS, opened, isFile(path) ? "database is locked" : LATE);
    return Object.assign(kv, { [Symbol.asyncDispose]: async () => await kv.close() });
  } catch (cause) {
    opened.then((kv) => kv.close(), () => {});
    if (cause instanceof GatewayError && !(cause instanceof Unanswered)) throw cause;
    throw new GatewayError("E_INTERNAL", `KV_PATH: ${await explain(cause, path)}`, { cause });
  }
}

const notOpened = (path: string | undefined, cause: DamagedEntry) =>
  new GatewayError("E_INTERNAL", `KV_PATH: ${nameOf(path)} is not opened. ${cause.message}`, { cause });

/** Refuses a file that is missing or empty although a store was there, or that looks like a slip of the pen. */
async function assertNotLost(path: string, known: KnownStores | null, held: boolean): Promise<void> {
  const size = await sizeOf(path);
  if (size === undefined || (size ?? 0) > 0) return;
  const how = size === null ? "does not exist" : "is empty";
  if (held) throw lost(nameOf(path), "file", how);
  // Another process may be making the file just now: SQLite makes it before the one beside it.
  if ((await sizeOf(`${path}-wal`) ?? 0) > 0 && await sizeOf(path) === size) {
    throw new GatewayError(
      "E_INTERNAL",
      `KV_PATH: ${nameOf(path)} ${how}, but "${
        basename(path)
      }-wal" beside it holds what was written to it last; ` +
        "put the file back, or move both away (deno task admin store init)",
    );
  }
  const other = await known?.neighbour(path) ?? null;
  if (other === null) return;
  throw new GatewayError(
    "E_INTERNAL",
    `KV_PATH: ${nameOf(path)} ${how}, but the store "${
      basename(other)
    }" is in the same folder; name that one, or ` +
      "make a second store (deno task admin store init)",
  );
}

/** Refuses a file that is damaged; what reads it still is answered. */
async function assertSound(path: string): Promise<GoingCheck | null> {
  const { damage, going } = await judgeFile(path);
  if (damage === null) return going;
  throw new GatewayError("E_INTERNAL", `KV_PATH: ${isDamaged(nameOf(path), damage)}`);
}

const isDamaged = (name: string, said: string) =>
  said.includes("not a database")
    ? `${name} is no database or is damaged; ${HOW_TO_MEND}, or move the file away to start empty`
    : `${name} is damaged (${said}); ${HOW_TO_MEND}`;

/** In bytes; null where nothing is there, undefined where that cannot be told. */
async function sizeOf(path: string): Promise<number | null | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? null : undefined;
  }
}

/**
 * Makes the folder and the file, which are nobody else's to read. A process may be allowed the file and not its
 * folder: gateway/launch.ts has made it already, or opening the store reports why it cannot be used.
 */
async function makePlace(path: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
  try {
    await makeFile(path);
  } catch {
    // The file exists already, or opening the store reports why it cannot be used.
  }
  await beginFile(path);
}

/** Reads and writes, so that a file nobody may write is found at once. */
async function probe(kv: Deno.Kv): Promise<void> {
  await inTurn(() => kv.get(PROBE_KEY));
  await commitInTurn(kv.atomic().delete(PROBE_KEY));
}

/** So long is waited at once, so that a process that was stopped has not waited. */
const TICK_MS = 500;

/** The work's result; rejects with that text when it takes longer, which is counted in ticks. */
export async function within<T>(ms: number, work: Promise<T>, late: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout>;
  const wait = (left: number) => {
    const next = () => left > TICK_MS ? wait(left - TICK_MS) : reject(new Error(late));
    timer = setTimeout(next, Math.min(left, TICK_MS));
  };
  wait(ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer!);
  }
}

const LATE = "has not answered in time";

async function explain(cause: unknown, path: string | undefined): Promise<string> {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (isDatabase(path)) {
    const { explainPostgres } = await import("./postgres/explain.ts");
    return `${nameOf(path)} ${explainPostgres(cause)}`;
  }
  if (isAddress(path)) return `${nameOf(path)} ${explainServer(cause, message)}`;
  const store = nameOf(path);
  if (isDamage(cause)) {
    return isDamaged(store, message);
  }
  if (isLocked(cause)) {
    return `${store} is locked by another process; end that one (or wait for it) and start again`;
  }
  if (cause instanceof Deno.errors.NotCapable) {
    return `${store} is outside what this process may read and write; allow its folder, or name another file`;
  }
  if (message.includes("disk is full")) {
    return `${store} is on a disk that is full; make room on it and start again`;
  }
  if (message.includes("disk I/O error")) {
    return `${store} cannot be written (${message}): its disk is full, over its quota, or fails; see to it and start again`;
  }
  return `${store} cannot be opened or written (${message}); name a file in a folder this process may write`;
}

/** What is wrong with a KV Connect server, in the words that follow its address; the runtime says it in these forms. */
function explainServer(cause: unknown, message: string): string {
  if (cause instanceof Deno.errors.NotCapable) {
    return "cannot be asked: this process may not read DENO_KV_ACCESS_TOKEN or reach the network; start it with " +
      "deno task start";
  }
  if (/^Missing DENO_KV_ACCESS_TOKEN/.test(message)) {
    return "needs an access token; set DENO_KV_ACCESS_TOKEN to one of that database";
  }
  const status = / responded with status (\d{3})/.exec(message)?.[1];
  if (status === "401" || status === "403") {
    return `refused the access token (${status}); set DENO_KV_ACCESS_TOKEN to one of that database`;
  }
  if (status?.startsWith("5")) return `answered ${status}; that server is at fault, or not ready yet`;
  if (status !== undefined) return `answered ${status}, as no KV Connect server does; check the address`;
  if (/ is not a valid KV Connect endpoint/.test(message)) {
    return "answered, but not as a KV Connect server does; check the address";
  }
  if (/failed to connect to /.test(message)) {
    const why = /(dns error|[Cc]onnection refused|certificate[^:()]*|timed out)/.exec(message)?.[1];
    return `cannot be reached${why === undefined ? "" : ` (${why})`}; check the address and the network`;
  }
  if (message === LATE || /^timed out|timed out connecting/.test(message)) {
    return `${LATE}; check the address and that server`;
  }
  return `does not work as a KV Connect server (${message}); check the address`;
}
