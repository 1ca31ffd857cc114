/** Remembers which files and databases have held a store, so that one that is gone is not taken for a first start. */
import { dirname, join, resolve } from "node:path";
import { sha256 } from "./database.ts";
import { isFile, nameOf } from "./engines.ts";
import { giveToFolder, makeFolder } from "./file_owner.ts";
import type { Numbers, Seen } from "./registered_kind.ts";

/** Where that is kept, from the folder the gateway is started in. */
export const KNOWN_STORES_PATH = "data/stores";

const NAME_CHARACTERS = 16;
/** The files that were opened last are remembered, this many. */
const KNOWN_MAX = 100;

/** Whether that file holds something, or has held a store; false where it is none of this machine's. */
export function hasStore(path: string): boolean {
  return [path, knownFile(KNOWN_STORES_PATH, path)].some((file) => {
    try {
      return Deno.statSync(file).size > 0;
    } catch {
      return false;
    }
  });
}

/** A database is remembered by its address without the password. */
const placeOf = (path: string) => isFile(path) ? resolve(path) : nameOf(path);
const knownFile = (folder: string, path: string) =>
  join(folder, sha256(placeOf(path)).slice(0, NAME_CHARACTERS));

/** A folder with one small file for each store that was opened: its place, and how far its registers had counted then. */
export class KnownStores {
  constructor(private readonly folder: string) {}

  /** Whether that file or database has held a store. */
  async has(path: string): Promise<boolean> {
    return await exists(this.#file(path));
  }

  /** How the store there was seen when that was remembered last; null where nobody did. */
  async seen(path: string): Promise<Seen | null> {
    const text = await Deno.readTextFile(this.#file(path)).catch(() => "");
    const [, numbers, at] = text.split("\n");
    try {
      return numbers ? { numbers: JSON.parse(numbers) as Numbers, put_back_at: Number(at) || 0 } : null;
    } catch {
      return null;
    }
  }

  /**
   * Remembers that it holds one, and how it was seen, if that is known; the newest stay. Rejects where
   * that cannot be written.
   */
  async add(path: string, seen?: Seen): Promise<void> {
    await makeFolder(this.folder);
    const text = [
      placeOf(path),
      ...seen === undefined ? [] : [JSON.stringify(seen.numbers), seen.put_back_at],
      "",
    ]
      .join("\n");
    await Deno.writeTextFile(this.#file(path), text, { mode: 0o600 });
    await giveToFolder(this.#file(path));
    const files = await this.#files();
    for (const { file } of files.slice(KNOWN_MAX)) await Deno.remove(file).catch(() => {});
  }

  /** Another file of the same folder that has held a store and is there; null for none. */
  async neighbour(path: string): Promise<string | null> {
    for (const { file } of await this.#files()) {
      const other = (await Deno.readTextFile(file).catch(() => "")).split("\n")[0]!.trim();
      const isBeside = dirname(other) === dirname(resolve(path)) && other !== resolve(path);
      if (isBeside && await exists(other)) return other;
    }
    return null;
  }

  #file(path: string): string {
    return knownFile(this.folder, path);
  }

  /** The newest first. */
  async #files(): Promise<{ file: string; at: number }[]> {
    const found: { file: string; at: number }[] = [];
    try {
      for await (const { name } of Deno.readDir(this.folder)) {
        const file = join(this.folder, name);
        const info = await Deno.stat(file).catch(() => null);
        if (info?.isFile) found.push({ file, at: info.mtime?.getTime() ?? 0 });
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return found.sort((a, b) => b.at - a.at);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false;
  }
}
