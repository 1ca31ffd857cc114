/** What a stand-in tells the kit about its vendor, and what whoever starts it may set. */
import { html, json, retryAfter } from "./answers.ts";
import type { Clock, Sleep } from "./clock.ts";
import type { FaultWords, Latency } from "./faults.ts";
import type { Limits, Quota, RateWindows } from "./limits.ts";
import type { RecordedRequest } from "./recorder.ts";
import type { Incoming } from "./server.ts";

/** What whoever starts a stand-in may set, whichever vendor it stands for. */
export interface StandInOptions {
  /** The clock, in milliseconds. Default Date.now. */
  readonly now?: () => number;
  /** How latency and slow answers wait. Default: by the machine's clock. */
  readonly sleep?: Sleep;
  /** How long it takes to answer; a real vendor needs some 150 ms. Default 0. */
  readonly latency?: Latency;
  /** Default: none is enforced. */
  readonly limits?: Limits;
}

/** One request on its way to its answer. */
export interface Call extends Incoming {
  readonly url: URL;
}

/** What every fault has: a vendor may have some beside the common ones. */
export interface AnyFault {
  readonly kind: string;
}

/** What a vendor is. `R` is what it records of a request, `F` what can go wrong: the common faults, and its own. */
export interface Vendor<R extends RecordedRequest<unknown>, F extends AnyFault> extends Partial<FaultWords> {
  /** The true answer, or one a fault of the vendor's own has changed. What it throws is answered with 500. */
  handle(call: Call, fault: F | undefined): Response | Promise<Response>;
  /** The answer that stands in for the true one at a fault of the vendor's own; undefined asks `handle`. */
  replace?(fault: F): Response | undefined;
  /** Dresses every answer before it is sent; `genuine` ones are `handle`'s. */
  dress?(answer: Response, call: Call, genuine: boolean): void;
  /** What is recorded beside the usual, or in its place. */
  describe?(call: Call): Omit<R, keyof RecordedRequest> & Partial<R>;
  /** Which requests asked for a change. Default: by the effective method. */
  isWrite?(row: R): boolean;
  /** The clock, where what the vendor remembers is older than the service. Default: one made of the options. */
  readonly clock?: Clock;
  /** Whether answers are recorded too, streams of events aside. Default false. */
  readonly records_answers?: boolean;
  /** The vendor's own way to count. Default: all requests together, in the windows of the options. */
  readonly rate?: RateRule;
}

/** How requests are counted against a rate. */
export interface RateRule {
  readonly windows: RateWindows;
  /** Whose requests are counted together; null for one that is not counted. Default: all together. */
  key?(call: Call): string | null;
  /** The refusal of one request too many; null counts, and refuses none. Default: `busy`. */
  readonly refuse?: ((quota: Quota) => Response) | null;
}

const PAGE = "<!DOCTYPE html><title>Bad gateway</title>\n";

/** The words of a vendor that has none of its own. */
export const PLAIN: FaultWords = {
  busy: ({ status = 429, retry_after }) =>
    json({ message: "Too many requests" }, status, retryAfter(retry_after)),
  page: (status = 502) => html(PAGE, status),
};
