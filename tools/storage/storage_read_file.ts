/** storage_read_file: the text of a file of the site's folder. */
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("storage_read_file", async ({ file_id, export_mime_type }, ctx) => {
  const { storage } = await ctx.use(google);
  const { modified_time: _, ...file } = await storage.read(file_id, export_mime_type);
  return file;
});
