/** storage_get_site_folder: the folder that the site's documents are kept in. */
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool(
  "storage_get_site_folder",
  async (_args, ctx) => await (await ctx.use(google)).storage.folder(),
);
