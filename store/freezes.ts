/** Freezes of sites, of the sites of a project, and of all. */
import type { Freeze, FreezePlace, Site } from "../core/model.ts";
import { ListCache, type Version } from "./cache.ts";
import { recordOf } from "./damage.ts";
import { AGAIN, checkKeyPart, checkSize, type Database, listRecords, untilSettled } from "./database.ts";
import type { Awaitable } from "../core/async.ts";
import type { FreezeStore } from "./store.ts";

const recordKey = ({ scope, id }: FreezePlace) => ["freezes", scope, id];

/** The FreezeStore of a database. */
export class Freezes implements FreezeStore {
  readonly #all: ListCache<Freeze>;

  /** `version` is that of sites: who looks at a site sees its freezes as fresh. */
  constructor(private readonly db: Database, private readonly version: Version) {
    this.#all = new ListCache(version, () => listRecords<Freeze>(db.kv, "freezes"));
  }

  of(site: Pick<Site, "id" | "project_id">): Awaitable<Freeze | null> {
    const all = this.list();
    return all instanceof Promise ? all.then((list) => holding(list, site)) : holding(all, site);
  }

  list(): Awaitable<readonly Freeze[]> {
    return this.#all.get();
  }

  async set(given: Omit<Freeze, "since">): Promise<Freeze | null> {
    checkKeyPart("id", given.id);
    const freeze: Freeze = { ...given, since: this.db.timestamp() };
    checkSize(freeze);
    const key = recordKey(freeze);
    const change = this.db.kv.atomic().check({ key, versionstamp: null }).set(key, freeze);
    return await this.version.commit(change) ? freeze : null;
  }

  async lift(place: FreezePlace): Promise<Freeze | null> {
    const key = recordKey(place);
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Freeze>(key);
      const freeze = recordOf(entry);
      if (freeze === null) return null;
      return await this.version.commit(this.db.kv.atomic().check(entry).delete(key)) ? freeze : AGAIN;
    });
  }
}

/** The widest one. */
function holding(
  list: readonly Freeze[],
  { id, project_id }: Pick<Site, "id" | "project_id">,
): Freeze | null {
  if (list.length === 0) return null;
  return list.find(({ scope }) => scope === "all") ??
    list.find((one) => one.scope === "project" && one.id === project_id) ??
    list.find((one) => one.scope === "site" && one.id === id) ?? null;
}
