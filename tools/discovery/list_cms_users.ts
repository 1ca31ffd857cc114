/** list_cms_users: the people with an account on a site. */
import { cms } from "../../platforms/wordpress/client.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_cms_users", async (query, ctx) => {
  const client = await ctx.use(cms);
  return await client.listUsers(query);
});
