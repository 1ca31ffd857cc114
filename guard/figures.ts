/** What is counted of calls, of what they ask of others, and of what the store takes: in memory, for whoever watches the gateway. */
import { classOf, type Code, GatewayError } from "../core/errors.ts";
import type { Token } from "../core/model.ts";
import { Counter, Histogram, type Seconds } from "../core/metrics.ts";

/** How a call ended, for whoever counts. */
export interface CallEnd {
  readonly requestId: string;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  readonly door: string;
  /** The name of a tool that there is; null for any other. */
  readonly tool: string | null;
  /** The site that was found; null where none was. */
  readonly site: string | null;
  /** What it was called with. */
  readonly token: Pick<Token, "id" | "name" | "client_id" | "session">;
  /** What came of it where it was not refused. */
  readonly result: "ok" | "preview" | "repeated";
  readonly failure: GatewayError | null;
  readonly seconds: number;
}

/** What an upstream made of a request, or why none was sent. */
export type UpstreamResult = "2xx" | "3xx" | "4xx" | "429" | "5xx" | "no_answer" | "cancelled" | "refused";

/** Seconds. A call takes a minute at most. */
const CALL_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60];
const STORE_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const UNKNOWN = "unknown";
/** Tokens of trials are made for one trial each. */
const TRIAL = "trial";

/** What one kind of call is counted in. */
interface CallSeries {
  readonly name: string;
  readonly door: string;
  readonly of: string;
  readonly client: string;
  readonly ended: string;
  readonly calls: { count: number };
  readonly seconds: Seconds;
  readonly siteCalls: { count: number };
  readonly clientCalls: { count: number };
}

/** The figures of one process. */
export class Figures {
  readonly #calls = new Counter({
    name: "gateway_calls_total",
    help: "Calls of tools that ended, by what came of them: ok, preview, repeated, or the class of a refusal",
    labels: ["tool", "door", "result"],
    most: 3000,
  });
  readonly #seconds = new Histogram({
    name: "gateway_call_duration_seconds",
    help: "How long calls took from the door's answer to its last word",
    labels: ["tool"],
    most: 300,
  }, CALL_BOUNDS);
  readonly #refusals = new Counter({
    name: "gateway_call_refusals_total",
    help: "Calls that were refused or failed, by tool and code; class says whose matter that is",
    labels: ["tool", "code", "class"],
    most: 2000,
  });
  readonly #siteCalls = new Counter({
    name: "gateway_site_calls_total",
    help: "Calls by site; unknown where the call named none or none that there is",
    labels: ["site", "result"],
    most: 3000,
  });
  readonly #siteRefusals = new Counter({
    name: "gateway_site_refusals_total",
    help: "Calls that were refused or failed, by site and code",
    labels: ["site", "code", "class"],
    most: 3000,
  });
  readonly #clientCalls = new Counter({
    name: "gateway_client_calls_total",
    help: "Calls by the id of the OAuth client, else of the token",
    labels: ["client", "result"],
    most: 1500,
  });
  readonly #clientRefusals = new Counter({
    name: "gateway_client_refusals_total",
    help: "Calls that were refused or failed, by client and code",
    labels: ["client", "code", "class"],
    most: 2000,
  });
  readonly #requests = new Counter({
    name: "gateway_requests_refused_total",
    help:
      "Requests at a door that were refused before they were a call: no valid token, a body that cannot be read",
    labels: ["door", "code", "class"],
  });
  readonly #upstream = new Histogram({
    name: "gateway_upstream_duration_seconds",
    help: "How long requests to sites and services took, retries included",
    labels: ["platform"],
  }, CALL_BOUNDS);
  readonly #upstreamResults = new Counter({
    name: "gateway_upstream_requests_total",
    help: "Requests to sites and services, by what came of them",
    labels: ["platform", "result"],
  });
  readonly #commits = new Histogram({
    name: "gateway_store_commit_duration_seconds",
    help: "How long the store took for a change, its turn included",
    labels: [],
  }, STORE_BOUNDS);
  readonly #reads = new Histogram({
    name: "gateway_store_read_duration_seconds",
    help: "How long the store took for a read, a part of a listing included",
    labels: [],
  }, STORE_BOUNDS);
  readonly #commitFailures = new Counter({
    name: "gateway_store_commit_failures_total",
    help: "Changes that the store refused or did not answer in time",
    labels: [],
  });

  readonly #repeats = new Counter({
    name: "gateway_refresh_tokens_repeated_total",
    help:
      "Refresh tokens of connected clients that were used before and came again; late ones end the connection",
    labels: ["came"],
  });

  /** Those of the last call: calls of one kind come in rows. */
  #last: CallSeries | null = null;

  constructor() {
    for (const came of ["in_grace", "late"]) this.#repeats.add([came], 0);
    this.#commitFailures.add([], 0); // so that its first failure shows as a change
  }

  /** A call ended. */
  call({ door, tool, site, token, result, failure, seconds }: CallEnd): void {
    const client = token.session !== undefined ? TRIAL : token.client_id ?? token.id;
    const name = tool ?? UNKNOWN;
    const of = site ?? UNKNOWN;
    const ended = failure === null ? result : classOf(failure.code);
    const last = this.#last;
    const isSame = last !== null && last.name === name && last.of === of && last.client === client &&
      last.ended === ended && last.door === door;
    const series = isSame ? last : this.#last = this.#seriesOf(name, door, of, client, ended);
    series.calls.count++;
    series.siteCalls.count++;
    series.clientCalls.count++;
    this.#seconds.put(series.seconds, seconds);
    if (failure === null) return;
    this.#refusals.add([name, failure.code, ended]);
    this.#siteRefusals.add([of, failure.code, ended]);
    this.#clientRefusals.add([client, failure.code, ended]);
  }

  #seriesOf(name: string, door: string, of: string, client: string, ended: string): CallSeries {
    return {
      ...{ name, door, of, client, ended },
      calls: this.#calls.series([name, door, ended]),
      seconds: this.#seconds.series([name]),
      siteCalls: this.#siteCalls.series([of, ended]),
      clientCalls: this.#clientCalls.series([client, ended]),
    };
  }

  /** A request was refused before it was a call. */
  request(door: string, thrown: unknown): void {
    const code: Code = thrown instanceof GatewayError ? thrown.code : "E_INTERNAL";
    this.#requests.add([door, code, classOf(code)]);
  }

  /** A request to a site or service ended. */
  upstream(platform: string, result: UpstreamResult, seconds: number): void {
    this.#upstreamResults.add([platform, result]);
    if (result !== "refused") this.#upstream.observe([platform], seconds);
  }

  /** The store ended a commit. */
  commit(isMade: boolean, seconds: number): void {
    this.#commits.observe([], seconds);
    if (!isMade) this.#commitFailures.add([]);
  }

  /** The store ended a read. */
  read(seconds: number): void {
    this.#reads.observe([], seconds);
  }

  /** A refresh token that was used before came again. */
  repeated(came: "in_grace" | "late"): void {
    this.#repeats.add([came]);
  }

  /** What the store tells how long it took. */
  get ofStore(): {
    committed(isMade: boolean, seconds: number): void;
    read(seconds: number): void;
  } {
    return {
      committed: (isMade, seconds) => this.commit(isMade, seconds),
      read: (seconds) => this.read(seconds),
    };
  }

  /** The counters, for who hands them on. */
  get counters(): readonly Counter[] {
    const refusals = [this.#refusals, this.#siteRefusals, this.#clientRefusals, this.#requests];
    const calls = [this.#calls, this.#siteCalls, this.#clientCalls];
    return [...calls, ...refusals, this.#upstreamResults, this.#commitFailures, this.#repeats];
  }

  /** How long things took, for who hands that on. */
  get histograms(): readonly Histogram[] {
    return [this.#seconds, this.#upstream, this.#commits, this.#reads];
  }

  lines(): string[] {
    return [...this.counters, ...this.histograms].flatMap((one) => one.lines());
  }
}

/** What a request to an upstream came to, by its status or by what was thrown. */
export function upstreamResult(status: number | null, thrown?: unknown): UpstreamResult {
  if (status === 429) return "429";
  if (status !== null) return `${Math.min(5, Math.max(2, Math.floor(status / 100)))}xx` as UpstreamResult;
  if (!(thrown instanceof GatewayError)) return "no_answer";
  if (thrown.code === "E_CANCELLED") return "cancelled";
  if (thrown.code !== "E_UPSTREAM") return "refused";
  return "no_answer";
}
