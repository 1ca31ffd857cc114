/** Faults and delays on order: what a stand-in can be told to do wrong or late, for which requests and how often. */
import { json, partial, redirect, slow } from "./answers.ts";
import type { Sleep } from "./clock.ts";
import type { Disconnect } from "./server.ts";

/** All of what is given must fit; nothing given fits every request. */
export interface RequestMatch {
  /** The effective method, in capitals. */
  readonly method?: string;
  /** Part of the path (`/wp/v2/posts`), or a pattern for it. */
  readonly path?: string | RegExp;
}

/** Whether a request of that method and path is meant. */
function matches(match: RequestMatch, method: string, path: string): boolean {
  if (match.method !== undefined && match.method !== method) return false;
  if (match.path === undefined) return true;
  return typeof match.path === "string" ? path.includes(match.path) : match.path.test(path);
}

/** A fault every stand-in knows. With `applied` the request is carried out first, and only its answer is lost. */
export type CommonFault =
  /** No answer until the client gives up. */
  | { readonly kind: "hang"; readonly applied?: boolean }
  /** The connection ends without an answer. */
  | { readonly kind: "reset"; readonly applied?: boolean }
  /** The first half of the true answer, then the end of the connection; with `length: "true"` no error of HTTP. */
  | { readonly kind: "partial"; readonly length?: "promised" | "true" }
  /** The true answer, that many bytes at a time (default 1) with a pause before each. */
  | { readonly kind: "slow"; readonly bytes?: number; readonly pause_ms: number }
  /** A success in JSON whose body is none. */
  | { readonly kind: "malformed"; readonly status?: number; readonly applied?: boolean }
  /** Any answer: text as it stands, anything else as JSON. Default status 200, no body. */
  | {
    readonly kind: "answer";
    readonly status?: number;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly applied?: boolean;
  }
  /** The vendor's HTML page of a server that failed, with its usual status. */
  | { readonly kind: "html"; readonly status?: number; readonly applied?: boolean }
  /** A JSON body of that many bytes. Default 10 MiB. */
  | { readonly kind: "huge"; readonly bytes?: number }
  /** A redirect. Default status 302. */
  | { readonly kind: "redirect"; readonly to: string; readonly status?: 301 | 302 | 303 | 307 | 308 }
  /** Too busy, in the vendor's words, with `Retry-After` where given: seconds, or any text. */
  | { readonly kind: "busy"; readonly status?: number; readonly retry_after?: number | string };

/** Which requests go wrong, and how often. */
export interface FaultMatch extends RequestMatch {
  /** A pattern for the body, where the address says too little. */
  readonly body?: RegExp;
  /** How many requests go wrong before the fault is over. Default 1; without end where `while` is given. */
  readonly times?: number;
  /** The fault is in force only as long as this answers true. */
  readonly while?: () => boolean;
}

/** The faults still to come. */
export class Faults<F> {
  readonly #waiting: { fault: F; match: FaultMatch; left: number }[] = [];

  /** Adds one; the oldest that fits is used first. */
  add(fault: F, match: FaultMatch = {}): void {
    this.#waiting.push({ fault, match, left: match.times ?? (match.while === undefined ? 1 : Infinity) });
  }

  /** The fault for this request, used up by one; undefined when it shall go well. */
  next(method: string, path: string, body: () => string = () => ""): F | undefined {
    const at = this.#waiting.findIndex(({ match }) =>
      matches(match, method, path) && (match.body?.test(body()) ?? true) && (match.while?.() ?? true)
    );
    const found = this.#waiting[at];
    if (found === undefined) return undefined;
    if (--found.left <= 0) this.#waiting.splice(at, 1);
    return found.fault;
  }

  /** Forgets what is still to come. */
  clear(): void {
    this.#waiting.length = 0;
  }
}

/** What a vendor gives to the faults every stand-in knows. */
export interface FaultWords {
  /** The answer of one that is too busy. */
  readonly busy: (given: { readonly status?: number; readonly retry_after?: number | string }) => Response;
  /** The page of a server that failed. */
  readonly page: (status: number | undefined) => Response;
}

const HUGE_BYTES = 10 * 1024 * 1024;
/** What stands around the filler of a huge body. */
const HUGE_FRAME_BYTES = '{"padding":""}'.length;

/** The answer that stands in for the true one; undefined where a fault changes the true one, or is the vendor's own. */
export function replacement(fault: CommonFault, words: FaultWords): Response | Disconnect | undefined {
  switch (fault.kind) {
    case "hang":
    case "reset":
      return fault.kind;
    case "malformed":
      return new Response("<<<not json", {
        status: fault.status ?? 200,
        headers: { "content-type": "application/json; charset=utf-8" },
      });
    case "answer": {
      const { status = 200, body, headers } = fault;
      if (body === undefined) return new Response(null, { status, headers });
      if (typeof body !== "string") return json(body, status, headers);
      return new Response(body, {
        status,
        headers: { "content-type": "application/json; charset=utf-8", ...headers },
      });
    }
    case "html":
      return words.page(fault.status);
    case "huge":
      return json({ padding: "x".repeat(Math.max(0, (fault.bytes ?? HUGE_BYTES) - HUGE_FRAME_BYTES)) });
    case "redirect":
      return redirect(fault.to, fault.status);
    case "busy":
      return words.busy(fault);
    default:
      return undefined;
  }
}

/** The true answer as a fault lets it through; a fault that is not of this kind changes nothing. */
export async function altered(
  fault: CommonFault,
  answer: Response,
  sleep: Sleep,
  signal: () => AbortSignal,
): Promise<Response> {
  if (fault.kind === "partial") return await partial(answer, fault.length ?? "promised");
  if (fault.kind !== "slow") return answer;
  return await slow(answer, { bytes: fault.bytes ?? 1, pause_ms: fault.pause_ms }, sleep, signal);
}

/** Whether the request is carried out before its answer is lost. */
export function isApplied(fault: object): boolean {
  return "applied" in fault && fault.applied === true;
}

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
