/** SEO of a CMS site: fields over the companion plugin or the SEO plugin's own REST API, all else over the plugin. */
import { GatewayError } from "../../../errors.ts";
import type { Redirect } from "../../../rules/redirect.ts";
import type { PageSchema } from "../../../rules/seo_schema.ts";
import type { Site } from "../../../model.ts";
import type { Configured } from "../../connector.ts";
import { prepareBridge, requireChannel, writeBridge } from "./bridge.ts";
import { type SeoChange, seoLosses, type SeoMeta } from "./fields.ts";
import { requireSeoState } from "./post.ts";
import { type PreparedRedirect, prepareRedirect, type RedirectWritten, writeRedirect } from "./redirects.ts";
import { prepareRest, readRest, writeRest } from "./rest.ts";
import { type PreparedSchema, prepareSchema, type SchemaWritten, writeSchema } from "./schema.ts";
import { prepareRebuild, readSitemap, rebuildSitemap, type Sitemap } from "./sitemap.ts";
import type { Wire } from "../rest/wire.ts";

export { entriesOf, oneLine, type SeoChange, type SeoFields, type SeoMeta } from "./fields.ts";

/** Told right before a write is sent, with whether visitors see the post. */
export type Sending = (live: boolean) => void;

/**
 * What can be done. Every method throws E_UPSTREAM; every prepare… only reads, and refuses what its write would be
 * refused. All but the first three throw E_SEOPLUGIN_PLUGIN_REQUIRED, without asking, where the channel is not the
 * plugin; those that change a post throw E_FORBIDDEN_OP where visitors see it and the site does not allow that.
 */
export interface SeoClient {
  readMeta(id: number): Promise<SeoMeta>;
  prepareMeta(id: number, change: SeoChange): Promise<SeoMeta>;
  writeMeta(change: SeoChange, planned: SeoMeta, sending: Sending): Promise<SeoMeta & { warnings: string[] }>;

  prepareSchema(id: number, schema: PageSchema, entry_id?: string): Promise<PreparedSchema>;
  writeSchema(planned: PreparedSchema, sending: Sending): Promise<SchemaWritten>;

  prepareRedirect(redirect: Redirect): Promise<PreparedRedirect>;
  writeRedirect(planned: PreparedRedirect): Promise<RedirectWritten>;

  sitemap(): Promise<Sitemap>;
  prepareRebuild(): Promise<Sitemap>;
  rebuildSitemap(): Promise<Sitemap & { readonly invalidated: true }>;
}

/** SEO of the site that wire leads to. */
export function seoOf(wire: Wire, site: Site): SeoClient {
  const overPlugin = site.seo.channel === "plugin";
  const bridged = async <T>(ask: () => Promise<T>): Promise<T> => {
    requireChannel(site);
    return await ask();
  };
  return {
    readMeta: (id) => overPlugin ? prepareBridge(wire, id) : readRest(wire, id),
    async prepareMeta(id, change) {
      const meta = overPlugin ? await prepareBridge(wire, id) : await prepareRest(wire, id, change);
      requireSeoState(site, meta.post);
      return meta;
    },
    async writeMeta(change, planned, sending) {
      const write = overPlugin ? writeBridge : writeRest;
      const after = await write(wire, site, change, planned, sending);
      return { ...after, warnings: seoLosses(change, planned, after) };
    },
    prepareSchema: (id, schema, entry_id) => bridged(() => prepareSchema(wire, site, id, schema, entry_id)),
    writeSchema: (planned, sending) => bridged(() => writeSchema(wire, site, planned, sending)),
    prepareRedirect: (redirect) => bridged(() => prepareRedirect(wire, site, redirect)),
    writeRedirect: (planned) => bridged(() => writeRedirect(wire, site, planned)),
    sitemap: () => bridged(() => readSitemap(wire)),
    prepareRebuild: () => bridged(() => prepareRebuild(wire)),
    rebuildSitemap: () => bridged(() => rebuildSitemap(wire)),
  };
}

/** Throws E_SEOPLUGIN_DISABLED where the site has the feature off. */
export function assertSeo({ site }: Configured): void {
  if (!site || site.seo.enabled) return;
  throw new GatewayError(
    "E_SEOPLUGIN_DISABLED",
    `The SEO feature is off for site "${site.id}"; an operator turns it on with deno task admin site update ` +
      `${site.id} --seo enabled=true`,
  );
}
