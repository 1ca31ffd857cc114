/** What a handler gets: its site, its clients, its ports; every request of a client passes the egress policy. */
import { cancelled, GatewayError } from "../../core/errors.ts";
import { LIMITS, type Making, type Site } from "../../core/model.ts";
import type { Capability, Connector } from "../../platforms/_connector/connector.ts";
import type { PublishGrant } from "../../platforms/_http/request.ts";
import type { Connectors } from "../../registry/connectors.ts";
import type {
  AuditFacts,
  Held,
  OtherSite,
  SitesPort,
  ToolContext,
  UpstreamsPort,
} from "../../registry/tool.ts";
import { type ConnectorCall, makeConnectorContext } from "../connector_context.ts";
import { meetsPolicy, showsOwn } from "../consent/confirm.ts";
import {
  type CallParts,
  type ContextPorts,
  managedPort,
  previewsPort,
  sitesPort,
  snapshotsPort,
  waitingPort,
} from "./context_ports.ts";
import { changesPort } from "../changes.ts";
import { approvalsPort } from "./approvals_port.ts";
import { exclusively } from "./exclusive.ts";

type Reached = Pick<CallParts, "site" | "caller" | "deadline" | "record" | "follower">;

/** The context of one call. */
export const makeContext = (ports: ContextPorts, call: CallParts): ToolContext =>
  new CallContext(ports, call);

/**
 * A class, for an object literal with a getter has a shape of its own each time, which is kept, and the call with it,
 * until the old generation is collected. What handlers hand on is bound.
 */
class CallContext implements ToolContext {
  readonly #ports: ContextPorts;
  readonly #call: CallParts;
  #own: OtherSite | undefined;
  #sites: SitesPort | undefined;

  constructor(ports: ContextPorts, call: CallParts) {
    this.#ports = ports;
    this.#call = call;
  }

  get site() {
    return this.#call.site as Site;
  }
  get use() {
    return this.#clients().use;
  }
  get can() {
    return this.#clients().can;
  }
  get checkId() {
    return this.#clients().checkId;
  }
  get caller() {
    return this.#call.caller;
  }
  get grant() {
    return this.#call.grant as PublishGrant;
  }
  get calls() {
    return this.#call.calls();
  }
  get changes() {
    return changesPort(this.#ports.store, this.#call);
  }
  get approvals() {
    return approvalsPort(this.#ports, this.#call);
  }
  get previews() {
    return previewsPort(this.#ports.store.previews, this.#call);
  }
  get managed() {
    return managedPort(this.#ports.store.managedFiles, this.#call);
  }
  get unseen() {
    const { caller, record: { root } } = this.#call;
    const bound = root.decision.latest("bound") ?? false;
    return root.decision.latest("confirmed") === true && !bound &&
      meetsPolicy(caller, root.allSites, bound);
  }
  get showsOwn() {
    const { caller, record: { root } } = this.#call;
    return showsOwn(caller, root.allSites);
  }
  get sets() {
    return this.#ports.sets(this.#call);
  }
  get tools() {
    return this.#ports.tools(this.#call);
  }
  get sites() {
    return this.#sites ??= sitesPort(this.#ports, this.#call);
  }
  get upstreams() {
    return upstreamsPort(this.#ports, this.#call);
  }
  get snapshots() {
    return snapshotsPort(this.#ports, this.#call);
  }
  get waitFor() {
    return waitingPort(this.#ports, this.#call);
  }
  get now() {
    return this.#ports.now;
  }

  /** Of the call's own site; many a call asks for none of them. */
  #clients(): OtherSite {
    return this.#own ??= clientsOf(this.#ports, this.#call);
  }

  readonly forSite = (id: string | undefined): OtherSite => {
    if (id === undefined || id === this.#call.site?.id) return this.#clients();
    const site = this.#call.others.get(id);
    if (!site) {
      throw new GatewayError("E_INTERNAL", `"${this.#call.manifest.name}" names no such site in its sites`);
    }
    return clientsOf(this.#ports, { ...this.#call, site });
  };
  readonly annotate = (facts: AuditFacts): void => void Object.assign(this.#call.record.facts, facts);
  readonly progress = (done: number, total?: number, message?: string): void => {
    const { follower, record } = this.#call;
    if (follower?.signal.aborted && !record.root.decision.writing) throw cancelled();
    follower?.progress(done, total, message);
  };
  readonly exclusively = <Result>(name: string, work: (held: Held) => Promise<Result>): Promise<Result> => {
    const { site, deadline } = this.#call;
    // One site may be registered twice.
    const place = site?.base_url ?? site?.id ?? "";
    return exclusively(this.#ports, { name: `${place} ${name}`, deadline }, work);
  };
  readonly made: Making = (one) => void this.#call.record.made.push(one);
}

const reaching = ({ record, follower, ...call }: Reached): ConnectorCall => ({
  ...call,
  requestId: record.requestId,
  writes: record.writes,
  // A write that has begun is carried through, whoever waits for it.
  ...(follower ? { cancelled: () => record.root.decision.writing ? undefined : follower.signal } : {}),
});

/** A site and the clients of its upstreams, each connected once. */
function clientsOf(ports: ContextPorts, call: Reached): OtherSite {
  let clients: Map<unknown, Promise<unknown>> | undefined;
  const { site } = call;
  return {
    site: site as Site,
    use<Client>(wanted: Connector<Client> | Capability<Client>): Promise<Client> {
      clients ??= new Map();
      const known = clients.get(wanted);
      if (known) return known as Promise<Client>;
      const made = connected(ports, call, wanted);
      clients.set(wanted, made);
      return made as Promise<Client>;
    },
    can: (wanted) => site !== null && ports.connectors.provider(site.platform, wanted) !== null,
    checkId(id, field) {
      if (site !== null && id !== undefined) ports.connectors.ofKind(site.platform)?.checkId?.(id, field);
    },
  };
}

async function connected(
  ports: ContextPorts,
  call: Reached,
  wanted: Connector | Capability<unknown>,
): Promise<unknown> {
  if ("capability" in wanted) {
    const { connector, provision } = providerOf(ports.connectors, call.site?.platform ?? "", wanted);
    return await provision.connect(makeConnectorContext(ports, reaching(call), connector));
  }
  if (!wanted.connect) throw new GatewayError("E_INTERNAL", `The connector "${wanted.name}" reaches nothing`);
  return await wanted.connect(makeConnectorContext(ports, reaching(call), wanted));
}

/** What does that kind of work on sites of that kind. Throws E_NOT_SUPPORTED in a sentence where nothing does. */
export function providerOf(connectors: Connectors, platform: string, wanted: Capability<unknown>) {
  const found = connectors.provider(platform, wanted);
  if (found) return found;
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    `${wanted.noun} of a ${platform} site cannot be reached: this gateway is not connected to that platform yet; ` +
      "use the platform's own editor",
  );
}

function upstreamsPort(ports: ContextPorts, call: Reached): UpstreamsPort {
  const { connectors } = ports;
  const kindsOf = (check: string) =>
    connectors.kinds.filter((kind) =>
      connectors.diagnoses(kind).some(({ diagnosis }) => diagnosis.names.includes(check))
    );
  return {
    kindsOf,
    async diagnose(limitMs, named) {
      const site = call.site as Site;
      const wanted = connectors.diagnoses(site.platform).filter(({ diagnosis }) =>
        named === undefined || diagnosis.names.some((name) => named.includes(name))
      );
      const parts = wanted.map(async ({ connector, diagnosis }) =>
        await diagnosis.run(makeConnectorContext(ports, reaching(call), connector), limitMs)
      );
      return (await Promise.all(parts)).flat();
    },
    async ping() {
      const connector = connectors.ofKind((call.site as Site).platform);
      return await connector?.ping?.(makeConnectorContext(ports, reaching(call), connector)) ?? null;
    },
    canPing: () => connectors.ofKind((call.site as Site).platform)?.ping !== undefined,
  };
}

/** When a call that begins now gives up. */
export const endOfCall = (now: number): number => now + LIMITS.CALL_DEADLINE_MS;
