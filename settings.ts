/** The environment, read and checked once: one table says what may be set, one message lists all that is wrong. */
import { LIMITS } from "./model.ts";
import * as read from "./lib/env_values.ts";

export { localAddress, SettingsError } from "./lib/env_values.ts";

/** How the gateway is started; `dev` and `demo` fill in what `start` insists on. */
export type Mode = "start" | "dev" | "demo";

/** One variable of the environment. */
export interface SettingEntry {
  readonly name: string;
  /** null: no default, the variable may stay unset unless `required`. */
  readonly default: string | null;
  readonly meaning: string;
  /** Its value is never shown. */
  readonly secret?: true;
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
    meaning: "Address to listen on; 0.0.0.0 for every one",
    read: read.host,
  },
  {
    name: "PORT",
    default: "8000",
    meaning: "Port to listen on; 0 takes a free one",
    read: read.whole(0, 65_535),
  },
  {
    name: "BASE_URL",
    default: "http://127.0.0.1:8000",
    meaning:
      "Where clients reach the gateway: https, or http on loopback; no path. Left out, made of HOST and PORT",
    read: read.ownAddress,
  },
  {
    name: "KV_PATH",
    default: "data/gateway.sqlite3",
    meaning: "The store: a file, `:memory:` (the default of demo), or the https address of a KV Connect " +
      "server. Where the host provides KV (Deno Deploy), unset means that one",
    read: read.storePlace,
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
  { name: "TOKEN_PREFIX", default: "gate", meaning: "First word of the tokens made here", read: read.prefix },
  {
    name: "ALLOW_PRIVATE_UPSTREAMS",
    default: "",
    meaning: "Hosts, comma separated, that may be reached over plain http or at a private address",
    read: read.hosts,
  },
  {
    name: "AUDIT_RETENTION_DAYS",
    default: "400",
    meaning: "Days that audit rows are kept",
    read: read.whole(1, 36_500),
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
] as const satisfies readonly SettingEntry[];

/** An address with a default; what ends in `_BASE` loses a trailing slash, the rest is kept to the letter. */
function address<const N extends string>(name: N, preset: string, meaning: string) {
  return { name, default: preset, meaning, read: name.endsWith("_BASE") ? read.base : read.address } as const;
}

function given<const N extends string>(name: N, meaning: string, kind: (text: string) => string = read.line) {
  return { name, default: null, meaning, read: kind } as const;
}

function secret<const N extends string>(
  name: N,
  meaning: string,
  kind: (text: string) => string = read.line,
) {
  return { name, default: null, secret: true, meaning, read: kind } as const;
}

/** What may be set of the services behind the tools. Addresses default to the vendors' own. */
export const UPSTREAM_SETTINGS = [
  address("REPO_API_BASE", "https://api.github.com", "GitHub"),
  given("REPO_APP_ID", "Id of the GitHub App that reads and writes repositories", read.word),
  secret("REPO_APP_PRIVATE_KEY", "Its private key (PEM; line ends may be written \\n)", read.pem),
  address("HOSTING_API_BASE", "https://api.cloudflare.com/client/v4", "Cloudflare Pages"),
  secret("HOSTING_API_TOKEN", "Cloudflare API token that may read Pages", read.word),
  given("HOSTING_ACCOUNT_ID", "Cloudflare account id", read.word),
  address("SITEBUILDER_API_BASE", "https://api.duda.co/api", "Duda"),
  given("SITEBUILDER_API_USER", "Duda API user"),
  secret("SITEBUILDER_API_PASSWORD", "Duda API password"),
  address("CRM_API_BASE", "https://services.leadconnectorhq.com", "HighLevel"),
  address("CRM_MCP_URL", "https://services.leadconnectorhq.com/mcp/", "HighLevel's tool server"),
  address("ACCOUNT_AUTH_URL", "https://accounts.google.com/o/oauth2/v2/auth", "Google sign-in page"),
  address("ACCOUNT_TOKEN_URL", "https://oauth2.googleapis.com/token", "Google tokens"),
  address("ACCOUNT_REVOKE_URL", "https://oauth2.googleapis.com/revoke", "Google token revocation"),
  given("ACCOUNT_CLIENT_ID", "Google OAuth client id", read.word),
  secret("ACCOUNT_CLIENT_SECRET", "Google OAuth client secret", read.word),
  address("ANALYTICS_API_BASE", "https://analyticsdata.googleapis.com/v1beta", "Google Analytics Data"),
  address("SEARCH_API_BASE", "https://searchconsole.googleapis.com/webmasters/v3", "Google Search Console"),
  address("SHEETS_API_BASE", "https://sheets.googleapis.com/v4", "Google Sheets"),
  address("ADS_API_BASE", "https://googleads.googleapis.com/v26", "Google Ads"),
  secret("ADS_DEVELOPER_TOKEN", "Google Ads developer token", read.word),
  address("STORAGE_API_BASE", "https://www.googleapis.com/drive/v3", "Google Drive"),
  address("STORAGE_UPLOAD_BASE", "https://www.googleapis.com/upload/drive/v3", "Google Drive uploads"),
  address("SOCIAL_ADS_API_BASE", "https://graph.facebook.com/v26.0", "Meta Graph"),
  address("SOCIAL_ADS_DIALOG_URL", "https://www.facebook.com/v26.0/dialog/oauth", "Meta sign-in page"),
  given("SOCIAL_ADS_APP_ID", "Meta app id", read.word),
  secret("SOCIAL_ADS_APP_SECRET", "Meta app secret", read.word),
  address("BEHAVIOR_API_BASE", "https://www.clarity.ms/export-data/api/v1", "Microsoft Clarity export"),
  given("TOPICMAP_BASE_URL", "The topic-planning service, without /v1", read.base),
  secret("TOPICMAP_BOT_TOKEN", "Its bot token", read.word),
] as const satisfies readonly SettingEntry[];

type UpstreamEntry = (typeof UPSTREAM_SETTINGS)[number];
/** The name of a variable about an upstream. */
export type UpstreamSetting = UpstreamEntry["name"];
type Preset = Extract<UpstreamEntry, { default: string }>["name"];

/** Everything the gateway is told by its environment. */
export interface Settings {
  readonly mode: Mode;
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** null: the KV that the host provides. */
  readonly kvPath: string | null;
  readonly masterToken: string;
  /** 32 bytes each; the first encrypts, all decrypt. */
  readonly encryptionKeys: readonly Uint8Array<ArrayBuffer>[];
  readonly tokenPrefix: string;
  /** Host names as URL.hostname spells them: lower case, IPv6 in brackets. */
  readonly privateUpstreams: readonly string[];
  readonly auditRetentionDays: number;
  /** Calls a minute; 0 is no limit. */
  readonly rateLimitToken: number;
  readonly rateLimitSite: number;
  readonly upstream:
    & Readonly<Record<Preset, string>>
    & Readonly<Record<Exclude<UpstreamSetting, Preset>, string | null>>;
  /** Of every upstream variable without a default: whether it is set. What manifests call `secrets`. */
  readonly secrets: Readonly<Record<Exclude<UpstreamSetting, Preset>, boolean>>;
}

/**
 * Reads and checks every setting; an empty variable counts as unset. Touches no file: `dev` and `demo` hand in an
 * environment that `devEnvironment` completed. Throws one SettingsError with all faults.
 */
export function readSettings(env: (name: string) => string | undefined, mode: Mode): Settings {
  const faults: string[] = [];
  const values = new Map<string, unknown>();
  for (const entry of [...GATEWAY_SETTINGS, ...UPSTREAM_SETTINGS] as readonly SettingEntry[]) {
    const text = env(entry.name)?.trim() || preset(entry, mode, env);
    if (text === null) {
      if (entry.required) faults.push(`${entry.name}: not set; ${read.HOW_TO_MAKE}`);
      values.set(entry.name, null);
      continue;
    }
    try {
      values.set(entry.name, entry.read(text));
    } catch (fault) {
      if (!(fault instanceof read.Wrong)) throw fault;
      faults.push(`${entry.name}: ${fault.sentence(entry.secret ? null : text)}`);
    }
  }
  const privateUpstreams = (values.get("ALLOW_PRIVATE_UPSTREAMS") ?? []) as string[];
  faults.push(...plainAddresses(values, privateUpstreams));
  if (faults.length > 0) throw new read.SettingsError(faults);
  return shape(values, mode);
}

/** The default of a setting; null when it has none. */
function preset(entry: SettingEntry, mode: Mode, env: (name: string) => string | undefined): string | null {
  if (entry.name === "BASE_URL") return null;
  if (entry.name !== "KV_PATH") return entry.default;
  if (mode === "demo") return ":memory:";
  return mode === "start" && (env("DENO_DEPLOY") || env("DENO_DEPLOYMENT_ID")) ? null : entry.default;
}

/** Upstream addresses over http, but for hosts that are allowed by name. */
function plainAddresses(values: ReadonlyMap<string, unknown>, allowed: readonly string[]): string[] {
  return UPSTREAM_SETTINGS.flatMap(({ name }) => {
    const value = values.get(name);
    if (typeof value !== "string" || !value.startsWith("http://")) return [];
    const { hostname } = new URL(value);
    if (allowed.includes(hostname)) return [];
    return [`${name}: "${value}" is plain http; use https, or list ${hostname} in ALLOW_PRIVATE_UPSTREAMS`];
  });
}

function shape(values: ReadonlyMap<string, unknown>, mode: Mode): Settings {
  const get = <T>(name: (typeof GATEWAY_SETTINGS)[number]["name"]) => values.get(name) as T;
  const upstream = UPSTREAM_SETTINGS.map(({ name }) => [name, values.get(name)]);
  const secrets = UPSTREAM_SETTINGS.filter((entry) => entry.default === null)
    .map(({ name }) => [name, values.get(name) !== null]);
  return {
    mode,
    host: get("HOST"),
    port: get("PORT"),
    baseUrl: get<string | null>("BASE_URL") ?? read.localAddress(get("HOST"), get("PORT")),
    kvPath: get("KV_PATH"),
    masterToken: get("MASTER_TOKEN"),
    encryptionKeys: get("ENCRYPTION_KEYS"),
    tokenPrefix: get("TOKEN_PREFIX"),
    privateUpstreams: get("ALLOW_PRIVATE_UPSTREAMS"),
    auditRetentionDays: get("AUDIT_RETENTION_DAYS"),
    rateLimitToken: get("RATE_LIMIT_TOKEN"),
    rateLimitSite: get("RATE_LIMIT_SITE"),
    upstream: Object.fromEntries(upstream),
    secrets: Object.fromEntries(secrets),
  };
}
