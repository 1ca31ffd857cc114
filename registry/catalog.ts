/** The tools of all sources by name, and what of them a caller is shown. */
import type { LRUCache } from "lru-cache";
import { GatewayError } from "../core/errors.ts";
import { CLOCK, turns } from "../core/async.ts";
import { type Caller, LIMITS, type PlatformKind, type Token } from "../core/model.ts";
import { likely, notDoneHere } from "./likely.ts";
import { Listing, type Manner, type Shown } from "./listing.ts";
import type { ToolEntry } from "./entry.ts";
import { tellsOfTools } from "./manifest.ts";
import { underCeiling } from "./ceiling.ts";
import { OFFERED_WRITE, type ToolSource } from "./source.ts";

/** What the catalogue asks of the rest of the gateway. */
export interface CatalogPorts {
  hasSecret(name: string): boolean;
  /** Whether the site is in the scope of the token and of its owner. */
  reaches(caller: Caller, siteId: string): boolean;
}

/** What a list leaves out beside what the caller may not call, and how it shows the rest. */
export interface Narrowed {
  /** The one site whose tools are listed; null for those of all. */
  readonly site_id: string | null;
  readonly manner: Manner;
  /** Whether the tools are on it that find and call others, whatever tools the token may call. */
  readonly guides: boolean;
  /** Another one whenever something else suits. */
  readonly key: string;
  /** Whether a tool is wanted, and of use there. */
  suits(entry: ToolEntry): boolean;
}

/** How a list shows its tools where nothing is asked. */
const PLAIN: Manner = { full: false, kind: null };

/** The tools of all sources at one moment. */
interface View {
  readonly version: number;
  readonly sets: readonly ReadonlyMap<string, ToolEntry>[];
  readonly tools: ReadonlyMap<string, ToolEntry>;
  /** Those that may be shown. */
  readonly shown: readonly ToolEntry[];
  /** Every site that offers one of them. */
  readonly sites: readonly string[];
}

/** What the lists of a caller depend on. */
interface Visibility {
  readonly key: string;
  readonly view: View;
  readonly owner: Caller["owner"];
  /** The sites in the caller's scope that offer a tool. */
  readonly sites: ReadonlySet<string>;
}

/**
 * Finds tools and lists them. What a list depends on is the token's allowed tools, the risk ceiling, the secrets that
 * are set and, where a site in the caller's scope offers a tool, those sites and the version. Each answer is that of
 * one version: a change of a source is seen by the next call and the next listing, never by half of one.
 */
export class Catalog {
  readonly #sources: readonly ToolSource[];
  readonly #ports: CatalogPorts;
  readonly #bytes: number;
  #listings: LRUCache<string, Listing> | null = null;
  readonly #visibilities = new WeakMap<Token, Visibility>();
  /** Shared by all lists that are written at the same time. */
  readonly #turn = turns(CLOCK.elapsed, LIMITS.TURN_MS);
  readonly #inGroups = new WeakMap<readonly string[], { readonly view: View; readonly names: string[] }>();
  #view: View = { version: 0, sets: [], tools: new Map(), shown: [], sites: [] };

  /** Of two tools of one name that of the earlier source is the one: the built-in source comes first. */
  constructor(sources: readonly ToolSource[], ports: CatalogPorts, bytes: number = LIMITS.LISTINGS_BYTES) {
    this.#sources = sources;
    this.#ports = ports;
    this.#bytes = bytes;
  }

  /** Nothing where that tool, or every one, is known as it is now; else it is once this resolves. */
  fresh(name?: string): void | Promise<void> {
    if (name !== undefined && this.#sources[0]?.current().has(name)) return;
    const waited = this.#sources.slice(1).flatMap((source) => source.fresh?.() ?? []);
    if (waited.length > 0) return Promise.all(waited).then(() => {});
  }

  /**
   * The same catalogue as it is now, which keeps its listings from now on. What keeps them is imported here: no start
   * needs it.
   */
  async keeping(): Promise<this> {
    await this.fresh();
    if (this.#listings === null) {
      const { LRUCache } = await import("lru-cache");
      this.#listings ??= new LRUCache({
        max: LIMITS.LISTINGS_MAX,
        maxSize: this.#bytes,
        sizeCalculation: (listing, key) => listing.bytes + key.length,
      });
    }
    return this;
  }

  /**
   * The tool of that name, also one that is hidden. Throws E_TOOL_NOT_FOUND, naming the nearest tool there is. One that
   * only sites offer is there for a caller who reaches such a site, and for no other: its name alone says what a site has.
   */
  find(name: string, caller?: Caller): ToolEntry {
    const entry = this.get(name, caller);
    if (entry) return entry;
    const known = this.#now().shown.filter((one) => !one.offer || (caller && this.#isThereFor(caller, one)));
    const near = likely(
      name,
      known.map(({ name, manifest, offer }) => ({ name, description: manifest.description, own: !offer })),
    );
    const hint = near.length > 0
      ? `did you mean ${near.map((one) => JSON.stringify(one)).join(" or ")}`
      : `the tools listing names those there are${
        notDoneHere(name)
      }, and find_tools finds one by what it shall do`;
    throw new GatewayError(
      "E_TOOL_NOT_FOUND",
      `No tool is called ${JSON.stringify(name.slice(0, 128))}; ${hint}`,
    );
  }

  /** The tool of that name, if there is one; for a caller, if there is one for that caller. */
  get(name: string, caller?: Caller): ToolEntry | undefined {
    const entry = this.#now().tools.get(name);
    return entry && (!caller || this.#isThereFor(caller, entry)) ? entry : undefined;
  }

  #isThereFor(caller: Caller, { offer }: ToolEntry): boolean {
    return offer === undefined || offer.sites.some((id) => this.#ports.reaches(caller, id));
  }

  /** Every tool that is not hidden, built-in ones first. */
  entries(): readonly ToolEntry[] {
    return this.#now().shown;
  }

  /** Their names; of those that run on sites of a kind, where one is named. */
  names(platform?: PlatformKind): string[] {
    const runs = ({ manifest }: ToolEntry) => platform === undefined || manifest.platforms.includes(platform);
    return this.entries().filter(runs).map((one) => one.name);
  }

  /** The groups with their tools: built-in ones, and of those that sites offer what such a site has. */
  groups(isReached: (site_id: string) => boolean): { readonly name: string; readonly tools: string[] }[] {
    const groups = new Map<string, string[]>();
    for (const { group, name, offer } of this.entries()) {
      if (offer && !offer.sites.some(isReached)) continue;
      groups.set(group, [...groups.get(group) ?? [], name]);
    }
    return [...groups].map(([name, tools]) => ({ name, tools }));
  }

  /** The names of the tools in those groups; the same list for the same groups until a source changes. */
  inGroups(groups: readonly string[]): readonly string[] {
    const view = this.#now();
    const known = this.#inGroups.get(groups);
    if (known?.view === view) return known.names;
    const names = view.shown.filter(({ group }) => groups.includes(group)).map(({ name }) => name);
    this.#inGroups.set(groups, { view, names });
    return names;
  }

  /** What the listings hold in memory, bytes. */
  get listingBytes(): number {
    return this.#listings?.calculatedSize ?? 0;
  }

  /** What the caller's list depends on: as long as it is the same, so is the list. Costs little. */
  listingKey(caller: Caller, narrowed: Narrowed | null = null): string {
    const { key } = this.#visibility(caller);
    return narrowed === null ? key : `${key} ${narrowed.key}`;
  }

  /** What the caller may see; made anew each time before `keeping`. */
  listing(caller: Caller, narrowed: Narrowed | null = null): Listing {
    const { sites } = this.#visibility(caller);
    const key = this.listingKey(caller, narrowed);
    const kept = this.#listings;
    const known = kept?.get(key);
    if (known) return known;
    const written = () => {
      if (kept?.peek(key) !== listing) return; // dropped meanwhile
      kept.delete(key); // a value that is there already would not be measured again
      kept.set(key, listing);
    };
    const ports = { turn: this.#turn, written };
    const listing = new Listing(this.#shown(caller, sites, narrowed), narrowed?.manner ?? PLAIN, ports);
    kept?.set(key, listing);
    return listing;
  }

  /** What is part of the key is all that a list may depend on; worked out once per token and version. */
  #visibility(caller: Caller): Visibility {
    const { token, owner } = caller;
    const view = this.#now();
    const known = this.#visibilities.get(token);
    if (known && known.view === view && known.owner === owner) return known;
    const sites = new Set(view.sites.filter((id) => this.#ports.reaches(caller, id)));
    const tools = token.allowed_tools.includes("*") ? "*" : [...token.allowed_tools].sort();
    const changing = sites.size === 0
      ? []
      : [view.version, token.confirm_policy, token.confirm_proxied === true, ...sites];
    const made = { key: JSON.stringify([tools, caller.maxRisk, ...changing]), view, owner, sites };
    this.#visibilities.set(token, made);
    return made;
  }

  #shown(caller: Caller, sites: ReadonlySet<string>, narrowed: Narrowed | null): Shown[] {
    const { allowed_tools } = caller.token;
    const all = allowed_tools.includes("*");
    const isGuide = ({ manifest }: ToolEntry) => narrowed?.guides === true && tellsOfTools(manifest);
    const tools = this.entries().filter((one) => all || allowed_tools.includes(one.name) || isGuide(one));
    return tools.flatMap((whole): Shown[] => {
      const entry = underCeiling(whole, caller.maxRisk);
      if (entry === null || !(narrowed?.suits(entry) ?? entry.manifest.listing !== "search")) return [];
      if (!entry.offer) {
        const hidden = entry.manifest.secrets.some((one) => one.hide && !this.#ports.hasSecret(one.name));
        return hidden ? [] : [{ entry, sites: null }];
      }
      const { writesAt } = entry.offer;
      const only = narrowed?.site_id ?? null;
      const isWanted = (id: string) => only === null || id === only;
      const may = (id: string) => isWanted(id) && (caller.maxRisk >= OFFERED_WRITE || !writesAt.includes(id));
      const offering = entry.offer.sites.filter((id) => sites.has(id) && may(id));
      return offering.length ? [{ entry, sites: offering, token: caller.token }] : [];
    });
  }

  /** The tools as they are now; joined anew only when a source has changed. */
  /** Asked several times a call. */
  #isCurrent(): boolean {
    const { sets } = this.#view;
    for (let at = 0; at < this.#sources.length; at++) {
      if (this.#sources[at]!.current() !== sets[at]) return false;
    }
    return sets.length > 0;
  }

  #now(): View {
    if (this.#isCurrent()) return this.#view;
    return this.#view = join(this.#sources.map((source) => source.current()), this.#view.version + 1);
  }
}

function join(sets: View["sets"], version: number): View {
  const tools = new Map<string, ToolEntry>();
  for (const [name, entry] of sets.flatMap((set) => [...set])) if (!tools.has(name)) tools.set(name, entry);
  const shown = [...tools.values()].filter((one) => one.offer?.hidden === undefined);
  const sites = [...new Set(shown.flatMap((one) => one.offer?.sites ?? []))].sort();
  return { version, sets, tools, shown, sites };
}
