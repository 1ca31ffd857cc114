/** A connector's guarded way out: its own settings and credentials, its own origins, its own policy. */
import { GatewayError } from "../core/errors.ts";
import { type Caller, type CredentialKind, type Credentials, LIMITS, type Site } from "../core/model.ts";
import type { AccountSpec, Connector, CredentialField } from "../platforms/_connector/connector.ts";
import type {
  AccessToken,
  AccountTokens,
  Allowance,
  ConnectorContext,
  Lent,
} from "../platforms/_connector/context.ts";
import type { Http } from "../platforms/_http/http.ts";
import type { Incoming, Outgoing, PublishGrant } from "../platforms/_http/request.ts";
import { onDemand } from "../core/async.ts";
import { noteOnSpan, traced } from "../core/tracing.ts";
import { hiding, hidingSigned } from "../core/signed_secrets.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { Store } from "../store/store.ts";
import { allowanceOf } from "./allowance.ts";
import { egress, type EgressRules } from "./egress.ts";
import type { FactCaches } from "./fact_caches.ts";
import { type Figures, type UpstreamResult, upstreamResult } from "./figures.ts";
import { isGenuine } from "./pipeline/flags.ts";
import type { Writes } from "./pipeline/writes.ts";

/** What connectors are reached with; one for the whole gateway. */
export interface ConnectorPorts {
  readonly connectors: Connectors;
  readonly store: {
    readonly sites: Pick<Store["sites"], "secret">;
    readonly accounts: Pick<Store["accounts"], "token">;
    readonly paces: Store["paces"];
    readonly allowances?: Store["allowances"];
  };
  readonly http: Http;
  /** Every connector's settings, by their names. */
  readonly upstream: Readonly<Record<string, string | null>>;
  readonly cache: FactCaches;
  /** Is told what came of every request. */
  readonly figures?: Pick<Figures, "upstream">;
  now(): number;
}

/** What of a call a connector is reached for. */
export interface ConnectorCall {
  readonly site: Site | null;
  /** null where the gateway asks for itself. */
  readonly caller?: Caller | null;
  /** Milliseconds since the epoch at which the call gives up. */
  readonly deadline: number;
  /** The id of its audit row; absent where the gateway asks for itself. */
  readonly requestId?: string;
  /** Where its writes are noted; absent where the gateway asks for itself. */
  readonly writes?: Writes;
  /** It lists what the site could be linked to, which no tool does. */
  readonly listing?: true;
  /** It cleans merged preview branches, which no tool does. */
  readonly cleaning?: true;
  /** What ends its reads, while nobody would miss them. */
  cancelled?(): AbortSignal | undefined;
}

/**
 * The way to one upstream. A connector of scope `site` needs one: throws E_INTERNAL where the call has none, but for
 * what the gateway asks for itself (no caller).
 */
export function makeConnectorContext(
  ports: ConnectorPorts,
  call: ConnectorCall,
  connector: Connector,
): ConnectorContext {
  const { site } = call;
  if (connector.scope === "site" && !site && call.caller !== null) {
    throw new GatewayError(
      "E_INTERNAL",
      `A tool without a site asked for "${connector.name}", which needs one`,
    );
  }
  const sender = senderOf(ports, site, connector, connector);
  const lent = new Map<string, Lent>();
  const context: ConnectorContext = {
    site: site ?? undefined,
    settings: sender.settings,
    cache: ports.cache.of(site, connector.name),
    shared: ports.cache.of(null, connector.name),
    pace: (name, limits) => ports.store.paces.of(`${connector.name} ${name}`, limits),
    now: ports.now,
    deadline: call.deadline,
    request_id: call.requestId,
    send: (out) => send(ports, call, sender, {}, out),
    ...call.writes ? { joins: (out: Outgoing) => call.writes!.begin(out) } : {},
    secret: (kind) => secretOf(ports, site, connector, kind),
    borrow(name) {
      const known = lent.get(name) ?? borrow(ports, call, connector, name);
      lent.set(name, known);
      return known;
    },
    ...(connector.allowance ? { allowance: allowance(ports, connector.name, connector.allowance) } : {}),
    ...(connector.account ? { account: accountOf(ports, call, connector, connector.account) } : {}),
  };
  return context;
}

function allowance(ports: ConnectorPorts, connector: string, requests: number): Allowance {
  const { store: { allowances: store }, now } = ports;
  if (!store) throw new GatewayError("E_INTERNAL", `Nothing counts the requests of "${connector}"`);
  return allowanceOf({ store, now }, connector, requests);
}

function settingsOf({ upstream }: ConnectorPorts, { settings = {} }: Connector) {
  return Object.fromEntries(Object.keys(settings).map((name) => [name, upstream[name] ?? null]));
}

/** Who asks, and where it may: at its own origins, but for what is borrowed. */
interface Sender {
  readonly connector: Connector;
  readonly settings: Values;
  /** Where requests may go. */
  readonly origins: EgressRules["origins"];
  /** Whose credential signs, where that is borrowed. */
  readonly lender?: string;
}
type Values = ReturnType<typeof settingsOf>;
type Signed = Readonly<Record<string, string>>;

function senderOf(ports: ConnectorPorts, site: Site | null, connector: Connector, to: Connector): Sender {
  const settings = settingsOf(ports, connector);
  const toSettings = to === connector ? settings : settingsOf(ports, to);
  const own = to.origins?.({ site: site ?? undefined, settings: toSettings }) ?? [];
  const lent = to.lends?.[connector.name]?.(settings) ?? [];
  const origins = own === "public" ? own : [...own, ...lent];
  return { connector, settings, origins, ...(to === connector ? {} : { lender: to.name }) };
}

/** `signed` are the headers with which a lender signs. */
async function send(
  ports: ConnectorPorts,
  { site, deadline, writes, cancelled, listing, cleaning }: ConnectorCall,
  { connector: { name, policy }, settings, origins, lender }: Sender,
  signed: Signed,
  out: Outgoing,
) {
  const granted = (grant: PublishGrant) => site !== null && isGenuine(grant, site.id);
  const ctx = {
    site: site ?? undefined,
    settings,
    now: ports.now(),
    ...(lender === undefined ? {} : { lender }),
    ...(listing ? { listing } : {}),
    ...(cleaning ? { cleaning } : {}),
  };
  const judge = { name, policy: policy && ((next: Outgoing) => policy(without(signed, next), ctx)) };
  const judgeHop = (next: Outgoing) => egress({ connector: judge, origins, ctx, granted }, next);
  const cleanup = out.cleanup ? ports.now() + LIMITS.UPSTREAM_DEADLINE_MS : 0;
  const ended = out.effect === "write" ? writes?.begin(out) : undefined;
  const sent = { ...out, headers: { ...without(signed, out).headers, ...signed } };
  return await counted(ports, { connector: name, method: out.method }, () =>
    ports.http.send(sent, {
      deadline: Math.max(deadline, cleanup),
      policy: judgeHop,
      ended,
      signal: out.effect === "read" && !out.shared ? cancelled?.() : undefined,
    }));
}

/** Sends, and counts what came of it. */
async function counted(
  { figures }: ConnectorPorts,
  { connector, method }: { readonly connector: string; readonly method: string },
  sends: () => Promise<Incoming>,
): Promise<Incoming> {
  const began = performance.now();
  const ended = (result: UpstreamResult) => {
    figures?.upstream(connector, result, (performance.now() - began) / 1000);
    noteOnSpan(() => ({ "gateway.result": result }));
  };
  return await traced("upstream", { "gateway.platform": connector, "gateway.method": method }, async () => {
    try {
      const answer = await sends();
      ended(upstreamResult(answer.status));
      return answer;
    } catch (thrown) {
      ended(upstreamResult(null, thrown));
      throw thrown;
    }
  });
}

/** The request without headers of those names, however they are written: nobody overrides or reads what a lender signs. */
function without(signed: Signed, out: Outgoing): Outgoing {
  const names = Object.keys(signed).map((name) => name.toLowerCase());
  const headers = Object.entries(out.headers ?? {});
  const kept = headers.filter(([name]) => !names.includes(name.toLowerCase()));
  return kept.length === headers.length ? out : { ...out, headers: Object.fromEntries(kept) };
}

async function secretOf<K extends CredentialKind>(
  ports: ConnectorPorts,
  site: Site | null,
  connector: Connector,
  kind: K,
): Promise<NonNullable<Credentials[K]>> {
  const spec = Object.hasOwn(connector.credentials ?? {}, kind) ? connector.credentials?.[kind] : undefined;
  if (!site || spec === undefined) {
    throw new GatewayError(
      "E_INTERNAL",
      `The connector "${connector.name}" has no credential "${kind}" to use`,
    );
  }
  const secret = await ports.store.sites.secret(site.id, kind, site.base_url);
  if (secret) return secret;
  throw new GatewayError(
    "E_MISSING_SECRET",
    `Site "${site.id}" has no ${kind} credentials; its operator can set them with deno task admin site update ` +
      [site.id, ...Object.values(spec.fields).map(optionOf)].join(" "),
  );
}

/** A secret is asked for, never written on the command line. */
const optionOf = ({ option, variable }: CredentialField) =>
  variable === undefined ? `--${option} …` : `--${option}-stdin`;

/** The lender's credential signs, the borrower's policy judges, and nothing leaves for an origin that the lender does not allow. */
function borrow(
  ports: ConnectorPorts,
  call: ConnectorCall,
  connector: Connector,
  name: string,
): Lent {
  const lender = connector.borrows?.includes(name) ? ports.connectors.get(name) : undefined;
  if (!lender?.sign) {
    throw new GatewayError("E_INTERNAL", `The connector "${connector.name}" may not borrow from "${name}"`);
  }
  const { sign, signRequest } = lender;
  const sender = senderOf(ports, call.site, connector, lender);
  // A call opens the credential once, however often it asks.
  const own = () => makeConnectorContext(ports, call, lender);
  const signing = onDemand(async () => await sign(own()));
  let hide = hiding([]);
  return {
    hide: (text) => hide(text),
    settings: settingsOf(ports, lender),
    pace: (wanted, limits) => ports.store.paces.of(`${lender.name} ${wanted}`, limits),
    async send(out) {
      const signed = await signing();
      hide = hidingSigned(signed);
      const further = signRequest === undefined ? {} : await signRequest(own(), out);
      return await send(ports, call, sender, { ...signed, ...further }, out);
    },
  };
}

/** The account of the user a site is bound to; of the token's own owner where the call has no site. */
function accountOf(
  ports: ConnectorPorts,
  call: ConnectorCall,
  connector: Connector,
  spec: AccountSpec,
  use: string | null = null,
): AccountTokens {
  const { site, caller, deadline } = call;
  const bound = use === null ? spec.user : Object.hasOwn(spec.users ?? {}, use) ? spec.users![use]! : null;
  if (bound === null) {
    throw new GatewayError("E_INTERNAL", `The connector "${connector.name}" binds nobody for "${use}"`);
  }
  const user_id = site ? bound(site) : caller?.owner?.id ?? null;
  const ask = async (refused?: AccessToken): Promise<AccessToken> => {
    if (user_id === null) {
      const message = site
        ? `Site "${site.id}" is bound to no user whose account could be used`
        : "The token belongs to no user whose account could be used";
      throw spec.refusal({ state: "unbound", message, use, user_id });
    }
    const found = await ports.store.accounts.token(user_id, spec.kind, {
      // It may serve other calls as well, and outlive this one.
      refresh: (refreshToken) => spec.refresh(makeOwnContext(ports, connector), refreshToken),
      wait_ms: Math.max(0, deadline - ports.now()),
      refused,
    });
    if (found.state === "ok") return found;
    throw spec.refusal({ ...found, use, user_id });
  };
  return {
    token: () => ask(),
    renewed: (refused) => ask(refused),
    of: (other) => accountOf(ports, call, connector, spec, other),
  };
}

/** The way to an upstream for what the gateway asks for itself: no site, no caller, the time of one request. */
export function makeOwnContext(ports: ConnectorPorts, connector: Connector): ConnectorContext {
  const deadline = ports.now() + LIMITS.UPSTREAM_DEADLINE_MS;
  return makeConnectorContext(ports, { site: null, caller: null, deadline }, connector);
}
