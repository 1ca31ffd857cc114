/** ping_site: whether a site answers, and whether it takes the stored credentials. */
import { cms } from "../../platforms/cms/client.ts";
import { tool } from "../../registry/tool.ts";
import { notSupported } from "./_platforms.ts";

const CAPABILITIES = [
  "edit_posts",
  "edit_pages",
  "publish_posts",
  "upload_files",
  "list_users",
  "unfiltered_html",
] as const;

export default tool("ping_site", {
  check(_, { site }) {
    if (site.platform !== "cms") {
      notSupported(site, "this gateway is not connected to that platform yet, so open the site itself");
    }
  },
  async run(_, ctx) {
    const client = await ctx.use(cms);
    const began = ctx.now();
    await client.index();
    const latency_ms = ctx.now() - began;
    const { id, name, slug, roles, can } = await client.whoami();
    return {
      ok: true,
      platform: ctx.site.platform,
      authenticated: true,
      user: { id, name, slug, roles },
      can: Object.fromEntries(CAPABILITIES.map((capability) => [capability, can(capability)])),
      latency_ms,
    };
  },
});
