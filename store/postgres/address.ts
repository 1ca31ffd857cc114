/** The address of a PostgreSQL database: what a connection is made with, and what messages may call it. */
import { GatewayError } from "../../core/errors.ts";

/** How a connection is made. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl: false | {
    readonly rejectUnauthorized: boolean;
    readonly ca?: string;
  };
  /** Connections of this process at most. */
  readonly connections: number;
}

const PORT = 5432;
const CONNECTIONS = 10;
const CONNECTIONS_MAX = 100;

/** Values of `sslmode`, with whether the server's certificate is judged; null is a connection without TLS. */
const MODES: Readonly<Record<string, boolean | null>> = {
  disable: null,
  "no-verify": false,
  require: true,
  "verify-ca": true,
  "verify-full": true,
};

/** Parameters of the address that change nothing here: hosts put them into what they hand out. */
const IGNORED = ["application_name", "channel_binding", "connect_timeout", "options", "pgbouncer"];

const isLoopback = (host: string) => host === "localhost" || host === "[::1]" || host.startsWith("127.");

/** What is wrong with an address, and what is allowed; it never repeats the address, which holds a password. */
export class WrongAddress extends GatewayError {
  constructor(fault: string) {
    super("E_INTERNAL", `KV_PATH: the address of the database ${fault}`);
  }
}

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…`. TLS with a judged certificate is the default off
 * loopback. Throws a WrongAddress that says what is allowed.
 */
export function readAddress(
  address: string,
  readFile: (path: string) => string = Deno.readTextFileSync,
): Place {
  const url = parse(address);
  const options = url.searchParams;
  for (const name of options.keys()) {
    if (["sslmode", "sslrootcert", "pool", ...IGNORED].includes(name)) continue;
    throw new WrongAddress(`has the parameter "${name}"; allowed are sslmode, sslrootcert and pool`);
  }
  const database = decoded(url.pathname.slice(1));
  if (database === "" || database.includes("/")) {
    throw new WrongAddress("names no database; write postgres://user:password@host:5432/database");
  }
  return {
    host: url.hostname.replace("[", "").replace("]", ""),
    port: url.port === "" ? PORT : Number(url.port),
    user: decoded(url.username),
    password: decoded(url.password),
    database,
    ssl: tls(url.hostname, options, readFile),
    connections: connections(options.get("pool")),
  };
}

function parse(address: string): URL {
  const form =
    "write postgres://user:password@host:5432/database, with every / ? # @ : and % of user and password " +
    "percent-encoded (encodeURIComponent)";
  const url = URL.parse(address);
  if (url === null) throw new WrongAddress(`cannot be read; ${form}`);
  if (url.hash !== "") throw new WrongAddress(`has a "#"; ${form}`);
  if (url.hostname === "") {
    throw new WrongAddress("names no host; sockets of the file system are not supported");
  }
  if (url.hostname.includes(",")) {
    throw new WrongAddress("names several hosts; name one that leads to the primary");
  }
  if (url.username === "") throw new WrongAddress(`names no user; ${form}`);
  return url;
}

/** A part of the address as it was before it was percent-encoded; as it is, where it was not. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function tls(host: string, options: URLSearchParams, readFile: (path: string) => string): Place["ssl"] {
  const mode = options.get("sslmode") ?? (isLoopback(host) ? "disable" : "verify-full");
  if (!Object.hasOwn(MODES, mode)) {
    throw new WrongAddress(`has sslmode=${mode}; allowed are ${Object.keys(MODES).join(", ")}`);
  }
  const judged = MODES[mode] ?? null;
  if (judged === null) return false;
  const file = options.get("sslrootcert");
  if (file === null || file === "system") return { rejectUnauthorized: judged };
  try {
    return { rejectUnauthorized: judged, ca: readFile(file) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WrongAddress(`names sslrootcert=${file}, which cannot be read (${why}); put it under data/`);
  }
}

function connections(given: string | null): number {
  const count = Number(given ?? CONNECTIONS);
  if (Number.isInteger(count) && count >= 1 && count <= CONNECTIONS_MAX) return count;
  throw new WrongAddress(`has pool=${given}; allowed is a whole number from 1 to ${CONNECTIONS_MAX}`);
}
