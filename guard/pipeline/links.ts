/** Whether the services that a tool needs are linked to the site, and its secrets are set. */
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import type { Connectors } from "../../registry/connectors.ts";
import type { Manifest } from "../../registry/manifest.ts";

/** Step 13. Throws the `E_…_NOT_LINKED`, `E_MISSING_SECRET` or `E_HOSTING_…` code of what is not set up. */
export function linkStep(
  manifest: Pick<Manifest, "name" | "links" | "secrets">,
  site: Site | null,
  connectors: Connectors,
  upstream: Readonly<Record<string, string | null>>,
): void {
  for (const link of manifest.links) {
    const connector = connectors.links.get(link);
    const assertConfigured = connector?.links?.[link];
    if (!assertConfigured) throw new GatewayError("E_INTERNAL", `Nothing judges the link "${link}"`);
    const names = Object.keys(connector.settings ?? {});
    const settings = Object.fromEntries(names.map((name) => [name, upstream[name] ?? null]));
    assertConfigured({ site: site ?? undefined, settings });
  }
  for (const { name, code } of manifest.secrets) {
    if ((upstream[name] ?? null) !== null) continue;
    throw new GatewayError(
      code,
      `"${manifest.name}" needs ${name}, which the gateway's operator has not set`,
    );
  }
}
