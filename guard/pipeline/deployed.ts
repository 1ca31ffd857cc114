/** Whether a push to a site's branch publishes: where a site of a kind that is deployed from its branch names the same one. */
import type { PlatformKind, Site } from "../../core/model.ts";
import type { Connectors } from "../../registry/connectors.ts";
import type { Manifest } from "../../registry/manifest.ts";
import type { Store } from "../../store/store.ts";

type Source = { readonly place: string; readonly branch: string | null };

/**
 * The kind of site that a call counts as, for its tier and its flags. A tool that writes to a repository counts as one
 * for a site deployed from it where any registered site is deployed from that repository and branch. A branch that a
 * site does not name may be any.
 */
export async function effectivePlatform(
  sites: Pick<Store["sites"], "list">,
  connectors: Connectors,
  manifest: Pick<Manifest, "links">,
  site: Site,
): Promise<PlatformKind> {
  for (const link of manifest.links) {
    const deployment = connectors.links.get(link)?.deployment;
    const own = deployment?.source(site) ?? null;
    if (!deployment || own === null) continue;
    const shared = (await sites.list()).some((other) =>
      other.platform === deployment.kind && overlaps(deployment.source(other), own)
    );
    if (shared) return deployment.kind;
  }
  return site.platform;
}

function overlaps(one: Source | null, other: Source): boolean {
  if (one?.place !== other.place) return false;
  return one.branch === null || other.branch === null || one.branch === other.branch;
}

/** Whether any registered site is deployed from that branch of the site's repository. */
export async function isDeployed(
  sites: Pick<Store["sites"], "list">,
  connectors: Connectors,
  site: Site,
  branch: string,
  isDefault: boolean,
): Promise<boolean> {
  const all = await sites.list();
  return connectors.all.some(({ deployment }) => {
    const own = deployment?.source(site) ?? null;
    return deployment !== undefined && own !== null && all.some((other) => {
      const from = other.platform === deployment.kind ? deployment.source(other) : null;
      return from?.place === own.place && (from.branch === branch || (isDefault && from.branch === null));
    });
  });
}
