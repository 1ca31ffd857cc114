/** Preview branches: one per token and site. */
import { AGAIN, checkKeyPart, type Database, untilSettled } from "./database.ts";
import type { PreviewStore } from "./store.ts";

const recordKey = (token_id: string, site_id: string) => ["previews", token_id, site_id];

/** The PreviewStore of a database. */
export class Previews implements PreviewStore {
  constructor(readonly db: Database) {}

  async get(token_id: string, site_id: string): Promise<string | null> {
    return (await this.db.kv.get<string>(recordKey(token_id, site_id))).value;
  }

  async claim(token_id: string, site_id: string, branch: string): Promise<string> {
    checkKeyPart("branch", branch);
    const key = recordKey(token_id, site_id);
    return await untilSettled(async () => {
      const { ok } = await this.db.kv.atomic().check({ key, versionstamp: null }).set(key, branch).commit();
      return ok ? branch : await this.get(token_id, site_id) ?? AGAIN;
    });
  }

  async forget(token_id: string, site_id: string): Promise<string | null> {
    const key = recordKey(token_id, site_id);
    return await untilSettled(async () => {
      const standing = await this.db.kv.get<string>(key);
      if (standing.value === null) return null;
      const { ok } = await this.db.kv.atomic().check(standing).delete(key).commit();
      return ok ? standing.value : AGAIN;
    });
  }
}
