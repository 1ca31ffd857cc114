/** Whether the tool, and each argument of the call, exists on the site's platform. */
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import type { Manifest } from "../../registry/manifest.ts";

/** Step 11. Throws E_NOT_SUPPORTED naming the tool or the argument and the platforms that have it. */
export function platformStep(
  manifest: Pick<Manifest, "name" | "platforms" | "only" | "instead">,
  given: Record<string, unknown>,
  site: Site,
): void {
  if (!manifest.platforms.includes(site.platform)) {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `"${manifest.name}" works on ${
        manifest.platforms.join(" and ")
      } sites; "${site.id}" is a ${site.platform} site, ${
        manifest.instead?.[site.platform] ?? "and list_sites shows those that are"
      }`,
    );
  }
  for (const [name, kinds] of Object.entries(manifest.only)) {
    if (given[name] === undefined || kinds.includes(site.platform)) continue;
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `${name}: only ${
        kinds.join(" and ")
      } sites have it; "${site.id}" is a ${site.platform} site, leave it out`,
    );
  }
}
