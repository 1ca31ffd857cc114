/** Sites' own tools as the store has them: what their catalogues list and operators let through, made into entries. */
import { turns } from "../../core/async.ts";
import { isStoreGone } from "../../core/errors.ts";
import { type Asking, LIMITS, type PlatformKind, type Site } from "../../core/model.ts";
import type { ProxyPorts } from "../../platforms/_proxied_calls/proxied_context.ts";
import type { SiteOffer } from "../../platforms/tool_servers/types.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import type { Proxies } from "../../registry/proxies.ts";
import type { Store, ToolCatalog, ToolDecision } from "../../store/store.ts";
import {
  type Behaviour,
  hiddenEntry,
  proxiedEntry,
  type ShownOffer,
  shownOffer,
  type ShownTool,
  shownTool,
} from "./entries.ts";
import { type Case, heldBy, Judge, type JudgedTool, type Judgement, placeOf } from "./judge.ts";
import { pinsAgain, pinsDamaged } from "./pins.ts";

/** What it stands on. */
export interface ProxiedPorts {
  readonly store: Pick<Store, "sites" | "projects" | "toolCatalogs">;
  /** What is known of tools before anybody approves them; read when it is first needed. */
  proxies(): Promise<readonly Proxies[]>;
  /** The names of the gateway's own tools. */
  readonly builtIn: ReadonlySet<string>;
  /** What tools do when they are called; loaded when the first is there. */
  behaviour(offersOf: ProxyPorts["offersOf"]): Promise<Behaviour>;
  /** A server said that a tool it listed is none of its own. */
  gone(site: Site): void;
  /** Milliseconds that never go back. */
  elapsed(): number;
  log(event: Record<string, unknown>): void;
}

/** The tools of a server, judged once for all servers that list the same and of which the same was decided. */
interface JudgedCase {
  readonly judged: readonly Judgement[];
  /** Those that may be called, by the name they are served under. */
  readonly shown: ReadonlyMap<string, ShownTool>;
  /** Why every call is refused of those that are never run, by that name too. */
  readonly hidden: ReadonlyMap<string, string>;
}

/** One server of a site as it was last looked at. */
interface Known {
  readonly catalog: ToolCatalog;
  readonly source: Proxies;
  readonly found: JudgedCase;
  /** What its site asks of writes. */
  readonly asking: Asking;
}

const LARGE = `large: the arguments of its server's known tools take more than ${
  LIMITS.UNREAD_TOOLS_BYTES / 1024
} KiB, and no more are shown unread`;

/** The tools of all sites, worked out anew where the store has others. */
export class ProxiedView {
  readonly #ports: ProxiedPorts;
  readonly #turn: () => Promise<void>;
  #current: ReadonlyMap<string, ToolEntry> = new Map();
  #servers: readonly Known[] = [];
  /** The servers at which a name is called, by the name. */
  #called: ReadonlyMap<string, readonly Known[]> = new Map();
  #offers: ReadonlyMap<string, readonly SiteOffer[]> = new Map();
  /** Of the last load, by what they were judged by. */
  #cases: ReadonlyMap<string, JudgedCase> = new Map();
  #judge: Judge | null = null;
  #isWhole = true;

  constructor(ports: ProxiedPorts) {
    this.#ports = ports;
    this.#turn = turns(ports.elapsed, LIMITS.TURN_MS);
  }

  /** The entries as of the last load; the same map while they are the same. */
  get current(): ReadonlyMap<string, ToolEntry> {
    return this.#current;
  }

  /** Whether all that the store has could be read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** What becomes of every tool of every server; one that another server is asked for says so in its reason. */
  get judged(): readonly JudgedTool[] {
    return this.#servers.flatMap(({ catalog, found }) =>
      found.judged.map((judgement): JudgedTool => {
        const one = { ...judgement, judgement, catalog };
        const called = this.#called.get(one.name) ?? [];
        if (!found.shown.has(one.name) || called.some((of) => isOf(of, catalog))) return one;
        const other = called.find((of) => of.catalog.site_id === catalog.site_id) ?? called[0];
        const reason = `the server "${other?.catalog.server}" has a tool of that name, which is called`;
        return { ...one, reason };
      })
    );
  }

  /** Reads what the store has of these sites, in parts that let others have their turn. */
  async load(sites: readonly Site[]): Promise<void> {
    const { store, proxies, behaviour } = this.#ports;
    await this.#turn();
    const catalogs = await store.toolCatalogs.list();
    // A gateway whose sites have no tool servers need not know what is known of their tools.
    if (catalogs.length === 0 && this.#servers.length === 0) return;
    const sources = await proxies();
    await this.#turn();
    const servers = await this.#looked(catalogs, sites, sources);
    const before = this.#servers;
    if (servers.length === before.length && servers.every((one, at) => isSame(one, before[at]!))) {
      this.#servers = servers;
      return;
    }
    const behave = await behaviour((site) => this.#offers.get(site) ?? []);
    const all = new Map<Known, ReadonlyMap<string, ShownOffer>>();
    for (const one of servers) {
      await this.#turn();
      all.set(
        one,
        new Map(
          [...one.found.shown].map(([name, tool]) => [name, shownOffer(tool, one.catalog, one.asking)]),
        ),
      );
    }
    const names = new Set(
      servers.flatMap(({ found: { shown, hidden } }) => [...shown.keys(), ...hidden.keys()]),
    );
    const entries: ToolEntry[] = [];
    const called = new Map<string, readonly Known[]>();
    for (const name of [...names].sort()) {
      await this.#turn();
      const hiding = servers.filter(({ found }) => found.hidden.has(name));
      const of = hiding.length > 0 ? [] : calledAt(name, servers);
      called.set(name, of);
      entries.push(
        hiding.length > 0
          ? hiddenAt(name, hiding)
          : proxiedEntry(name, of.map((one) => all.get(one)!.get(name)!), behave, this.#ports),
      );
    }
    [this.#servers, this.#called] = [servers, called];
    const offers = servers.flatMap((one) => [...all.get(one)!.values()].map(({ offer }) => offer));
    this.#offers = Map.groupBy(offers, ({ site_id }) => site_id);
    this.#current = new Map(entries.map((entry) => [entry.name, entry]));
  }

  /**
   * The servers that stand where they were listed, with what becomes of their tools: of each source by site, and of one
   * site's, the one that is asked first comes first.
   */
  async #looked(
    catalogs: readonly ToolCatalog[],
    sites: readonly Site[],
    sources: readonly Proxies[],
  ): Promise<readonly Known[]> {
    const { store: { toolCatalogs }, builtIn, log } = this.#ports;
    this.#isWhole = true;
    this.#judge ??= new Judge({ builtIn, all: sources });
    const decided = Map.groupBy(await toolCatalogs.decisions(), siteKey);
    const cases = new Map<string, JudgedCase>();
    const bySite = new Map(sites.map((site) => [site.id, site]));
    const servers: Known[] = [];
    for (const catalog of catalogs) {
      await this.#turn();
      const source = sources.find((one) => one.source === catalog.source);
      const site = bySite.get(catalog.site_id);
      if (!source || !site || placeOf(site, source) !== catalog.bound_to) continue;
      try {
        const found = await this.#caseOf(source, catalog, decided.get(siteKey(catalog)) ?? [], cases);
        // What was replaced meanwhile is another version: until that is read, what was known of it holds.
        const known = found
          ? { catalog, source, found, asking: site }
          : this.#servers.find((one) => isOf(one, catalog));
        if (known) servers.push(known);
      } catch (fault) {
        // Where the store answers nothing, all stays as it is; what of one site cannot be read is not offered.
        if (isStoreGone(fault)) throw fault;
        log({ event: "tool_catalog_unread", site_id: catalog.site_id, cause: String(fault) });
        this.#isWhole = false;
      }
    }
    this.#cases = cases;
    return servers.sort((a, b) =>
      sources.indexOf(a.source) - sources.indexOf(b.source) ||
      compared(a.catalog.site_id, b.catalog.site_id) ||
      a.source.compareServers(a.catalog.server, b.catalog.server)
    );
  }

  /** The tools of a server, judged by decisions on those of the site; null where the store has others by now. */
  async #caseOf(
    source: Proxies,
    catalog: ToolCatalog,
    decisions: readonly ToolDecision[],
    cases: Map<string, JudgedCase>,
  ): Promise<JudgedCase | null> {
    const here = decisions.filter(({ bound_to }) => bound_to === catalog.bound_to);
    const own = here.filter(({ server }) => server === catalog.server);
    const withdrawn = here.filter(({ verdict }) => verdict !== "approved")
      .map((one) => [source.servedName(one.name), heldBy(one)] as const);
    const decided = own.map(({ site_id: _, bound_to: __, ...one }) => one);
    const key = JSON.stringify([source.source, catalog.digest, catalog.pins_digest, decided, withdrawn]);
    let found = cases.get(key) ?? this.#cases.get(key);
    if (found === undefined) {
      const { toolCatalogs } = this.#ports.store;
      const tools = await toolCatalogs.tools(catalog);
      if (tools === null) return null;
      const pins = await toolCatalogs.pins(catalog) ?? pinsAgain(catalog, source, tools);
      // Without them a tool that has changed would count as one that is seen for the first time.
      if (pins === null) throw new Error(pinsDamaged(catalog));
      const byName = new Map(own.map((one) => [one.name, one]));
      found = await this.#judged(source, { tools, pins, decisions: byName, withdrawn: new Map(withdrawn) });
    }
    cases.set(key, found);
    return found;
  }

  async #judged(source: Proxies, of: Case): Promise<JudgedCase> {
    const judged: Judgement[] = [];
    const shown = new Map<string, ShownTool>();
    const hidden = new Map<string, string>();
    let unread = 0;
    for (const one of this.#judge!.judge(source, of)) {
      await this.#turn();
      const { name, state, reason } = one;
      if (state === "hidden") hidden.set(name, reason!);
      const tool = state === "offered" || state === "approved" ? shownTool(source, one) : null;
      if (tool && state === "offered") unread += JSON.stringify(tool.schema).length;
      const isLarge = state === "offered" && unread > LIMITS.UNREAD_TOOLS_BYTES;
      judged.push(isLarge ? { ...one, state: "held", reason: LARGE } : one);
      if (tool && !isLarge) shown.set(name, tool);
    }
    return { judged, shown, hidden };
  }
}

/** The entry of a name that is never run, for the sites whose servers list it. */
function hiddenAt(name: string, hiding: readonly Known[]): ToolEntry {
  const [{ found, source }] = hiding as [Known, ...Known[]];
  const sites = [...new Set(hiding.map(({ catalog }) => catalog.site_id))].sort();
  return hiddenEntry(name, found.hidden.get(name)!, sites, source.kinds as PlatformKind[]);
}

/** The servers at which a name is called: of a site's the first, and of the first source that has the name. */
function calledAt(name: string, servers: readonly Known[]): readonly Known[] {
  const having = servers.filter(({ found }) => found.shown.has(name));
  const of = having.filter(({ source }) => source === having[0]!.source);
  return of.filter((one, at) => one.catalog.site_id !== of[at - 1]?.catalog.site_id);
}

const isOf = ({ catalog: a }: Known, b: ToolCatalog) =>
  a.site_id === b.site_id && a.source === b.source && a.server === b.server;
const isSame = (a: Known, b: Known) =>
  a.found === b.found && isOf(a, b.catalog) && a.catalog.bound_to === b.catalog.bound_to &&
  a.asking.confirm_policy === b.asking.confirm_policy &&
  a.asking.confirm_proxied === b.asking.confirm_proxied;
const siteKey = ({ site_id, source }: { site_id: string; source: string }) =>
  JSON.stringify([site_id, source]);
const compared = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;
