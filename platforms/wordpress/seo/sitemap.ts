/** The sitemap of a CMS site, over the companion plugin. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { Site } from "../../../core/model.ts";
import type { Compared } from "../../_content/compared.ts";
import { allOrThrow } from "../../../core/async.ts";
import {
  asking,
  COMPANION,
  type PartOff,
  PARTS_OFF,
  readCompanion,
  requireCapability,
  switchesOf,
} from "../companion/plugin.ts";
import { readBack } from "../rest/writer.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";

const SITEMAP = z.object({
  provider: z.string(),
  enabled: z.boolean(),
  url: z.string().nullable(),
  /** An empty list where there is none. */
  modules: z.record(z.string(), z.boolean()).catch({}),
  cache: z.string(),
  off: PARTS_OFF.catch([]),
});
type SitemapRecord = z.infer<typeof SITEMAP>;

/**
 * Where the sitemap is, whether visitors get it, and whether a copy is kept: cache `none` or `kept`. `off` names parts of
 * the SEO plugin that are switched off, `why` why there is no sitemap though its switches are on.
 */
export interface Sitemap extends Omit<SitemapRecord, "off"> {
  readonly off?: readonly PartOff[];
  readonly why?: string;
}

/** docs/upstreams/wordpress.md, "What each shows, and when". */
const MISSING =
  "visitors get 404 or 410 at its address: WordPress has not learned its address yet, or something before it answers; " +
  "rebuild: true has the address learned, saving Settings > Permalinks in the CMS does it too";

/** The path below the site's address; null for an address elsewhere. */
function pathBelow(base: string, url: string): string | null {
  const root = base.endsWith("/") ? base.slice(0, -1) : base;
  return url.startsWith(`${root}/`) ? url.slice(root.length) : null;
}

/** The same as visitors find it: an address that is not there is no sitemap. */
async function asVisitors(wire: WordPressClient, site: Site, record: SitemapRecord): Promise<Sitemap> {
  const { off, ...sitemap } = record;
  const found: Sitemap = off.length > 0 ? { ...sitemap, off } : sitemap;
  const path = sitemap.enabled && sitemap.url !== null && site.base_url !== null
    ? pathBelow(site.base_url, sitemap.url)
    : null;
  if (path === null || await wire.answersVisitors(path)) return found;
  return { ...found, enabled: false, why: MISSING };
}

const askSitemap = async (wire: WordPressClient) =>
  (await asking("seo", () => wire.get(`${COMPANION}/seo/sitemap`, {}, SITEMAP))).data;

/** Reads it. Throws E_SEOPLUGIN_PLUGIN_REQUIRED, CmsError. */
export async function readSitemap(wire: WordPressClient, site: Site): Promise<Sitemap> {
  const [, sitemap] = await allOrThrow(readCompanion(wire, "seo"), askSitemap(wire));
  return await asVisitors(wire, site, sitemap);
}

/** The same, with the right to rebuild it proven, and that there is something to rebuild; writes nothing. */
export async function prepareRebuild(wire: WordPressClient): Promise<SitemapRecord> {
  const [health, sitemap] = await allOrThrow(readCompanion(wire, "seo"), askSitemap(wire));
  requireCapability(health, "manage_options", "rebuild the sitemap");
  if (sitemap.enabled) return sitemap;
  throw new GatewayError(
    "E_SEOPLUGIN_PLUGIN_REQUIRED",
    `Nothing makes a sitemap on this site: ${
      switchesOf(sitemap.off) || "turn the sitemap of its SEO plugin on, or let search engines in"
    }`,
  );
}

/** Throws away what is kept of it, and reads it again. */
export async function rebuildSitemap(
  wire: WordPressClient,
  site: Site,
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
  return { ...await asVisitors(wire, site, now), invalidated, differences: [], ...again };
}
