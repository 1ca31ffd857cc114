/** The file of a store that is open: whether what is written still reaches its name. */
import { isFile } from "./engines.ts";

type Identity = Pick<Deno.FileInfo, "dev" | "ino">;

/** Files beside it that SQLite keeps what was written last in, for as long as anybody has the store open. */
const BESIDE = ["", "-wal", "-shm"];

/** What is written goes on into a file that nobody finds again. */
export class LostFile extends Error {
  override readonly name = "LostFile";
}

/** The file that a store was opened at, with those that SQLite keeps beside it. */
export class OpenedFile {
  private constructor(private readonly opened: ReadonlyMap<string, Identity>) {}

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

  /** Throws a LostFile where a file was removed, or its name is that of another file. */
  async check(): Promise<void> {
    for (const [path, opened] of this.opened) {
      const now = await identity(path);
      if (now !== null && now.ino === opened.ino && now.dev === opened.dev) continue;
      throw new LostFile(
        `KV_PATH: "${path}" was ${
          now === null ? "removed" : "replaced"
        } while the gateway has it open, so nothing is ` +
          "kept from now on and calls are refused; put that very file back, or stop the gateway and put back a copy " +
          "(deno task admin store restore)",
      );
    }
  }
}

/** null where nothing is there; elsewhere what cannot be looked at rejects. */
async function identity(path: string): Promise<Identity | null> {
  try {
    const { dev, ino } = await Deno.stat(path);
    return { dev, ino };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
