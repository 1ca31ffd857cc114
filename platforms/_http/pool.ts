/** Connections that are kept for a next request to the same host at the same address. */
import { Agent, type ClientRequest, request, type RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "../../core/model.ts";
import { type Connection, NotSent } from "./sockets.ts";

/** Requests that may be sent again where a kept connection turned out to be closed (RFC 9110, 9.2.2). */
export const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** A request for Node's client, bound to a connection or to a list of kept ones. */
export interface PinnedOptions extends RequestOptions {
  /** What a kept connection must share with a request: the origin and the address. */
  readonly pool: string;
  /** A connection made for this request; null where a kept one is taken. */
  readonly connection: Connection | null;
}

/** Node's keep-alive agent, with a list of kept connections for each name; it never connects by itself. */
export class Pool extends Agent {
  readonly #idleMs: number;
  readonly #now: () => number;
  /** How long the other side keeps a connection. */
  readonly #keptMs = new WeakMap<object, number>();
  /** Since when a connection is idle. */
  readonly #idleSince = new WeakMap<object, number>();

  constructor(idleMs: number, now: () => number) {
    super({ keepAlive: true, maxFreeSockets: LIMITS.UPSTREAM_IDLE_PER_ADDRESS });
    this.#idleMs = idleMs;
    this.#now = now;
  }

  /** Whether a connection is kept that a request may take, one that is never sent again only while it is fresh. */
  has(name: string, isRepeatable: boolean): boolean {
    const last = this.freeSockets[name]?.findLast((socket) => !socket.destroyed && socket.writable);
    if (last === undefined) return false;
    const idle = this.#now() - (this.#idleSince.get(last) ?? -Infinity);
    return isRepeatable || idle <= LIMITS.UPSTREAM_FRESH_MS;
  }

  /** Begins a request on the connection it brings, or on a kept one where it brings none. */
  begin(options: PinnedOptions): ClientRequest {
    if (options.connection === null) return request(options);
    const lists = this.freeSockets as Record<string, Socket[]>;
    const kept = lists[options.pool];
    delete lists[options.pool]; // the agent would take a kept one and leave the new one open
    const asked = request(options);
    if (kept !== undefined) lists[options.pool] = kept;
    return asked;
  }

  /** Notes what an answer said about keeping its connection (`Keep-Alive: timeout=5`), less a second for the way. */
  noteKeep(socket: Socket, header: unknown): void {
    const seconds = /\btimeout=(\d{1,6})\b/i.exec(String(header))?.[1];
    if (seconds !== undefined) this.#keptMs.set(socket, (Number(seconds) - 1) * 1000);
  }

  override getName(options?: object): string {
    return (options as PinnedOptions).pool;
  }

  override createConnection(options: object): Socket {
    const { connection } = options as PinnedOptions;
    if (connection === null) throw new NotSent("the kept connection is gone");
    return connection.socket;
  }

  override keepSocketAlive(given: unknown): boolean {
    const socket = given as Socket;
    const ms = Math.min(this.#idleMs, this.#keptMs.get(socket) ?? Infinity);
    if (ms <= 0 || socket.readableLength > 0) return false;
    this.#idleSince.set(socket, this.#now());
    socket.on("data", unasked).on("timeout", unasked).unref();
    if (socket.timeout !== ms) socket.setTimeout(ms); // it counts from the last byte, and goes on while in use
    return true;
  }

  /** Leaves `reusedSocket` unset: the runtime sends again whatever failed and has it set, writes too. */
  override reuseSocket(given: unknown, asked: ClientRequest): void {
    super.reuseSocket(given as Parameters<Agent["reuseSocket"]>[0], asked);
    (given as Socket).off("data", unasked).off("timeout", unasked);
    asked.reusedSocket = false;
  }
}

/** An idle connection that says something, or that was idle for long, is ended: nobody asked. */
function unasked(this: Socket): void {
  this.destroy();
}
