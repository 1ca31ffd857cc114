/** Writes nobody knows the outcome of: found each minute, counted at boot, and resolved by an operator. */
import { GatewayError } from "../../core/errors.ts";
import { type AuditRow, LIMITS, type Outcome, type Resolution } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import type { Beside } from "../../store/store.ts";
import type { Jobs } from "../jobs.ts";
import { approvalDecided, type Tell, writeUnknown } from "../webhooks/tell.ts";

const LEASE = "audit-doubts";
const LEASE_MS = 60_000;

/** What an operator says of a row. */
export type Found = Pick<Resolution, "found" | "note">;

/** What it depends on. */
export interface DoubtPorts {
  readonly store: Pick<Store, "audit" | "leases" | "sets" | "approvals">;
  readonly tell: Tell;
  now(): number;
  /** Milliseconds that never go back. */
  elapsed(): number;
  /** Runs it so that a failure ends nothing. */
  readonly jobs: Pick<Jobs, "run">;
  log(event: Record<string, unknown>): void;
}

/** The doubts of one gateway; of several instances on one store one looks at a time. */
export class Doubts {
  readonly #ports: DoubtPorts;
  /** When a row was first seen whose deadline lies further ahead than any call may take: its clock was wrong, or ours is. */
  #ahead = new Map<string, number>();

  constructor(ports: DoubtPorts) {
    this.#ports = ports;
  }

  /** Gives writes that are well past their deadline the outcome `unknown`; a failure is logged. */
  async run(): Promise<void> {
    const { jobs, store: { leases } } = this.#ports;
    await jobs.run("audit doubts", () => leases.hold(LEASE, LEASE_MS, () => this.#sweep()));
  }

  /** To be called once at boot: looks, and says in one line how many there are; nothing where there is none. */
  async begin(): Promise<void> {
    await this.run();
    try {
      const { unknown, open } = await this.#ports.store.audit.doubts();
      if (unknown + open === 0) return;
      const see = "deno task admin audit tail --unknown";
      this.#ports.log({ event: "writes_in_doubt", unknown, open, see });
    } catch (fault) {
      this.#ports.log({ event: "doubts_failed", cause: String(fault) });
    }
  }

  /** Says what was found of a write whose outcome is unknown; answers its row. Throws E_NOT_FOUND where it is not. */
  async resolve(id: string, { found, note }: Found): Promise<AuditRow> {
    const { audit } = this.#ports.store;
    const doubtful = await audit.unknown(id);
    if (doubtful === null) throw known(id);
    const at = new Date(this.#ports.now()).toISOString();
    const resolution = { found, note, at, door: "admin", by: "master token" } as const;
    const row: AuditRow = { ...doubtful.row, outcome: found, resolution };
    if (!await audit.settle(doubtful, row)) throw known(id);
    return row;
  }

  async #sweep(): Promise<void> {
    const { audit } = this.#ports.store;
    const ahead = new Map<string, number>();
    for await (const found of audit.open()) {
      const { row } = found;
      // What an operator or the gateway itself began is no write to a site, unless it is a call of a tool.
      if (row.outcome !== undefined || (row.door === "admin" && row.tier === null)) continue;
      if (this.#isOver(row, ahead)) {
        const outcome = await this.#outcomeOf(row);
        await audit.settle(found, { ...row, outcome }, outcome === "unknown" ? await this.#told(row) : []);
      }
    }
    this.#ahead = ahead;
  }

  /** What tells of a write that nobody knows the end of, and of the request that a person approved it by. */
  async #told(row: AuditRow): Promise<readonly Beside[]> {
    const { store: { approvals }, tell } = this.#ports;
    const named = [row.site_id, row.target_site_id, ...(row.calls ?? []).map(({ site_id }) => site_id)];
    const told = await tell(writeUnknown(row, named.filter((id) => id != null)));
    const approval = row.approval_id === undefined ? null : await approvals.find(row.approval_id);
    if (approval?.state !== "approved" || approval.request_id !== row.id) return told;
    return [...told, ...await tell(approvalDecided({ ...approval, outcome: "unknown" }))];
  }

  /** A set's own row says whether that was begun, which its record knows: what was done is in the rows of its items. */
  async #outcomeOf({ set_id, item }: AuditRow): Promise<Outcome> {
    if (set_id === undefined || item !== undefined) return "unknown";
    // One that no key opens, or whose time is over, says nothing.
    const set = await this.#ports.store.sets.head(set_id).catch(() => null);
    if (set === null) return "unknown";
    return set.state === "prepared" ? "none" : "made";
  }

  #isOver(row: AuditRow, ahead: Map<string, number>): boolean {
    const { now, elapsed } = this.#ports;
    const deadline = Date.parse(row.deadline ?? "") || Date.parse(row.at) + LIMITS.CALL_DEADLINE_MS;
    const left = deadline - now();
    if (left <= LIMITS.CALL_DEADLINE_MS) return left <= -LIMITS.DOUBT_AFTER_MS;
    const since = this.#ahead.get(row.id) ?? elapsed();
    ahead.set(row.id, since);
    return elapsed() - since >= LIMITS.CALL_DEADLINE_MS + LIMITS.DOUBT_AFTER_MS;
  }
}

const known = (id: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `No row ${
      JSON.stringify(id.slice(0, 64))
    } has an unknown outcome: it is known by now, the write is within its ` +
      "time still, or there is no such row; audit tail --unknown lists those that have",
  );
