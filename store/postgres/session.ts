/** Sends statements over a pool: what met another one is sent again, what hangs is cut, and what is unknown is looked up. */
import { delay } from "../../core/async.ts";
import type { Connection, Connections, Lent, Row } from "./driver.ts";
import { Unanswered, UNREAD } from "../store_timeout.ts";
import { countWorkers, type Statement } from "./statements.ts";

/** So long is tried to get a connection, while a database restarts or another takes its place. */
const CONNECT_TRIES_MS = 2000;
const TRIES_MAX = 30;
const PAUSE_MS = 20;
const PAUSE_MS_MAX = 500;
/** So much later than the database takes back what takes too long, it has surely done so. */
const SLACK_MS = 1000;
/** So long is asked what became of a change while the database does not answer. */
const LOOKED_UP_MS = 60_000;

/** Two changes met, and the database gave up one of them; nothing of it is kept. */
const MET = ["40001", "40P01", "CR000"];
/**
 * What the database says where it does not take connections at the moment, or ends them: its two classes for that (08, 57P:
 * shut down, an idle session's time is over), too many connections, and a transaction's time that is over.
 */
const AWAY = ["08", "57P", "53300", "25P04"];

/** The SQLSTATE of what the database said; null for what is no answer of it. */
export function stateOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.length === 5 && code === code.toUpperCase() &&
      (error as { severity?: unknown }).severity !== undefined
    ? code
    : null;
}

/** Whether the connection is gone, so that it is not known what became of the statement. */
const isCut = (error: unknown) => {
  const state = stateOf(error);
  return state === null || AWAY.some((begin) => state.startsWith(begin));
};

/** Whether no connection can be made before somebody changes something. */
const isHopeless = (error: unknown) => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return !isCut(error) ||
    ["certificate", "CERT", "SSL", "client password"].some((word) => `${code} ${message}`.includes(word));
};

/** The driver itself ends what takes too long, and gives as the cause that it was ended. */
const isTimeout = (error: unknown) => error instanceof Error && error.message.includes("timeout");
const NO_CONNECTION = "The database has not answered in time while a connection was made";

/** What the connection was cut of that a change went by. */
interface Cut {
  readonly happened: Statement;
  /** When it was sent. */
  readonly began: number;
  /** Who worked on it. */
  readonly worker: number;
}

const pauseMs = (tries: number) =>
  Math.min(PAUSE_MS * 2 ** Math.min(tries, 8), PAUSE_MS_MAX) * (0.5 + Math.random());

/** Who waits for a connection, in the order in which they came. */
class Turns {
  readonly #waiting: PromiseWithResolvers<void>[] = [];

  constructor(private free: number) {}

  /** Resolves once one of the connections is free. */
  async take(): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    await turn.promise;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.free++;
    else next.resolve();
  }

  /** Nobody who waits gets one. */
  refuse(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/** The connections of one store. */
export class Session {
  readonly #turns: Turns;
  /** The processes of the server that have worked for it. */
  readonly #workers = new Set<number>();
  /** Connections that the pool was asked for and has not given. */
  readonly #asked = new Set<Promise<Lent>>();
  /** When connections were made, and since when those made before may all be dead: one of them did not answer. */
  readonly #madeAt = new WeakMap<Connection, number>();
  #doubtedAt = -Infinity;
  readonly #ending = new AbortController();

  /** The database takes back what takes longer than `statement_ms`; what does not answer then is cut. */
  constructor(
    private readonly pool: Connections,
    connections: number,
    private readonly statement_ms: number,
  ) {
    this.#turns = new Turns(connections);
    pool.on("connect", (connection) => {
      this.#workers.add(connection.processID ?? 0);
      this.#madeAt.set(connection, performance.now());
    });
  }

  get #closed(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Before something is tried again; over at once where the session is closed. */
  async #pause(tries: number): Promise<void> {
    await delay(pauseMs(tries), this.#ending.signal).catch(() => {});
  }

  /** Whether that process of the server is one of its own. */
  owns(worker: number): boolean {
    return this.#workers.has(worker);
  }

  /** Sends what may be sent twice; again where the connection was cut. Rejects as `change` does. */
  async read(statement: Statement): Promise<readonly Row[]> {
    for (let tries = 1;; tries++) {
      const connection = await this.#connected();
      try {
        return await this.#on(connection, statement);
      } catch (error) {
        const isAgain = isCut(error) || MET.includes(stateOf(error) ?? "");
        if (!isAgain || tries > 2 || this.#closed) throw error;
        await this.#pause(tries);
      }
    }
  }

  /**
   * Sends a change; again where it met another one. Where the connection was cut, `happened` is asked until it says that
   * the change is there, or the database must have ended it. Rejects with Unanswered where there is no connection, and
   * nothing was sent; else as the driver does: it is not known what became of a change whose connection was cut, and any
   * other did not happen.
   */
  async change(statement: Statement, happened: Statement): Promise<readonly Row[] | "happened"> {
    for (let tries = 1;; tries++) {
      const connection = await this.#connected();
      const began = performance.now();
      try {
        return await this.#on(connection, statement);
      } catch (error) {
        if (MET.includes(stateOf(error) ?? "") && tries < TRIES_MAX) await this.#pause(tries);
        else if (!isCut(error)) throw error;
        else if (await this.#isThere({ happened, began, worker: connection.processID ?? 0 })) {
          return "happened";
        } else throw error;
      }
    }
  }

  async #isThere({ happened, began, worker }: Cut): Promise<boolean> {
    for (let tries = 1; !this.#closed && performance.now() - began < LOOKED_UP_MS; tries++) {
      const isOver = performance.now() - began > this.statement_ms + SLACK_MS || await this.#hasEnded(worker);
      const rows = await this.read(happened).catch(() => null);
      if (Number(rows?.[0]?.["found"] ?? 0) > 0) return true;
      if (rows !== null && isOver) return false;
      await this.#pause(tries);
    }
    return false;
  }

  /** Whether that process of the server works no more; false where the server does not tell. */
  async #hasEnded(worker: number): Promise<boolean> {
    const rows = await this.read(countWorkers(worker)).catch(() => null);
    return rows !== null && Number(rows[0]?.["found"]) === 0;
  }

  /**
   * A connection, in its turn. Rejects with Unanswered where none can be made, and has everybody refused who waits for one:
   * they would not get it either.
   */
  async #connected(): Promise<Lent> {
    await this.#turns.take();
    const began = performance.now();
    for (let tries = 1;; tries++) {
      try {
        return await this.#ask();
      } catch (error) {
        const isLate = performance.now() - began > CONNECT_TRIES_MS;
        if (this.#closed || isLate || isHopeless(error)) {
          const unanswered = new Unanswered(
            UNREAD,
            null,
            isTimeout(error) ? new Error(NO_CONNECTION) : error,
          );
          this.#turns.refuse(unanswered);
          this.#turns.leave();
          throw unanswered;
        }
        await this.#pause(tries);
      }
    }
  }

  async #ask(): Promise<Lent> {
    for (;;) {
      const asked = this.pool.connect();
      this.#asked.add(asked);
      try {
        const connection = await asked;
        if ((this.#madeAt.get(connection) ?? Infinity) > this.#doubtedAt) return connection;
        connection.release(true); // nobody waits for each of them in turn
      } finally {
        this.#asked.delete(asked);
      }
    }
  }

  async #on(connection: Lent, statement: Statement | string): Promise<readonly Row[]> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => {
        this.#doubtedAt = performance.now();
        late.reject(new Error("The database has not answered in time"));
      },
      this.statement_ms + 2 * SLACK_MS,
    );
    try {
      const sent = connection.query(statement);
      sent.catch(() => {});
      const { rows } = await Promise.race([sent, late.promise]);
      connection.release();
      return rows;
    } catch (error) {
      // A connection to a database that can only be read, as one is that lost its rank, is of no use any more.
      connection.release(isCut(error) || stateOf(error) === "25006");
      throw error;
    } finally {
      clearTimeout(timer);
      this.#turns.leave();
    }
  }

  /** Sends several statements that are carried out together or not at all. Rejects as the driver does. */
  async script(text: string): Promise<void> {
    await this.#on(await this.#connected(), text);
  }

  /** Ends every connection; what is under way on them may end first, and a pool that ends serves nobody who asked it before. */
  async close(): Promise<void> {
    this.#ending.abort();
    while (this.#asked.size > 0) await Promise.allSettled(this.#asked);
    await this.pool.end();
  }
}
