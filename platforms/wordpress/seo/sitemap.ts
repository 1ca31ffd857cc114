/** The sitemap of a CMS site, over the companion plugin. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { Compared } from "../../_content/compared.ts";
import { allOrThrow } from "../../../core/async.ts";
import { asking, COMPANION, readCompanion, requireCapability } from "../companion/plugin.ts";
import { readBack } from "../rest/writer.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";

const SITEMAP = z.object({
  provider: z.string(),
  enabled: z.boolean(),
  url: z.string().nullable(),
  /** An empty list where there is none. */
  modules: z.record(z.string(), z.boolean()).catch({}),
  cache: z.string(),
});

/** Where the sitemap is, whether all that makes it is on, and whether a copy is kept: cache `none` or `kept`. */
export type Sitemap = z.infer<typeof SITEMAP>;

const askSitemap = async (wire: WordPressClient) =>
  (await asking("seo", () => wire.get(`${COMPANION}/seo/sitemap`, {}, SITEMAP))).data;

/** Reads it. Throws E_SEOPLUGIN_PLUGIN_REQUIRED, CmsError. */
export async function readSitemap(wire: WordPressClient): Promise<Sitemap> {
  const [, sitemap] = await allOrThrow(readCompanion(wire, "seo"), askSitemap(wire));
  return sitemap;
}

/** The same, with the right to rebuild it proven, and that there is something to rebuild; writes nothing. */
export async function prepareRebuild(wire: WordPressClient): Promise<Sitemap> {
  const [health, sitemap] = await allOrThrow(readCompanion(wire, "seo"), askSitemap(wire));
  requireCapability(health, "manage_options", "rebuild the sitemap");
  if (sitemap.enabled) return sitemap;
  throw new GatewayError(
    "E_SEOPLUGIN_PLUGIN_REQUIRED",
    "Nothing makes a sitemap on this site: turn the sitemap of its SEO plugin on, or let search engines in",
  );
}

/** Throws away what is kept of it, and reads it again. */
export async function rebuildSitemap(
  wire: WordPressClient,
): Promise<Sitemap & { invalidated: true } & Compared> {
  const done = z.object({ invalidated: z.literal(true) });
  const { invalidated } = await asking(
    "seo",
    () => wire.post(`${COMPANION}/seo/sitemap/rebuild`, {}, {}, done),
  );
  const now = await readBack(wire, "What was kept of the sitemap was thrown away", askSitemap);
  const again = now.cache === "kept"
    ? { uncompared: "a copy is kept, and the site does not tell whether it is new" }
    : {};
  return { ...now, invalidated, differences: [], ...again };
}
