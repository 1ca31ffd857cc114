/** Wires the gateway together: store, registry, guard and doors, from settings that were already checked. */
import { monotonicFactory } from "ulid";
import { adminApp } from "./admin/api.ts";
import { CODES } from "./errors.ts";
import { buildApp } from "./doors/app.ts";
import { mcpDoor } from "./doors/mcp.ts";
import { openapi } from "./doors/openapi.ts";
import { restDoor } from "./doors/rest.ts";
import { authenticator } from "./guard/authenticate.ts";
import { largestBodyLimit } from "./guard/body_limit.ts";
import { SiteCaches } from "./guard/context.ts";
import { dispatcher } from "./guard/dispatch.ts";
import { RateLimit } from "./guard/limits.ts";
import { Retention } from "./guard/retention.ts";
import type { LinkPlatforms } from "./guard/links.ts";
import { schemaBridge } from "./platforms/wordpress/structured_data/client.ts";
import { seo } from "./platforms/wordpress/seo/client.ts";
import { hosting } from "./platforms/cloudflare_pages/client.ts";
import { createHttp, type Http } from "./platforms/http.ts";
import { appReach, readApp } from "./platforms/github/app.ts";
import { repo } from "./platforms/github/client.ts";
import { Catalog } from "./registry/catalog.ts";
import { loadTools, type ToolEntry } from "./registry/load.ts";
import type { Settings } from "./settings.ts";
import type { Store } from "./store/store.ts";
import { openStore } from "./store/kv.ts";

/** Name and version, as MCP clients and the OpenAPI document show them. */
export const SERVER = { name: "site-operations-gateway", version: "0.1.0" } as const;

/** What judges whether each link is set up. */
const LINKS: LinkPlatforms = {
  repo,
  hosting,
  seo,
  schema_bridge: schemaBridge,
};

const HERE = new URL(".", import.meta.url);

/** What tests and the sandbox may put in place of the real thing. */
export interface Replacements {
  /** What readTools answered, also with further folders. */
  readonly tools?: ReadonlyMap<string, ToolEntry>;
  /** Puts something around the store that was opened. */
  readonly wrapStore?: (store: Store) => Store;
  readonly http?: Http;
  readonly links?: LinkPlatforms;
  now?(): number;
  log?(event: Record<string, unknown>): void;
}

/** A gateway ready to serve. */
export interface Gateway {
  /** Answers one request. */
  fetch(request: Request): Response | Promise<Response>;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly retention: Retention;
  /** Writes one line to the log. */
  log(event: Record<string, unknown>): void;
  /** From now on /readyz answers 503. */
  drain(): void;
  /** Flushes the audit and closes the store. */
  close(): Promise<void>;
}

/** Loads the tools that are built in, and those of further folders with manifests/ and tools/. Throws RegistryError. */
export function readTools(further: readonly URL[] = []): Promise<ReadonlyMap<string, ToolEntry>> {
  return loadTools({ roots: [HERE, ...further], golden: new URL("tests/golden/catalog.yaml", HERE) });
}

/** Opens the store, loads the tools and joins everything. Throws with a message for the operator when it cannot. */
export async function openGateway(settings: Settings, replace: Replacements = {}): Promise<Gateway> {
  const now = replace.now ?? Date.now;
  const log = replace.log ?? logLine;
  const tools = replace.tools ?? await readTools();
  const opened = await openStore({
    path: settings.kvPath ?? undefined,
    keys: settings.encryptionKeys,
    tokenPrefix: settings.tokenPrefix,
    now,
  });
  const store = replace.wrapStore?.(opened) ?? opened;
  const secrets: Readonly<Record<string, boolean>> = settings.secrets;
  const logFault = (request_id: string, thrown: unknown) =>
    log({ event: "internal", request_id, cause: String(thrown) });
  const hasSecret = (name: string) => secrets[name] === true;
  const catalog = new Catalog(tools, hasSecret);
  const authenticate = authenticator({
    tokens: store.tokens,
    users: store.users,
    masterToken: settings.masterToken,
  });
  const tokenLimit = new RateLimit(settings.rateLimitToken, "token", now);
  const newId = monotonicFactory();
  const http = replace.http ?? createHttp({ allowPrivate: settings.privateUpstreams });
  const dispatch = dispatcher({
    store,
    http,
    cache: new SiteCaches(now),
    catalog,
    tokenLimit,
    siteLimit: new RateLimit(settings.rateLimitSite, "site", now),
    links: replace.links ?? LINKS,
    upstream: settings.upstream,
    hasSecret,
    now,
    log,
  });
  const retention = new Retention({
    store,
    days: settings.auditRetentionDays,
    now,
    newId: () => newId(),
    log,
  });
  const definitions = catalog.entries().map(({ definition, group, manifest }) => ({
    ...definition,
    group,
    tier: manifest.tier,
  }));
  const { baseUrl } = settings;
  let draining = false;
  const app = buildApp({
    rest: (app) =>
      restDoor(app, {
        authenticate,
        dispatch,
        catalog,
        sites: store.sites,
        tokenLimit,
        openapi: openapi(definitions, baseUrl, CODES),
        baseUrl,
        newId: () => newId(),
        log,
      }),
    mcp: mcpDoor({
      authenticate,
      listing: (caller) => {
        tokenLimit.take(caller.token.id);
        return catalog.listing(caller).mcp;
      },
      bodyLimit: (caller) => largestBodyLimit(catalog.entries(), caller),
      call: ({ caller, tool, arguments: args, bodyBytes, requestId }) =>
        dispatch({ door: "mcp", requestId, caller, tool, parse: () => ({ args, bytes: bodyBytes }) }),
      report: (fault, requestId) => logFault(requestId, fault),
      hosts: hostsOf(baseUrl),
      baseUrl,
      server: SERVER,
      requestId: () => newId(),
    }),
    admin: adminApp({
      store,
      masterToken: settings.masterToken,
      tokenPrefix: settings.tokenPrefix,
      baseUrl,
      privateUpstreams: settings.privateUpstreams,
      repoApp: () => readApp(appReach(http, (name) => settings.upstream[name], now)),
      toolNames: () => catalog.names(),
      retention,
      now,
      report: logFault,
    }),
    ping: () => store.ping(),
    draining: () => draining,
    log,
  });
  return {
    fetch: app.fetch,
    store,
    catalog,
    retention,
    log,
    drain: () => void (draining = true),
    close: () => store.close(),
  };
}

/** The Host values served: the base address's own, and on loopback every name of this machine. */
function hostsOf(baseUrl: string): ReadonlySet<string> {
  const { host, hostname, port } = new URL(baseUrl);
  const local = ["localhost", "127.0.0.1", "[::1]"];
  const suffix = port ? `:${port}` : "";
  return new Set([host, ...(local.includes(hostname) ? local.map((name) => name + suffix) : [])]);
}

/** One line of JSON on standard error. */
function logLine(event: Record<string, unknown>): void {
  const line = JSON.stringify({ at: new Date().toISOString(), ...event });
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}
