/** list_sites: the sites in the caller's scope, and what is set up for each. */
import { tool } from "../../registry/tool.ts";

export default tool("list_sites", async (_, ctx) => {
  const sites = await ctx.sites.list();
  return {
    sites: sites.map((site) => {
      const { id, name, platform, base_url, project_id } = site;
      return { id, name, platform, base_url, project_id, integrations: ctx.sites.integrations(site) };
    }),
  };
});
