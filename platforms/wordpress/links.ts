/** What a CMS site must be set up for: the SEO feature, and its channel. */
import { GatewayError } from "../../core/errors.ts";
import type { Configured } from "../_connector/connector.ts";

/** Throws E_SEOPLUGIN_DISABLED where the site has the feature off. */
export function assertSeo({ site }: Configured): void {
  if (!site || site.seo.enabled) return;
  throw new GatewayError(
    "E_SEOPLUGIN_DISABLED",
    `The SEO feature is off for site "${site.id}"; an operator turns it on with deno task admin site update ` +
      `${site.id} --seo enabled=true`,
  );
}

/** Throws E_SCHEMA_BRIDGE_REQUIRED where the site's SEO channel is not `plugin`. */
export function assertSchemaBridge({ site }: Configured): void {
  if (!site || site.seo.channel === "plugin") return;
  throw new GatewayError(
    "E_SCHEMA_BRIDGE_REQUIRED",
    `Custom schema of "${site.id}" is reached through the companion plugin alone, and the site's SEO channel is ` +
      `"${site.seo.channel}"; an operator sets it with deno task admin site update ${site.id} --seo channel=plugin`,
  );
}
