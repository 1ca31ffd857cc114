/** The newest rows of the audit that fit: read once, and after that only what is newer, however many rows there are. */
import type { AuditRow } from "../core/model.ts";
import type { AuditQuery, Store } from "../store/store.ts";

const ROWS_KEPT = 200;
/** As many are looked at for newer ones. */
const ROWS_NEWER = 10;
/** After that all are read anew, for rows are erased, too. */
const KEPT_MS = 60_000;

/** What it reads with. */
export interface RecentPorts {
  readonly store: Pick<Store, "audit">;
  now(): number;
}

/** The newest rows that fit a query. */
export class RecentRows {
  #rows: readonly AuditRow[] = [];
  #read_at = -Infinity;

  constructor(private readonly ports: RecentPorts, private readonly query: AuditQuery) {}

  /** The newest 200, newest first, as they are now. */
  async rows(): Promise<readonly AuditRow[]> {
    const { store: { audit }, now } = this.ports;
    const [newest] = this.#rows;
    if (newest !== undefined && Math.abs(now() - this.#read_at) < KEPT_MS) {
      const { rows } = await audit.list(this.query, { limit: ROWS_NEWER });
      const known = rows.findIndex(({ id }) => id === newest.id);
      // Another request may have found newer ones meanwhile.
      if (known >= 0 && this.#rows[0] === newest) {
        this.#rows = [...rows.slice(0, known), ...this.#rows].slice(0, ROWS_KEPT);
      }
      if (known >= 0) return this.#rows;
    }
    const { rows } = await audit.list(this.query, { limit: ROWS_KEPT });
    this.#read_at = now();
    return this.#rows = rows;
  }

  /** The newest row of each, by what `nameOf` says it is of. */
  async newest(nameOf: (row: AuditRow) => string | null): Promise<ReadonlyMap<string, AuditRow>> {
    const rows = await this.rows();
    return new Map(
      rows.toReversed().flatMap((row) => {
        const name = nameOf(row);
        return name === null ? [] : [[name, row] as const];
      }),
    );
  }
}

/** What pages say of late: calls that asked sites whether they answer, changes, and sign-ins. */
export interface Recent {
  readonly pings: RecentRows;
  readonly changes: RecentRows;
  readonly signIns: RecentRows;
}

/** Knows nothing yet. */
export const recentOf = (ports: RecentPorts): Recent => ({
  pings: new RecentRows(ports, { tool: "ping_site" }),
  changes: new RecentRows(ports, { outcome: "made" }),
  signIns: new RecentRows(ports, { tool: "session.sign_in", status: "ok" }),
});
