/** get_site: how a site is registered, credentials by kind only, and what freezes it. */
import { siteZone } from "../../platforms/_content/posts.ts";
import { tool } from "../../registry/tool.ts";

export default tool("get_site", async (_args, ctx) => {
  const { credentials_version: _, id, name, platform, base_url, project_id, ...rest } = ctx.site;
  const freeze = await ctx.sites.freeze(ctx.site);
  return {
    id,
    name,
    platform,
    base_url,
    project_id,
    integrations: ctx.sites.integrations(ctx.site),
    ...rest,
    ...freeze === null ? {} : { freeze },
    ...ctx.can(siteZone) ? await (await ctx.use(siteZone)).told() : {},
  };
});
