/** Sites' own tools as the store has them: what their catalogues list and operators let through, made into entries. */
import { turns } from "../../core/async.ts";
import { LIMITS, type Site } from "../../core/model.ts";
import type { Proxies } from "../../registry/proxies.ts";
import type { ProxyPorts } from "../../platforms/tool_servers/proxied_context.ts";
import type { SiteOffer } from "../../platforms/tool_servers/types.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import type { Store, ToolCatalog } from "../../store/store.ts";
import { type Behaviour, hiddenEntry, proxiedEntry, type ShownOffer, shownOffer } from "./entries.ts";
import { type JudgedCase, ProxiedCases } from "./cases.ts";
import { type JudgedTool, placeOf } from "./judge.ts";
import { isStoreGone } from "../../core/errors.ts";

/** What it stands on. */
export interface ProxiedPorts {
  readonly store: Pick<Store, "sites" | "toolCatalogs">;
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

/** One server of a site as it was last looked at. */
interface Known {
  readonly catalog: ToolCatalog;
  readonly found: JudgedCase;
  readonly offers: ReadonlyMap<string, ShownOffer>;
}

/** A tool as it was made of these offers; of none where it is hidden. */
interface Made {
  readonly of: readonly ShownOffer[];
  readonly entry: ToolEntry;
}

/** The tools of all sites; what was worked out once is kept while nothing of it changes. */
export class ProxiedView {
  readonly #ports: ProxiedPorts;
  readonly #turn: () => Promise<void>;
  #current: ReadonlyMap<string, ToolEntry> = new Map();
  #servers: ReadonlyMap<string, Known> = new Map();
  #made: ReadonlyMap<string, Made> = new Map();
  /** Of the sites that were asked for since their tools last changed. */
  readonly #bySite = new Map<string, readonly SiteOffer[]>();
  #cases: ProxiedCases | null = null;
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
    const used = new Set([...this.#made.values()].flatMap(({ of }) => of));
    return [...this.#servers.values()].flatMap(({ catalog, found, offers }) =>
      found.judged.map((judgement) => {
        const one = { ...judgement, judgement, catalog };
        const own = offers.get(one.name);
        if (own === undefined || used.has(own)) return one;
        const of = this.#made.get(one.name)?.of ?? [];
        const other = of.find(({ offer }) => offer.site_id === own.offer.site_id) ?? of[0];
        const reason = `the server "${other?.offer.ref.server}" has a tool of that name, which is called`;
        return { ...one, reason };
      })
    );
  }

  /** Every tool of a site that may be called, of all its servers. */
  readonly #offersOf = (siteId: string): readonly SiteOffer[] => {
    const known = this.#bySite.get(siteId);
    if (known) return known;
    const own = [...this.#servers.values()].filter(({ catalog }) => catalog.site_id === siteId);
    const all = own.flatMap(({ offers }) => [...offers.values()].map(({ offer }) => offer));
    this.#bySite.set(siteId, all);
    return all;
  };

  /** Reads what the store has of these sites, and makes anew what changed, in parts that let others have their turn. */
  async load(sites: readonly Site[]): Promise<void> {
    const { store, proxies, behaviour } = this.#ports;
    const turn = this.#turn;
    await turn();
    const catalogs = await store.toolCatalogs.list();
    // A gateway whose sites have no tool servers need not know what is known of their tools.
    if (catalogs.length === 0 && this.#servers.size === 0) return;
    await turn();
    const sources = await proxies();
    await turn();
    const servers = await this.#looked(catalogs, sites, sources, turn);
    const { names, siteIds } = changes(this.#servers, servers);
    const made = new Map(this.#made);
    if (names.size > 0) {
      const behave = await behaviour(this.#offersOf);
      const ordered = inOrder(servers, sources);
      for (const name of names) {
        await turn();
        const one = this.#make(name, ordered, behave);
        if (one === null) made.delete(name);
        else made.set(name, one);
      }
    }
    this.#servers = servers;
    for (const id of siteIds) this.#bySite.delete(id);
    const same = made.size === this.#made.size &&
      [...names].every((name) => made.get(name)?.entry === this.#made.get(name)?.entry);
    this.#made = made;
    if (same) return;
    this.#current = new Map([...made].map(([name, { entry }]) => [name, entry] as const).sort(byKey));
  }

  /** The servers that stand where they were listed, with what becomes of their tools. */
  async #looked(
    catalogs: readonly ToolCatalog[],
    sites: readonly Site[],
    sources: readonly Proxies[],
    turn: () => Promise<void>,
  ): Promise<Map<string, Known>> {
    const { store: { toolCatalogs }, builtIn, log } = this.#ports;
    this.#isWhole = true;
    const decided = Map.groupBy(await toolCatalogs.decisions(), siteKey);
    const cases = this.#cases ??= new ProxiedCases(toolCatalogs, { builtIn, all: sources });
    cases.begin();
    const bySite = new Map(sites.map((site) => [site.id, site]));
    const servers = new Map<string, Known>();
    for (const catalog of catalogs) {
      await turn();
      const source = sources.find((one) => one.source === catalog.source);
      const site = bySite.get(catalog.site_id);
      if (!source || !site || placeOf(site, source) !== catalog.bound_to) continue;
      const key = keyOf(catalog);
      const before = this.#servers.get(key);
      const decisions = decided.get(siteKey(catalog)) ?? [];
      let found: JudgedCase | null;
      try {
        found = await cases.of({ source, catalog, decisions, before: before?.found }, turn);
      } catch (fault) {
        // Where the store answers nothing, all stays as it is; what of one site cannot be read is not offered.
        if (isStoreGone(fault)) throw fault;
        log({ event: "tool_catalog_unread", site_id: catalog.site_id, cause: String(fault) });
        this.#isWhole = false;
        continue;
      }
      if (found) servers.set(key, known(catalog, found, before));
      else if (before) servers.set(key, before); // replaced meanwhile, which is another version
    }
    return servers;
  }

  /** The tool of that name; null where no server has it. What nothing changed of stays the same object. */
  #make(name: string, servers: readonly Known[], behave: Behaviour): Made | null {
    const before = this.#made.get(name);
    const hiding = servers.filter(({ found }) => found.hidden.has(name));
    const [first] = hiding;
    if (first) {
      const sites = [...new Set(hiding.map(({ catalog }) => catalog.site_id))].sort();
      const { reason, kinds } = first.found.hidden.get(name)!;
      const { hidden, sites: those } = before?.entry.offer ?? {};
      if (before && hidden === reason && those?.join() === sites.join()) return before;
      return { of: [], entry: hiddenEntry(name, reason, sites, kinds) };
    }
    const of = offersOf(name, servers);
    if (of.length === 0) return null;
    const isSame = before?.of.length === of.length && of.every((one, at) => one === before.of[at]);
    return isSame ? before! : { of, entry: proxiedEntry(name, of, behave, this.#ports) };
  }
}

/** The names whose tools can be other ones, and the sites some of whose can. */
function changes(
  before: ReadonlyMap<string, Known>,
  now: ReadonlyMap<string, Known>,
): { readonly names: ReadonlySet<string>; readonly siteIds: ReadonlySet<string> } {
  const names = new Set<string>();
  const siteIds = new Set<string>();
  for (const key of new Set([...before.keys(), ...now.keys()])) {
    const [old, own] = [before.get(key), now.get(key)];
    if (old?.offers === own?.offers) continue;
    siteIds.add((own ?? old)!.catalog.site_id);
    for (const name of [...(old?.offers.keys() ?? []), ...(own?.offers.keys() ?? [])]) {
      if (old?.offers.get(name) !== own?.offers.get(name)) names.add(name);
    }
    for (const name of [...(old?.found.hidden.keys() ?? []), ...(own?.found.hidden.keys() ?? [])]) {
      if (old?.found.hidden.get(name)?.reason !== own?.found.hidden.get(name)?.reason) names.add(name);
    }
  }
  return { names, siteIds };
}

/** The servers of each source, by site; of one site's, the one that is asked first comes first. */
const inOrder = (servers: ReadonlyMap<string, Known>, sources: readonly Proxies[]): readonly Known[] =>
  sources.flatMap((source) =>
    [...servers.values()].filter(({ catalog }) => catalog.source === source.source).sort((a, b) =>
      compared(a.catalog.site_id, b.catalog.site_id) ||
      source.compareServers(a.catalog.server, b.catalog.server)
    )
  );

/**
 * The offers of a name, by site: of a site with several servers the one that comes first, and of one source, the first
 * that has the name.
 */
function offersOf(name: string, servers: readonly Known[]): readonly ShownOffer[] {
  const all: ShownOffer[] = [];
  for (const { catalog: { site_id, source }, offers } of servers) {
    const one = offers.get(name);
    if (one === undefined || all.at(-1)?.offer.site_id === site_id) continue;
    if (all.length > 0 && all[0]!.offer.ref.source !== source) break;
    all.push(one);
  }
  return all;
}

/** What was made of the same before stays the same object. */
function known(catalog: ToolCatalog, found: JudgedCase, before: Known | undefined): Known {
  const kept = before?.catalog.bound_to === catalog.bound_to ? before : undefined;
  if (kept?.found === found) return { catalog, found, offers: kept.offers };
  const offers = [...found.shown].map(([name, shown]) => {
    const one = kept?.offers.get(name);
    return [name, one?.shown === shown ? one : shownOffer(shown, catalog)] as const;
  });
  return { catalog, found, offers: new Map(offers) };
}

const keyOf = ({ site_id, source, server }: { site_id: string; source: string; server: string }) =>
  JSON.stringify([site_id, source, server]);

const siteKey = ({ site_id, source }: { site_id: string; source: string }) =>
  JSON.stringify([site_id, source]);

const compared = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => compared(a, b);
