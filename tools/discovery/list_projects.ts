/** list_projects: the projects in the caller's scope, with what their sites have set up between them. */
import { tool } from "../../registry/tool.ts";

export default tool("list_projects", async (_, ctx) => {
  const [projects, sites] = await Promise.all([ctx.sites.projects(), ctx.sites.list()]);
  return {
    projects: projects.map(({ id, name }) => {
      const members = sites.filter((site) => site.project_id === id);
      const integrations: Record<string, boolean> = {};
      for (const site of members) {
        for (const [key, present] of Object.entries(ctx.sites.integrations(site))) {
          integrations[key] = (integrations[key] ?? false) || present;
        }
      }
      return { id, name, site_count: members.length, sites: members.map((site) => site.id), integrations };
    }),
  };
});
