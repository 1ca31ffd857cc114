/** The environment, read and checked once: one table says what may be set, one message lists all that is wrong. */
import type { Network } from "./ip.ts";
import { LIMITS } from "./model.ts";
import * as read from "./env_values.ts";

export { localAddress, SettingsError } from "./env_values.ts";

/** The file of a store that nothing names. */
const DEFAULT_FILE = "data/gateway.sqlite3";

/** How the gateway is started; `dev` and `demo` fill in what `start` insists on. */
export type Mode = "start" | "dev" | "demo";

/** One variable of the environment. */
export interface SettingEntry {
  readonly name: string;
  /** null: no default, the variable may stay unset unless `required`. */
  readonly default: string | null;
  readonly meaning: string;
  /** Its value is never shown. */
  readonly secret?: boolean;
  /** Cannot be left out on `start`; made once in `dev` and `demo` (admin/dev_secrets.ts). */
  readonly required?: true;
  /** Reads the text; throws a Wrong that says what it was and what is allowed. */
  readonly read: (text: string) => unknown;
}

/** What may be set of the gateway itself. */
export const GATEWAY_SETTINGS = [
  {
    name: "HOST",
    default: "127.0.0.1",
    meaning: "Address to listen on; 0.0.0.0 means all addresses of the machine",
    read: read.host,
  },
  {
    name: "PORT",
    default: "8000",
    meaning: "Port to listen on; 0 takes a free port",
    read: read.whole(0, 65_535),
  },
  {
    name: "BASE_URL",
    default: "http://127.0.0.1:8000",
    meaning:
      "Address at which clients reach the gateway: https, or http on loopback; no path. Unset, it is made of HOST and PORT",
    read: read.ownAddress,
  },
  {
    name: "KV_PATH",
    default: DEFAULT_FILE,
    meaning: "The store: a file, `:memory:` (the default of demo), a PostgreSQL database " +
      "(`postgres://user:password@host:5432/database`), or the https address of a KV Connect " +
      "server, whose access token is read from DENO_KV_ACCESS_TOKEN. Unset where the host provides KV (Deno Deploy), it is the host's KV",
    read: read.storePlace,
  },
  {
    name: "DATABASE_URL",
    default: null,
    secret: true,
    meaning:
      "Where a host gives the address of a PostgreSQL database by this name, it is the store of `deno task start` " +
      "and of `deno task admin store …` while KV_PATH is unset; both refuse where `data/gateway.sqlite3` holds a store " +
      "too. `dev` and `demo` never use it, and say so; an address of another kind is ignored",
    read: (text) => text,
  },
  {
    name: "MASTER_TOKEN",
    default: null,
    required: true,
    secret: true,
    meaning: "Opens /admin and nothing else; at least 32 characters",
    read: read.masterToken,
  },
  {
    name: "ENCRYPTION_KEYS",
    default: null,
    required: true,
    secret: true,
    meaning: "32-byte keys in base64, comma separated: the first seals credentials, all of them open",
    read: read.keys,
  },
  {
    name: "METRICS_TOKEN",
    default: null,
    secret: true,
    meaning:
      "Opens /metrics, where Prometheus reads figures, and nothing else; at least 32 characters. Unset, there is no /metrics",
    read: read.masterToken,
  },
  {
    name: "CALL_LOG",
    default: null,
    meaning:
      "`json` writes a line of JSON for each call to standard output: who called what, and what came of it; unset, none",
    read: read.oneOf("json"),
  },
  { name: "TOKEN_PREFIX", default: "gate", meaning: "First word of the tokens made here", read: read.prefix },
  {
    name: "ALLOW_PRIVATE_UPSTREAMS",
    default: "",
    meaning: "Hosts, comma separated, that may be reached over plain http or at a private address",
    read: read.hosts,
  },
  {
    name: "TRUSTED_PROXIES",
    default: "",
    meaning:
      "Networks, comma separated, of proxies in front of the gateway, whose X-Forwarded-For is believed",
    read: read.networks,
  },
  {
    name: "AUDIT_RETENTION_DAYS",
    default: "400",
    meaning: "Days that audit rows are kept",
    read: read.whole(1, 36_500),
  },
  {
    name: "UNDO_DAYS",
    default: `${LIMITS.UNDO_DAYS}`,
    meaning: "Days for which a change can be taken back; 0 keeps nothing for that",
    read: read.whole(0, LIMITS.UNDO_DAYS_MAX),
  },
  {
    name: "DRAIN_SECONDS",
    default: "0",
    meaning: "Seconds for which a gateway that is told to stop answers as before, while /readyz says 503",
    read: read.whole(0, 600),
  },
  {
    name: "SHUTDOWN_SECONDS",
    default: `${LIMITS.SHUTDOWN_SECONDS}`,
    meaning:
      "Seconds that the gateway waits for calls in flight when it is told to stop; less than the host waits " +
      "before it kills the process (some wait 5)",
    read: read.whole(0, 600),
  },
  {
    name: "RATE_LIMIT_TOKEN",
    default: `${LIMITS.CALLS_PER_MINUTE_TOKEN}`,
    meaning: "Calls a minute for one token; 0 turns the limit off",
    read: read.whole(0, 1_000_000),
  },
  {
    name: "RATE_LIMIT_SITE",
    default: `${LIMITS.CALLS_PER_MINUTE_SITE}`,
    meaning: "Calls a minute on one site; 0 turns the limit off",
    read: read.whole(0, 1_000_000),
  },
  {
    name: "CALLS_PER_TOKEN",
    default: `${LIMITS.CALLS_IN_FLIGHT_PER_TOKEN}`,
    meaning: "Calls of one token that the gateway works on at the same time; up to " +
      `${LIMITS.CALLS_WAITING_PER_TOKEN} more wait. 0 turns the limit off`,
    read: read.whole(0, 100_000),
  },
  {
    name: "MAX_BODY_BYTES_IN_FLIGHT",
    default: `${LIMITS.BODY_BYTES_IN_FLIGHT}`,
    meaning: "Bytes of the bodies of all calls in flight",
    read: read.whole(1, Number.MAX_SAFE_INTEGER),
  },
  {
    name: "LARGE_BODY_BYTES_AT_ONCE",
    default: `${LIMITS.LARGE_BODY_BYTES_AT_ONCE}`,
    meaning:
      "Bytes of the larger bodies (over 4 MiB) that the gateway works on at the same time; the others wait",
    read: read.whole(1, Number.MAX_SAFE_INTEGER),
  },
] as const satisfies readonly SettingEntry[];

/** What the driver of PostgreSQL looks at; nothing of it is used. */
export const DATABASE_VARIABLES = ["NODE_PG_FORCE_NATIVE", "PGBINARY", "PGREPLICATION", "USER"] as const;

/** What the runtime's tracing is told by; the rest of its variables the runtime alone reads. */
const TRACE_VARIABLES = [
  "OTEL_DENO",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
  "OTEL_PROPAGATORS",
] as const;

/** What else the process reads: the runtime's tracing, the host's own marks, those of the YAML library, what the runtime shows a KV Connect server, and what its driver of PostgreSQL looks at. */
export const HOST_VARIABLES = [
  ...TRACE_VARIABLES,
  "LOG_STREAM",
  "LOG_TOKENS",
  "DENO_DEPLOY",
  "DENO_DEPLOYMENT_ID",
  "DENO_KV_ACCESS_TOKEN",
  ...DATABASE_VARIABLES,
] as const;

/** The variables that can name the store. */
export type PlaceSetting = "KV_PATH" | "DATABASE_URL";

/** Everything the gateway is told by its environment. */
export interface Settings {
  readonly mode: Mode;
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** null: the KV that the host provides. */
  readonly kvPath: string | null;
  /** The variable that names it. */
  readonly placeSetting: PlaceSetting;
  readonly masterToken: string;
  /** 32 bytes each; the first encrypts, all decrypt. */
  readonly encryptionKeys: readonly Uint8Array<ArrayBuffer>[];
  /** Opens /metrics; null where there is none. */
  readonly metricsToken: string | null;
  /** Whether each call is a line of standard output. */
  readonly logsCalls: boolean;
  readonly tokenPrefix: string;
  /** Host names as URL.hostname spells them: lower case, IPv6 in brackets. */
  readonly privateUpstreams: readonly string[];
  readonly trustedProxies: readonly Network[];
  readonly auditRetentionDays: number;
  /** 0 keeps nothing to take changes back with. */
  readonly undoDays: number;
  /** How long everything is answered still once it was told to stop. */
  readonly drainSeconds: number;
  /** How long calls in flight are waited for at the end. */
  readonly shutdownSeconds: number;
  /** Calls a minute; 0 is no limit. */
  readonly rateLimitToken: number;
  readonly rateLimitSite: number;
  /** Calls of one token that are worked on at once; 0 is no limit. */
  readonly callsPerToken: number;
  readonly maxBodyBytesInFlight: number;
  readonly largeBodyBytesAtOnce: number;
  /** What the operator set for the services behind the tools, by the names of the settings; null where it is not set. */
  readonly upstream: Readonly<Record<string, string | null>>;
}

/** The environment of this process; a variable it may not read throws, and is never asked for at a terminal. */
export function processEnvironment(name: string): string | undefined {
  if (Deno.permissions.querySync({ name: "env", variable: name }).state === "granted") {
    return Deno.env.get(name);
  }
  throw new Deno.errors.NotCapable(name);
}

/**
 * Reads and checks every setting, the gateway's own and those of its connectors; an empty variable counts as unset.
 * Touches no file: `dev` and `demo` hand in an environment that `devEnvironment` completed, and `hasStore` says
 * whether a file has held a store, whose secrets are loaded and not made anew. Throws one SettingsError with all faults; a setting that the process has no permission to read is one.
 */
export function readSettings(
  env: (name: string) => string | undefined,
  mode: Mode,
  upstream: readonly SettingEntry[],
  hasStore: (path: string) => boolean = () => false,
): Settings {
  const faults: string[] = [];
  const values = new Map<string, unknown>();
  const place = placeGiven((name) => permitted(env, name, []) ?? undefined, mode, hasStore);
  for (const entry of [...GATEWAY_SETTINGS, ...upstream] as readonly SettingEntry[]) {
    const set = permitted(env, entry.name, faults);
    if (set === null) continue;
    const isPlace = entry.name === "KV_PATH";
    if (isPlace && "fault" in place) {
      faults.push(place.fault);
      continue;
    }
    const { name, text } = isPlace
      ? place as GivenPlace
      : { name: entry.name, text: set.trim() || (entry.name === "BASE_URL" ? null : entry.default) };
    if (text === null) {
      if (entry.required) faults.push(`${entry.name}: not set${wayOut(values.get("KV_PATH"), hasStore)}`);
      values.set(entry.name, null);
      continue;
    }
    try {
      values.set(entry.name, entry.read(text));
    } catch (fault) {
      if (!(fault instanceof read.Wrong)) throw fault;
      faults.push(`${name}: ${fault.sentence(entry.secret || text.includes("@") ? null : text)}`);
    }
  }
  const privateUpstreams = (values.get("ALLOW_PRIVATE_UPSTREAMS") ?? []) as string[];
  faults.push(...plainAddresses(upstream, values, privateUpstreams));
  if (faults.length > 0) throw new read.SettingsError(faults);
  return shape(values, mode, "name" in place ? place.name : "KV_PATH", upstream);
}

/** Where a secret that is not set comes from: beside a store another one would open nothing. */
function wayOut(kvPath: unknown, hasStore: (path: string) => boolean): string {
  return typeof kvPath === "string" && hasStore(kvPath)
    ? `, and ${JSON.stringify(kvPath)} needs the one it was used with; ${read.HOW_TO_LOAD}`
    : `; ${read.HOW_TO_MAKE}`;
}

/** The text of a variable, "" while unset; null, and a fault, where the process may not read it. */
function permitted(
  env: (name: string) => string | undefined,
  name: string,
  faults: string[],
): string | null {
  try {
    return env(name) ?? "";
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    faults.push(
      `${name}: the gateway has no permission to read it; run deno task gen, which writes it into deno.json`,
    );
    return null;
  }
}

/** Where the store is, not read yet, and the variable that names it; null is the KV of the host. */
export interface GivenPlace {
  readonly name: PlaceSetting;
  readonly text: string | null;
}

/**
 * The one rule of where the store is, for the gateway and (as in mode "start") for the commands on its store: KV_PATH;
 * where that is unset, on `start` a database that DATABASE_URL names; else the default. A fault where two stores could be
 * meant: that database, and a file that holds a store or held one.
 */
export function placeGiven(
  env: (name: string) => string | undefined,
  mode: Mode,
  hasStore: (path: string) => boolean,
): GivenPlace | { readonly fault: string } {
  const set = env("KV_PATH")?.trim();
  if (set) return { name: "KV_PATH", text: set };
  if (mode === "demo") return { name: "KV_PATH", text: ":memory:" };
  const database = mode === "start" ? databaseOf(env) : null;
  if (database !== null) {
    return hasStore(DEFAULT_FILE) ? { fault: besideFile } : { name: "DATABASE_URL", text: database };
  }
  const isHosted = mode === "start" && (env("DENO_DEPLOY") || env("DENO_DEPLOYMENT_ID"));
  return { name: "KV_PATH", text: isHosted ? null : DEFAULT_FILE };
}

/** The database that DATABASE_URL names; null for none, or an address of something else. */
export function databaseOf(env: (name: string) => string | undefined): string | null {
  const given = env("DATABASE_URL")?.trim() ?? "";
  return read.isDatabase(given) ? given : null;
}

/** Why the database of a host is not taken: a store that nobody would find again is on this machine. */
const besideFile =
  `KV_PATH: not set, while DATABASE_URL names a database and ${
    JSON.stringify(DEFAULT_FILE)
  } holds a store, or ` +
  `held one; set KV_PATH=${DEFAULT_FILE}, or set KV_PATH to the address of the database, into which ` +
  `deno task admin store copy ${DEFAULT_FILE} DATABASE_URL moves the store`;

/** What `dev` and `demo` say of a database that they leave alone; null where there is nothing to say. */
export function unusedDatabase(
  env: (name: string) => string | undefined,
  { mode, kvPath }: Pick<Settings, "mode" | "kvPath">,
): string | null {
  if (mode === "start" || env("KV_PATH")?.trim() || databaseOf(env) === null) return null;
  return `DATABASE_URL is not used by deno task ${mode}, whose store is ${kvPath}; set KV_PATH to use a database`;
}

/** Upstream addresses over http, but for hosts that are allowed by name. */
function plainAddresses(
  upstream: readonly SettingEntry[],
  values: ReadonlyMap<string, unknown>,
  allowed: readonly string[],
): string[] {
  return upstream.flatMap(({ name }) => {
    const value = values.get(name);
    if (typeof value !== "string" || !value.startsWith("http://")) return [];
    const { hostname } = new URL(value);
    if (allowed.includes(hostname)) return [];
    return [`${name}: "${value}" is plain http; use https, or list ${hostname} in ALLOW_PRIVATE_UPSTREAMS`];
  });
}

function shape(
  values: ReadonlyMap<string, unknown>,
  mode: Mode,
  placeSetting: PlaceSetting,
  upstream: readonly SettingEntry[],
): Settings {
  const get = <T>(name: (typeof GATEWAY_SETTINGS)[number]["name"]) => values.get(name) as T;
  return {
    mode,
    host: get("HOST"),
    port: get("PORT"),
    baseUrl: get<string | null>("BASE_URL") ?? read.localAddress(get("HOST"), get("PORT")),
    kvPath: get("KV_PATH"),
    placeSetting,
    masterToken: get("MASTER_TOKEN"),
    encryptionKeys: get("ENCRYPTION_KEYS"),
    metricsToken: get("METRICS_TOKEN"),
    logsCalls: get("CALL_LOG") !== null,
    tokenPrefix: get("TOKEN_PREFIX"),
    privateUpstreams: get("ALLOW_PRIVATE_UPSTREAMS"),
    trustedProxies: get("TRUSTED_PROXIES"),
    auditRetentionDays: get("AUDIT_RETENTION_DAYS"),
    undoDays: get("UNDO_DAYS"),
    drainSeconds: get("DRAIN_SECONDS"),
    shutdownSeconds: get("SHUTDOWN_SECONDS"),
    rateLimitToken: get("RATE_LIMIT_TOKEN"),
    rateLimitSite: get("RATE_LIMIT_SITE"),
    callsPerToken: get("CALLS_PER_TOKEN"),
    maxBodyBytesInFlight: get("MAX_BODY_BYTES_IN_FLIGHT"),
    largeBodyBytesAtOnce: get("LARGE_BODY_BYTES_AT_ONCE"),
    upstream: Object.fromEntries(upstream.map(({ name }) => [name, values.get(name) as string | null])),
  };
}
