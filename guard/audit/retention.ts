/** The audit's retention: once a day what is too old is dropped, or an operator is waited for; either leaves a row. */
import { GatewayError } from "../../core/errors.ts";
import type { RetentionWait } from "../../core/model.ts";
import { type Actor, adminRow, OPERATOR } from "./admin_row.ts";
import type { Jobs } from "../jobs.ts";
import {
  judgeRetention,
  type RetentionReport,
  type RetentionState,
  type RetentionVerdict,
  waitMessage,
} from "../../rules/retention.ts";
import type { AuditAge, AuditAmount, RetentionRecord, Store } from "../../store/store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A day's run is due from two o'clock on, UTC. */
const DUE_MS = 2 * 60 * 60 * 1000;
const LEASE_MS = 10 * 60 * 1000;
const TOOL = "audit.retain";

/** Who a row of retention is by. */
const CLOCK: Actor = { token_id: "gateway", token_name: "retention", owner_user_id: null };

/** What retention depends on. */
export interface RetentionPorts {
  readonly store: Pick<Store, "audit" | "leases">;
  /** How many days are kept. */
  readonly days: number;
  now(): number;
  /** A new ULID. */
  newId(): string;
  /** Runs it so that a failure ends nothing. */
  readonly jobs: Pick<Jobs, "run">;
  log(event: Record<string, unknown>): void;
}

/** Takes the lease of a run anew; false where another instance has it by now. */
type Renew = () => Promise<boolean>;

/** A run's times and what is known of the log. */
interface Run {
  readonly now: number;
  readonly before: number;
  readonly record: RetentionRecord;
  readonly age: AuditAge;
  readonly verdict: RetentionVerdict;
}

/** The retention of one gateway; of several instances on one store one works at a time. */
export class Retention {
  readonly #ports: RetentionPorts;

  constructor(ports: RetentionPorts) {
    this.#ports = ports;
  }

  /** The day's run, unless it was done; a failure is logged, and the next call tries again. */
  async run(): Promise<void> {
    await this.#ports.jobs.run("audit retention", () => this.#alone((renew) => this.#daily(renew)));
  }

  /** How far it has come. */
  async state(): Promise<RetentionState> {
    const { days } = this.#ports;
    const { horizon, ran_at, waiting } = await this.#ports.store.audit.retention();
    return {
      days,
      horizon: iso(horizon),
      ran_at: iso(ran_at),
      waiting: waiting && { ...waiting, since: new Date(waiting.since).toISOString() },
    };
  }

  /** What would go now; changes nothing. */
  async preview(): Promise<RetentionReport> {
    const run = await this.#begin();
    return this.#report(run, await this.#ports.store.audit.amount(new Date(run.before)), null);
  }

  /** Drops everything that is due, whatever it waited for. Throws E_RATE_LIMITED while a run is under way. */
  async confirm(): Promise<RetentionReport> {
    let report: RetentionReport | undefined;
    await this.#alone(async (renew) => {
      const run = await this.#begin();
      let dropped = { segments: 0, entries: 0 };
      if (run.verdict.act === "keep") await this.#settle(run, run.verdict.horizon);
      else dropped = await this.#drop(OPERATOR, run, renew, run.before);
      report = this.#report(run, dropped, dropped);
    });
    if (report) return report;
    throw new GatewayError("E_RATE_LIMITED", "Retention is at work already; look again in a minute", {
      retryAfter: 60,
    });
  }

  async #alone(work: (renew: Renew) => Promise<void>): Promise<boolean> {
    return await this.#ports.store.leases.hold("audit-retention", LEASE_MS, work);
  }

  async #begin(): Promise<Run> {
    const { store: { audit }, days, now: clock } = this.#ports;
    const now = clock();
    const before = now - days * DAY_MS;
    const [record, age] = await Promise.all([audit.retention(), audit.age(new Date(before))]);
    const verdict = judgeRetention({ before, days, last: record, age });
    return { now, before, record, age, verdict };
  }

  async #daily(renew: Renew): Promise<void> {
    const run = await this.#begin();
    const { record, before, now, verdict } = run;
    if (record.ran_at !== null && dayOf(record.ran_at) === dayOf(now)) return;
    // A drop that was cut off was judged when it began; what the clock no longer calls too old is spared all the same.
    const left = Math.min(record.dropping ?? -Infinity, before);
    if (left > (record.horizon ?? -Infinity)) {
      await this.#drop(CLOCK, run, renew, left);
    } else if (verdict.act === "wait") {
      await this.#wait(run, verdict.reason);
    } else if (verdict.act === "drop") {
      await this.#drop(CLOCK, run, renew, before, verdict.horizon);
    } else {
      await this.#settle(run, verdict.horizon);
    }
  }

  /** Drops what was written before that time. The horizon moves when all of it is gone and its row is written. */
  async #drop(
    by: Actor,
    run: Run,
    renew: Renew,
    before: number,
    horizon: number = before,
  ): Promise<AuditAmount> {
    const { store: { audit }, newId, log } = this.#ports;
    const what = { before: iso(before), horizon: iso(run.record.horizon) };
    const row = adminRow(newId(), by, run.now, TOOL, what);
    await audit.append({ ...row, status: "started" });
    await audit.setRetention({ dropping: before });
    let dropped: AuditAmount;
    try {
      dropped = await audit.retain(new Date(before), renew);
    } catch (fault) {
      await audit.append({ ...row, status: "error", error: "E_INTERNAL", duration_ms: this.#since(run) });
      throw fault;
    }
    await audit.append({ ...row, arguments: { ...what, ...dropped }, duration_ms: this.#since(run) });
    await this.#settle(run, horizon);
    log({ event: "audit_retention", ...what, ...dropped });
    return dropped;
  }

  async #settle({ now }: Run, horizon: number | null): Promise<void> {
    const { store: { audit }, days } = this.#ports;
    await audit.setRetention({ horizon, days, dropping: null, waiting: null, ran_at: now });
  }

  async #wait(run: Run, reason: RetentionWait): Promise<void> {
    const { store: { audit }, newId, log } = this.#ports;
    const { now, before, record, age } = run;
    const message = this.#message(reason, run);
    const what = {
      reason,
      message,
      before: iso(before),
      horizon: iso(record.horizon),
      oldest: iso(age.oldest),
      newest: iso(age.newest),
    };
    log({ event: "audit_retention_waits", ...what });
    await audit.append({
      ...adminRow(newId(), CLOCK, now, TOOL, what),
      status: "needs_confirmation",
      duration_ms: this.#since(run),
    });
    await audit.setRetention({
      waiting: { reason, message, since: record.waiting?.since ?? now },
      ran_at: now,
    });
  }

  #report(run: Run, amount: AuditAmount, dropped: AuditAmount | null): RetentionReport {
    const { now, before, age, verdict } = run;
    const due = age.newest !== null;
    return {
      clock: new Date(now).toISOString(),
      before: new Date(before).toISOString(),
      due: { ...amount, oldest: due ? iso(age.oldest) : null, newest: iso(age.newest) },
      waiting: verdict.act === "wait"
        ? { reason: verdict.reason, message: this.#message(verdict.reason, run) }
        : null,
      dropped,
    };
  }

  #message(reason: RetentionWait, { now, record, age }: Run): string {
    const { days } = this.#ports;
    return waitMessage(reason, { now, days, last: record, oldest: age.oldest ?? 0, newest: age.newest ?? 0 });
  }

  #since({ now }: Run): number {
    return Math.max(0, this.#ports.now() - now);
  }
}

/** The day a run belongs to. */
const dayOf = (ms: number) => Math.floor((ms - DUE_MS) / DAY_MS);

const iso = (ms: number | null) => ms === null ? null : new Date(ms).toISOString();
