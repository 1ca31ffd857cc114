/** list_cms_users: the people with an account on a site. */
import wordpress from "../../platforms/wordpress/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_cms_users", async (query, ctx) => {
  const client = await ctx.use(wordpress);
  return await client.listUsers(query);
});
