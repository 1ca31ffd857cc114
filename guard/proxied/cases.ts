/** What servers list, judged once for all sites whose servers list the same and of which the same was decided. */
import { LIMITS, type PlatformKind } from "../../core/model.ts";
import type { Proxies } from "../../registry/proxies.ts";
import type { CatalogTool, Store, ToolCatalog, ToolDecision, ToolPins } from "../../store/store.ts";
import { type ShownTool, shownTool } from "./entries.ts";
import { type Case, heldBy, Judge, type Judgement, type Taken } from "./judge.ts";
import { pinsAgain, pinsDamaged } from "./lost_pins.ts";

/** The tools of a server, whichever site has it. */
export interface JudgedCase {
  readonly judged: readonly Judgement[];
  /** Those that may be called, by the name they are served under. */
  readonly shown: ReadonlyMap<string, ShownTool>;
  /** Those whose calls are refused, by that name too. */
  readonly hidden: ReadonlyMap<string, HiddenTool>;
}

/** Why every call of a tool is refused, and the kinds of site that can list it. */
export interface HiddenTool {
  readonly reason: string;
  readonly kinds: readonly PlatformKind[];
}

/** A server whose tools are asked for. */
export interface Asked {
  readonly source: Proxies;
  readonly catalog: ToolCatalog;
  /** What was decided on tools of the site. */
  readonly decisions: readonly ToolDecision[];
  /** What it was in the last load. */
  readonly before: JudgedCase | undefined;
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

  /**
   * The tools of a server, judged by decisions on those of the site; null where the store has others by now. What is
   * shown of a tool that stayed as it was `before` is the same object.
   */
  async of(
    { source, catalog, decisions, before }: Asked,
    turn: () => Promise<void>,
  ): Promise<JudgedCase | null> {
    const here = decisions.filter(({ bound_to }) => bound_to === catalog.bound_to);
    const own = here.filter(({ server }) => server === catalog.server);
    const withdrawn = here.filter(({ verdict }) => verdict !== "approved")
      .map((one) => [source.servedName(one.name), heldBy(one)] as const);
    const decided = own.map(({ site_id: _, bound_to: __, ...one }) => one);
    const key = JSON.stringify([source.source, catalog.digest, catalog.pins_digest, decided, withdrawn]);
    const known = this.#now.cases.get(key) ?? this.#before.cases.get(key);
    const tools = known ? null : await this.#tools(catalog);
    if (!known && tools === null) return null;
    const made = known ?? await this.#made(source, before, {
      tools: tools!,
      pins: await this.#pins(catalog, source, tools!),
      decisions: new Map(own.map((one) => [one.name, one])),
      withdrawn: new Map(withdrawn),
    }, turn);
    this.#now.cases.set(key, made);
    return made;
  }

  async #made(
    source: Proxies,
    before: JudgedCase | undefined,
    found: Case,
    turn: () => Promise<void>,
  ): Promise<JudgedCase> {
    const earlier = new Map(before?.judged.map((one) => [shownKey(source, one), before.shown.get(one.name)]));
    const judged: Judgement[] = [];
    const shown = new Map<string, ShownTool>();
    const hidden = new Map<string, HiddenTool>();
    let unread = 0;
    for (const one of this.#judge.judge(source, found)) {
      await turn();
      const { name, state, reason } = one;
      if (state === "hidden") hidden.set(name, { reason: reason!, kinds: source.kinds });
      const key = shownKey(source, one);
      const isOpen = state === "offered" || state === "approved";
      const tool = isOpen ? earlier.get(key) ?? this.#now.shown.get(key) ?? shownTool(source, one) : null;
      if (tool && state === "offered") unread += JSON.stringify(tool.schema).length;
      if (state === "offered" && unread > LIMITS.UNREAD_TOOLS_BYTES) {
        judged.push({ ...one, state: "held", reason: LARGE });
        continue;
      }
      judged.push(one);
      if (tool === null) continue;
      this.#now.shown.set(key, tool);
      shown.set(name, tool);
    }
    return { judged, shown, hidden };
  }

  async #tools(catalog: ToolCatalog): Promise<readonly CatalogTool[] | null> {
    const { digest } = catalog;
    const known = this.#now.tools.get(digest) ?? this.#before.tools.get(digest);
    const tools = known ?? await this.#store.tools(catalog);
    if (tools !== null) this.#now.tools.set(digest, tools);
    return tools;
  }

  async #pins(catalog: ToolCatalog, source: Proxies, tools: readonly CatalogTool[]): Promise<ToolPins> {
    const { pins_digest } = catalog;
    const pins = this.#now.pins.get(pins_digest) ?? this.#before.pins.get(pins_digest) ??
      await this.#store.pins(catalog) ?? pinsAgain(catalog, source, tools);
    // Without them a tool that has changed would count as one that is seen for the first time.
    if (pins === null) throw new Error(pinsDamaged(catalog));
    this.#now.pins.set(pins_digest, pins);
    return pins;
  }
}

const LARGE = `large: the arguments of its server's known tools take more than ${
  LIMITS.UNREAD_TOOLS_BYTES / 1024
} KiB, and no more are shown unread`;

/** What one load has read, by digests. */
class Cache {
  readonly tools = new Map<string, readonly CatalogTool[]>();
  readonly pins = new Map<string, ToolPins>();
  readonly cases = new Map<string, JudgedCase>();
  readonly shown = new Map<string, ShownTool>();
}

/** The same for what is shown alike: the hash stands for all that was listed of the tool. */
const shownKey = ({ source }: Proxies, { name, listed, state, class: chosen }: Judgement) =>
  JSON.stringify([source, name, listed.hash, state, chosen]);
