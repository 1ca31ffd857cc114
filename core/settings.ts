/** The environment, read and checked once: one table says what may be set, one message lists all that is wrong. */
import type { Network } from "./ip.ts";
import * as read from "./env_values.ts";
import { DEFAULT_FILE, GATEWAY_SETTINGS, type SettingEntry } from "./settings_table.ts";

export { localAddress, SettingsError } from "./env_values.ts";
export { GATEWAY_SETTINGS, type SettingEntry } from "./settings_table.ts";

/** How the gateway is started; `dev` and `demo` fill in what `start` insists on. */
export type Mode = "start" | "dev" | "demo";

/** What the driver of PostgreSQL looks at; nothing of it is used. */
export const DATABASE_VARIABLES = ["NODE_PG_FORCE_NATIVE", "PGBINARY", "PGREPLICATION", "USER"] as const;

/** What the runtime's tracing is told by; the rest of its variables the runtime alone reads. */
const TRACE_VARIABLES = [
  "OTEL_DENO",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
  "OTEL_PROPAGATORS",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
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
