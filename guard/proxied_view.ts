/** Sites' own tools as the store has them: what their catalogues list and operators let through, made into entries. */
import { turns } from "../lib/async.ts";
import { LIMITS, type Site } from "../model.ts";
import type { Proxies } from "../registry/proxies.ts";
import type { ProxyPorts } from "../platforms/tool_servers/proxied_context.ts";
import type { SiteOffer } from "../platforms/tool_servers/types.ts";
import type { ToolEntry } from "../registry/load.ts";
import type { CatalogTool, Store, ToolCatalog, ToolDecision } from "../store/store.ts";
import { type Behaviour, hiddenEntry, proxiedEntry, type ShownOffer, shownOffer } from "./proxied_entries.ts";
import { Judge, type JudgedTool, placeOf } from "./proxied_judge.ts";

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
  readonly tools: readonly CatalogTool[];
  readonly judged: readonly JudgedTool[];
  /** What the judgement depends on beside the catalogue. */
  readonly stamp: string;
  readonly offers: ReadonlyMap<string, ShownOffer>;
}

/** A tool as it was made of these offers. */
interface Made {
  readonly of: readonly ShownOffer[];
  readonly entry: ToolEntry;
}

/** The tools of all sites; what was worked out once is kept while nothing of it changes. */
export class ProxiedView {
  readonly #ports: ProxiedPorts;
  #current: ReadonlyMap<string, ToolEntry> = new Map();
  #servers: ReadonlyMap<string, Known> = new Map();
  #made: ReadonlyMap<string, Made> = new Map();
  #judge: Judge | null = null;

  constructor(ports: ProxiedPorts) {
    this.#ports = ports;
  }

  /** The entries as of the last load; the same map while they are the same. */
  get current(): ReadonlyMap<string, ToolEntry> {
    return this.#current;
  }

  /** What becomes of every tool of every server; one that another server is asked for says so in its reason. */
  get judged(): readonly JudgedTool[] {
    return [...this.#servers.values()].flatMap(({ judged, offers }) =>
      judged.map((one) => {
        const own = offers.get(one.name);
        const used = this.#made.get(one.name)?.of ?? [];
        if (own === undefined || used.includes(own)) return one;
        const other = used.find(({ offer }) => offer.site_id === own.offer.site_id) ?? used[0];
        return {
          ...one,
          reason: `the server "${other?.offer.ref.server}" has a tool of that name, which is called`,
        };
      })
    );
  }

  /** Every tool of a site that may be called, of all its servers. */
  readonly #offersOf = (siteId: string): SiteOffer[] =>
    [...this.#servers.values()].filter(({ catalog }) => catalog.site_id === siteId)
      .flatMap(({ offers }) => [...offers.values()].map(({ offer }) => offer));

  /** Reads what the store has of these sites, in parts that let others have their turn. */
  async load(sites: readonly Site[]): Promise<void> {
    const { store, proxies, behaviour, elapsed } = this.#ports;
    const catalogs = await store.toolCatalogs.list();
    const sources = catalogs.length === 0 ? [] : await proxies();
    const decisions = await store.toolCatalogs.decisions();
    const turn = turns(elapsed, LIMITS.TURN_MS);
    const bySite = new Map(sites.map((site) => [site.id, site]));
    const decided = Map.groupBy(decisions, keyOf);
    const servers = new Map<string, Known>();
    for (const catalog of catalogs) {
      await turn();
      const source = sources.find((one) => one.source === catalog.source);
      const site = bySite.get(catalog.site_id);
      if (!source || !site || placeOf(site, source) !== catalog.bound_to) continue;
      const key = keyOf(catalog);
      const known = await this.#server(source, catalog, decided.get(key) ?? [], sources);
      if (known) servers.set(key, known);
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
    if (!same) {
      this.#made = made;
      this.#current = new Map([...made].map(([name, { entry }]) => [name, entry]));
    }
  }

  /** One server; what was worked out before where nothing of it has changed. */
  async #server(
    source: Proxies,
    catalog: ToolCatalog,
    decisions: readonly ToolDecision[],
    all: readonly Proxies[],
  ): Promise<Known | null> {
    const before = this.#servers.get(keyOf(catalog));
    const stamp = JSON.stringify([catalog.bound_to, catalog.pins, decisions]);
    const isSame = before?.catalog.content?.id === catalog.content?.id;
    if (before && isSame && before.stamp === stamp) {
      const judged = before.judged.map((one) => ({ ...one, catalog }));
      return { ...before, catalog, judged };
    }
    const tools = before && isSame ? before.tools : await this.#ports.store.toolCatalogs.tools(catalog);
    if (tools === null) return before ?? null; // replaced meanwhile, which is another version
    this.#judge ??= new Judge({ builtIn: this.#ports.builtIn, all });
    const byName = new Map(decisions.map((one) => [one.name, one]));
    const judged = this.#judge.judge(source, catalog, tools, byName);
    const offers = new Map<string, ShownOffer>();
    for (const one of judged) {
      const callable = one.state === "offered" || one.state === "approved";
      if (callable && one.class && one.listed.tool) {
        offers.set(one.name, shownOffer(source, one, one.listed.tool));
      }
    }
    return { catalog, tools, judged, stamp, offers };
  }

  async #entries(
    servers: ReadonlyMap<string, Known>,
    sources: readonly Proxies[],
    behave: Behaviour | null,
    turn: () => Promise<void>,
  ): Promise<Map<string, Made>> {
    const made = new Map<string, Made>();
    for (const [name, of] of offersByName(servers, sources)) {
      await turn();
      const before = this.#made.get(name);
      const isSame = before?.of.length === of.length && of.every((one, at) => one === before.of[at]);
      made.set(name, isSame ? before! : { of, entry: proxiedEntry(name, of, behave!, this.#ports) });
    }
    const hidden = [...servers.values()].flatMap(({ judged }) =>
      judged.filter(({ state }) => state === "hidden")
    );
    for (const [name, of] of Map.groupBy(hidden, (one) => one.name)) {
      const [{ reason, catalog: { source } }] = of as [JudgedTool, ...JudgedTool[]];
      const sites = [...new Set(of.map(({ catalog }) => catalog.site_id))];
      const before = this.#made.get(name);
      const isSame = before?.of.length === 0 && before.entry.offer!.sites.join() === sites.sort().join();
      const { kinds } = sources.find((one) => one.source === source)!;
      made.set(name, isSame ? before! : { of: [], entry: hiddenEntry(name, reason!, sites, kinds) });
    }
    return new Map([...made].sort(([a], [b]) => a < b ? -1 : 1));
  }
}

const keyOf = ({ site_id, source, server }: { site_id: string; source: string; server: string }) =>
  JSON.stringify([site_id, source, server]);

/**
 * The offers of each name: of a site with several servers the one that comes first, and of one source, the first that
 * has the name.
 */
function offersByName(
  servers: ReadonlyMap<string, Known>,
  sources: readonly Proxies[],
): ReadonlyMap<string, readonly ShownOffer[]> {
  const byName = new Map<string, ShownOffer[]>();
  for (const source of sources) {
    const own = [...servers.values()].filter(({ catalog }) => catalog.source === source.source)
      .sort((a, b) => source.compareServers(a.catalog.server, b.catalog.server));
    for (const { offers } of own) {
      for (const [name, one] of offers) {
        const all = byName.get(name) ?? [];
        if (all.length > 0 && all[0]!.proxies !== source) continue;
        if (all.some(({ offer }) => offer.site_id === one.offer.site_id)) continue;
        byName.set(name, [...all, one]);
      }
    }
  }
  const bySite = (a: ShownOffer, b: ShownOffer) => a.offer.site_id < b.offer.site_id ? -1 : 1;
  return new Map([...byName].map(([name, all]) => [name, all.sort(bySite)]));
}
