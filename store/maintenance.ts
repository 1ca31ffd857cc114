/** What an operator does with the file of a store: beginning one, copying it, putting a copy back, compacting it, giving up its keys. */
import { basename, dirname, join, resolve } from "node:path";
import { backup } from "node:sqlite";
import { isDatabase } from "../core/env_values.ts";
import { KnownStores } from "./known_stores.ts";
import { assertOwn, markOf, readMark, sayPutBack, type StoreMark } from "./mark.ts";
import { backUp, layBackup, openBackup } from "./backup.ts";
import { HOW_TO_MEND, inTurn, isDamage } from "./database.ts";
import { aroundDamage, DamagedEntry } from "./damage.ts";
import { assertAlone, isFile, nameOf, placeText } from "./engines.ts";
import { damageOfPages, judgeFile } from "./file_check.ts";
import { openFileToRead } from "./file_kv.ts";
import { giveToFolder, makeFile, makeFolder } from "./file_owner.ts";
import { OPEN_DEADLINE_MS, openBare, openMarked, openToRead } from "./opening.ts";
import { Sealer } from "./seal.ts";
import type { AuditVerdict } from "./store.ts";
import { type Condition, survey } from "./survey.ts";
import {
  assertStore,
  BESIDE,
  damageIn,
  isRawCopy,
  isReadable,
  joinFiles,
  messageOf,
  moveAside,
  openFile,
  refusal,
  rewriteFile,
  sizeOf,
  stamp,
  tidyBeside,
} from "./store_file.ts";

export type { Condition };
export { faultOfEngine } from "./engines.ts";

/** Where copies are put unless another file is named; git ignores it. */
export const COPIES_PATH = "data/copies";

/** So many pages are copied in one step that nothing is written in between. */
const ALL_PAGES = 0x7fffffff;

/** A store's file, and what it is opened with. */
export interface StoreFile {
  readonly path: string;
  readonly keys: readonly Uint8Array[];
  /** Milliseconds; folders are named by it. */
  readonly now: number;
  /** The folder that remembers which files have held a store. */
  readonly known: string;
  /** Is given what an operator should know before a command goes on. */
  readonly notice?: (sentence: string) => void;
}

/**
 * Makes a store where there is none: what an empty file or a lost one left behind is moved aside first. Answers the
 * folder that holds it then, null for none. Throws a GatewayError where a store is there.
 */
export async function initStore(store: StoreFile): Promise<string | null> {
  if (isDatabase(store.path)) return await initDatabase(store);
  assertFile(store.path);
  if ((await sizeOf(store.path) ?? 0) > 0) {
    throw refusal(
      `KV_PATH: "${store.path}" holds something already; name another file, or move it away first`,
    );
  }
  const aside = await moveAside(store, "lost");
  await openOnce(store, store.path);
  await sayRight(store);
  await new KnownStores(store.known).add(store.path);
  return aside;
}

async function initDatabase(store: StoreFile): Promise<null> {
  const { path, keys, known } = store;
  const { kv, isNew } = await openMarked({
    path,
    sealer: await Sealer.open(keys),
    deadline_ms: OPEN_DEADLINE_MS,
  });
  await kv.close();
  if (!isNew) {
    throw refusal(`KV_PATH: ${nameOf(path)} holds a store already; name another database, or empty it first`);
  }
  await sayRight(store);
  await new KnownStores(known).add(path);
  return null;
}

/** Has a store say that it is right as it is, so that no machine takes it for an older copy; `at` is where it lies meanwhile. */
async function sayRight({ path, keys, known, now }: StoreFile, at = path): Promise<void> {
  await using kv = await openBare(at);
  await sayPutBack(kv, await Sealer.open(keys), { now, seen: await new KnownStores(known).seen(path) });
}

/**
 * Copies a store, which may be in use, as it is at one moment into a new file that its owner alone may read, and looks at
 * what is in it. Throws a GatewayError where there is no store, its file is damaged, or the other file is there already.
 */
export async function copyStore(
  { path, now }: Pick<StoreFile, "path" | "now">,
  to?: string,
  told?: Told,
): Promise<Made> {
  assertFile(path);
  if ((await sizeOf(path) ?? 0) === 0) {
    throw refusal(`KV_PATH: there is no store at "${path}"; name the place of a store`);
  }
  const copy = to ?? join(COPIES_PATH, `${stem(path)}-${stamp(now)}.sqlite3`);
  using _tidied = { [Symbol.dispose]: () => tidyBeside(path) };
  using source = openFile(path, true);
  assertStore(source, path);
  await makeFolder(dirname(copy));
  try {
    await makeFile(copy);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    throw refusal(`"${copy}" is there already; name another file`);
  }
  try {
    await backup(source, copy, { rate: ALL_PAGES });
    joinFiles(copy);
    const damage = damageOfPages(copy);
    if (damage !== null) {
      throw new Error(
        `it is damaged: ${damage}; ${HOW_TO_MEND}; what can be read of it is taken into a portable backup, whose name ends in .ndjson`,
      );
    }
  } catch (cause) {
    for (const suffix of ["", ...BESIDE]) await Deno.remove(`${copy}${suffix}`).catch(() => {});
    throw refusal(`"${path}" cannot be copied to "${copy}" (${messageOf(cause)})`, cause);
  }
  return { copy, ...await conditionOf(copy, null, told) };
}

/** What is wrong with what is in a file that nobody uses; without a sealer what is sealed is not looked at. */
async function conditionOf(path: string, sealer: Sealer | null, read?: Told): Promise<Condition> {
  const kv = openFileToRead(path);
  try {
    const { faults, audit } = await survey(kv, { path, sealer, now: Date.now, read });
    return { faults, audit };
  } finally {
    kv.close();
  }
}

/** A backup that was made, and its condition; of a portable one how many entries it has, and what was changed all the while. */
export interface Made extends Condition {
  readonly copy: string;
  readonly entries?: number;
  readonly unsettled?: readonly string[];
}

/**
 * Copies a store, which may be in use, into a new file: a portable backup where the name ends in .ndjson or the store is no
 * file, else as `copyStore` does. Throws a GatewayError as that and `backUp` do.
 */
export async function backUpStore(
  store: Pick<StoreFile, "path" | "now">,
  to?: string,
  told?: Told,
): Promise<Made> {
  const { path, now } = store;
  if (isFile(path) && !(to !== undefined && isPortable(to))) return await copyStore(store, to, told);
  const copy = to ?? join(COPIES_PATH, `store-${stamp(now)}.ndjson`);
  if (!isPortable(copy)) {
    throw refusal(`KV_PATH: ${nameOf(path)} is no file; name a backup that ends in .ndjson`);
  }
  return { copy, ...await backUp({ path, to: copy, now: Date.now, told }) };
}

/** What putting a copy back did, and the condition of what is there now. */
export interface Restored extends Condition {
  /** Where the files are that were in its place; null where nothing was. */
  readonly aside: string | null;
  /** Whether the copy was not made by `store backup`, but of the file as it stood. */
  readonly raw?: boolean;
}

/**
 * Puts a copy in the place of a store that no process uses. What was there is moved into a new folder beside it. Throws
 * a GatewayError, and leaves everything as it was, where the store is in use, the copy is no whole store of these keys
 * that this version opens, or the two are not of one gateway.
 */
export async function restoreStore(store: StoreFile, copy: string, told?: Told): Promise<Restored> {
  if (isPortable(copy)) return await restoreBackup(store, copy, told);
  assertFile(store.path);
  if (resolve(copy) === resolve(store.path)) {
    throw refusal(`"${copy}" is the store itself; name a copy of it`);
  }
  for (const suffix of BESIDE) {
    if ((await sizeOf(`${copy}${suffix}`) ?? 0) === 0) continue;
    throw refusal(
      `"${copy}" has "${
        basename(copy)
      }${suffix}" beside it: it is in use, or was copied while it was; make a copy ` +
        `with KV_PATH=${copy} deno task admin store backup, and put that one back`,
    );
  }
  if ((await sizeOf(copy) ?? 0) === 0) throw refusal(`"${copy}" does not exist or is empty; name a copy`);
  return { raw: await isRawCopy(copy), ...await replace(store, copy, (draft) => Deno.copyFile(copy, draft)) };
}

/** Is told how many entries are done. */
type Told = (entries: number) => void;

/** Whether a file of that name is a portable backup. */
export const isPortable = (file: string): boolean => file.endsWith(".ndjson");

/** A store that is no file is not replaced: its backup goes into an empty place. */
async function restoreBackup(store: StoreFile, copy: string, told?: Told): Promise<Restored> {
  const { path, keys, notice } = store;
  if (path === ":memory:") throw refusal('KV_PATH: ":memory:" keeps nothing; name a place that does');
  const backup = await openBackup(copy, keys);
  const lay = (to: string) => layBackup(backup, { path: to, now: Date.now, told, notice });
  const restored = isFile(path) ? await replace(store, copy, lay) : await fill(store, lay);
  return { ...restored, faults: [...new Set([...backup.faults, ...restored.faults])] };
}

async function fill(store: StoreFile, lay: (to: string) => Promise<unknown>): Promise<Restored> {
  const { path, keys, known } = store;
  await lay(path);
  await sayRight(store);
  if (isDatabase(path)) await new KnownStores(known).add(path);
  await using kv = await openToRead(path);
  const sealer = await Sealer.open(keys);
  const { faults, audit } = await survey(kv, { path, sealer, now: Date.now });
  return { aside: null, faults, audit };
}

/** Puts what `make` makes of a copy in the place of the store, once it is found to be whole. */
async function replace(
  store: StoreFile,
  copy: string,
  make: (draft: string) => Promise<unknown>,
): Promise<Restored> {
  const draft = join(dirname(store.path), `.${basename(store.path)}-${stamp(store.now)}.restoring`);
  try {
    await makeFolder(dirname(store.path));
    await make(draft);
    await Deno.chmod(draft, 0o600);
    await assertReplaceable(store, await inspect(store, draft, copy));
    await sayRight(store, draft);
    await inTurn(() => Promise.try(() => joinFiles(draft)));
    const { faults, audit } = await conditionOf(draft, await Sealer.open(store.keys));
    const aside = await moveAside(store, "before");
    await giveToFolder(draft);
    await Deno.rename(draft, store.path);
    await new KnownStores(store.known).add(store.path);
    return { aside, faults, audit: placed(audit, store.path) };
  } finally {
    for (const suffix of ["", ...BESIDE]) await Deno.remove(`${draft}${suffix}`).catch(() => {});
  }
}

/** A verdict on a draft, which is at the place of the store now. */
const placed = (verdict: AuditVerdict, path: string): AuditVerdict =>
  verdict.place === undefined ? verdict : { ...verdict, place: placeText(path) };

/** Bytes of a store's file before and after. */
export interface Compacted {
  readonly before: number;
  readonly after: number;
}

/**
 * Gives back what is free in the file of a store that no process uses; needs as much room again meanwhile. Throws a
 * GatewayError, and leaves the store as it was, where it is in use, is none or is damaged.
 */
export async function compactStore({ path, known, now }: Omit<StoreFile, "keys">): Promise<Compacted> {
  assertCompactable(path);
  const before = await sizeOf(path) ?? 0;
  if (before === 0) throw refusal(`KV_PATH: there is no store at "${path}"`);
  const isStore = await isReadable(path, () => new KnownStores(known).has(path), "compact it");
  const damage = isStore ? (await judgeFile(path, Infinity)).damage : "file is not a database";
  if (damage !== null) throw refusal(`KV_PATH: "${path}" is damaged (${damage}); ${HOW_TO_MEND}`);
  await rewriteFile(path, join(dirname(path), `.${basename(path)}-${stamp(now)}.compacting`));
  return { before, after: await sizeOf(path) ?? 0 };
}

/**
 * Seals the mark of a store that nobody uses and whose keys are lost under the first of these; what they sealed stays lost.
 */
export async function acceptKeys(store: StoreFile): Promise<void> {
  const { path, known } = store;
  if (isDatabase(path)) await assertMarked(store);
  else {
    assertFile(path);
    if ((await sizeOf(path) ?? 0) === 0) throw refusal(`KV_PATH: there is no store at "${path}"`);
    await isReadable(path, () => new KnownStores(known).has(path), ACCEPT);
  }
  await openOnce(store, path, true);
  await sayRight(store);
  await new KnownStores(known).add(path);
}

const ACCEPT = "have it accept the keys";

async function assertMarked({ path, notice }: StoreFile): Promise<void> {
  await using kv = await openToRead(path);
  const { value } = await readMark(kv);
  if (value === null) throw refusal(`KV_PATH: there is no store in ${nameOf(path)}`);
  await assertAlone(kv, path, ACCEPT, notice);
}

/** Opens a store as the gateway does, and closes it. */
async function openOnce({ keys }: StoreFile, path: string, keysLost = false): Promise<void> {
  const sealer = await Sealer.open(keys);
  const { kv, check } = await openMarked({ path, sealer, keysLost, deadline_ms: OPEN_DEADLINE_MS });
  check?.stop();
  await kv.close();
}

/** Refuses what is no file: whoever keeps a store elsewhere sees to its room. */
function assertCompactable(path: string): void {
  if (isFile(path)) return;
  const why = isDatabase(path)
    ? "a database takes up what is free in it again by itself (VACUUM), and store compact is for files; where its disk " +
      "must have the room back, stop every gateway on it and run VACUUM FULL gateway_kv in the database"
    : "store compact is for files, and there is nothing to do here";
  throw refusal(`KV_PATH: ${nameOf(path)} is no file: ${why}`);
}

/** The mark of the draft of a copy, which is whole, and which this version and these keys open. */
async function inspect(store: StoreFile, draft: string, copy: string): Promise<StoreMark | null> {
  try {
    {
      using database = openFile(draft, false);
      assertStore(database, copy);
      if (damageIn(database) !== null) throw refusal(`"${copy}" is damaged; put back another copy`);
    }
    const kv = openFileToRead(draft);
    const mark = await markOf(kv, `"${copy}"`).finally(() => kv.close());
    await openOnce(store, draft);
    return mark;
  } catch (cause) {
    // It is the copy that the operator knows, not its draft.
    throw refusal(messageOf(cause).replaceAll(draft, copy).replace(/^KV_PATH: /, ""), cause);
  }
}

/** Refuses a store that is in use or another gateway's; one that is damaged beyond reading is nobody's any more. */
async function assertReplaceable({ path, keys, known }: StoreFile, copy: StoreMark | null): Promise<void> {
  const isThere = () => isReadable(path, () => new KnownStores(known).has(path));
  if ((await sizeOf(path) ?? 0) === 0 || !await isThere()) return;
  const file = await Promise.try(() => openFileToRead(path)).catch(unlessDamaged);
  if (file === null) return;
  try {
    const kv = aroundDamage(() => file) as Deno.Kv;
    const mark = (await readMark(kv).catch(unlessDamaged))?.value ?? null;
    if (mark !== null && copy !== null) {
      if (mark.id === copy.id || await isUnused(kv)) return;
      throw refusal(
        `KV_PATH: "${path}" is the store of another gateway than the copy; name another file, or where the copy is ` +
          "the right one, move that store away first",
      );
    }
    await assertOwn(kv, await Sealer.open(keys), mark, `"${path}"`).catch(unlessDamaged);
  } finally {
    await file.close();
  }
}

/** Rethrows, but for what is said of a damaged file or mark. */
function unlessDamaged(error: unknown): null {
  if (isDamage(error) || error instanceof DamagedEntry) return null;
  throw error;
}

/** Whether it was begun and nothing was done with it. */
async function isUnused(kv: Deno.Kv): Promise<boolean> {
  for (const prefix of ["tokens", "sites", "users", "projects"]) {
    for await (const _ of kv.list({ prefix: [prefix] }, { limit: 1 })) return false;
  }
  return true;
}

const stem = (path: string) => basename(path).replace(/\.[a-z0-9]+$/i, "");

function assertFile(path: string): void {
  if (isFile(path)) return;
  throw refusal(
    `KV_PATH: ${
      nameOf(path)
    } is no file; a store elsewhere is backed up to a file that ends in .ndjson and put back from ` +
      "one, or moved by deno task admin store copy",
  );
}
