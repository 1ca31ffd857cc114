/** The client of a site at Duda. */
import type { Making } from "../../core/model.ts";
import type { SiteContext } from "../_connector/connector.ts";
import { type CopyFields, copyPage, prepareCopy, type PreparedCopy } from "./new_pages.ts";
import { livePostsOf } from "./live_posts.ts";
import { pagesOf } from "./pages.ts";
import { postsOf } from "./posts.ts";
import { addressOfSite } from "./records.ts";
import type { DudaSettings } from "./routes.ts";
import { addSection, type PreparedSection, prepareSection } from "./sections.ts";
import { Wire } from "./wire.ts";

/**
 * Its posts, its pages, and what no other platform's pages can do. Every method throws E_UPSTREAM; those that write
 * also E_STALE_PREVIEW.
 */
export function clientOf(ctx: SiteContext<DudaSettings>) {
  const wire = new Wire(ctx);
  return {
    posts: postsOf(wire),
    live: livePostsOf(wire),
    pages: pagesOf(wire),
    prepareCopy: (id: string, fields: CopyFields) => prepareCopy(wire, id, fields),
    copyPage: (fields: CopyFields, prepared: PreparedCopy, made: Making) =>
      copyPage(wire, fields, prepared, made),
    prepareSection: (id: string, section: string) => prepareSection(wire, id, section),
    addSection: (section: string, prepared: PreparedSection) => addSection(wire, section, prepared),
    /** What the platform answers of the site itself. */
    async ping() {
      const site = await wire.site();
      return { publish_status: site.publish_status, site_domain: addressOfSite(site) };
    },
  };
}
