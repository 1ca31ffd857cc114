/** Which tools a caller is shown: all that it may call, or of those what one site can do. */
import { type Awaitable, onDemand } from "../core/async.ts";
import { clipped, GatewayError } from "../core/errors.ts";
import type { Caller, Site } from "../core/model.ts";
import { type AskedList, EVERYTHING, lists, PROXIED } from "../registry/asked_list.ts";
import type { Catalog, Narrowed } from "../registry/catalog.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { ToolEntry } from "../registry/entry.ts";
import type { Listing } from "../registry/listing.ts";
import type { Store } from "../store/store.ts";
import { needsPerson, underProjects } from "./consent/confirm.ts";
import { guideOnDemand } from "./pipeline/context_ports.ts";
import { linkStep } from "./pipeline/links.ts";
import { platformStep } from "./pipeline/platform.ts";
import { inScope, mayUse } from "./pipeline/scope.ts";
import { findSite } from "./pipeline/site.ts";

/** What the lists depend on. */
export interface ToolListsPorts {
  readonly catalog: Catalog;
  readonly store: {
    readonly sites: Pick<Store["sites"], "get" | "list">;
    readonly projects: Pick<Store["projects"], "get">;
  };
  readonly connectors: Connectors;
  /** Every connector's settings, by their names. */
  readonly upstream: Readonly<Record<string, string | null>>;
}

/** What a token's own setting leaves out where a request says nothing. */
const BY_TOKEN: Readonly<Record<"own" | "search", AskedList>> = {
  own: { ...EVERYTHING, own: true },
  search: { ...EVERYTHING, search: true },
};

/**
 * The lists of both doors. Where a site is named, each throws what `findSite` throws for the field `site`; where several
 * are, or a group or a tool that there is not, E_BAD_INPUT.
 */
export class ToolLists {
  constructor(private readonly ports: ToolListsPorts) {}

  /** Nothing where tools are known as they are now; else they are once this resolves. */
  fresh(): Awaitable<void> {
    return this.ports.catalog.fresh();
  }

  /** The list of what is asked for. */
  async of(caller: Caller, asked: AskedList): Promise<Listing> {
    const narrowed = await this.#narrowed(caller, asked);
    return (await this.ports.catalog.keeping()).listing(caller, narrowed);
  }

  /** As MCP shows it; with `cards` and where a person may be asked, each tool that writes names the card of what waits. */
  async shown(caller: Caller, asked: AskedList, cards: boolean): Promise<string> {
    const list = await this.of(caller, asked);
    return cards && await this.asksPeople(caller) ? await list.cards() : await list.mcp();
  }

  /** Whether something that this caller writes may wait for a person. */
  async asksPeople(caller: Caller): Promise<boolean> {
    return needsPerson(caller, await underProjects(this.ports.store.projects, await this.sites(caller)));
  }

  /** The sites that the caller may name. */
  async sites(caller: Caller): Promise<readonly Site[]> {
    return inScope(await this.ports.store.sites.list(), caller);
  }

  /** The tool of that name, where the caller may call it; null for any other. */
  callable(caller: Caller, name: string): ToolEntry | null {
    const entry = this.ports.catalog.get(name, caller);
    return entry !== undefined && mayUse(caller, name, entry.manifest.tier) ? entry : null;
  }

  /** What the list depends on: as long as it is the same, so is the list. Costs little. */
  async key(caller: Caller, asked: AskedList): Promise<string> {
    return this.ports.catalog.listingKey(caller, await this.#narrowed(caller, asked));
  }

  /** Alike for lists that are alike as MCP shows them, whatever they depend on. */
  async digest(caller: Caller, asked: AskedList): Promise<string> {
    return await (await this.of(caller, asked)).digest();
  }

  async #narrowed(caller: Caller, asked: AskedList): Promise<Narrowed | null> {
    if (asked === EVERYTHING) {
      const { listing } = caller.token;
      return listing === undefined || listing === "all"
        ? null
        : await this.#narrowed(caller, BY_TOKEN[listing]);
    }
    const { full, sites: _, ...others } = asked;
    this.#refuseUnknown(caller, asked);
    const site = await siteAsked(this.ports.store.sites, caller, asked);
    return {
      site_id: site?.id ?? null,
      manner: { full, kind: site?.platform ?? null },
      guides: asked.search === true,
      key: JSON.stringify([full, others, site && [site.id, site.updated_at, site.credentials_version]]),
      suits: (entry) => lists(asked, entry) && (site === null || this.#suits(entry, site)),
    };
  }

  /** A name that nothing has would leave a list empty, and nobody would know why. Throws E_BAD_INPUT. */
  #refuseUnknown(caller: Caller, { groups, tools }: AskedList): void {
    const { catalog } = this.ports;
    const known = new Set(["*", PROXIED, ...catalog.entries().map(({ group }) => group)]);
    const stranger = groups?.find((one) => !known.has(one));
    if (stranger !== undefined) {
      const there = [...known].filter((one) => one !== "*").join(", ");
      throw bad(
        `groups: no group is called ${JSON.stringify(clipped(stranger))}; there are ${there}, and * for all`,
      );
    }
    for (const name of tools ?? []) {
      if (catalog.get(name, caller) === undefined) {
        throw bad(
          `tools: no tool is called ${JSON.stringify(clipped(name))}; GET /api/v1/tools has the names`,
        );
      }
    }
  }

  /** Whether a built-in tool can do anything there: on its platform, with the services that it needs linked. */
  #suits({ manifest, offer }: ToolEntry, site: Site): boolean {
    if (manifest.site === "none" || offer !== undefined) return true;
    const { connectors, upstream } = this.ports;
    try {
      platformStep(manifest, {}, site);
      linkStep(manifest, site, connectors, upstream);
      return true;
    } catch (thrown) {
      if (thrown instanceof GatewayError) return false;
      throw thrown;
    }
  }
}

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** The one site that an address is for; null where it names none. Throws E_BAD_INPUT where it names several, and what `findSite` throws. */
async function siteAsked(
  sites: Pick<Store["sites"], "get">,
  caller: Caller,
  { sites: [id, ...others] }: AskedList,
): Promise<Site | null> {
  if (id === undefined) return null;
  if (others.length > 0) throw bad("site: the address names several; name one, or none for all tools");
  return await findSite(sites, caller, id, "site");
}

/** What tells an agent of the tools on its lists; what it searches with is loaded when the first asks. */
export const guideOf = (lists: ToolLists, catalog: Catalog) =>
  guideOnDemand(onDemand(async () => {
    const { ToolGuide } = await import("./tool_guide.ts");
    return new ToolGuide({ lists, catalog });
  }));
