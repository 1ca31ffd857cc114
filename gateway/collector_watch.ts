/** Whether somebody takes traces: the runtime leaves out what it cannot send, and says nothing of it. */
import { untraced } from "../core/tracing.ts";
import { rootOf } from "../store/database.ts";

/** So often it is looked, and so long an answer is waited for. */
export const COLLECTOR_LOOKED_AT_MS = 60_000;
const ANSWER_MS = 5000;

/** What it depends on. */
export interface CollectorPorts {
  /** As OTEL_EXPORTER_OTLP_ENDPOINT has it. */
  readonly endpoint: string;
  readonly fetch: typeof fetch;
  /** Milliseconds that never go back. */
  elapsed(): number;
  /** Aborts what is under way, as the process ends; no one is said to be silent then. */
  readonly signal: AbortSignal;
  log(event: Record<string, unknown>): void;
}

/** Looks whether the collector answers, and says when it does not, once, and when it does again. */
export class CollectorWatch {
  #silentSince: number | null = null;

  constructor(private readonly ports: CollectorPorts) {}

  /** Asks it, with nothing to keep. Never throws. */
  async look(): Promise<void> {
    const { endpoint, elapsed, log, signal } = this.ports;
    const cause = await this.#cause();
    if (signal.aborted) return;
    const since = this.#silentSince;
    if (cause === null && since !== null) {
      log({ event: "telemetry_collector_back", away_ms: Math.round(elapsed() - since) });
      this.#silentSince = null;
    } else if (cause !== null && since === null) {
      this.#silentSince = elapsed();
      const message =
        `OTEL_EXPORTER_OTLP_ENDPOINT: the collector at ${originOf(endpoint)} does not answer; ` +
        "traces and figures are left out until it does, and calls are carried out as ever";
      log({ event: "telemetry_collector_silent", message, cause });
    }
  }

  /** Why it cannot be reached; null where it answers anything at all, as one that wants a token or speaks gRPC does. */
  async #cause(): Promise<string | null> {
    const { endpoint, fetch, signal } = this.ports;
    try {
      const response = await untraced(() =>
        fetch(`${endpoint}${endpoint.endsWith("/") ? "" : "/"}v1/traces`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"resourceSpans":[]}',
          redirect: "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
        })
      );
      await response.body?.cancel();
      return null;
    } catch (fault) {
      return silenceOf(fault);
    }
  }
}

/** What was thrown, where it says that nobody is there; an authority of the runtime's own may judge its certificate. */
function silenceOf(fault: unknown): string | null {
  if (fault instanceof Error && fault.name === "TimeoutError") {
    return `no answer within ${ANSWER_MS / 1000} s`;
  }
  const root = rootOf(fault);
  const message = root instanceof Error ? root.message : String(root);
  if (message.includes("certificate")) return null;
  const at = message.indexOf("client error (Connect)"); // what stands before it holds the address
  return at >= 0 ? message.slice(at) : message.includes("Invalid URL") ? "no address" : null;
}

/** Without what may be secret in it. */
const originOf = (endpoint: string) => URL.parse(endpoint)?.origin ?? "an address that is none";
