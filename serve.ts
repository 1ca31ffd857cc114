/** Serves a gateway over HTTP until a signal ends it: calls in flight are waited for, the audit is flushed. */
import type { Gateway } from "./gateway.ts";
import { CLOCK, ended, pauseFor } from "./lib/async.ts";
import { serveConnection, serveConnections } from "./lib/connections.ts";
import { Listening, type Served } from "./lib/listening.ts";
import { LIMITS } from "./model.ts";
import type { Settings } from "./settings.ts";

/**
 * Serves until SIGINT or SIGTERM, and nothing else: where connections cannot be accepted (no descriptors are left) it
 * listens again. Resolves when everything has stopped. `ready` is told the address, once. Throws with a message for
 * the operator when the port cannot be had at the start.
 */
export async function serve(
  gateway: Gateway,
  { host, port, shutdownSeconds, kvPath }: Pick<Settings, "host" | "port" | "shutdownSeconds" | "kvPath">,
  ready: (address: string) => void,
): Promise<void> {
  let told = false;
  const listening = new Listening({
    listen: () =>
      listen(gateway, { host, port, hosted: kvPath === null }, (address) => {
        if (!told) ready(address);
        told = true;
      }),
    elapsed: () => performance.now(),
    delay: pauseFor,
    log: gateway.log,
  });
  const stopped = Promise.withResolvers<void>();
  const stop = async () => {
    gateway.drain();
    const answered = listening.stop();
    await ended(answered, shutdownSeconds * 1000);
    // What still waits for an upstream ends here, so that its caller is told of the doubt and its row is kept.
    gateway.cutOff();
    await ended(answered, LIMITS.SHUTDOWN_CUT_OFF_MS);
    stopped.resolve();
  };
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  // Before anybody is told the address: whoever was told may end it at once.
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  try {
    begin(listening, host, port);
    await stopped.promise;
    await gateway.close(); // a signal that comes twice must not end it halfway
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

function begin(listening: Listening, host: string, port: number): void {
  try {
    listening.start();
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new Error(`PORT: ${port} on ${host} is taken; stop what listens there or set another PORT`);
  }
}
