/** What the gateway does on its clocks: a run that fails ends nothing, leaves a line in the log, and shows until one goes well. */
import type { JobReport } from "../core/model.ts";

/** The jobs, and what the log calls their failures. */
const EVENTS = {
  "audit retention": "audit_retention_failed",
  "audit doubts": "doubts_failed",
  "daily snapshots": "snapshots_failed",
  "tool catalogues": "tool_catalogs_failed",
  erasures: "erasures_failed",
  approvals: "approvals_failed",
  webhooks: "webhooks_failed",
  "audit anchor": "audit_anchor_failed",
} as const;

/** One run: true where it did its work, null where nothing was due, false where another instance is at it, which says nothing of this one. */
export type Work = () => Promise<boolean | null>;

/** What this process has seen of a job. */
interface Seen {
  readonly running: Set<{ readonly since: number }>;
  began_at: number | null;
  done_at: number | null;
  failing_since: number | null;
  /** What its last run did. */
  work: Work | null;
}

/** What it depends on. */
export interface JobPorts {
  now(): number;
  log(event: Record<string, unknown>): void;
}

/** The jobs of one gateway. */
export class Jobs {
  readonly #seen = new Map<string, Seen>();

  constructor(private readonly ports: JobPorts) {
    for (const name of Object.keys(EVENTS)) {
      this.#seen.set(name, {
        running: new Set(),
        began_at: null,
        done_at: null,
        failing_since: null,
        work: null,
      });
    }
  }

  /** One run of a job. Never throws. Answers whether it ran. */
  async run(name: keyof typeof EVENTS, work: Work): Promise<boolean> {
    const { now, log } = this.ports;
    const seen = this.#seen.get(name)!;
    const run = { since: now() };
    seen.running.add(run);
    seen.began_at = run.since;
    seen.work = work;
    try {
      const ran = await work();
      if (ran === false) return false;
      seen.failing_since = null;
      if (ran === null) return false;
      seen.done_at = now();
    } catch (fault) {
      seen.failing_since ??= now();
      log({ event: EVENTS[name], cause: String(fault) });
    } finally {
      seen.running.delete(run);
    }
    return true;
  }

  /** Does again what failed last and is not under way: a store that was away for a second is no reason to wait for an hour. */
  async retry(): Promise<void> {
    const failed = [...this.#seen].filter(([, { failing_since, running }]) =>
      failing_since !== null && running.size === 0
    );
    await Promise.all(failed.map(([name, { work }]) => this.run(name as keyof typeof EVENTS, work!)));
  }

  /** How they do. */
  report(): JobReport[] {
    return Object.entries(EVENTS).map(([name, event]) => {
      const { running, began_at, done_at, failing_since } = this.#seen.get(name)!;
      const [first] = running;
      const running_since = iso(first?.since ?? null);
      const times = { began_at: iso(began_at), done_at: iso(done_at), failing_since: iso(failing_since) };
      return { name, running_since, ...times, event };
    });
  }
}

const iso = (ms: number | null) => ms === null ? null : new Date(ms).toISOString();
