/** Wires the gateway together: store, registry, guard and doors, from settings that were already checked. */
import type { Registry } from "./boot.ts";
import { buildApp } from "../doors/app.ts";
import { mcpDoor } from "../doors/mcp.ts";
import { dispatched } from "../doors/mcp_call.ts";
import { described, describedTools } from "../doors/openapi.ts";
import { Proxies } from "../doors/proxies.ts";
import { restDoor } from "../doors/rest.ts";
import { siteWork, watched, watchOf } from "./operator.ts";
import type { Gateway, Replacements } from "./types.ts";
import { accessTokens, grantTokens } from "../identity/access.ts";
import { ApprovalDesk } from "../guard/approvals.ts";
import { authenticator, callerNow, callerOfGrant } from "../guard/pipeline/authenticate.ts";
import { largestBodyLimit } from "../guard/pipeline/body_limit.ts";
import { makeConnectorContext } from "../guard/connector_context.ts";
import { FactCaches } from "../guard/fact_caches.ts";
import { Snapshots } from "../guard/snapshots.ts";
import { Anchoring } from "../guard/audit/anchoring.ts";
import { keepAnchor } from "../store/audit/anchor.ts";
import { VendorWatch } from "../guard/vendor_watch.ts";
import { openDeliveries } from "../guard/webhooks/deliveries.ts";
import { telling } from "../guard/webhooks/tell.ts";
import { endOfCall } from "../guard/pipeline/context.ts";
import { dispatcher } from "../guard/pipeline/dispatch.ts";
import { Doubts } from "../guard/audit/doubts.ts";
import { setsOnDemand } from "../guard/pipeline/context_ports.ts";
import { Erasing } from "../guard/audit/erasing.ts";
import { BodyTurns } from "../guard/pipeline/body_turns.ts";
import { BodiesInFlight, CallsInFlight } from "../guard/pipeline/in_flight.ts";
import { Jobs } from "../guard/jobs.ts";
import { RateLimit } from "../guard/pipeline/limits.ts";
import { recorder } from "../guard/audit/admin_row.ts";
import { CountedRefusals } from "../guard/audit/counted.ts";
import { MetricsText } from "../guard/metrics_text.ts";
import { Readiness } from "../guard/readiness.ts";
import { Retention } from "../guard/audit/retention.ts";
import { proxiedTools } from "../guard/proxied/gateway_source.ts";
import { holds } from "../platforms/_content/holds.ts";
import { reaches } from "../guard/pipeline/scope.ts";
import { guideOf, ToolLists } from "../guard/tool_lists.ts";
import { Rounds } from "../guard/consent/rounds.ts";
import { Sealer } from "../store/seal.ts";
import { CLOCK, delay as pause, ended, onDemand } from "../core/async.ts";
import { hostsOf } from "../identity/origin.ts";
import { logLine } from "../core/say.ts";
import { growingIds } from "../core/ulid.ts";
import { LIMITS, PROGRAM, VERSION } from "../core/model.ts";
import { asWritten } from "../platforms/_http/addresses.ts";
import { createHttp } from "../platforms/_http/http.ts";
import { Catalog } from "../registry/catalog.ts";
import { builtIn } from "../registry/source.ts";
import type { Settings } from "../core/settings.ts";
import { openStore } from "../store/kv.ts";

export { readRegistry, type Registry } from "./boot.ts";
export type * from "./types.ts";

/** Name and version, as MCP clients and the OpenAPI document show them. */
const SERVER = { name: PROGRAM, version: VERSION } as const;

/** Resolves once none of them is under way, nor any that was added meanwhile. */
async function emptied(runs: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (runs.size > 0) await Promise.all(runs);
}

/** Opens the store and joins everything. Throws with a message for the operator when it cannot. */
export async function openGateway(
  settings: Settings,
  registry: Registry,
  replace: Replacements = {},
): Promise<Gateway> {
  const base = await openBase(settings, registry, replace);
  const guarded = { ...base, ...guardOf(base), ...clockedOf(base) };
  const parts = { ...guarded, ...accountsOf(guarded) };
  const { store, ownHttp, stopping, snapshots, proxied, ports } = parts;
  const { catalog, retention, doubts, erasing, approvals, watch, anchoring, jobs, figures, log } = parts;
  let leaving = false;
  const webhooks = openDeliveries({
    ...parts,
    judge: (url) => asWritten(url, settings.privateUpstreams),
    judged: () => proxied.source.judged(),
  });
  return {
    fetch: buildApp({
      rest: (app) => restOf(parts, app),
      mcp: mcpOf(parts),
      admin: () => adminOf(parts, webhooks),
      connect: () => connectOf(parts),
      oauth: () => oauthOf(parts),
      home: async (c) => await (await import("../console/home.tsx")).homePage(c, parts.baseUrl),
      docs: async () =>
        (await import("../console/docs.tsx")).docsApp(describedTools(registry.tools.values()), parts.baseUrl),
      ...{ proxies: parts.noticed, baseUrl: parts.baseUrl, newId: parts.newId, log },
      ping: () => store.ping(),
      problems: () => parts.readiness.problems(),
      metrics: {
        token: settings.metricsToken,
        text: () => parts.metrics.text(),
        wrong: (sender) => parts.ports.counted.wrong(sender),
      },
      draining: () => leaving || stopping.signal.aborted,
    }),
    ...{ store, catalog, retention, doubts, erasing, approvals, webhooks, snapshots, watch, jobs, figures },
    ...{ anchoring, log, counted: ports.counted, toolCatalogs: proxied, state: parts.metrics },
    setsAtRest: () => emptied(parts.setRuns),
    leave: () => void (leaving = true),
    drain: () => void (stopping.abort(), snapshots.stop(), proxied.stop(), webhooks.stop()),
    cutOff: () => ownHttp?.[Symbol.dispose](),
    close: async () => {
      stopping.abort();
      const stopped = Promise.all([snapshots.stop(), proxied.stop(), webhooks.stop()]);
      ownHttp?.[Symbol.dispose]();
      await Promise.all([ports.counted.flush(), stopped]); // the lease is given back while there is a store
      await store.close();
      if (parts.callLog !== null) await ended(parts.callLog.flush(), LIMITS.SHUTDOWN_CUT_OFF_MS);
    },
  };
}

/** What everything else is made with: the store, the way out, the clock, the log. */
async function openBase(settings: Settings, registry: Registry, replace: Replacements) {
  const { connectors } = registry;
  const { now = Date.now, delay = pause } = replace;
  const stream = settings.logsCalls ? replace.callLog ?? Deno.stdout : null;
  const { figures, log, ...watch } = watchOf(now, replace.log ?? logLine, stream);
  const opened = await openStore({
    path: settings.kvPath ?? undefined,
    named: settings.placeSetting,
    keys: settings.encryptionKeys,
    siteShape: connectors.siteShape(),
    tokenPrefix: settings.tokenPrefix,
    undoDays: settings.undoDays,
    now,
    log,
    ...figures.ofStore,
    ...replace.storage,
  });
  const store = replace.wrapStore?.(opened) ?? opened;
  const nextId = growingIds();
  const newId = () => nextId();
  const ownHttp = replace.http ? null : createHttp({ allowPrivate: settings.privateUpstreams });
  const http = replace.http ?? ownHttp!;
  const { upstream, baseUrl } = settings;
  const setRuns = new Set<Promise<void>>();
  const stopping = new AbortController();
  const titleOf = (tool: string) => registry.tools.get(tool)?.manifest.title ?? tool;
  return {
    settings,
    registry,
    replace,
    connectors,
    store,
    http,
    ownHttp,
    baseUrl,
    now,
    elapsed: replace.storage?.clock?.elapsed.bind(replace.storage.clock) ?? CLOCK.elapsed,
    log,
    newId,
    setRuns,
    ...telling({ store, baseUrl, now, titleOf, log }),
    ports: {
      ...{ connectors, store, http, upstream, cache: new FactCaches(now), figures, now, delay, setRuns },
      counted: new CountedRefusals({ now, record: recorder({ audit: store.audit, log }, newId, now) }),
    },
    figures,
    jobs: new Jobs({ now, log }),
    tokenLimit: new RateLimit(settings.rateLimitToken, "token", store.budgets),
    bodies: new BodiesInFlight(settings.maxBodyBytesInFlight, new BodyTurns(settings.largeBodyBytesAtOnce)),
    stopping,
    ...watch,
    noticed: new Proxies(settings.trustedProxies, { now, log }),
    logFault: (request_id: string, thrown: unknown) =>
      log({
        event: "internal",
        request_id,
        cause: String(thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown),
      }),
  };
}

type Base = Awaited<ReturnType<typeof openBase>>;

/** The tools there are, who may call them, the pipeline of a call, and what waits for a person. */
function guardOf(base: Base) {
  const { settings, registry, replace, ports, store, now, log, newId, jobs, tokenLimit, stopping } = base;
  const { baseUrl, tell, ended } = base;
  const { connectors, tools, proxies } = registry;
  const tokenOfGrant = grantTokens((groups) => catalog.inGroups(groups));
  const authenticate = authenticator({
    tokens: store.tokens,
    users: store.users,
    ...{ masterToken: settings.masterToken, grants: store.oauthGrants, now },
    callersVersion: () => store.callersVersion(),
    wrong: (sender) => ports.counted.wrong(sender),
    refused: (token, sender) => ports.counted.refused(token, sender),
    tokenOf: accessTokens({ baseUrl, now, tokenOfGrant }),
  });
  const proxied = proxiedTools({
    ...ports,
    ...{ jobs, proxies, baseUrl, newId, log },
    handler: async () => (await import("../platforms/_proxied_calls/proxied_tool.ts")).proxiedTool,
    holds,
    toolServers: replace.toolServers ?? connectors.get("tool_servers"),
    builtIn: new Set(tools.keys()),
  });
  const sources = [builtIn(tools), proxied.source, ...(replace.sources ?? [])];
  const catalog = new Catalog(sources, { hasSecret: (name) => settings.upstream[name] != null, reaches });
  const lists = new ToolLists({ ...ports, catalog });
  const admitting = {
    ...ports,
    ...{ baseUrl, stopping: stopping.signal },
    tools: guideOf(lists, catalog),
    every: (ms: number, work: () => Promise<void>) => CLOCK.every(ms, work),
    catalog,
    siteLimit: new RateLimit(settings.rateLimitSite, "site", store.budgets),
    tell,
    log,
  };
  const callers = { ...store, grants: store.oauthGrants, tokenOfGrant, now };
  const sets = setsOnDemand(onDemand(async () => {
    const { ChangeSets } = await import("../guard/sets/change_sets.ts");
    return new ChangeSets({ ...admitting, sets, dispatch, callerNow: callerNow(callers), newId });
  }));
  const callsInFlight = new CallsInFlight(settings.callsPerToken);
  const told = { ended, answers: replace.answers };
  const dispatch = dispatcher({ ...admitting, ...told, sets, tokenLimit, callsInFlight });
  const callerOf = callerOfGrant(callers);
  return {
    authenticate,
    callerOf,
    proxied,
    catalog,
    lists,
    dispatch,
    approvals: new ApprovalDesk({
      ...{ store, catalog, dispatch, jobs, now, newId, baseUrl, tell },
      callerOf,
    }),
  };
}

/** What runs on the clocks beside that, and what is known of how it goes. */
function clockedOf(
  { settings, ports, store, now, elapsed, log, newId, jobs, tell, tellOrFail, figures }: Base,
) {
  const readiness = new Readiness({ store, jobs, now, elapsed });
  return {
    retention: new Retention({ store, days: settings.auditRetentionDays, now, newId, jobs, log }),
    erasing: new Erasing({ store, audit: store.audit, now, newId, jobs, log }),
    doubts: new Doubts({ store, tell, now, elapsed: () => performance.now(), jobs, log }),
    snapshots: new Snapshots({ ...ports, newId, jobs, log }),
    watch: new VendorWatch({ ...ports, log }),
    anchoring: new Anchoring({ store, jobs, log, keep: keepAnchor, tell: tellOrFail }),
    readiness,
    metrics: new MetricsText({ figures, store, readiness, jobs, now, elapsed }),
  };
}

type Guarded = Base & ReturnType<typeof guardOf> & ReturnType<typeof clockedOf>;

/** Accounts that people connect and clients that they let in: few processes ever need them, so the first use loads them. */
function accountsOf({ ports, store, baseUrl, now, log, newId, logFault }: Guarded) {
  const connections = onDemand(async () => {
    const { Connections } = await import("../identity/connections/connections.ts");
    return new Connections({ ...ports, baseUrl, newId });
  });
  const connecting = onDemand(async () => {
    const { Connecting } = await import("../identity/connections/connecting.ts");
    return new Connecting(await connections(), logFault);
  });
  const clients = onDemand(async () => {
    const { ConnectedClients } = await import("../identity/oauth/connected.ts");
    return new ConnectedClients({ store, now, newId, log });
  });
  return { connections, connecting, clients };
}

type Parts = Guarded & ReturnType<typeof accountsOf>;

function restOf(
  { authenticate, dispatch, lists, store, tokenLimit, bodies, registry, connectors, baseUrl, newId, report }:
    Parts,
  app: Parameters<typeof restDoor>[0],
): ReturnType<typeof restDoor> {
  return restDoor(app, {
    authenticate,
    dispatch,
    lists,
    sites: store.sites,
    tokenLimit,
    bodies,
    openapi: (version) => described(registry.tools, { baseUrl, kinds: connectors.kinds }, version),
    baseUrl,
    newId,
    report,
  });
}

function mcpOf({ authenticate, dispatch, lists, catalog, tokenLimit, bodies, ...parts }: Parts) {
  const { store, baseUrl, now, settings } = parts;
  const sealer = onDemand(() => Sealer.open(settings.encryptionKeys));
  return mcpDoor({
    rounds: new Rounds({ store, delay: pause, baseUrl, now, sealer, stopping: parts.stopping.signal }),
    authenticate,
    listing: async (caller, asked, cards) => {
      await tokenLimit.take(caller.token.id);
      return await lists.shown(caller, asked, cards);
    },
    sites: (caller) => lists.sites(caller),
    callable: (caller, name) => lists.callable(caller, name),
    lists,
    stopping: parts.stopping.signal,
    clock: CLOCK,
    bodies,
    bodyLimit: (caller) => largestBodyLimit(catalog.entries(), caller),
    call: dispatched(dispatch),
    report: parts.report,
    hosts: hostsOf(parts.baseUrl),
    baseUrl: parts.baseUrl,
    server: SERVER,
    requestId: parts.newId,
  });
}

/** The admin API and its pages; not needed to start. */
async function adminOf(parts: Parts, webhooks: Gateway["webhooks"]) {
  const { adminApp } = await import("../admin/api.ts");
  const { snapshotViews } = await import("../guard/snapshot_report.ts");
  const { settings, ports, store, connectors, catalog, baseUrl, now, newId } = parts;
  return adminApp({
    store,
    masterToken: settings.masterToken,
    passphraseCost: parts.replace.passphraseCost,
    tokenPrefix: settings.tokenPrefix,
    baseUrl,
    privateUpstreams: settings.privateUpstreams,
    connectors,
    overview(link) {
      const connector = connectors.links.get(link);
      const call = { site: null, caller: null, deadline: endOfCall(now()) };
      return connector?.overview?.(makeConnectorContext(ports, call, connector)) ?? Promise.resolve(null);
    },
    ...siteWork(parts),
    async pair(site, by, code) {
      const { pairSite } = await import("../guard/site_pairing.ts");
      const pairing = await pairSite({ ...ports, baseUrl, newId }, {
        site,
        by,
        ...(code === undefined ? {} : { code }),
      });
      await parts.proxied.paired(pairing);
      return pairing;
    },
    connections: parts.connections,
    clients: parts.clients,
    proxiedTools: parts.proxied.operator,
    async toolNames(platform) {
      await catalog.fresh();
      return catalog.names(platform);
    },
    toolGroups: (isReached) => Promise.resolve(catalog.fresh()).then(() => catalog.groups(isReached)),
    ...watched(parts),
    ...snapshotViews(ports),
    webhooks,
    now,
    clock: CLOCK,
    stopping: parts.stopping.signal,
    report: parts.logFault,
  }, async (ports, master) => (await import("../console/admin/app.ts")).pagesApp(ports, master));
}

async function connectOf({ connecting, baseUrl, newId, logFault }: Parts) {
  const { connectApp } = await import("../doors/connect.ts");
  return connectApp({ steps: connecting, baseUrl, newId, report: logFault });
}

async function oauthOf(
  { replace, store, http, catalog, figures, baseUrl, now, newId, log, logFault }: Parts,
) {
  const repeated = figures.repeated.bind(figures);
  const { oauthApp } = await import("../doors/oauth.ts");
  const { Visitors } = await import("../identity/visitors.ts");
  const visitors = new Visitors({ store, baseUrl });
  const signedIn = replace.signedIn ?? ((request: Request) => visitors.person(request));
  return oauthApp({ store, http, catalog, baseUrl, signedIn, repeated, now, newId, log, report: logFault });
}
