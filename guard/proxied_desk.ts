/** Sites' own tools for an operator: what is listed, why it is held back, what changed; and decisions on them. */
import { GatewayError } from "../errors.ts";
import type { Site } from "../model.ts";
import type { Proxies, ToolState } from "../registry/proxies.ts";
import type { ProxyClass } from "../platforms/tool_servers/types.ts";
import type { Store, ToolDecision } from "../store/store.ts";
import { adminRow, OPERATOR } from "./admin_row.ts";
import type { CatalogRefresh } from "./catalog_refresh.ts";
import { type ApprovalOrder, classFor } from "./proxied_class.ts";
import { shownTool } from "./proxied_entries.ts";
import type { JudgedTool } from "./proxied_judge.ts";
import {
  likeKey,
  type ServerView,
  serverViews,
  type ToolText,
  type ToolView,
  viewOf,
} from "./proxied_report.ts";
import { changesOf, readable, shortened } from "./proxied_texts.ts";
import type { ProxiedTools } from "./proxied_tools.ts";

/** What it stands on. */
export interface DeskPorts {
  readonly store: Pick<Store, "sites" | "toolCatalogs" | "audit">;
  readonly source: Pick<ProxiedTools, "judged">;
  catalogs(): Promise<CatalogRefresh>;
  proxies(): Promise<readonly Proxies[]>;
  now(): number;
  newId(): string;
}

/** Which tools are asked for. */
export interface ToolQuery {
  readonly site_id?: string;
  readonly state?: ToolState;
  readonly name?: string;
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 128));

/** The operator's side of sites' own tools. */
export class ProxiedDesk {
  constructor(private readonly ports: DeskPorts) {}

  /** Servers and tools; those that several sites list alike are one. Throws E_NOT_FOUND for an unknown site. */
  async list({ site_id, state, name }: ToolQuery) {
    if (site_id !== undefined) await this.#site(site_id);
    const all = (await this.ports.source.judged()).filter((one) =>
      site_id === undefined || one.catalog.site_id === site_id
    );
    const asked = all.filter((one) =>
      (state === undefined || one.state === state) && (name === undefined || one.name === name)
    );
    // Of all sites and names what changed would be too much at once.
    const isNarrow = site_id !== undefined || name !== undefined;
    const tools = await Promise.all([...Map.groupBy(asked, likeKey).values()].map(async (alike) => {
      const changes = isNarrow ? await this.#changes(alike[0]!) : null;
      return viewOf(alike, changes && shortened(changes));
    }));
    const catalogs = await this.ports.store.toolCatalogs.list();
    const own = catalogs.filter((one) => site_id === undefined || one.site_id === site_id);
    return { servers: serverViews(own, all, this.ports.now()), tools };
  }

  /** All that is to be read of a tool; each way that sites list it. Throws E_NOT_FOUND. */
  async show(name: string, site_id?: string): Promise<{ readonly tools: readonly ToolText[] }> {
    const asked = (await this.#named(name)).filter(({ catalog }) =>
      site_id === undefined || catalog.site_id === site_id
    );
    if (asked.length === 0) throw unlisted(name, site_id === undefined ? [] : [site_id]);
    const sources = await this.ports.proxies();
    const tools = [...Map.groupBy(asked, likeKey).values()].map(async (alike) => {
      const [first] = alike as [JudgedTool, ...JudgedTool[]];
      const { listed: { tool }, state, catalog } = first;
      const source = sources.find((one) => one.source === catalog.source)!;
      const canBeServed = state !== "refused" && state !== "hidden";
      const as = {
        ...first,
        state: state === "offered" ? state : "approved",
        class: first.class ?? UNKNOWN,
      } as const;
      const shown = canBeServed ? shownTool(source, as) : null;
      return {
        ...viewOf(alike, await this.#changes(first)),
        text: tool && readable(tool),
        shown: shown && { description: shown.description, input_schema: shown.schema },
      };
    });
    return { tools: await Promise.all(tools) };
  }

  /**
   * Lets a tool through on those sites, as it was shown under that hash. Throws E_NOT_FOUND, E_FORBIDDEN_OP for what
   * nobody can approve, E_STALE_PREVIEW where a site lists another one by now, E_BAD_INPUT for a class it cannot have.
   */
  async approve(order: ApprovalOrder): Promise<{ readonly tools: readonly ToolView[] }> {
    const { name, hash } = order;
    const chosen = await this.#chosen(name, order.sites);
    const refused = chosen.find(({ state }) => state === "refused" || state === "hidden");
    if (refused) {
      throw new GatewayError(
        "E_FORBIDDEN_OP",
        `name: "${name}" of site "${refused.catalog.site_id}" cannot be approved: ${refused.reason}`,
      );
    }
    const other = chosen.find(({ listed }) => listed.hash !== hash);
    if (other) {
      throw new GatewayError(
        "E_STALE_PREVIEW",
        `hash: site "${other.catalog.site_id}" lists another "${name}" than the one you read (its hash is ` +
          `${other.listed.hash}); read that one, and approve it by its own hash`,
      );
    }
    const [first] = chosen as [JudgedTool, ...JudgedTool[]];
    const sources = await this.ports.proxies();
    const source = sources.find((one) => one.source === first.catalog.source)!;
    const decided = classFor(order, source, first.listed.tool!);
    await this.#decide("approved", chosen, decided, { ...order, ...decided });
    return { tools: (await this.list({ name })).tools };
  }

  /** Takes a tool away on those sites, approved or known. Throws E_NOT_FOUND. */
  async withdraw(name: string, sites: readonly string[]): Promise<{ readonly tools: readonly ToolView[] }> {
    const chosen = await this.#chosen(name, sites);
    await this.#decide("withdrawn", chosen, null, { name, sites });
    return { tools: (await this.list({ name })).tools };
  }

  /** Asks a site's servers now; answers them as they are known then. Throws E_NOT_FOUND, E_NOT_SUPPORTED. */
  async refresh(site_id: string): Promise<{ readonly servers: readonly ServerView[] }> {
    await (await this.ports.catalogs()).site(await this.#site(site_id));
    return { servers: (await this.list({ site_id })).servers };
  }

  async #site(id: string): Promise<Site> {
    const site = await this.ports.store.sites.get(id);
    if (site) return site;
    throw new GatewayError(
      "E_NOT_FOUND",
      `No site ${quoted(id)}; deno task admin site list names those there are`,
    );
  }

  async #named(name: string): Promise<readonly JudgedTool[]> {
    return (await this.ports.source.judged()).filter((one) => one.name === name);
  }

  /** The tools of that name on those sites, one for each server. */
  async #chosen(name: string, sites: readonly string[]): Promise<readonly JudgedTool[]> {
    const named = await this.#named(name);
    const missing = sites.filter((id) => !named.some(({ catalog }) => catalog.site_id === id));
    if (missing.length > 0) throw unlisted(name, missing);
    return named.filter(({ catalog }) => sites.includes(catalog.site_id));
  }

  async #decide(
    verdict: ToolDecision["verdict"],
    chosen: readonly JudgedTool[],
    decided: ProxyClass | null,
    what: object,
  ): Promise<void> {
    const { store: { toolCatalogs, audit }, now, newId } = this.ports;
    const row = adminRow(
      newId(),
      OPERATOR,
      now(),
      `tool.${verdict === "approved" ? "approve" : "withdraw"}`,
      what,
    );
    await audit.append({ ...row, status: "started" });
    const at = new Date(now()).toISOString();
    const made = chosen.map(({ catalog, listed, class: known }): ToolDecision => {
      const { writes, effect, page } = decided ?? known ?? UNKNOWN;
      const { site_id, source, server, bound_to } = catalog;
      const key = { site_id, source, server, bound_to, name: listed.name, hash: listed.hash };
      return { ...key, verdict, writes, effect, page: page ?? null, by: OPERATOR.token_name, at };
    });
    try {
      await toolCatalogs.decide(made, chosen[0]!.listed.tool);
    } catch (thrown) {
      await audit.append({ ...row, status: "error", error: "E_INTERNAL" });
      throw thrown;
    }
    await audit.append({ ...row, duration_ms: now() - Date.parse(row.at) });
  }

  async #changes({ state, pinned, listed: { tool, hash } }: JudgedTool): Promise<string[] | null> {
    if (state !== "held" || pinned === null || pinned === hash || tool === null) return null;
    const before = await this.ports.store.toolCatalogs.text(pinned);
    return before && changesOf(before, tool);
  }
}

/** Of a tool whose class nobody has chosen. */
const UNKNOWN: ProxyClass = { writes: true, effect: "site" };

function unlisted(name: string, sites: readonly string[]): GatewayError {
  const where = sites.length === 0 ? "No site" : `sites: ${sites.map(quoted).join(", ")}`;
  return new GatewayError(
    "E_NOT_FOUND",
    `${where} ${sites.length > 1 ? "list" : "lists"} no tool ${
      quoted(name)
    }; deno task admin tool-server list names ` +
      "those there are, and tool-server refresh asks a site anew",
  );
}
