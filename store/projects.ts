/** Projects: the sites of one client. */
import type { Project } from "../core/model.ts";
import { ListCache, RecordCache, type Version } from "./cache.ts";
import { recordOf } from "./damage.ts";
import { checkKeyPart, checkSize, type Database, listRecords } from "./database.ts";
import type { Awaitable } from "../core/async.ts";
import type { ProjectStore } from "./store.ts";

const recordKey = (id: string) => ["projects", id];

/** The ProjectStore of a database. */
export class Projects implements ProjectStore {
  readonly #byId: RecordCache<Project>;
  readonly #all: ListCache<Project>;

  constructor(private readonly db: Database, private readonly version: Version) {
    this.#byId = new RecordCache(version, async (id) => recordOf(await db.kv.get<Project>(recordKey(id))));
    this.#all = new ListCache(version, () => listRecords<Project>(db.kv, "projects"));
  }

  async create(input: { id: string; name: string }): Promise<Project | null> {
    checkKeyPart("id", input.id);
    const project: Project = { id: input.id, name: input.name, created_at: this.db.timestamp() };
    checkSize(project);
    const change = this.db.kv.atomic()
      .check({ key: recordKey(project.id), versionstamp: null })
      .set(recordKey(project.id), project);
    return await this.version.commit(change) ? project : null;
  }

  get(id: string): Awaitable<Project | null> {
    return this.#byId.get(id);
  }

  list(): Awaitable<readonly Project[]> {
    return this.#all.get();
  }
}
