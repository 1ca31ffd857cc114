/** get_site: how a site is registered; credentials by kind only. */
import { tool } from "../../registry/tool.ts";

export default tool("get_site", (_, ctx) => {
  const { credentials_version: _version, ...site } = ctx.site;
  return { ...site, integrations: ctx.sites.integrations(ctx.site) };
});
