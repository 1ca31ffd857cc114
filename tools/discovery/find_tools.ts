/** find_tools: the tools that fit a job said in words. */
import { tool } from "../../registry/tool.ts";

export default tool("find_tools", async ({ query, for_site, limit }, { tools }) => {
  return { tools: await tools.find(query, { site_id: for_site, limit }) };
});
