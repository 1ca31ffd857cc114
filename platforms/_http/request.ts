/** A request a client wants sent, the answer to one, and the right to publish. */
import type { Chunks } from "../../core/bytes.ts";
import { jsonBody } from "./json_body.ts";

declare const granted: unique symbol;

/**
 * The right to publish one thing on one site during one call. Only `guard/pipeline/flags.ts` makes one, for a tool whose
 * manifest asks for `allow_publish` or `allow_main_branch_push` on a site that has it, or whose tier is 4; the egress
 * check refuses a publishing request without it.
 */
export interface PublishGrant {
  readonly [granted]: true;
  readonly site_id: string;
  readonly tool: string;
}

/** A request a client wants sent. */
export interface Outgoing {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with its content type; not together with `body`. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** A read may be retried; a write is sent once. A read may use POST. */
  readonly effect: "read" | "write";
  /** Set for a read of which the upstream counts every try: it is sent once, as a write is. */
  readonly once?: true;
  /** Set for a read whose answer other calls may wait for: it goes on where its own caller goes away. */
  readonly shared?: true;
  /**
   * How long an answer asks to wait, in milliseconds, where the upstream was too busy and carried nothing out; null
   * where it says no such thing. Up to LIMITS.UPSTREAM_BUSY_MS are waited for, and then writes too are sent again.
   */
  readonly busy?: (answer: Pick<Incoming, "status" | "headers">, now: number) => number | null;
  /**
   * Whether the body of an answer below 500 is a refusal in the upstream's own words, so that nothing was done; any JSON
   * object is without this. What somebody in between answers proves nothing: it can come after the upstream was done.
   */
  readonly isRefusal?: (json: unknown) => boolean;
  /**
   * How long to wait until it may be sent, in milliseconds, asked before each try until it answers 0 or less: how an
   * upstream's pace is kept. Time that waiting takes counts as the request's.
   */
  readonly turn?: (now: number) => number | Promise<number>;
  /** What a write is about, for people, where its path does not tell; holds no secret. */
  readonly what?: string;
  /** Set for a write that only prepares what was asked for: where nothing else is done, the change is not made. */
  readonly part?: true;
  /** Shown when a publishing request is meant. */
  readonly grant?: PublishGrant;
  /** Of a change of content that exists: whether visitors see it, by the look right before the write. */
  readonly live?: boolean;
  /** Milliseconds for all tries together; the call's own deadline still holds. Default LIMITS.UPSTREAM_DEADLINE_MS. */
  readonly deadline_ms?: number;
  /** Set to take back what a write did, or to see whether it did: it has UPSTREAM_DEADLINE_MS of its own where the call's time is up. */
  readonly cleanup?: true;
  /** Most bytes of an answer. Default LIMITS.UPSTREAM_BYTES. */
  readonly max_bytes?: number;
  /** Set where the beginning of a longer answer will do: what lies beyond `max_bytes` is not read, and `cut` says so. */
  readonly cut_off?: true;
  /** Set for a read whose redirects are not followed: a redirect is an answer like any other. */
  readonly redirects?: "answered";
  /**
   * Makes less of a success while it is read, so that a large one is never held whole; asked anew for each try, with the
   * headers of its answer. Null reads it whole.
   */
  readonly reducer?: (headers: Headers) => Reducer | null;
  /** Set for an address that a caller named: only public https will do, whatever ALLOW_PRIVATE_UPSTREAMS lists. */
  readonly public_only?: boolean;
}

/** Takes an answer piece by piece and keeps what matters of it. */
export interface Reducer {
  /** The next piece, which is not held on to. True where no more is needed: what is left of the answer is not read. */
  add(chunk: Uint8Array): boolean | void;
  /** What the answer's bytes are to be; asked once, at the end. */
  kept(): Uint8Array<ArrayBuffer>;
}

/** How a request ended as to what it was to change; `in_doubt` where it may have been carried out. */
export type Ending = "not_sent" | "refused" | "carried_out" | "in_doubt";

/** An answer whose body is still to be read; one of fetch is such an answer too. */
export interface Answer extends Pick<Response, "status" | "headers"> {
  /** Null where it has none. */
  readonly body: Chunks | null;
}

/** An answer of whatever status; failures to get one are thrown as E_UPSTREAM. */
export interface Incoming {
  readonly status: number;
  /** Where the answer came from, redirects followed. */
  readonly url: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether there was more than was read; only of a request with `cut_off`. */
  readonly cut?: true;
  /** The body as UTF-8, faulty bytes replaced. */
  text(): string;
  /** The body as JSON, or undefined when it is not JSON. */
  json(): unknown;
}

/** The body as it is sent; undefined where there is none. */
export const bodyOf = ({ json, body }: Pick<Outgoing, "json" | "body">): Outgoing["body"] =>
  json === undefined ? body : jsonBody(json);

/** What RFC 9110 lets a header be (5.1, 5.5). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers of a request by their names in lower case, those that each has included. Throws TypeError for one that cannot be written. */
export function headersOf(out: Outgoing): Record<string, string> {
  const headers: Record<string, string> = {
    "accept": "application/json",
    "user-agent": "site-operations-gateway",
  };
  if (out.json !== undefined) headers["content-type"] = "application/json";
  for (const [name, value] of Object.entries(out.headers ?? {})) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new TypeError(`The header ${JSON.stringify(name)} cannot be written`);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
