/** Sites' own tools as the store has them: what their catalogues list and operators let through, made into entries. */
import { turns } from "../lib/async.ts";
import { LIMITS, type Site } from "../model.ts";
import type { Proxies } from "../registry/proxies.ts";
import type { ProxyPorts } from "../platforms/tool_servers/proxied_context.ts";
import type { SiteOffer } from "../platforms/tool_servers/types.ts";
import type { ToolEntry } from "../registry/load.ts";
import type { Store, ToolCatalog } from "../store/store.ts";
import { type Behaviour, hiddenEntry, proxiedEntry, type ShownOffer, shownOffer } from "./proxied_entries.ts";
import { type JudgedCase, ProxiedCases } from "./proxied_cases.ts";
import { type JudgedTool, placeOf } from "./proxied_judge.ts";

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
}

/** One server of a site as it was last looked at. */
interface Known {
  readonly catalog: ToolCatalog;
  readonly found: JudgedCase;
  readonly offers: ReadonlyMap<string, ShownOffer>;
}

/** A tool as it was made of these offers. */
interface Made {
  readonly of: readonly ShownOffer[];
  readonly used: ReadonlySet<ShownOffer>;
  readonly entry: ToolEntry;
}

/** The tools of all sites; what was worked out once is kept while nothing of it changes. */
export class ProxiedView {
  readonly #ports: ProxiedPorts;
  #current: ReadonlyMap<string, ToolEntry> = new Map();
  #servers: ReadonlyMap<string, Known> = new Map();
  #made: ReadonlyMap<string, Made> = new Map();
  #bySite: ReadonlyMap<string, readonly SiteOffer[]> = new Map();
  #cases: ProxiedCases | null = null;

  constructor(ports: ProxiedPorts) {
    this.#ports = ports;
  }

  /** The entries as of the last load; the same map while they are the same. */
  get current(): ReadonlyMap<string, ToolEntry> {
    return this.#current;
  }

  /** What becomes of every tool of every server; one that another server is asked for says so in its reason. */
  get judged(): readonly JudgedTool[] {
    return [...this.#servers.values()].flatMap(({ catalog, found, offers }) =>
      found.judged.map((judgement) => {
        const one = { ...judgement, judgement, catalog };
        const own = offers.get(one.name);
        const used = this.#made.get(one.name);
        if (own === undefined || used?.used.has(own)) return one;
        const other = used?.of.find(({ offer }) => offer.site_id === own.offer.site_id) ?? used?.of[0];
        const reason = `the server "${other?.offer.ref.server}" has a tool of that name, which is called`;
        return { ...one, reason };
      })
    );
  }

  /** Every tool of a site that may be called, of all its servers. */
  readonly #offersOf = (siteId: string): readonly SiteOffer[] => this.#bySite.get(siteId) ?? [];

  /** Reads what the store has of these sites, in parts that let others have their turn. */
  async load(sites: readonly Site[]): Promise<void> {
    const { store, proxies, behaviour, elapsed } = this.#ports;
    const catalogs = await store.toolCatalogs.list();
    // A gateway whose sites have no tool servers need not know what is known of their tools.
    if (catalogs.length === 0) return;
    const sources = await proxies();
    const decisions = await store.toolCatalogs.decisions();
    const turn = turns(elapsed, LIMITS.TURN_MS);
    this.#cases ??= new ProxiedCases(store.toolCatalogs, { builtIn: this.#ports.builtIn, all: sources });
    this.#cases.begin();
    const bySite = new Map(sites.map((site) => [site.id, site]));
    const decided = Map.groupBy(decisions, siteKey);
    const servers = new Map<string, Known>();
    for (const catalog of catalogs) {
      await turn();
      const source = sources.find((one) => one.source === catalog.source);
      const site = bySite.get(catalog.site_id);
      if (!source || !site || placeOf(site, source) !== catalog.bound_to) continue;
      const key = keyOf(catalog);
      const before = this.#servers.get(key);
      const found = await this.#cases.of(source, catalog, decided.get(siteKey(catalog)) ?? []);
      if (found) servers.set(key, known(catalog, found, before));
      else if (before) servers.set(key, before); // replaced meanwhile, which is another version
    }
    const made = await this.#entries(
      servers,
      sources,
      servers.size === 0 ? null : await behaviour(this.#offersOf),
      turn,
    );
    const same = made.size === this.#made.size &&
      [...made].every(([name, { entry }]) => this.#made.get(name)?.entry === entry);
    this.#servers = servers;
    this.#bySite = offersBySite(servers);
    if (!same) {
      this.#made = made;
      this.#current = new Map([...made].map(([name, { entry }]) => [name, entry]));
    }
  }

  async #entries(
    servers: ReadonlyMap<string, Known>,
    sources: readonly Proxies[],
    behave: Behaviour | null,
    turn: () => Promise<void>,
  ): Promise<Map<string, Made>> {
    const made = new Map<string, Made>();
    for (const [name, of] of await offersByName(servers, sources, turn)) {
      await turn();
      const before = this.#made.get(name);
      const isSame = before?.of.length === of.length && of.every((one, at) => one === before.of[at]);
      made.set(
        name,
        isSame ? before! : { of, used: new Set(of), entry: proxiedEntry(name, of, behave!, this.#ports) },
      );
    }
    const hidden = [...servers.values()].flatMap(({ catalog, found }) =>
      found.judged.filter(({ state }) => state === "hidden").map((one) => ({ ...one, catalog }))
    );
    for (const [name, of] of Map.groupBy(hidden, (one) => one.name)) {
      const [{ reason, catalog: { source } }] = of as [JudgedTool, ...JudgedTool[]];
      const sites = [...new Set(of.map(({ catalog }) => catalog.site_id))];
      const before = this.#made.get(name);
      const isSame = before?.of.length === 0 && before.entry.offer!.sites.join() === sites.sort().join();
      const { kinds } = sources.find((one) => one.source === source)!;
      made.set(
        name,
        isSame ? before! : { of: [], used: new Set(), entry: hiddenEntry(name, reason!, sites, kinds) },
      );
    }
    return new Map([...made].sort(byKey));
  }
}

/** Every tool of each site that may be called, of all its servers. */
const offersBySite = (servers: ReadonlyMap<string, Known>): ReadonlyMap<string, readonly SiteOffer[]> =>
  new Map(
    [...Map.groupBy(servers.values(), ({ catalog }) => catalog.site_id)].map(([id, own]) => [
      id,
      own.flatMap(({ offers }) => [...offers.values()].map(({ offer }) => offer)),
    ]),
  );

/** What was made of the same before stays the same object. */
function known(catalog: ToolCatalog, found: JudgedCase, before: Known | undefined): Known {
  const isSame = before?.found === found && before.catalog.bound_to === catalog.bound_to;
  const offers = isSame
    ? before.offers
    : new Map([...found.shown].map(([name, shown]) => [name, shownOffer(shown, catalog)]));
  return { catalog, found, offers };
}

const keyOf = ({ site_id, source, server }: { site_id: string; source: string; server: string }) =>
  JSON.stringify([site_id, source, server]);

const siteKey = ({ site_id, source }: { site_id: string; source: string }) =>
  JSON.stringify([site_id, source]);

/**
 * The offers of each name: of a site with several servers the one that comes first, and of one source, the first that
 * has the name.
 */
async function offersByName(
  servers: ReadonlyMap<string, Known>,
  sources: readonly Proxies[],
  turn: () => Promise<void>,
): Promise<ReadonlyMap<string, readonly ShownOffer[]>> {
  const byName = new Map<string, { readonly source: Proxies; readonly bySite: Map<string, ShownOffer> }>();
  for (const source of sources) {
    const own = [...servers.values()].filter(({ catalog }) => catalog.source === source.source)
      .sort((a, b) => source.compareServers(a.catalog.server, b.catalog.server));
    for (const { catalog: { site_id }, offers } of own) {
      await turn();
      for (const [name, one] of offers) {
        const all = byName.get(name) ?? { source, bySite: new Map<string, ShownOffer>() };
        if (!byName.has(name)) byName.set(name, all);
        if (all.source === source && !all.bySite.has(site_id)) all.bySite.set(site_id, one);
      }
    }
  }
  const ordered = (of: ReadonlyMap<string, ShownOffer>) => [...of].sort(byKey).map(([, one]) => one);
  return new Map([...byName].map(([name, { bySite }]) => [name, ordered(bySite)]));
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
  a < b ? -1 : a > b ? 1 : 0;
