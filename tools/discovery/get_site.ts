/** get_site: how a site is registered; credentials by kind only. */
import { tool } from "../../registry/tool.ts";

export default tool("get_site", (_args, ctx) => {
  const { credentials_version: _, id, name, platform, base_url, project_id, ...rest } = ctx.site;
  return {
    id,
    name,
    platform,
    base_url,
    project_id,
    integrations: ctx.sites.integrations(ctx.site),
    ...rest,
  };
});
