/** Preview branches: one per token and site. */
import { AGAIN, checkKeyPart, type Database, untilSettled } from "./database.ts";
import type { PreviewStore } from "./store.ts";

const recordKey = (token_id: string, site_id: string) => ["previews", token_id, site_id];

/** The PreviewStore of a database. */
export class Previews implements PreviewStore {
  constructor(private readonly db: Database) {}

  async get(token_id: string, site_id: string): Promise<string | null> {
    return (await this.db.kv.get<string>(recordKey(token_id, site_id))).value;
  }

  async claim(token_id: string, site_id: string, branch: string): Promise<string> {
    checkKeyPart("branch", branch);
    const key = recordKey(token_id, site_id);
    return await untilSettled(async () => {
      const unset = { key, versionstamp: null };
      const { ok } = await this.db.commit(this.db.kv.atomic().check(unset).set(key, branch));
      return ok ? branch : await this.get(token_id, site_id) ?? AGAIN;
    });
  }

  async forget(token_id: string, site_id: string, branch?: string): Promise<string | null> {
    const key = recordKey(token_id, site_id);
    return await untilSettled(async () => {
      const standing = await this.db.kv.get<string>(key);
      if (standing.value === null || standing.value !== (branch ?? standing.value)) return null;
      const { ok } = await this.db.commit(this.db.kv.atomic().check(standing).delete(key));
      return ok ? standing.value : AGAIN;
    });
  }
}
