/** Checks of a list of sites, shared by tokens and users. */
import { nearest } from "../core/nearest.ts";
import type { SiteStore } from "../store/store.ts";
import { quoted } from "../core/faults.ts";

/** A sentence for each site of `allowed_sites` that is not registered. */
export async function unknownSites(sites: readonly string[], store: SiteStore): Promise<string[]> {
  if (sites.includes("*")) return [];
  const known = (await store.list()).map((site) => site.id);
  return sites.filter((site) => !known.includes(site)).map((site) => {
    const near = nearest(site, known);
    return `allowed_sites: no site ${quoted(site)}${
      near === null ? "; register it first" : `, did you mean ${near}`
    }`;
  });
}
