/** How many calls a token and a site may take: token buckets, which all instances on one store count together. */
import type { Awaitable } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Budget, BudgetStore } from "../../store/store.ts";

/** Buckets of one kind; each holds a minute's worth and refills evenly. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #noun: string;
  readonly #budget: Budget | null;

  /** `perMinute` 0 means no limit; `noun` names what is limited, in the message and in the store. */
  constructor(perMinute: number, noun: string, budgets: BudgetStore) {
    this.#perMinute = perMinute;
    this.#noun = noun;
    this.#budget = perMinute === 0 ? null : budgets.of(noun, perMinute);
  }

  /**
   * Takes one call from the bucket of `key`. Throws E_RATE_LIMITED with the seconds until the next; answers a promise
   * that rejects with it only where the store is asked first (`Budget.take`).
   */
  take(key: string): Awaitable<void> {
    if (this.#budget === null) return;
    const wait = this.#budget.take(key);
    return typeof wait === "number" ? this.#judge(wait) : wait.then((ms) => this.#judge(ms));
  }

  /** Throws what `take` would, as far as this process knows, and takes no call. */
  look(key: string): void {
    this.#judge(this.#budget?.look(key) ?? 0);
  }

  #judge(wait_ms: number): void {
    if (wait_ms === 0) return;
    const seconds = Math.max(1, Math.ceil(wait_ms / 1000));
    throw new GatewayError(
      "E_RATE_LIMITED",
      `The ${this.#noun} has used its ${this.#perMinute} calls a minute; try again in ${seconds} s`,
      { retryAfter: seconds, counted: true },
    );
  }
}
