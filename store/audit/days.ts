/** Calls of each day, counted as they are packed: a page shows two weeks without reading a row of them. */
import { type Bundle, bundleKey, type CallCount, DAY_MS, isBundle, LAST_ID } from "./bundle.ts";
import { firstIdAt, parseRow, parseSegment, segmentKey, timeOfId } from "./segment.ts";
import type { AuditRow } from "../../core/model.ts";
import type { DayCount } from "./types.ts";
import type { Database } from "../database.ts";

/** Bundles that are read at once: a busy day has some dozens. */
const BUNDLES_AT_ONCE = 500;
/** Segments that are not packed, of which no more are looked at; as many make a bundle. */
const UNPACKED_MAX = 1024;
const SEGMENTS_AT_ONCE = 64;

/** Whether an entry tells of a call that has ended: an intent has not, and what was found of one in doubt is no call. */
const isCall = ({ status, door, tier, resolution }: AuditRow): boolean =>
  status !== "started" && resolution === undefined && (door !== "admin" || typeof tier === "number");

const isRefused = ({ status }: AuditRow): boolean => status === "denied" || status === "risk_capped";

/** Counts the calls of some rows on top of what was counted. */
export function countCalls(
  { calls, refused }: CallCount,
  rows: readonly (AuditRow | null)[],
): CallCount {
  for (const row of rows) {
    if (row === null || !isCall(row)) continue;
    calls++;
    if (isRefused(row)) refused++;
  }
  return { calls, refused };
}

/** Reads the counts; what cannot change any more is kept, for each process. */
export class AuditDays {
  readonly #over = new Map<string, DayCount>();

  constructor(private readonly db: Database) {}

  /** The last `count` days up to that moment, oldest first. */
  async counts(now: number, count: number): Promise<DayCount[]> {
    const today = Math.floor(now / DAY_MS);
    const days = Array.from({ length: count }, (_, at) => today - count + 1 + at);
    const asked = days.filter((day) => !this.#over.has(nameOf(day)));
    const read = await this.#read(asked[0]!);
    for (const day of this.#over.keys()) if (day < nameOf(days[0]!)) this.#over.delete(day);
    return days.map((day) => {
      const name = nameOf(day);
      const found = this.#over.get(name) ?? { day: name, calls: 0, refused: 0, ...read.get(name) };
      // A day that has been over for one more has nothing left to pack.
      if (day < today - 1) this.#over.set(name, found);
      return found;
    });
  }

  async #read(first: number): Promise<ReadonlyMap<string, Omit<DayCount, "day">>> {
    const { kv } = this.db;
    const start = firstIdAt(first * DAY_MS);
    const found = new Map<string, { calls: number | null; refused: number | null }>();
    const add = (id: string, more: CallCount | undefined) => {
      const day = nameOf(Math.floor(timeOfId(id) / DAY_MS));
      const { calls, refused } = found.get(day) ?? { calls: 0, refused: 0 };
      const sum = (one: number | null, other: number | undefined) =>
        one === null || other === undefined ? null : one + other;
      found.set(day, { calls: sum(calls, more?.calls), refused: sum(refused, more?.refused) });
    };
    // Before the bundles: what is packed meanwhile is counted twice rather than not at all, and right at the next look.
    let unpacked = 0;
    const segments = { start: segmentKey(start), end: segmentKey(LAST_ID) };
    for await (const { key, value } of kv.list(segments, { batchSize: SEGMENTS_AT_ONCE })) {
      if (++unpacked > UNPACKED_MAX) break;
      add(
        String(key[2]),
        countCalls({ calls: 0, refused: 0 }, parseSegment(value)?.lines.map(parseRow) ?? []),
      );
    }
    const bundles = { start: bundleKey(start), end: bundleKey(LAST_ID) };
    for await (const { key, value } of kv.list<Bundle>(bundles, { batchSize: BUNDLES_AT_ONCE })) {
      if (isBundle(value)) add(String(key[2]), value.calls);
    }
    return found;
  }
}

const nameOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
