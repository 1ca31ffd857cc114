/** What is used of the driver `pg`, which is loaded where a store is kept in PostgreSQL. */
import type { Place } from "./address.ts";
import type { Statement } from "./statements.ts";

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** A connection. */
export interface Connection {
  /** The process of the server that works for it. */
  readonly processID?: number | null;
  connect(): Promise<unknown>;
  query(statement: Statement | string): Promise<{ readonly rows: readonly Row[] }>;
  on(event: "notification", tell: (told: { payload?: string }) => void): unknown;
  on(event: "error" | "end", tell: (error?: unknown) => void): unknown;
  end(): Promise<void>;
}

/** One of the pool; it is given back, or cut where something is wrong with it. */
export interface Lent extends Connection {
  release(cut?: boolean): void;
}

/** Connections that are kept open. */
export interface Connections {
  connect(): Promise<Lent>;
  on(event: "error", tell: (error: unknown) => void): unknown;
  on(event: "connect", tell: (connection: Connection) => void): unknown;
  end(): Promise<void>;
}

/** Is told how a connection came about. */
type Connected = (error: unknown, ...rest: unknown[]) => void;

/** A connection as the pool makes it. */
interface Pooled extends Connection {
  readonly connection?: { readonly stream?: { destroy(): void } };
  connect(connected?: Connected): Promise<unknown>;
}

interface Driver {
  readonly Pool: new (options: Record<string, unknown>) => Connections;
  readonly Client: new (options: Record<string, unknown>) => Pooled;
}

/** What every connection calls itself in pg_stat_activity. */
export const APPLICATION = "site-operations";

/** The longest that is waited for a connection to be made; nobody waits for one in the pool, for the session has as many turns. */
const CONNECT_MS = 3000;
const IDLE_MS = 60_000;

/** The types that statements answer, as texts, by what PostgreSQL's own catalogue calls them. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === "t",
  17: (text) => Uint8Array.fromHex(text.slice("\\x".length)),
  20: Number,
  21: Number,
  23: Number,
};
const types = { getTypeParser: (type: number) => PARSERS[type] ?? String };

/**
 * What every session has, whatever the database or its user is set to: bytes are told in hexadecimal, which is how they are
 * read, and a change is judged as it was written for.
 */
const SESSION = ["timezone=UTC", "bytea_output=hex", "default_transaction_isolation=read\\ committed"];

/** What is given is not looked for in the environment. */
const optionsOf = (place: Place, statement_ms: number) => ({
  ...{
    host: place.host,
    port: place.port,
    user: place.user,
    password: () => place.password,
    database: place.database,
  },
  ssl: place.ssl,
  sslnegotiation: "postgres",
  types,
  client_encoding: "UTF8",
  application_name: APPLICATION,
  options: SESSION.map((setting) => `-c ${setting}`).join(" "),
  statement_timeout: statement_ms,
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
});

async function driver(): Promise<Driver> {
  const { default: pg } = await import("pg");
  return pg as unknown as Driver;
}

/**
 * A pool of connections; none is made before it is used. The database takes back what takes longer than `statement_ms`.
 */
export async function openPool(place: Place, statement_ms: number): Promise<Connections> {
  const { Pool, Client } = await driver();
  /** What could not be made leaves no socket behind, as the driver's own does where no password is given: the process would not end. */
  class Ending extends Client {
    override connect(connected?: Connected): Promise<unknown> {
      return super.connect((error, ...rest) => {
        if (error) this.connection?.stream?.destroy();
        connected?.(error, ...rest);
      });
    }
  }
  const pool = new Pool({
    ...optionsOf(place, statement_ms),
    Client: Ending,
    max: place.connections,
    idleTimeoutMillis: IDLE_MS,
  });
  // Whoever uses one that is cut is told so by what it sent; without a listener the process would end.
  pool.on("connect", (connection) => connection.on("error", () => {}));
  pool.on("error", () => {}); // one that nobody uses was cut: the next use makes another
  return pool;
}

/** A connection that is not one of the pool, to be told something by; not open yet. */
export async function oneConnection(place: Place): Promise<Connection> {
  const { Client } = await driver();
  return new Client(optionsOf(place, 0));
}
