/** Projects: the sites of one client. */
import type { Project } from "../core/model.ts";
import { ListCache, RecordCache, type Version } from "./cache.ts";
import { recordOf } from "./damage.ts";
import { AGAIN, checkKeyPart, checkSize, type Database, listRecords, untilSettled } from "./database.ts";
import type { Awaitable } from "../core/async.ts";
import type { ProjectPatch, ProjectStore } from "./store.ts";

const recordKey = (id: string) => ["projects", id];

/** The ProjectStore of a database. */
export class Projects implements ProjectStore {
  readonly #byId: RecordCache<Project>;
  readonly #all: ListCache<Project>;

  constructor(private readonly db: Database, private readonly version: Version) {
    this.#byId = new RecordCache(version, async (id) => recordOf(await db.kv.get<Project>(recordKey(id))));
    this.#all = new ListCache(version, () => listRecords<Project>(db.kv, "projects"));
  }

  async create({ id, name, confirm_policy }: Omit<Project, "created_at">): Promise<Project | null> {
    checkKeyPart("id", id);
    const asked = confirm_policy === undefined ? {} : { confirm_policy };
    const project: Project = { id, name, ...asked, created_at: this.db.timestamp() };
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

  async update(id: string, { name, confirm_policy }: ProjectPatch): Promise<Project | null> {
    return await untilSettled(async () => {
      const entry = await this.db.kv.get<Project>(recordKey(id));
      const stored = recordOf(entry);
      if (stored === null) return null;
      const project: Project = {
        ...stored,
        ...name !== undefined && { name },
        ...confirm_policy !== undefined && { confirm_policy },
      };
      checkSize(project);
      const change = this.db.kv.atomic().check(entry).set(recordKey(id), project);
      return await this.version.commit(change) ? project : AGAIN;
    });
  }
}
