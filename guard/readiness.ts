/** Whether the gateway can carry out calls now: looked at when somebody asks, and not again within seconds. */
import type { JobReport } from "../core/model.ts";
import { ended } from "../core/async.ts";
import { type Problem, problemsOf } from "../rules/readiness.ts";
import type { Store } from "../store/store.ts";

/** What was found is told again for so long. */
const KEPT_MS = 3000;
/**
 * Looking for what no key opens reads every sealed record, so it is seldom done: while something was found more often. That
 * the store itself was sealed anew is known from its mark, which every look reads anyway.
 */
const KEYS_KEPT_MS = 5 * 60_000;
const KEYS_MISSING_KEPT_MS = 30_000;
/** How long an answer waits for that; later it goes on behind. */
const KEYS_WAIT_MS = 1000;

/** Jobs that failed are tried again at most so often, and waited for so long. */
const RETRY_MS = 10_000;
const RETRY_WAIT_MS = 1000;

/** What it depends on. */
export interface ReadinessPorts {
  readonly store: Pick<Store, "ping" | "lacksKeyOfStore" | "missingKeys" | "audit">;
  readonly jobs: {
    report(): readonly JobReport[];
    /** Does again what failed last. */
    retry(): Promise<void>;
  };
  now(): number;
  /** Milliseconds that never go back. */
  elapsed(): number;
}

/** The readiness of one gateway. */
export class Readiness {
  #problems: readonly Problem[] = [];
  #lookedAt = -Infinity;
  #looking: Promise<readonly Problem[]> | null = null;
  #lacksKey = false;
  #keysAt = -Infinity;
  #retriedAt = -Infinity;
  #scanning: Promise<void> | null = null;

  constructor(private readonly ports: ReadinessPorts) {}

  /** What is wrong now; nothing where calls can be carried out. Answers within some three seconds, and never throws. */
  async problems(): Promise<readonly Problem[]> {
    if (this.#looking === null && this.ports.elapsed() - this.#lookedAt < KEPT_MS) return this.#problems;
    return await (this.#looking ??= this.#look().finally(() => this.#looking = null));
  }

  async #look(): Promise<readonly Problem[]> {
    const { store, jobs, now, elapsed } = this.ports;
    const isStoreWell = await store.ping(true).then(() => true, () => false);
    if (isStoreWell) await this.#lookForKeys();
    if (isStoreWell) await this.#retryJobs();
    const audit_ms = store.audit.waiting.oldest_ms;
    const lacks = store.lacksKeyOfStore() ? "store" : this.#lacksKey ? "secret" : null;
    this.#problems = problemsOf({ isStoreWell, lacks, audit_ms, jobs: jobs.report(), now: now() });
    this.#lookedAt = elapsed();
    return this.#problems;
  }

  /** What failed with the store need not wait for its clock. */
  async #retryJobs(): Promise<void> {
    const { jobs, elapsed } = this.ports;
    if (elapsed() - this.#retriedAt < RETRY_MS) return;
    if (jobs.report().every(({ failing_since }) => failing_since === null)) return;
    this.#retriedAt = elapsed();
    await ended(jobs.retry(), RETRY_WAIT_MS);
  }

  async #lookForKeys(): Promise<void> {
    const kept = this.#lacksKey ? KEYS_MISSING_KEPT_MS : KEYS_KEPT_MS;
    if (this.#scanning === null && this.ports.elapsed() - this.#keysAt < kept) return;
    this.#scanning ??= this.#scan().finally(() => this.#scanning = null);
    await ended(this.#scanning, KEYS_WAIT_MS);
  }

  /** Where the store fails meanwhile, what was known stays. */
  async #scan(): Promise<void> {
    const missing = await this.ports.store.missingKeys(1).catch(() => null);
    if (missing === null) return;
    this.#lacksKey = missing.length > 0;
    this.#keysAt = this.ports.elapsed();
  }
}
