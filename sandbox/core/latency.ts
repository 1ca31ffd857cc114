/** How long a stand-in takes to answer. */
import { matches, type RequestMatch } from "./match.ts";

/** A delay of the requests that fit. */
export interface Delay extends RequestMatch {
  readonly ms: number;
}

/** One delay for every request in milliseconds, or some by route: the first that fits counts, and none is 0. */
export type Latency = number | readonly Delay[];

/** The delay of a request, in milliseconds. */
export function delayOf(latency: Latency, method: string, path: string): number {
  if (typeof latency === "number") return latency;
  return latency.find((delay) => matches(delay, method, path))?.ms ?? 0;
}
