/** SEO of a CMS site: fields over the companion plugin or the SEO plugin's own REST API, all else over the plugin. */
import type { Redirect } from "../../../rules/redirect.ts";
import type { PageSchema } from "../../../rules/seo_schema.ts";
import type { Making } from "../../../core/model.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import { prepareBridge, requireBridge, requireChannel, writeBridge } from "./bridge.ts";
import { changedPart, effectAfter, effectWarnings, requireShown } from "./effect.ts";
import { compareSeo, entriesOf, type SeoChange, type SeoMeta } from "./fields.ts";
import { requireSeoState } from "./post.ts";
import {
  type PreparedRedirect,
  prepareRedirect,
  prepareRestore,
  restoreRedirect,
  writeRedirect,
} from "./redirects.ts";
import { prepareRest, readRest, requireRest, writeRest } from "./rest.ts";
import { type PreparedSchema, prepareSchema, requireSchemaKept, writeSchema } from "./schema.ts";
import { prepareRebuild, readSitemap, rebuildSitemap } from "./sitemap.ts";
import type { Stands } from "./stores.ts";
import { tagWarnings } from "./tags.ts";
import { WordPressClient } from "../rest/wordpress_client.ts";

export { changedPart, originsOf, unshownFields, valuesInEffect } from "./effect.ts";
export { entriesOf, oneLine, type SeoChange, type SeoFields, type SeoMeta } from "./fields.ts";

/** Told right before a write is sent, with whether visitors see the post. */
export type Sending = (live: boolean) => void;

/** SEO of a site. */
export type SeoClient = ReturnType<typeof seoOf>;

/**
 * SEO of the site. Every method throws E_UPSTREAM; every prepare… only reads, and refuses what its
 * write would be refused. All but the first three throw E_SEOPLUGIN_PLUGIN_REQUIRED, without asking, where the channel
 * is not the plugin; those that change a post throw E_FORBIDDEN_OP where visitors see it and the site does not allow
 * that.
 */
export function seoOf(ctx: SiteContext) {
  const { site } = ctx;
  const wire = new WordPressClient(ctx);
  const overPlugin = site.seo.channel === "plugin";
  const bridged = async <T>(ask: () => Promise<T>): Promise<T> => {
    requireChannel(site);
    return await ask();
  };
  return {
    /** The page caches that were asked to drop what this client wrote. */
    cachesAsked: () => wire.cachesAsked,
    readMeta: async (id: number) =>
      effectAfter<SeoMeta>(await (overPlugin ? prepareBridge(wire, id) : readRest(wire, id))),
    async prepareMeta(id: number, change: SeoChange): Promise<SeoMeta> {
      const meta = overPlugin ? await prepareBridge(wire, id, change) : await prepareRest(wire, id, change);
      requireSeoState(site, meta.post);
      const changed = changedPart(change, meta);
      const after = effectAfter(meta, change);
      requireShown(changed, after.effect);
      const warnings = [
        ...meta.warnings ?? [],
        ...tagWarnings(changed, overPlugin),
        ...effectWarnings(change, changed, after),
      ];
      return { ...meta, warnings };
    },
    /** Refuses what no page of the site could be given, as far as that is known before there is one. */
    requireKept: (change: SeoChange | null, schemas: readonly PageSchema[]) =>
      requireKept(wire, site, change, schemas),
    /**
     * Writes the fields that differ from those planned; where none does nothing is sent. `stands` is told which fields
     * were written, where the call fails with only a part of them.
     */
    async writeMeta(change: SeoChange, planned: SeoMeta, sending: Sending, stands: Stands) {
      const changed = changedPart(change, planned);
      if (entriesOf(changed).length === 0) return { ...planned, differences: [] };
      const after = overPlugin
        ? await writeBridge(wire, site, change, planned, sending)
        : await writeRest(wire, site, change, planned, sending, stands);
      const compared = compareSeo(changed, planned, after);
      const differences = [...compared.differences, ...wire.changedElsewhere];
      return { ...effectAfter(after), ...compared, differences };
    },
    prepareSchema: (id: number, schema: PageSchema, entry_id?: string) =>
      bridged(() => prepareSchema(wire, site, id, schema, entry_id)),
    writeSchema: (planned: PreparedSchema, sending: Sending, made: Making) =>
      bridged(() => writeSchema(wire, site, planned, { sending, made })),
    prepareRedirect: (redirect: Redirect) => bridged(() => prepareRedirect(wire, site, redirect)),
    writeRedirect: (planned: PreparedRedirect, made: Making) =>
      bridged(() => writeRedirect(wire, site, planned, made)),
    prepareRestore: (redirect: Redirect, kept: Readonly<Record<string, unknown>>) =>
      bridged(() => prepareRestore(wire, site, redirect, kept)),
    restoreRedirect: (planned: PreparedRedirect, kept: Readonly<Record<string, unknown>>) =>
      bridged(() => restoreRedirect(wire, site, planned, kept)),
    sitemap: () => bridged(() => readSitemap(wire, site)),
    prepareRebuild: () => bridged(() => prepareRebuild(wire)),
    rebuildSitemap: () => bridged(() => rebuildSitemap(wire, site)),
  };
}

/**
 * Throws E_SEOPLUGIN_PLUGIN_REQUIRED where no page of the site is given such SEO, E_BAD_INPUT for structured data that its
 * SEO plugin does not keep or show.
 */
async function requireKept(
  wire: WordPressClient,
  site: SiteContext["site"],
  change: SeoChange | null,
  schemas: readonly PageSchema[],
): Promise<void> {
  if (schemas.length > 0) {
    requireChannel(site);
    await requireSchemaKept(wire, schemas);
  }
  if (change === null) return;
  if (site.seo.channel !== "plugin") await requireRest(wire, change);
  else if (schemas.length === 0) await requireBridge(wire);
}
