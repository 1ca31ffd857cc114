/** Files with our mark that this service wrote into repositories, each by the last few names git gave their bytes. */
import { LIMITS } from "../core/model.ts";
import { AGAIN, type Database, untilSettled } from "./database.ts";
import type { ManagedFile, ManagedFileStore } from "./store.ts";
import { KEYS_READ_MAX } from "./store_timeout.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A host takes the names of owners and repositories in any case. */
const recordKey = (repo: string, path: string) => ["managed_files", repo.toLowerCase(), path];

/** The ManagedFileStore of a database. */
export class ManagedFiles implements ManagedFileStore {
  constructor(private readonly db: Database) {}

  async has(repo: string, { path, blob }: ManagedFile): Promise<boolean> {
    return (await this.db.kv.get<string[]>(recordKey(repo, path))).value?.includes(blob) ?? false;
  }

  async add(repo: string, files: readonly ManagedFile[]): Promise<void> {
    for (let at = 0; at < files.length; at += KEYS_READ_MAX) {
      await this.#add(repo, files.slice(at, at + KEYS_READ_MAX));
    }
  }

  async #add(repo: string, files: readonly ManagedFile[]): Promise<void> {
    const keys = files.map(({ path }) => recordKey(repo, path));
    await untilSettled(async () => {
      const standing = await this.db.kv.getMany<string[][]>(keys);
      const change = this.db.kv.atomic();
      for (const [at, { blob }] of files.entries()) {
        const { key, value } = standing[at]!;
        const others = (value ?? []).filter((one) => one !== blob);
        const blobs = [...others, blob].slice(-LIMITS.MANAGED_BLOBS_PER_FILE);
        change.check(standing[at]!).set(key, blobs, { expireIn: LIMITS.MANAGED_FILE_DAYS * DAY_MS });
      }
      return (await this.db.commit(change)).ok ? true : AGAIN;
    });
  }
}
