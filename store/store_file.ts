/** The SQLite file beneath a store: opened beside the gateway by operators' commands, and before it is a store. */
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { GatewayError } from "../core/errors.ts";
import { makeFile } from "./file_owner.ts";

/** The files beside the file of a database. */
export const BESIDE = ["-wal", "-shm", "-journal"];

/** In bytes; null where nothing is there. */
export async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** A commit writes whole pages, and what most of them change is small: docs/decisions/0091. */
const PAGES = "PRAGMA page_size=512";

/** Has an empty file begin with small pages; leaves it as it is where it is not empty, or another process begins it. */
export async function beginFile(path: string): Promise<void> {
  try {
    if (await sizeOf(path) !== 0) return;
    using database = new DatabaseSync(path);
    // What is written first fixes the size; VACUUM is not allowed to a process that may open this file alone.
    database.exec(`${PAGES}; BEGIN; CREATE TABLE first (a); DROP TABLE first; COMMIT`);
  } catch {
    // With larger pages it is a store as well; opening it says why it cannot be used.
  }
}

/**
 * Writes a store's file anew into a draft beside it, with small pages and without free ones, and puts that in its place.
 * Throws a GatewayError, and leaves the file as it was, where that fails. Row by row: VACUUM is allowed to no process
 * that may not do everything.
 */
export async function rewriteFile(path: string, draft: string): Promise<void> {
  using from = openFile(path, false);
  assertStore(from, path);
  try {
    await makeFile(draft);
    from.exec("PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE"); // one file, and nobody else writes to it
    {
      using to = new DatabaseSync(draft);
      to.exec(`${PAGES}; BEGIN`);
      for (const { name, type, sql } of from.prepare(SCHEMA).all()) {
        to.exec(String(sql));
        if (type === "table") copyRows(from, to, `"${name}"`);
      }
      to.exec("COMMIT");
    }
    await Deno.rename(draft, path);
  } catch (cause) {
    throw refusal(`"${path}" cannot be compacted (${messageOf(cause)}); it is as it was`, cause);
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
}

/** Indexes after the tables whose rows they are of. */
const SCHEMA =
  "SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index', rowid";

function copyRows(from: DatabaseSync, to: DatabaseSync, table: string): void {
  const rows = from.prepare(`SELECT * FROM ${table}`);
  rows.setReadBigInts(true);
  let insert: ReturnType<DatabaseSync["prepare"]> | null = null;
  let copied = 0;
  for (const row of rows.iterate()) {
    const values = Object.values(row);
    insert ??= to.prepare(`INSERT INTO ${table} VALUES (${values.map(() => "?").join()})`);
    insert.run(...values);
    copied++;
  }
  // Where a row cannot be read the iteration ends as if it were the last.
  const { all } = from.prepare(`SELECT count(*) AS "all" FROM ${table}`).get()!;
  if (copied !== all) throw new Error(`${copied} of ${all} could be read`);
}

/** What is wrong with the pages of a file, and the order of what is on them; null for nothing. */
export function damageIn(database: DatabaseSync): string | null {
  const found = String(database.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"]);
  return found === "ok" ? null : found.replace("*** in database main ***\n", "").replaceAll("\n", "; ");
}

/**
 * Whether a file can be read as a store. Throws a GatewayError where another process uses it, and where it is no store
 * and `wasStore` denies that it has been one; `then` is what the operator wants to do.
 */
export async function isReadable(
  path: string,
  wasStore: () => Promise<boolean>,
  then = "put the copy back",
): Promise<boolean> {
  const foreign = refusal(
    `KV_PATH: "${path}" is no store; name the file of the store, or move this one away first`,
  );
  try {
    using database = openFile(path, false);
    // Whoever has the file open holds a lock on it, which this mode wants alone.
    database.exec("PRAGMA busy_timeout=0; PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK");
    if (!isStore(database)) throw foreign;
    return true;
  } catch (error) {
    if (error === foreign) throw error;
    const message = messageOf(error);
    if (/locked|busy/.test(message)) {
      throw refusal(`KV_PATH: "${path}" is in use; stop every gateway on it, then ${then}`, error);
    }
    if (/not a database/.test(message) && !await wasStore()) throw foreign;
    if (await sizeOf(`${path}-shm`) === null) return false;
    throw refusal(
      `KV_PATH: "${path}" is damaged (${message}), and whether it is in use cannot be told; stop every gateway on it, ` +
        `remove "${path}-shm", and try again`,
      error,
    );
  }
}

/** Whether it holds the tables of a store. */
export const isStore = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'kv'").get() !== undefined;

/**
 * Takes away the files that reading alone has left beside a store's file which nobody has open: SQLite does so where the
 * last who could write closes it. Where something is in them they stay.
 */
export function tidyBeside(path: string): void {
  try {
    if (Deno.statSync(`${path}-wal`).size !== 0) return;
    using database = openFile(path, false);
    isStore(database);
  } catch {
    // They stay; whoever opens the store next takes them away.
  }
}

/** Refuses what is damaged, or no store; `path` is what it is called. */
export function assertStore(database: DatabaseSync, path: string): void {
  let found: boolean;
  try {
    found = isStore(database);
  } catch (cause) {
    throw refusal(`"${path}" is no store, or is damaged (${messageOf(cause)})`, cause);
  }
  if (!found) throw refusal(`"${path}" is no store of the gateway; name the file of one`);
}

/** Opens a file that is there. Throws a GatewayError where it cannot be. */
export function openFile(path: string, readOnly: boolean): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly });
  } catch (cause) {
    throw refusal(`"${path}" cannot be opened (${messageOf(cause)}); name the file of a store`, cause);
  }
}

/** A refusal with one sentence; one with that sentence already stays itself. */
export const refusal = (message: string, cause?: unknown) =>
  cause instanceof GatewayError && cause.message === message
    ? cause
    : new GatewayError("E_INTERNAL", message, { cause });

/** The text of whatever was thrown. */
export const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error);

/** Rights of others on a file, and those with which they could put another in its place. */
const OF_OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** What others than its owner may do with the file of a store or its folder, a sentence each; nothing where the system does not say. */
export async function openToOthers(path: string): Promise<string[]> {
  const modeOf = async (place: string) => (await Deno.stat(place).catch(() => null))?.mode ?? 0;
  const [file, folder] = [await modeOf(path), await modeOf(dirname(path))];
  const octal = (mode: number) => (mode & 0o777).toString(8).padStart(4, "0");
  return [
    ...(file & OF_OTHERS) === 0
      ? []
      : [`"${path}" has the mode ${octal(file)}, so others on this machine may open it; chmod 600 it`],
    ...(folder & OTHERS_WRITE) === 0 ? [] : [
      `"${dirname(path)}" has the mode ${
        octal(folder)
      }, so others on this machine may put another store in its place; ` +
      "chmod 700 it",
    ],
  ];
}

/** Makes one file of it, complete without files beside it; throws as long as KV has not closed it. */
export function joinFiles(path: string): void {
  using database = openFile(path, false);
  database.exec("PRAGMA journal_mode=DELETE");
}

/** Where the head of a file says how it is written: 2 is beside it first, as a gateway does (https://www.sqlite.org/fileformat.html). */
const WRITTEN_AT = 18;
const WRITTEN_BESIDE = 2;

/** Whether a file is a copy of a store's file as it stood, and not one that `store backup` made. */
export async function isRawCopy(path: string): Promise<boolean> {
  using file = await Deno.open(path);
  const head = new Uint8Array(WRITTEN_AT + 1);
  await file.read(head);
  return head[WRITTEN_AT] === WRITTEN_BESIDE;
}

/** Moves the files at the store's place into a new folder beside it; answers the folder, null where there was no file. */
export async function moveAside(
  { path, now }: { path: string; now: number },
  why: string,
): Promise<string | null> {
  const there: string[] = [];
  for (const suffix of ["", ...BESIDE]) {
    if (await sizeOf(`${path}${suffix}`) !== null) there.push(`${path}${suffix}`);
  }
  if (there.length === 0) return null;
  const folder = join(dirname(path), `${why}-${stamp(now)}`);
  await Deno.mkdir(folder, { mode: 0o700 });
  for (const file of there) await Deno.rename(file, join(folder, basename(file)));
  return folder;
}

/** As names of files have it: 2026-03-01T12-00-00-000Z. */
export const stamp = (now: number) => new Date(now).toISOString().replaceAll(/[:.]/g, "-");
