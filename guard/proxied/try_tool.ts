/** Runs a site's own tool dry for an operator who is to decide on it: what it would change, and what a call of it would need. */
import { GatewayError } from "../../core/errors.ts";
import { type Flag, LIMITS, type Site } from "../../core/model.ts";
import type { Capability, Connector } from "../../platforms/_connector/connector.ts";
import type { ProxyContext } from "../../platforms/_proxied_calls/proxied_context.ts";
import type { ProxiedHandler } from "../../platforms/_proxied_calls/proxied_tool.ts";
import type { ProxiedTool, ProxyClass } from "../../platforms/tool_servers/types.ts";
import type { ToolTrial } from "../../registry/proxied_reports.ts";
import type { Proxies } from "../../registry/proxies.ts";
import type { Store } from "../../store/store.ts";
import { adminRow, OPERATOR } from "../audit/admin_row.ts";
import { type ConnectorPorts, makeConnectorContext } from "../connector_context.ts";
import { shownChanges } from "../consent/preview_changes.ts";
import { providerOf } from "../pipeline/context.ts";
import { exclusively } from "../pipeline/exclusive.ts";
import { shownOffer, shownTool } from "./entries.ts";
import type { JudgedTool } from "./judge.ts";

/** What it stands on. */
export interface TrialPorts extends ConnectorPorts {
  readonly store: ConnectorPorts["store"] & Pick<Store, "leases" | "audit">;
  /** What the steps of a call of a tool do, whether callers may call it or not. */
  handlerOf(tool: ProxiedTool): Promise<ProxiedHandler>;
  delay(ms: number): Promise<void>;
  newId(): string;
}

/** What is tried, and where. */
export interface Trial {
  readonly site: Site;
  readonly judged: JudgedTool;
  readonly source: Proxies;
  /** The class that it has or would be given. */
  readonly class: ProxyClass;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Runs it on the site without keeping anything, as a caller with max_risk 3 would; audited. Throws E_NOT_SUPPORTED for a
 * read, and where the site cannot hold it, and what a call of it would be refused with.
 */
export async function tryTool(
  ports: TrialPorts,
  { site, judged, source, ...asked }: Trial,
): Promise<ToolTrial> {
  const { name, catalog } = judged;
  const shown = shownTool(source, { ...judged, state: "approved", class: asked.class });
  if (shown === null || !asked.class.writes) {
    const why = shown === null
      ? "its text was not kept"
      : "it only reads, so that a call of it changes nothing";
    throw new GatewayError("E_NOT_SUPPORTED", `"${name}" cannot be tried: ${why}`);
  }
  const { offer } = shownOffer(shown, catalog, site);
  const handler = await ports.handlerOf({ name, source: source.source, offers: new Map([[site.id, offer]]) });
  const args = { ...asked.arguments };
  const ctx = contextOf(ports, site);
  handler.check(args, ctx);
  const plan = await handler.plan(args, ctx);
  if (typeof plan.dryRun !== "function") {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `"${name}" cannot be tried on site "${site.id}": it does not hold what its tools write (${plan.dryRun.unavailable})`,
    );
  }
  const row = adminRow(ports.newId(), OPERATOR, ports.now(), "tool.try", { name, ...asked });
  await ports.store.audit.append({ ...row, site_id: site.id });
  const { summary, changes, warnings } = await plan.dryRun();
  const raises = [...handler.raises(args, ctx), ...plan.raises];
  const flags = [...new Set(raises.flatMap((one): readonly Flag[] => one.flags ?? []))];
  const missing = flags.filter((flag) => !site.flags[flag]);
  return { site_id: site.id, name, summary, ...shownChanges(changes), warnings, needs: flags, missing };
}

/** A call's context without a call: of an operator, who may use every tool, up to the tier of what goes live. */
function contextOf(ports: TrialPorts, site: Site): ProxyContext {
  const deadline = ports.now() + LIMITS.CALL_DEADLINE_MS;
  const reach = (connector: Connector) =>
    makeConnectorContext(ports, { site, caller: null, deadline }, connector);
  return {
    site,
    caller: { token: { allowed_tools: ["*"] }, maxRisk: 3 },
    showsOwn: false,
    now: ports.now,
    async use<Client>(wanted: Connector<Client> | Capability<Client>): Promise<Client> {
      if ("capability" in wanted) {
        const { connector, provision } = providerOf(ports.connectors, site.platform, wanted);
        return await provision.connect(reach(connector)) as Client;
      }
      return await wanted.connect!(reach(wanted as Connector));
    },
    annotate: () => {},
    exclusively: (name, work) =>
      exclusively(ports, { name: `${site.base_url ?? site.id} ${name}`, deadline }, work),
  };
}
