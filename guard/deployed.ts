/** Whether a push to a site's branch publishes: on a static site, and wherever one is deployed from the same branch. */
import type { PlatformKind, Site } from "../model.ts";
import type { Manifest } from "../registry/manifest.ts";
import type { Store } from "../store/store.ts";

/**
 * The kind of site that a call counts as, for its tier and its switches. A tool that writes to the repository counts as
 * one for a static site where any registered static site is deployed from that repository and branch. A branch that a
 * site does not name may be any.
 */
export async function countsAs(
  sites: Pick<Store["sites"], "list">,
  manifest: Pick<Manifest, "links">,
  site: Site,
): Promise<PlatformKind> {
  if (site.repo === null || !manifest.links.includes("repo")) return site.platform;
  const shared = (await sites.list()).some((other) => other.platform === "static" && deploys(other, site));
  return shared ? "static" : site.platform;
}

function deploys(one: Site, site: Site): boolean {
  if (one.repo?.toLowerCase() !== site.repo?.toLowerCase()) return false;
  return one.repo_branch === null || site.repo_branch === null || one.repo_branch === site.repo_branch;
}

/** Whether any registered static site is deployed from that branch of the site's repository. */
export async function isDeployed(
  sites: Pick<Store["sites"], "list">,
  { repo }: Site,
  branch: string,
  isDefault: boolean,
): Promise<boolean> {
  return (await sites.list()).some((other) =>
    other.platform === "static" &&
    (other.repo_branch === branch || (isDefault && other.repo_branch === null)) &&
    other.repo?.toLowerCase() === repo?.toLowerCase()
  );
}
