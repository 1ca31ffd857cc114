/** Judges the file of a store before it is opened: what is cut or damaged is not written to. */
import type { DatabaseSync } from "node:sqlite";
import { isDamage } from "./database.ts";
import { toPortable } from "./portable.ts";
import { decodeKey } from "./postgres/keys.ts";
import { damageIn, isStore, messageOf, openFile, sizeOf } from "./store_file.ts";

/** A file up to this size is read to its end before the store is opened: 5 ms a MiB where it is in memory, 45 from a disk. */
export const READ_AT_ONCE_BYTES = 16 * 1024 * 1024;
/** Of a larger one it is waited so long for what another thread finds; then that goes on beside the gateway. */
const WAIT_MS = 2000;

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;

/** A check that goes on: resolves to what is wrong with the file, null for nothing. */
export interface GoingCheck {
  readonly found: Promise<string | null>;
  /** Ends it; then it resolves to null. */
  stop(): void;
}

/** What is known of a file: what is wrong with it, or what still looks for that. */
export interface Judged {
  readonly damage: string | null;
  readonly going: GoingCheck | null;
}

const SOUND: Judged = { damage: null, going: null };

/** Judges a file that may not be there; what cannot be looked at is left to opening it, which says why. */
export async function judgeFile(path: string, atOnce_bytes = READ_AT_ONCE_BYTES): Promise<Judged> {
  const size = await sizeOf(path).catch(() => null);
  if (size === null || size === 0) return SOUND;
  const damage = await damageOfHeader(path);
  if (damage !== null) return { damage, going: null };
  if (size <= atOnce_bytes) return { damage: damageOfPages(path), going: null };
  const going = checkBeside(path);
  const waited = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => waited.resolve(undefined), WAIT_MS);
  const found = await Promise.race([going.found, waited.promise]);
  clearTimeout(timer);
  if (found === undefined) return { damage: null, going };
  going.stop();
  return { damage: found, going: null };
}

/** What the first bytes and the length tell: SQLite takes a page that is cut for one that ends in zeros. */
export async function damageOfHeader(path: string): Promise<string | null> {
  const size = await sizeOf(path).catch(() => null);
  if (size === null || size === 0) return null;
  const header = new Uint8Array(HEADER_BYTES);
  let read: number | null;
  try {
    using file = await Deno.open(path);
    read = await file.read(header);
  } catch {
    return null;
  }
  const begins = new TextDecoder("latin1").decode(header.subarray(0, MAGIC.length));
  if ((read ?? 0) < HEADER_BYTES || begins !== MAGIC) return "file is not a database";
  const named = header[16]! << 8 | header[17]!;
  const page = named === 1 ? PAGE_BYTES_MAX : named;
  if (page < PAGE_BYTES_MIN || (page & page - 1) !== 0) return "file is not a database";
  // What was written last may still be beside the file, and a page of it there.
  if (size % page === 0 || (await sizeOf(`${path}-wal`).catch(() => null) ?? 0) > 0) return null;
  return `it ends ${size % page} bytes into a page of ${page}: it was cut off`;
}

/**
 * The place itself; of a damaged file a copy, for SQLite would leave files beside it that it cannot take away. Entries that
 * are out of their order are in order in the copy, so that they are found, where every page can be read.
 */
export async function readablePlace(
  path: string,
  isDamaged: boolean,
): Promise<{ path: string } & AsyncDisposable> {
  if (!isDamaged) return { path, [Symbol.asyncDispose]: () => Promise.resolve() };
  const folder = await Deno.makeTempDir();
  for (const suffix of ["", "-wal"]) {
    if (await sizeOf(`${path}${suffix}`) !== null) {
      await Deno.copyFile(`${path}${suffix}`, `${folder}/store.sqlite3${suffix}`);
    }
  }
  putInOrder(`${folder}/store.sqlite3`);
  return {
    path: `${folder}/store.sqlite3`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Writes all entries anew; where one of them cannot be read, all stay as they are. */
function putInOrder(path: string): void {
  try {
    using database = openFile(path, false);
    database.exec(
      "BEGIN; CREATE TEMP TABLE entries AS SELECT * FROM kv; DELETE FROM kv; INSERT INTO kv SELECT * FROM entries; COMMIT",
    );
  } catch {
    // What is read then is what is found.
  }
}

/**
 * Reads every page, and whether entries are in the order of their keys and in the index of when they go: whoever looks for a
 * key that is out of its order does not find it, nor others beside it. What is in a value is not judged, for nothing says
 * what it should be, but for what ends KV.
 */
export function damageOfPages(path: string): string | null {
  try {
    using database = openFile(path, true);
    return damageIn(database) ?? (isStore(database) ? damageOfCounters(database) : null);
  } catch (error) {
    return isDamage(error) ? messageOf(error) : null;
  }
}

/** Whoever has Deno's KV read a counter that has not eight bytes is ended by it, with the whole process. */
const COUNTERS = "SELECT k, length(v) AS bytes FROM kv WHERE v_encoding = 2 AND length(v) <> 8 LIMIT 1";

function damageOfCounters(database: DatabaseSync): string | null {
  const found = database.prepare(COUNTERS).get();
  if (found === undefined) return null;
  return `the entry ${nameOfKey(found["k"] as Uint8Array)} is stored as a counter, and has ${
    found["bytes"]
  } bytes`;
}

/** A key as messages name it; its bytes where they are none. */
function nameOfKey(bytes: Uint8Array): string {
  try {
    return toPortable(decodeKey(bytes));
  } catch {
    return `of the bytes ${bytes.toHex()}`;
  }
}

/** Reads every page on another thread. */
function checkBeside(path: string): GoingCheck {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const worker = new Worker(new URL("./file_check_worker.ts", import.meta.url), { type: "module" });
  const stop = () => {
    worker.terminate();
    resolve(null);
  };
  worker.onmessage = ({ data }: MessageEvent<string | null>) => {
    resolve(data);
    stop();
  };
  worker.onerror = (event) => {
    event.preventDefault(); // nothing is known of the file then
    stop();
  };
  worker.postMessage(path);
  return { found: promise, stop };
}
