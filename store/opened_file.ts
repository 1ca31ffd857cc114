/** The file of a store that is open: whether what is written still reaches its name. */
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

/** The file that a store was opened at, with those that SQLite keeps beside it. */
export class OpenedFile {
  readonly #isQuick: boolean;

  private constructor(private readonly opened: ReadonlyMap<string, Identity>) {
    this.#isQuick = [...opened.values()].every(isOnDisk);
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
    return opened.has(path) ? new OpenedFile(opened) : null;
  }

  /** Throws a LostFile, or rejects with one, where a file was removed, or its name is that of another file. */
  check(): void | Promise<void> {
    if (!this.#isQuick) return this.#checkSlowly();
    for (const [path, opened] of this.opened) assertSame(path, opened, identitySync(path));
  }

  async #checkSlowly(): Promise<void> {
    await Promise.all(
      [...this.opened].map(async ([path, opened]) => assertSame(path, opened, await identity(path))),
    );
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
