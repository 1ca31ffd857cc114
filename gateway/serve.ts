/** Serves a gateway over HTTP until a signal or a fault ends it: calls in flight are waited for, the audit is flushed. */
import type { Gateway } from "./wire.ts";
import { CLOCK, delay, ended } from "../core/async.ts";
import { serveConnection, serveConnections } from "../core/connections.ts";
import { Listening, type Served } from "../core/listening.ts";
import { LIMITS } from "../core/model.ts";
import type { Settings } from "../core/settings.ts";

/** Why serving ended: it was told to, or something failed that nobody caught. */
export type Ending = "told" | "failed";

/** Faults that are logged one by one; a fault that comes back at once must not fill the log. */
const FAULTS_LOGGED_MAX = 20;

/**
 * Serves until SIGINT or SIGTERM and `drainSeconds` beyond, with /readyz at 503, and nothing else: where connections
 * cannot be accepted (no descriptors are left) it listens again. An error that nobody caught is logged with its stack and ends it too, in order: /readyz answers 503
 * from then on, and for half of `shutdownSeconds` everything else is answered still, so that whoever balances sees it.
 * Resolves with why it ended when everything has stopped. `ready` is told the address, once. Throws with a message for
 * the operator when the port cannot be had at the start.
 */
export async function serve(
  gateway: Gateway,
  { host, port, drainSeconds, shutdownSeconds, kvPath }: Pick<
    Settings,
    "host" | "port" | "drainSeconds" | "shutdownSeconds" | "kvPath"
  >,
  ready: (address: string) => void,
): Promise<Ending> {
  let told = false;
  const listening = new Listening({
    listen: () =>
      listen(gateway, { host, port, hosted: kvPath === null }, (address) => {
        if (!told) ready(address);
        told = true;
      }),
    elapsed: () => performance.now(),
    delay,
    log: gateway.log,
  });
  const stopping = new Stopping(gateway, listening, {
    drain: drainSeconds * 1000,
    wait: shutdownSeconds * 1000,
  });
  using _ = onUncaught((fault) => stopping.failed(fault));
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  const stop = () => stopping.told();
  // Before anybody is told the address: whoever was told may end it at once.
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  try {
    begin(listening, host, port);
    return await stopping.over(); // a signal that comes twice must not end it halfway
  } finally {
    for (const signal of signals) Deno.removeSignalListener(signal, stop);
  }
}

/** A server of each connection, which can be closed alone; where the host or the runtime has none, one of the port. */
function listen(
  { fetch }: Gateway,
  { host: hostname, port, hosted }: { host: string; port: number; hosted: boolean },
  listens: (address: string) => void,
): Served {
  const told = ({ hostname, port }: Deno.NetAddr) =>
    listens(`http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`);
  if (hosted || serveConnection === null) return Deno.serve({ hostname, port, onListen: told }, fetch);
  const listener = Deno.listen({ hostname, port });
  told(listener.addr as Deno.NetAddr);
  const idleMs = LIMITS.IDLE_CONNECTION_MS;
  return serveConnections({ listener, serve: serveConnection, answer: fetch, idleMs, clock: CLOCK });
}

/** How serving comes to its end. */
class Stopping {
  readonly #stopped = Promise.withResolvers<void>();
  #ending: Ending = "told";
  #faults = 0;
  #isTold = false;
  /** What ends it after a fault, as long as nobody tells it to, or once it has drained. */
  #lastSeconds: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly gateway: Gateway,
    private readonly listening: Listening,
    private readonly ms: { readonly drain: number; readonly wait: number },
  ) {}

  /** Lets whoever balances see that it goes; then it accepts nothing more, and waits for calls in flight. */
  told(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const hasFailed = this.#lastSeconds !== undefined; // then it was seen already
    clearTimeout(this.#lastSeconds);
    if (this.ms.drain === 0 || hasFailed) return this.#stopWithin(this.ms.wait);
    this.gateway.leave();
    this.#lastSeconds = setTimeout(() => this.#stopWithin(this.ms.wait), this.ms.drain);
  }

  /** Nobody knows what is broken now: another process takes its place. */
  failed(fault: { readonly kind: string; readonly cause: string }): void {
    if (++this.#faults <= FAULTS_LOGGED_MAX) this.gateway.log({ event: "uncaught", ...fault });
    const isFirst = this.#ending === "told";
    this.#ending = "failed";
    if (!isFirst || this.#isTold) return;
    this.#lastSeconds = setTimeout(() => this.#stopWithin(this.ms.wait / 2), this.ms.wait / 2);
    this.gateway.drain();
  }

  /** Resolves with why once all has ended; after a fault, in any case within some seconds more. */
  async over(): Promise<Ending> {
    await this.#stopped.promise;
    if (this.#ending === "told") await this.gateway.close();
    else await ended(this.gateway.close(), LIMITS.FAULT_CLOSE_MS); // what is broken may be what it waits for
    return this.#ending;
  }

  #stopWithin(waitMs: number): void {
    this.#stop(waitMs).then(this.#stopped.resolve, this.#stopped.reject);
  }

  async #stop(waitMs: number): Promise<void> {
    this.gateway.drain();
    // A set goes on behind its answer: what of it is under way ends as a call does.
    const answered = this.listening.stop().then(() => this.gateway.setsAtRest());
    await ended(answered, waitMs);
    // What still waits for an upstream ends here, so that its caller is told of the doubt and its row is kept.
    this.gateway.cutOff();
    await ended(answered, LIMITS.SHUTDOWN_CUT_OFF_MS);
  }
}

function begin(listening: Listening, host: string, port: number): void {
  try {
    listening.start();
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new Error(`PORT: ${port} on ${host} is taken; stop what listens there or set another PORT`);
  }
}

/** An error that an event or a timer threw, or a promise whose rejection nobody heard. */
export interface Uncaught {
  readonly kind: "error" | "rejection";
  /** With its stack, where it has one; addresses are left out, for they can hold a secret. */
  readonly cause: string;
}

/** Tells of each until disposed of; none of them ends the process meanwhile. */
export function onUncaught(told: (fault: Uncaught) => void): Disposable {
  const heard = (kind: Uncaught["kind"], event: Event, fault: unknown) => {
    event.preventDefault();
    told({ kind, cause: causeOf(fault) });
  };
  const error = (event: ErrorEvent) => heard("error", event, event.error ?? event.message);
  const rejection = (event: PromiseRejectionEvent) => heard("rejection", event, event.reason);
  addEventListener("error", error);
  addEventListener("unhandledrejection", rejection);
  return {
    [Symbol.dispose]() {
      removeEventListener("error", error);
      removeEventListener("unhandledrejection", rejection);
    },
  };
}

function causeOf(fault: unknown): string {
  const text = fault instanceof Error ? fault.stack ?? `${fault.name}: ${fault.message}` : String(fault);
  return text.replace(/https?:\/\/[^\s)]+/g, "(address)");
}
