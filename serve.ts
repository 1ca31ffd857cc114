/** Serves a gateway over HTTP until a signal ends it: calls in flight finish, the audit is flushed. */
import type { Gateway } from "./gateway.ts";
import { LIMITS } from "./model.ts";

/**
 * Serves until SIGINT or SIGTERM; resolves when everything has stopped. `ready` is told the address. Throws with a
 * message for the operator when the port cannot be had.
 */
export async function serve(
  gateway: Gateway,
  { host, port }: { host: string; port: number },
  ready: (address: string) => void,
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const stop = () => {
    gateway.drain();
    const timer = setTimeout(stopped.resolve, LIMITS.SHUTDOWN_MS);
    server.shutdown().finally(() => {
      clearTimeout(timer);
      stopped.resolve();
    });
  };
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  // Before anybody is told the address: whoever was told may end it at once.
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  const server = listen(gateway, host, port, ready);
  await stopped.promise;
  await gateway.close(); // a signal that comes twice must not end it halfway
  for (const signal of signals) Deno.removeSignalListener(signal, stop);
}

function listen(gateway: Gateway, hostname: string, port: number, ready: (address: string) => void) {
  try {
    return Deno.serve({
      hostname,
      port,
      onListen: ({ hostname, port }) =>
        ready(`http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`),
    }, gateway.fetch);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new Error(`PORT: ${port} on ${hostname} is taken; stop what listens there or set another PORT`);
  }
}
