/** Until when the host asked not to be asked: kept for an installation, whose repositories share one quota. */
import { LIMITS } from "../../core/model.ts";
import type { FactCache } from "../_connector/connector.ts";
import type { Installation } from "./access.ts";
import { RepoError } from "./errors.ts";

/** The host counts by the hour at most (docs/upstreams/github.md, "Rate limits"). */
const LONGEST_MS = 3_600_000;

/** An installation; null while none was found, of which nothing is known. */
type Id = Pick<Installation, "id">;

/** The pause of one installation, the same for every call of this instance, whatever site or repository it is about. */
export class Blocked {
  readonly #shared: FactCache;
  readonly #now: () => number;

  constructor({ shared, now }: { readonly shared: FactCache; now(): number }) {
    this.#shared = shared;
    this.#now = now;
  }

  /** Refuses, with nothing sent, until the pause is over: RepoError with when to call again. */
  require(of: Id, repo: string | null): void {
    const until = this.#shared.get<number>(keyOf(of)) ?? 0;
    const left = Math.ceil((until - this.#now()) / 1000);
    if (left <= 0) return;
    const at = new Date(until).toISOString();
    const message =
      `Repository "${repo}": the host limits how much is asked of it for this owner's repositories, and asked to be left alone ` +
      `until ${at}; nothing was sent: try again in ${left} s`;
    throw new RepoError(message, 429, "", { retryAfter: left });
  }

  /** Told of a failure: one by which the host limits its callers begins the pause that it asked for. */
  heard(of: Id | null, thrown: unknown): void {
    if (of === null || !(thrown instanceof RepoError) || thrown.retryAfter === undefined) return;
    const ms = Math.min(thrown.retryAfter * 1000, LONGEST_MS);
    if (ms <= LIMITS.UPSTREAM_BUSY_MS) return; // so long each request waits by itself
    const until = this.#now() + ms;
    const key = keyOf(of);
    if (until > (this.#shared.get<number>(key) ?? 0)) this.#shared.set(key, until, ms);
  }
}

const keyOf = ({ id }: Id) => `blocked ${id}`;
