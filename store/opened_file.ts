/** The file of a store that is open: whether what is written still reaches its name. */
import { GatewayError } from "../core/errors.ts";
import { isFile } from "./opening.ts";

type Identity = Pick<Deno.FileInfo, "dev" | "ino">;

/** The file that a store was opened at. */
export class OpenedFile {
  private constructor(private readonly path: string, private readonly opened: Identity) {}

  /** The file as it is now; null for a store that is no file of this machine. */
  static async at(path: string | undefined): Promise<OpenedFile | null> {
    const opened = isFile(path) ? await identity(path) : null;
    return opened === null ? null : new OpenedFile(path!, opened);
  }

  /**
   * Throws E_INTERNAL where the file was removed, or another stands under its name: the store goes on in a file that
   * nobody finds again (SQLite's own check, too, compares the inode).
   */
  async check(): Promise<void> {
    const now = await identity(this.path);
    if (now !== null && now.ino === this.opened.ino && now.dev === this.opened.dev) return;
    throw new GatewayError(
      "E_INTERNAL",
      `KV_PATH: "${this.path}" was ${
        now === null ? "removed" : "replaced"
      } while the gateway has it open, and what is ` +
        "kept since is lost when the gateway stops; stop it, and put back a copy (deno task admin store restore)",
    );
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
