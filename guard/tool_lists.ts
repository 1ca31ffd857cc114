/** Which tools a caller is shown: all that it may call, or of those what one site can do. */
import type { Awaitable } from "../core/async.ts";
import { GatewayError } from "../core/errors.ts";
import type { Caller, Site } from "../core/model.ts";
import type { Catalog, Narrowed } from "../registry/catalog.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { ToolEntry } from "../registry/entry.ts";
import type { Listing } from "../registry/listing.ts";
import type { Store } from "../store/store.ts";
import { needsPerson, underProjects } from "./consent/confirm.ts";
import { linkStep } from "./pipeline/links.ts";
import { platformStep } from "./pipeline/platform.ts";
import { inScope } from "./pipeline/scope.ts";
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

/**
 * The lists of both doors. Where a site is named, each throws what `findSite` throws for the field `site`; where several
 * are, E_BAD_INPUT.
 */
export class ToolLists {
  constructor(private readonly ports: ToolListsPorts) {}

  /** Nothing where tools are known as they are now; else they are once this resolves. */
  fresh(): Awaitable<void> {
    return this.ports.catalog.fresh();
  }

  /** The list: of everything where no site is named. */
  async of(caller: Caller, sites: readonly string[]): Promise<Listing> {
    const narrowed = await this.#narrowed(caller, sites);
    return (await this.ports.catalog.keeping()).listing(caller, narrowed);
  }

  /** Whether something that this caller writes may wait for a person. */
  async asksPeople(caller: Caller): Promise<boolean> {
    const { sites, projects } = this.ports.store;
    return needsPerson(caller, await underProjects(projects, inScope(await sites.list(), caller)));
  }

  /** What the list depends on: as long as it is the same, so is the list. Costs little. */
  async key(caller: Caller, sites: readonly string[]): Promise<string> {
    return this.ports.catalog.listingKey(caller, await this.#narrowed(caller, sites));
  }

  /** Alike for lists that are alike as MCP shows them, whatever they depend on. */
  async digest(caller: Caller, sites: readonly string[]): Promise<string> {
    return await (await this.of(caller, sites)).digest();
  }

  async #narrowed(caller: Caller, [id, ...others]: readonly string[]): Promise<Narrowed | null> {
    if (id === undefined) return null;
    if (others.length > 0) {
      throw new GatewayError(
        "E_BAD_INPUT",
        "site: the address names several; name one, or none for all tools",
      );
    }
    const site = await findSite(this.ports.store.sites, caller, id, "site");
    return {
      site_id: site.id,
      key: JSON.stringify([site.id, site.updated_at, site.credentials_version]),
      suits: (entry) => this.#suits(entry, site),
    };
  }

  /** Whether a built-in tool can do anything there: on its platform, with the services that it needs linked. */
  #suits({ manifest }: ToolEntry, site: Site): boolean {
    if (manifest.site === "none") return true;
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
