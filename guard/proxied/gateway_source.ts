/** Joins what sites' own tools need: their source, what keeps their catalogues, and the operator's view of them. */
import { delay, onDemand } from "../../core/async.ts";
import type { Capability, Connector } from "../../platforms/_connector/connector.ts";
import type { HoldsClient } from "../../platforms/_content/holds.ts";
import type { ProxyPorts } from "../../platforms/_proxied_calls/proxied_context.ts";
import type { ProxiedHandler } from "../../platforms/_proxied_calls/proxied_tool.ts";
import type { ProxiedTool, ToolServers } from "../../platforms/tool_servers/types.ts";
import type { Proxies } from "../../registry/proxies.ts";
import type { Store } from "../../store/store.ts";
import type { ConnectorPorts } from "../connector_context.ts";
import type { Jobs } from "../jobs.ts";
import type { SitePairing } from "../site_pairing.ts";
import { GATEWAY, holdBack } from "./decision.ts";
import { ProxiedTools } from "./source.ts";

/** What it stands on. */
export interface ProxiedGatewayPorts extends ConnectorPorts {
  readonly store:
    & ConnectorPorts["store"]
    & Pick<Store, "sites" | "projects" | "leases" | "toolCatalogs" | "audit">;
  /** What is known of tools before anybody approves them; read when it is first needed. */
  proxies(): Promise<readonly Proxies[]>;
  /** What reaches tool servers; none in a gateway whose connectors do not. */
  readonly toolServers: Connector | undefined;
  /** What tells whether a site holds what its tools write. */
  readonly holds: Capability<HoldsClient>;
  /** What makes the handler of a tool that sites offer; loaded when there is the first. */
  handler(): Promise<(tool: ProxiedTool, ports: ProxyPorts) => ProxiedHandler>;
  /** The names of the gateway's own tools. */
  readonly builtIn: ReadonlySet<string>;
  /** A new ULID. */
  newId(): string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  delay(ms: number): Promise<void>;
  readonly jobs: Pick<Jobs, "run">;
  log(event: Record<string, unknown>): void;
}

/** Sites' own tools in a gateway. What no start needs of them is loaded when it is first wanted. */
export function proxiedTools(given: ProxiedGatewayPorts) {
  const ports = { ...given, elapsed: () => performance.now(), pause: delay };
  const refresh = onDemand(async () => {
    const { CatalogRefresh } = await import("./refresh.ts");
    return new CatalogRefresh(ports);
  });
  let used = false;
  const catalogs = () => {
    used = true;
    return refresh();
  };
  /** What is known of these sites' holds is asked anew. */
  const paired = async ({ site_id, shared_with }: SitePairing): Promise<void> =>
    await (await catalogs()).paired([site_id, ...shared_with]);
  /** What makes the handlers of tools, of which each knows the others that its site offers. */
  const handling = async (offersOf: ProxyPorts["offersOf"]) => {
    const handlerOf = await given.handler();
    const servers: ProxyPorts["servers"] = (ctx) => ctx.use(given.toolServers as Connector<ToolServers>);
    const hold: ProxyPorts["hold"] = ({ site: { id: site_id } }, { served: { name } }, what) =>
      holdBack({ ...ports, judged: () => source.judged() }, { site_id, name }, what);
    const pair: ProxyPorts["pair"] = async ({ site }) => {
      const { pairSite } = await import("../site_pairing.ts");
      await paired(await pairSite(ports, { site, by: GATEWAY, unless_paired: true }));
    };
    const alarm: ProxyPorts["alarm"] = ({ site: { id: site_id } }, { served: { name } }, why) =>
      given.log({ event: "held_call_in_doubt", site_id, tool: name, cause: why });
    return (tool: ProxiedTool) => handlerOf(tool, { servers, offersOf, hold, pair, alarm });
  };
  const source: ProxiedTools = new ProxiedTools({
    ...ports,
    behaviour: handling,
    gone(site) {
      const failed = (fault: unknown) =>
        given.log({ event: "tool_catalog_failed", site_id: site.id, cause: String(fault) });
      catalogs().then((one) => one.soon(site)).catch(failed);
    },
  });
  return {
    source,
    paired,
    /** Lists on a clock what is due. */
    run: async (): Promise<boolean> => await (await catalogs()).run(),
    /** Begins no other listing; resolves once none runs. Never rejects: what could not be loaded runs nothing. */
    stop: async (): Promise<void> => {
      const loaded = used ? await refresh().catch(() => null) : null;
      await loaded?.stop();
    },
    /** The operator's view. */
    operator: onDemand(async () => {
      const { ProxiedOperator } = await import("./operator.ts");
      const handlerOf = async (tool: ProxiedTool) => (await handling(() => tool.offers.values()))(tool);
      return new ProxiedOperator({ ...ports, source, catalogs, handlerOf });
    }),
  };
}
