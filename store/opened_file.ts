/** The file of a store that is open: whether what is written still reaches its name. */
import { dirname } from "node:path";
import { isFile } from "./engines.ts";

type Identity = Pick<Deno.FileInfo, "dev" | "ino">;

/** Files beside it that SQLite keeps what was written last in, for as long as anybody has the store open. */
const BESIDE = ["", "-wal", "-shm"];

/** What is written goes on into a file that nobody finds again. */
export class LostFile extends Error {
  override readonly name = "LostFile";
}

/** Device numbers of Linux have twelve bits of the kind of device above eight of which one it is; what is no disk has kind 0. */
const [MINOR_VALUES, MAJOR_VALUES] = [256, 4096];

/**
 * Whether a file is on a disk of this machine: then its name is looked up in memory, whatever its disk does, and not worth
 * another thread. A network drive that is gone answers no look at all.
 */
const isOnDisk = ({ dev }: Identity): boolean =>
  Deno.build.os === "linux" && Math.floor(dev / MINOR_VALUES) % MAJOR_VALUES > 0;

/** A folder of that time has the names that it had at that time: each name that comes, goes or changes sets it anew. */
type Folder = Identity & { readonly changed: number };

/** A folder that was changed so shortly ago may be changed again and show the same time. */
const SETTLED_MS = 2000;
/** What no folder tells, such as another file mounted over one, is looked for at least so often. */
const LOOKED_MS = 1000;

/** The file that a store was opened at, with those that SQLite keeps beside it. */
export class OpenedFile {
  readonly #isQuick: boolean;
  readonly #folder: string | null;
  /** The folder as it was when every file in it was last found to be the same; null while it cannot be told by its time. */
  #same: Folder | null = null;
  #looked = -Infinity;

  /** `folder` is that of all three; null where it does not tell what becomes of them. */
  private constructor(private readonly opened: ReadonlyMap<string, Identity>, folder: string | null) {
    this.#isQuick = [...opened.values()].every(isOnDisk);
    this.#folder = folder;
  }

  /** The file as it is now; null for a store that is no file of this machine. */
  static async at(path: string | undefined): Promise<OpenedFile | null> {
    if (!isFile(path)) return null;
    const opened = new Map<string, Identity>();
    for (const one of BESIDE.map((end) => `${path}${end}`)) {
      const found = await identity(one).catch((error) => {
        if (one === path) throw error;
        return null; // whoever may read the file alone cannot tell
      });
      if (found !== null) opened.set(one, found);
    }
    if (!opened.has(path)) return null;
    return new OpenedFile(opened, await folderOf([...opened.keys()]));
  }

  /** Throws a LostFile, or rejects with one, where a file was removed, or its name is that of another file. */
  check(): void | Promise<void> {
    if (!this.#isQuick) return this.#checkSlowly();
    const folder = this.#folder === null ? null : folderSync(this.#folder);
    const now = performance.now();
    if (isSameFolder(this.#same, folder) && now - this.#looked < LOOKED_MS) return;
    this.#same = null;
    for (const [path, opened] of this.opened) assertSame(path, opened, identitySync(path));
    if (folder !== null && Date.now() - folder.changed > SETTLED_MS) this.#same = folder;
    this.#looked = now;
  }

  async #checkSlowly(): Promise<void> {
    await Promise.all(
      [...this.opened].map(async ([path, opened]) => assertSame(path, opened, await identity(path))),
    );
  }
}

/** The folder of files beside each other; null where one is a link, or the folder may not be looked at. */
async function folderOf(paths: readonly string[]): Promise<string | null> {
  const folder = dirname(paths[0]!);
  try {
    const found = await Promise.all([folder, ...paths].map((path) => Deno.lstat(path)));
    return found.some(({ isSymlink }) => isSymlink) ? null : folder;
  } catch {
    return null; // as for a process that may read these files alone
  }
}

function isSameFolder(one: Folder | null, other: Folder | null): boolean {
  return one !== null && other !== null && one.changed === other.changed && one.ino === other.ino &&
    one.dev === other.dev;
}

/** null where it is gone, or says no time. */
function folderSync(path: string): Folder | null {
  try {
    const { dev, ino, mtime } = Deno.statSync(path);
    return mtime === null ? null : { dev, ino, changed: mtime.getTime() };
  } catch (error) {
    return absent(error);
  }
}

function assertSame(path: string, opened: Identity, now: Identity | null): void {
  if (now !== null && now.ino === opened.ino && now.dev === opened.dev) return;
  const what = now === null ? "removed" : "replaced";
  throw new LostFile(
    `KV_PATH: "${path}" was ${what} while the gateway has it open, so nothing is kept from now on and calls are ` +
      "refused; put that very file back, or stop the gateway and put back a copy (deno task admin store restore)",
  );
}

/** null where nothing is there; elsewhere what cannot be looked at rejects. */
async function identity(path: string): Promise<Identity | null> {
  try {
    const { dev, ino } = await Deno.stat(path);
    return { dev, ino };
  } catch (error) {
    return absent(error);
  }
}

function identitySync(path: string): Identity | null {
  try {
    return Deno.statSync(path);
  } catch (error) {
    return absent(error);
  }
}

function absent(error: unknown): null {
  if (error instanceof Deno.errors.NotFound) return null;
  throw error;
}
