/** The table of what may be set of the gateway itself: names, defaults, what each means and how it is read. */
import { LIMITS } from "./model.ts";
import * as read from "./env_values.ts";

/** The file of a store that nothing names. */
export const DEFAULT_FILE = "data/gateway.sqlite3";

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
