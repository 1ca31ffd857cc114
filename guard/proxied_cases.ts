/** What servers list, judged once for all sites whose servers list the same and of which the same was decided. */
import type { Proxies } from "../registry/proxies.ts";
import type { CatalogTool, Store, ToolCatalog, ToolDecision, ToolPins } from "../store/store.ts";
import { type ShownTool, shownTool } from "./proxied_entries.ts";
import { type Case, Judge, type Judgement, type Taken } from "./proxied_judge.ts";

/** The tools of a server, whichever site has it. */
export interface JudgedCase {
  readonly judged: readonly Judgement[];
  /** Those that may be called, by the name they are served under. */
  readonly shown: ReadonlyMap<string, ShownTool>;
}

/** Reads and judges; what was asked for in one load is kept for the next, and nothing else. */
export class ProxiedCases {
  readonly #store: Pick<Store["toolCatalogs"], "tools" | "pins">;
  readonly #judge: Judge;
  #before = new Cache();
  #now = new Cache();

  constructor(store: Pick<Store["toolCatalogs"], "tools" | "pins">, taken: Taken) {
    this.#store = store;
    this.#judge = new Judge(taken);
  }

  /** A load begins: what it does not ask for is forgotten with the next. */
  begin(): void {
    this.#before = this.#now;
    this.#now = new Cache();
  }

  /** The tools of a server, judged by decisions on those of the site; null where the store has others by now. */
  async of(
    source: Proxies,
    catalog: ToolCatalog,
    decisions: readonly ToolDecision[],
  ): Promise<JudgedCase | null> {
    const here = decisions.filter(({ bound_to }) => bound_to === catalog.bound_to);
    const own = here.filter(({ server }) => server === catalog.server);
    const withdrawn = here.filter(({ verdict }) => verdict === "withdrawn")
      .map(({ name, at }) => [source.servedName(name), at] as const);
    const decided = own.map(({ site_id: _, bound_to: __, ...one }) => one);
    const key = JSON.stringify([source.source, catalog.digest, catalog.pins_digest, decided, withdrawn]);
    const known = this.#now.cases.get(key) ?? this.#before.cases.get(key);
    const tools = known ? null : await this.#tools(catalog);
    if (!known && tools === null) return null;
    const made = known ?? this.#made(source, {
      tools: tools!,
      pins: await this.#pins(catalog),
      decisions: new Map(own.map((one) => [one.name, one])),
      withdrawn: new Map(withdrawn),
    });
    this.#now.cases.set(key, made);
    return made;
  }

  #made(source: Proxies, found: Case): JudgedCase {
    const judged = this.#judge.judge(source, found);
    const shown = judged.flatMap((one) => {
      const callable = one.state === "offered" || one.state === "approved";
      const tool = callable ? shownTool(source, one) : null;
      return tool === null ? [] : [[one.name, tool] as const];
    });
    return { judged, shown: new Map(shown) };
  }

  async #tools(catalog: ToolCatalog): Promise<readonly CatalogTool[] | null> {
    const { digest } = catalog;
    const known = this.#now.tools.get(digest) ?? this.#before.tools.get(digest);
    const tools = known ?? await this.#store.tools(catalog);
    if (tools !== null) this.#now.tools.set(digest, tools);
    return tools;
  }

  async #pins(catalog: ToolCatalog): Promise<ToolPins> {
    const { pins_digest } = catalog;
    const pins = this.#now.pins.get(pins_digest) ?? this.#before.pins.get(pins_digest) ??
      await this.#store.pins(catalog);
    this.#now.pins.set(pins_digest, pins);
    return pins;
  }
}

/** What one load has read, by digests. */
class Cache {
  readonly tools = new Map<string, readonly CatalogTool[]>();
  readonly pins = new Map<string, ToolPins>();
  readonly cases = new Map<string, JudgedCase>();
}
