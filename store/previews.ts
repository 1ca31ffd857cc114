/** Preview branches: one per token and site. */
import { AGAIN, checkKeyPart, type Database, untilSettled } from "./database.ts";
import type { PreviewStore } from "./store.ts";

const recordKey = (token_id: string, site_id: string) => ["previews", token_id, site_id];
const nameKey = (branch: string) => ["preview_names", branch];
/** As long as a name may be claimed that no branch has yet; after that the branch itself says that it is taken. */
const NAME_MS = 10 * 60_000;

/** The PreviewStore of a database. */
export class Previews implements PreviewStore {
  constructor(private readonly db: Database) {}

  async list() {
    const found = [];
    for await (const { key, value: branch } of this.db.kv.list<string>({ prefix: ["previews"] })) {
      const [, token_id, site_id] = key as readonly string[];
      found.push({ token_id: token_id!, site_id: site_id!, branch });
    }
    return found;
  }

  async get(token_id: string, site_id: string): Promise<string | null> {
    return (await this.db.kv.get<string>(recordKey(token_id, site_id))).value;
  }

  async claim(token_id: string, site_id: string, branch: string): Promise<string | null> {
    checkKeyPart("branch", branch);
    const { kv } = this.db;
    const [key, name] = [recordKey(token_id, site_id), nameKey(branch)];
    const holder = `${token_id} ${site_id}`;
    return await untilSettled(async () => {
      const [standing, held] = await kv.getMany<[string, string]>([key, name]);
      if (standing.value !== null) return standing.value;
      if ((held.value ?? holder) !== holder) return null;
      const change = kv.atomic().check(standing, held).set(key, branch).set(name, holder, {
        expireIn: NAME_MS,
      });
      return (await this.db.commit(change)).ok ? branch : AGAIN;
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
