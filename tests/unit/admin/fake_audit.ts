/** An audit in memory whose rows a test puts there, with whatever id and time. */
import type { AuditRow } from "../../../core/model.ts";
import { pathsOf } from "../../../store/audit/segment.ts";
import type { AuditQuery, AuditStore } from "../../../store/store.ts";

function matching(rows: readonly AuditRow[], query: AuditQuery): AuditRow[] {
  const { from, to, path, ...equal } = query;
  return rows.filter((row) =>
    (from === undefined || row.at >= from) && (to === undefined || row.at < to) &&
    (path === undefined || pathsOf(row).includes(path)) &&
    Object.entries(equal).every(([key, value]) => value === undefined || row[key as keyof AuditRow] === value)
  );
}

/** An audit of these rows, oldest first. */
export function fakeAudit(rows: AuditRow[]): AuditStore {
  return {
    waiting: { rows: 0, oldest_ms: 0 },
    append(row) {
      rows.push(row);
      return Promise.resolve();
    },
    list(query, { limit, cursor }) {
      const all = matching(rows, query).reverse();
      const at = Number(cursor ?? 0);
      const next_cursor = at + limit < all.length ? String(at + limit) : null;
      return Promise.resolve({ rows: all.slice(at, at + limit), next_cursor });
    },
    async *export(query) {
      for (const row of matching(rows, query)) yield JSON.stringify(row);
    },
    async *open() {},
    unknown: () => Promise.resolve(null),
    resolution: () => Promise.resolve(null),
    settle: () => Promise.resolve(false),
    doubts: () => Promise.resolve({ unknown: 0, open: 0 }),
    days: () => Promise.resolve([]),
    verify: () => Promise.resolve({ ok: true, writers: 1, segments: 1, rows: rows.length, faults: [] }),
    retain: () => Promise.resolve({ segments: 0, entries: 0 }),
    amount: () => Promise.resolve({ segments: 0, entries: 0 }),
    age: () => Promise.resolve({ oldest: null, newest: null, dropped: null }),
    retention: () =>
      Promise.resolve({ horizon: null, days: null, dropping: null, waiting: null, ran_at: null }),
    setRetention: () => Promise.resolve(),
    flush: () => Promise.resolve(),
  };
}
