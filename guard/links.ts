/** Whether what a tool stands on is linked to the site, and its secrets are set. */
import { GatewayError } from "../errors.ts";
import type { Link } from "../model.ts";
import type { Platform, Reach } from "../platforms/platform.ts";
import type { Manifest } from "../registry/manifest.ts";

/** The platform that judges each link. */
export type LinkPlatforms = Partial<Record<Link, Platform<unknown>>>;

/** Step 13. Throws the `E_…_NOT_LINKED`, `E_MISSING_SECRET` or `E_HOSTING_…` code of what is not set up. */
export async function linkStep(
  manifest: Pick<Manifest, "name" | "links" | "secrets">,
  platforms: LinkPlatforms,
  reach: (platform: Platform<unknown>) => Reach,
  hasSecret: (name: string) => boolean,
): Promise<void> {
  for (const link of manifest.links) {
    const platform = platforms[link];
    if (!platform) throw new GatewayError("E_INTERNAL", `Nothing judges the link "${link}"`);
    await platform.linked?.(reach(platform));
  }
  for (const { name, code } of manifest.secrets) {
    if (hasSecret(name)) continue;
    throw new GatewayError(
      code,
      `"${manifest.name}" needs ${name}, which the gateway's operator has not set`,
    );
  }
}
