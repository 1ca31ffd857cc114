/** topicmap_list_workspaces: the workspaces a site may be linked to; of a narrower token, those its sites are linked to. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_list_workspaces", async (query, ctx) => {
  const page = await (await ctx.use(topicMap)).workspaces(query);
  const { token, owner } = ctx.caller;
  if ([token, owner].every((one) => one === null || one.allowed_sites.includes("*"))) return page;
  const linked = new Set((await ctx.sites.list()).map((site) => site.topicmap_workspace_id));
  return { ...page, items: page.items.filter(({ id }) => linked.has(id)) };
});
