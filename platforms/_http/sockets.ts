/** Connections to an address that was judged, with TLS on the host's name. */
import { connect, isIP, type Socket } from "node:net";
import { connect as secure } from "node:tls";
import { LIMITS } from "../../core/model.ts";
import { NotSent } from "./failures.ts";

export { NotSent };

/** Where to connect, and whom to expect there. */
export interface Place {
  readonly port: number;
  /** The name the certificate must be for; null without TLS. */
  readonly tls: string | null;
  /** Further authorities to trust, in PEM. */
  readonly authorities: readonly string[];
}

/** A connection, and the address it leads to. */
export interface Connection {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Connects to one of those addresses and to nothing else: to the first, and to the next when the one before failed
 * or takes long. Throws NotSent.
 */
export async function connectTo(
  addresses: readonly string[],
  place: Place,
  signal: AbortSignal,
): Promise<Connection> {
  const race = new AbortController();
  const stop = () => race.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const tries: Promise<Connection>[] = [];
  let won: Connection | null = null;
  try {
    for (const address of addresses) {
      tries.push(open(address, place, race.signal));
      won = await soon(Promise.any(tries), LIMITS.UPSTREAM_NEXT_ADDRESS_MS);
      if (won !== null || race.signal.aborted) break;
    }
    return won ??= await Promise.any(tries);
  } catch (thrown) {
    const [cause] = thrown instanceof AggregateError ? thrown.errors : [thrown];
    throw new NotSent(cause instanceof Error ? cause.message : "no address", { cause });
  } finally {
    signal.removeEventListener("abort", stop);
    race.abort();
    for (const one of tries) one.then((late) => late === won || late.socket.destroy(), () => {});
  }
}

/** What the promise brings within that time; null when it failed or takes longer. */
async function soon<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), ms);
  try {
    return await Promise.race([promise.catch(() => null), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Connects to that address alone; over TLS until the certificate was found to be the name's. */
async function open(address: string, place: Place, signal: AbortSignal): Promise<Connection> {
  const { port, tls, authorities } = place;
  const plain = contained(connect({ host: address, port, noDelay: true }));
  if (tls === null) return { socket: await ready(plain, "connect", signal), address };
  try {
    const socket = contained(secure({
      socket: plain,
      host: tls,
      servername: isIP(tls) === 0 ? tls : "",
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
      ...authorities.length > 0 ? { ca: [...authorities] } : {},
    }));
    plain.on("error", (thrown) => socket.destroy(thrown));
    socket.on("close", () => plain.destroy());
    return { socket: await ready(socket, "secureConnect", signal), address };
  } catch (thrown) {
    plain.destroy();
    throw thrown;
  }
}

/**
 * A socket whose errors are heard for as long as it lives: an `error` that nobody listens for ends the process, and one
 * can come at any time, a second one too. Whoever waits for the socket or uses it is told by listeners of their own.
 */
function contained<S extends Socket>(socket: S): S {
  return socket.on("error", () => {});
}

/** The socket once it has come that far; it is gone when it fails or the signal aborts before. */
async function ready(socket: Socket, event: string, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => void socket.destroy(new Error("given up"));
  socket.once(event, resolve).once("error", reject).once("close", () => reject(new Error("closed")));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    await promise;
    return socket;
  } finally {
    signal.removeEventListener("abort", stop);
    socket.off(event, resolve).off("error", reject);
  }
}
