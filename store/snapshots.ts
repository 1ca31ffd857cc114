/** Snapshots: what is kept of a site for each day, unique by connector, site and day. */
import type { Snapshot, SnapshotRun } from "../core/model.ts";
import { AGAIN, checkSize, type Database, untilSettled } from "./database.ts";
import type { SnapshotStore } from "./store.ts";
import { readMany } from "./store_timeout.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Sorts behind every day, for the end of a range that includes its last. */
const AFTER = "~";

const recordKey = (connector: string, site_id: string, date: string) => [
  "snapshots",
  connector,
  site_id,
  date,
];
const runKey = ({ connector, date, id }: SnapshotRun) => ["snapshot_runs", connector, date, id];

/** The SnapshotStore of a database. */
export class Snapshots implements SnapshotStore {
  constructor(private readonly db: Database) {}

  async put(
    connector: string,
    snapshot: Snapshot,
    days: number,
    isWrong: (standing: Snapshot) => boolean = () => false,
  ): Promise<boolean> {
    checkSize(snapshot);
    const key = recordKey(connector, snapshot.site_id, snapshot.date);
    return await untilSettled(async () => {
      const standing = await this.db.kv.get<Snapshot>(key);
      const { value } = standing;
      if (value !== null && value.status !== "failed" && !isWrong(value)) return false;
      const change = this.db.kv.atomic().check(standing).set(key, snapshot, { expireIn: days * DAY_MS });
      return (await this.db.commit(change)).ok ? true : AGAIN;
    });
  }

  async list(connector: string, site_id: string, first: string, last: string): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    const start = recordKey(connector, site_id, first);
    const end = recordKey(connector, site_id, last + AFTER);
    for await (const { value } of this.db.kv.list<Snapshot>({ start, end }, { batchSize: 500 })) {
      found.push(value);
    }
    return found;
  }

  async before(connector: string, site_id: string, date: string): Promise<Snapshot | null> {
    const range = { start: recordKey(connector, site_id, ""), end: recordKey(connector, site_id, date) };
    for await (const { value } of this.db.kv.list<Snapshot>(range, { reverse: true, limit: 1 })) return value;
    return null;
  }

  async ofDay(
    connector: string,
    date: string,
    site_ids: readonly string[],
  ): Promise<ReadonlyMap<string, Snapshot>> {
    const found = new Map<string, Snapshot>();
    const keys = site_ids.map((id) => recordKey(connector, id, date));
    for (const { value } of await readMany<Snapshot>(this.db.kv, keys)) {
      if (value !== null) found.set(value.site_id, value);
    }
    return found;
  }

  async putRun(run: SnapshotRun, days: number): Promise<void> {
    await this.db.commit(this.db.kv.atomic().set(runKey(run), run, { expireIn: days * DAY_MS }));
  }

  async runs(connector: string, first: string, last: string): Promise<SnapshotRun[]> {
    const found: SnapshotRun[] = [];
    const start = ["snapshot_runs", connector, first];
    const end = ["snapshot_runs", connector, last + AFTER];
    for await (const { value } of this.db.kv.list<SnapshotRun>({ start, end }, { batchSize: 500 })) {
      found.push(value);
    }
    return found;
  }
}
