/** storage_list_site_files: the files of the site's folder, newest first. */
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("storage_list_site_files", async ({ page_size, page_token }, ctx) => {
  const { storage } = await ctx.use(google);
  return await storage.list(page_size, page_token);
});
