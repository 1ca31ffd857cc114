/** The figures of a gateway as text: what was counted, and what its store and its process are like now. */
import { ended } from "../core/async.ts";
import { type Gauge, gaugeLines, type Sample } from "../core/metrics.ts";
import { type JobReport, VERSION } from "../core/model.ts";
import { type Problem, READY_CHECKS } from "../rules/readiness.ts";
import type { Store } from "../store/store.ts";
import type { Figures } from "./figures.ts";

/** What was read of the store is told again for so long: some scrape each second, and there may be several. */
const KEPT_MS = 10_000;
/** How long a scrape waits for the store; what was read before is told then. */
const WAIT_MS = 2000;

/** What it depends on. */
export interface MetricsPorts {
  readonly figures: Pick<Figures, "lines">;
  readonly store: Pick<Store, "audit" | "accounts" | "approvals">;
  readonly readiness: { problems(): Promise<readonly Problem[]> };
  readonly jobs: { report(): readonly JobReport[] };
  now(): number;
  /** Milliseconds that never go back. */
  elapsed(): number;
}

/** What is read of the store. */
interface State {
  readonly unknown: number;
  readonly open: number;
  readonly waiting: number;
  readonly reconnects: ReadonlyMap<string, number>;
}

/** The text of one gateway's figures. */
export class MetricsText {
  readonly #startedAt: number;
  #state: State | null = null;
  /** null before it was looked at. */
  #problems: readonly Problem[] | null = null;
  #readAt = -Infinity;
  #reading: Promise<void> | null = null;

  constructor(private readonly ports: MetricsPorts) {
    this.#startedAt = ports.now();
  }

  /** All of it, in the text format of Prometheus. Answers within some seconds, and never throws. */
  async text(): Promise<string> {
    await this.refresh();
    return `${[...this.ports.figures.lines(), ...this.gauges().flatMap(gaugeLines)].join("\n")}\n`;
  }

  /** Looks at the gateway and its store, unless that was done a moment ago. Takes some seconds at most, and never throws. */
  async refresh(): Promise<void> {
    [this.#problems] = await Promise.all([this.ports.readiness.problems(), this.#refresh()]);
  }

  /** What the gateway was like when it was last looked at, and what its process is like now. */
  gauges(): readonly Gauge[] {
    return [readyGauge(this.#problems), ...this.#stateGauges(), ...this.#processGauges()];
  }

  async #refresh(): Promise<void> {
    if (this.#reading === null && this.ports.elapsed() - this.#readAt < KEPT_MS) return;
    this.#reading ??= this.#read().finally(() => this.#reading = null);
    await ended(this.#reading, WAIT_MS);
  }

  async #read(): Promise<void> {
    const { store: { audit, accounts, approvals }, elapsed } = this.ports;
    const [{ unknown, open }, waiting, connections] = await Promise.all([
      audit.doubts(),
      approvals.pending(),
      accounts.list(),
    ]);
    const reconnects = new Map<string, number>();
    for (const { kind, state } of connections) {
      reconnects.set(kind, (reconnects.get(kind) ?? 0) + (state === "reconnect" ? 1 : 0));
    }
    this.#state = { unknown, open, waiting: waiting.length, reconnects };
    this.#readAt = elapsed();
  }

  /** What the store holds, as it was read last; nothing of it where it was never read. */
  #stateGauges(): Gauge[] {
    const state = this.#state;
    const { rows, oldest_ms } = this.ports.store.audit.waiting;
    return [
      gauge(
        "gateway_writes_in_doubt",
        "Writes whose outcome nobody knows, and writes that are under way",
        ["state"],
        [
          [["unknown"], state?.unknown ?? null],
          [["under_way"], state?.open ?? null],
        ],
      ),
      gauge("gateway_approvals_waiting", "Requests that wait for a person", [], [[
        [],
        state?.waiting ?? null,
      ]]),
      gauge(
        "gateway_reconnects_needed",
        "Accounts of people at other services that must be connected again, by kind",
        ["kind"],
        [...state?.reconnects ?? []].map(([kind, count]) => [[kind], count] as const),
      ),
      gauge(
        "gateway_store_figures_age_seconds",
        "How old the figures are that were read of the store",
        [],
        [
          [[], state === null ? null : (this.ports.elapsed() - this.#readAt) / 1000],
        ],
      ),
      gauge("gateway_audit_rows_waiting", "Rows of the audit that are not committed yet", [], [[
        [],
        rows,
      ]]),
      gauge(
        "gateway_audit_lag_seconds",
        "How long the oldest row of the audit waits to be committed",
        [],
        [
          [[], oldest_ms / 1000],
        ],
      ),
    ];
  }

  #processGauges(): Gauge[] {
    const jobs = this.ports.jobs.report();
    const of = (value: (job: JobReport) => number | null) =>
      jobs.map((job): Sample => [[job.name], value(job)]);
    const { rss, heapUsed, heapTotal, external } = Deno.memoryUsage();
    return [
      gauge(
        "gateway_job_last_run_timestamp_seconds",
        "When a run of the job last began here",
        ["task"],
        of((job) => seconds(job.began_at)),
      ),
      gauge(
        "gateway_job_last_success_timestamp_seconds",
        "When a run of the job last went well here",
        ["task"],
        of(
          (job) => seconds(job.done_at),
        ),
      ),
      gauge(
        "gateway_job_failing",
        "1 where the last run of the job failed here",
        ["task"],
        of((job) => job.failing_since === null ? 0 : 1),
      ),
      gauge("gateway_memory_bytes", "Memory of the process, by what holds it", ["of"], [
        [["heap_used"], heapUsed],
        [["heap_total"], heapTotal],
        [["external"], external],
      ]),
      gauge("process_resident_memory_bytes", "Resident memory of the process", [], [[[], rss]]),
      gauge("process_start_time_seconds", "When the process began, in seconds since 1970", [], [
        [[], this.#startedAt / 1000],
      ]),
      gauge("gateway_build_info", "Always 1; the label says the version", ["version"], [[[VERSION], 1]]),
    ];
  }
}

// The label is "task": "job" is what Prometheus itself calls what it scrapes.
const gauge = (
  name: string,
  help: string,
  labels: readonly string[],
  samples: readonly Sample[],
): Gauge => ({ spec: { name, help, labels }, samples });

function readyGauge(problems: readonly Problem[] | null): Gauge {
  const wrong = new Set(problems?.map(({ check }) => check));
  return gauge(
    "gateway_ready",
    "1 where that check of /readyz is well, 0 where it keeps calls from being carried out",
    ["check"],
    problems === null ? [] : READY_CHECKS.map((check) => [[check], wrong.has(check) ? 0 : 1] as const),
  );
}

const seconds = (iso: string | null) => iso === null ? null : Date.parse(iso) / 1000;
