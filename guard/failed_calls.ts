/** A line of the log for each call that failed inside the gateway, so that its operator finds the request id that its caller was told. */
import { GatewayError } from "../core/errors.ts";

type Log = (event: Record<string, unknown>) => void;

/** Lines a minute: while a store is away for an hour, its log must stay one that can be read. */
const LINES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Calls that are known to have a line. */
const KNOWN_MAX = 1000;

/** What it depends on. */
export interface FailedCallsPorts {
  now(): number;
  readonly log: Log;
}

/** The calls of one gateway that failed. */
export class FailedCalls {
  readonly #known = new Set<string>();
  #minute = -Infinity;
  #lines = 0;
  #notLogged = 0;

  constructor(private readonly ports: FailedCallsPorts) {}

  /** The log, which remembers what calls have a line by now. */
  readonly log: Log = (event) => {
    const { request_id } = event;
    if (typeof request_id === "string") {
      if (this.#known.size >= KNOWN_MAX) this.#known.clear();
      this.#known.add(request_id);
    }
    this.ports.log(event);
  };

  /**
   * A request was answered with that: where it is a fault of the gateway, and the log has no line of it, it gets one.
   * Beyond 60 a minute they are counted, and the next line that is written says how many.
   */
  told(request_id: string, thrown: unknown): void {
    if (thrown instanceof GatewayError && thrown.code !== "E_INTERNAL") return;
    if (this.#known.delete(request_id)) return;
    const minute = Math.floor(this.ports.now() / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#lines] = [minute, 0];
    if (this.#lines >= LINES_PER_MINUTE) {
      this.#notLogged++;
      return;
    }
    this.#lines++;
    const beside = this.#notLogged === 0 ? {} : { calls_not_logged: this.#notLogged };
    this.#notLogged = 0;
    this.log({ event: "internal", request_id, cause: causeOf(rootOf(thrown)), ...beside });
  }
}

const rootOf = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause !== undefined ? rootOf(thrown.cause) : thrown;

/** What was thrown beneath, as the log shows it. */
export function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  return cause instanceof Error ? cause.stack ?? cause.message : String(cause);
}
