/** Sites' own tools for an operator: what is listed, why it is held back, what changed; and decisions on them. */
import { GatewayError, type WrongField } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import type { ProxyClass } from "../../platforms/tool_servers/types.ts";
import type {
  ApprovalOrder,
  HeldTool,
  ToolReport,
  ToolServerReport,
  ToolTextReport,
  ToolTrial,
  TrialOrder,
  UnansweredSite,
  UnheldSite,
  WaitingTool,
} from "../../registry/proxied_reports.ts";
import type { Proxies, ToolState } from "../../registry/proxies.ts";
import type { ListedTool, Store, ToolDecision } from "../../store/store.ts";
import type { CatalogRefresh } from "./refresh.ts";
import { afterwards, decide, type Subject, subjectOf, UNKNOWN } from "./decision.ts";
import { shownTool } from "./entries.ts";
import type { JudgedTool } from "./judge.ts";
import { changesOf, likeKey, readable, serverViews, shortened, viewOf } from "./report.ts";
import type { ProxiedTools } from "./source.ts";
import { type TrialPorts, tryTool } from "./try_tool.ts";

/** What it stands on. */
export interface OperatorPorts extends TrialPorts {
  readonly store: TrialPorts["store"] & Pick<Store, "sites" | "toolCatalogs" | "audit">;
  readonly source: Pick<ProxiedTools, "judged">;
  catalogs(): Promise<CatalogRefresh>;
  proxies(): Promise<readonly Proxies[]>;
}

/** Which tools are asked for. */
export interface ToolQuery {
  readonly site_id?: string;
  readonly state?: ToolState;
  readonly name?: string;
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 128));

/** The operator's side of sites' own tools. */
export class ProxiedOperator {
  constructor(private readonly ports: OperatorPorts) {}

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
  async show(name: string, site_id?: string): Promise<{ readonly tools: readonly ToolTextReport[] }> {
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
   * nobody can approve, E_STALE_PREVIEW where a site lists another one by now, E_BAD_INPUT for a class it cannot have, and
   * what a dry run is refused with where the order asks for one.
   */
  async approve(
    order: ApprovalOrder,
  ): Promise<{ readonly tools: readonly ToolReport[]; readonly trials?: readonly ToolTrial[] }> {
    const { name, hash, arguments: given } = order;
    const named = await this.#named(name);
    const chosen = order.sites.flatMap((id) => likeThis(named, name, id, hash));
    const [first] = chosen as [JudgedTool, ...JudgedTool[]];
    const sources = await this.ports.proxies();
    const source = sources.find((one) => one.source === first.catalog.source)!;
    const chosenClass = classFor(order, source, first.listed.tool!);
    const decided: ToolClass = { page: null, ...chosenClass };
    const trials: ToolTrial[] = [];
    const bySite = new Map(chosen.map((one) => [one.catalog.site_id, one]));
    for (const [id, judged] of given === undefined ? [] : bySite) {
      const site = await this.#site(id);
      trials.push(await tryTool(this.ports, { site, judged, source, class: chosenClass, arguments: given! }));
    }
    await this.#keep(chosen);
    const subjects = chosen.map((one) => ({ ...subjectOf(one), ...decided }));
    await decide(this.ports, "approved", subjects, { order: { ...order, ...decided } });
    const { tools } = await afterwards(this.list({ name }));
    return { tools, ...(given === undefined ? {} : { trials }) };
  }

  /**
   * Runs a tool dry on a site, offered, approved or held back. Throws E_NOT_FOUND, E_FORBIDDEN_OP for what is never run,
   * E_NOT_SUPPORTED where the site holds nothing, and what a call of it would be refused with.
   */
  async try(order: TrialOrder): Promise<ToolTrial> {
    const { name, site_id } = order;
    const site = await this.#site(site_id);
    const own = (await this.#named(name)).filter(({ catalog }) => catalog.site_id === site_id);
    const [first] = own;
    if (first === undefined) throw unlisted(name, [site_id]);
    const judged = own.find(({ state }) => state !== "refused" && state !== "hidden");
    if (judged === undefined) throw unapprovable(name, site_id, first.reason);
    const source = (await this.ports.proxies()).find((one) => one.source === judged.catalog.source)!;
    const isClassed = order.class === undefined && judged.class !== null;
    const chosen = isClassed ? judged.class! : classFor(order, source, judged.listed.tool!);
    return await tryTool(this.ports, {
      site,
      judged,
      source,
      class: chosen,
      arguments: order.arguments,
    });
  }

  /** The sites with tool servers that do not hold what their tools write, and why. */
  async unheld(): Promise<readonly UnheldSite[]> {
    const all = (await this.ports.store.toolCatalogs.list()).filter(({ exists }) => exists);
    const why = all.flatMap(({ site_id, unheld }) => unheld ? [[site_id, unheld] as const] : []);
    return [...new Map(why)].map(([site_id, because]) => ({ site_id, because }));
  }

  /** Sites whose tool servers did not answer when they were last asked, and what they failed with. */
  async unanswered(): Promise<readonly UnansweredSite[]> {
    const all = (await this.ports.store.toolCatalogs.list()).flatMap(({ site_id, failure }) =>
      failure === null ? [] : [[site_id, failure] as const]
    );
    return [...new Map(all)].map(([site_id, because]) => ({ site_id, because }));
  }

  /** Takes a tool away on those sites, approved or known. Throws E_NOT_FOUND. */
  async withdraw(name: string, sites: readonly string[]): Promise<{ readonly tools: readonly ToolReport[] }> {
    const named = (await this.#named(name)).filter(({ catalog }) => sites.includes(catalog.site_id));
    const listed = named.map(subjectOf);
    const isListed = (one: ToolDecision) => listed.some((other) => keyOf(other) === keyOf(one));
    // One that its server does not list any more could come back.
    const gone = (await this.#decided(name)).filter((one) => sites.includes(one.site_id) && !isListed(one));
    const subjects: readonly Subject[] = [...listed, ...gone];
    const missing = sites.filter((id) => !subjects.some(({ site_id }) => site_id === id));
    if (missing.length > 0) throw unlisted(name, missing);
    await this.#keep(named);
    await decide(this.ports, "withdrawn", subjects, { order: { name, sites } });
    return { tools: (await afterwards(this.list({ name }))).tools };
  }

  /** The tools that are held back because of what a call of them did, by site and name. */
  async held(): Promise<readonly HeldTool[]> {
    const held = (await this.ports.source.judged()).filter(({ decision }) => decision?.verdict === "held");
    const all = held.map(({ name, catalog: { site_id }, decision }) =>
      [`${site_id} ${name}`, { site_id, name, since: decision!.at, because: decision!.why ?? "" }] as const
    );
    return [...new Map(all).values()];
  }

  /** The tools that no agent can call until somebody has looked at them: new ones, and those that their server changed. */
  async waiting(): Promise<readonly WaitingTool[]> {
    return (await this.ports.source.judged())
      .filter(({ state, decision }) => state === "held" && decision?.verdict !== "held")
      .map(({ name, catalog: { site_id } }) => ({ site_id, name }));
  }

  /** Asks a site's servers now; answers them as they are known then. Throws E_NOT_FOUND, E_NOT_SUPPORTED. */
  async refresh(site_id: string): Promise<{ readonly servers: readonly ToolServerReport[] }> {
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

  /** What was decided of tools that are or would be served under that name. */
  async #decided(name: string): Promise<readonly ToolDecision[]> {
    const sources = await this.ports.proxies();
    const all = await this.ports.store.toolCatalogs.decisions();
    return all.filter((one) =>
      sources.find(({ source }) => source === one.source)?.servedName(one.name) === name
    );
  }

  /** Keeps what is decided on, so that it can be compared with what comes later. */
  async #keep(tools: readonly JudgedTool[]): Promise<void> {
    const byHash = new Map(tools.map(({ listed }) => [listed.hash, listed.tool]));
    for (const [hash, tool] of byHash) if (tool) await this.ports.store.toolCatalogs.keepText(hash, tool);
  }

  async #changes({ state, pinned, listed: { tool, hash } }: JudgedTool): Promise<string[] | null> {
    if (state !== "held" || pinned === null || pinned === hash || tool === null) return null;
    const before = await this.ports.store.toolCatalogs.text(pinned);
    return before && changesOf(before, tool);
  }
}

type ToolClass = Pick<ToolDecision, "writes" | "effect" | "page">;

const keyOf = ({ site_id, source, server, name }: Subject) => JSON.stringify([site_id, source, server, name]);

/**
 * The tools of a site that are what was read, one for each server. Throws E_NOT_FOUND, E_FORBIDDEN_OP, E_STALE_PREVIEW
 * where there is none.
 */
function likeThis(
  named: readonly JudgedTool[],
  name: string,
  site_id: string,
  hash: string,
): readonly JudgedTool[] {
  const own = named.filter(({ catalog }) => catalog.site_id === site_id);
  const [first] = own;
  if (first === undefined) throw unlisted(name, [site_id]);
  const open = own.filter(({ state }) => state !== "refused" && state !== "hidden");
  if (open.length === 0) throw unapprovable(name, site_id, first.reason);
  const alike = open.filter(({ listed }) => listed.hash === hash);
  if (alike.length > 0) return alike;
  throw new GatewayError(
    "E_STALE_PREVIEW",
    `hash: site "${site_id}" lists another "${name}" than the one you read (its hash is ` +
      `${open.map(({ listed }) => listed.hash).join(" or ")}); read that one, and approve it by its own hash`,
  );
}

const unapprovable = (name: string, site_id: string, reason: string | null) =>
  new GatewayError("E_FORBIDDEN_OP", `name: "${name}" of site "${site_id}" cannot be approved: ${reason}`);

function unlisted(name: string, sites: readonly string[]): GatewayError {
  const where = sites.length === 0
    ? "No site lists a tool"
    : `sites: ${sites.map(quoted).join(", ")} ${sites.length > 1 ? "list" : "lists"} no tool`;
  return new GatewayError(
    "E_NOT_FOUND",
    `${where} ${
      quoted(name)
    }; deno task admin tool-server list names those there are, and tool-server refresh asks a ` +
      "site anew",
  );
}

/** E_BAD_INPUT of a field of an order. */
function wrong(name: "class" | "effect" | "page", how: WrongField["how"], says: string): GatewayError {
  const message = how === "missing"
    ? `${name} is required ${says}`
    : `${name}: ${says}${how === "needless" ? "; leave it out" : ""}`;
  return new GatewayError("E_BAD_INPUT", message, { field: { name, how, says } });
}

/** The class that an order gives a tool. Throws E_BAD_INPUT for one it cannot have. */
function classFor(
  order: Omit<TrialOrder, "arguments" | "site_id">,
  source: Proxies,
  tool: ListedTool,
): ProxyClass {
  const { name } = order;
  const known = source.known.get(name);
  if (known) {
    if (order.class !== undefined && order.class !== (known.writes ? "write" : "read")) {
      throw wrong("class", "needless", `"${name}" is known as a ${known.writes ? "write" : "read"}`);
    }
    if (order.effect !== undefined && order.effect !== known.effect) {
      throw wrong("effect", "needless", `"${name}" is known with effect ${known.effect}`);
    }
    const { writes, effect, page } = known;
    return { writes, effect, ...(page === undefined ? {} : { page }) };
  }
  if (order.class === undefined) throw wrong("class", "missing", `for "${name}": read or write`);
  const because = source.mustWrite(name, tool.hints);
  if (order.class === "read") {
    if (because !== null) throw wrong("class", "wrong", `"${name}" can only be a write, for ${because}`);
    if ((order.effect ?? "read") !== "read") throw wrong("effect", "needless", "a read has effect read");
    return { writes: false, effect: "read" };
  }
  const effect = order.effect ?? source.effect;
  if (!source.effects.includes(effect)) {
    throw wrong("effect", "wrong", `expected one of ${source.effects.join(", ")} for such a tool`);
  }
  if (effect !== "page") {
    if (order.page !== undefined) throw wrong("page", "needless", "only a tool with effect page names one");
    return { writes: true, effect };
  }
  const properties = (tool.input_schema.properties ?? {}) as object;
  const { page } = order;
  if (page === undefined || !Object.hasOwn(properties, page)) {
    const names = Object.keys(properties).join(", ");
    throw wrong("page", "wrong", `expected the argument that names the page, one of ${names}`);
  }
  return { writes: true, effect, page };
}
