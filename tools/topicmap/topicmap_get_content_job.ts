/** topicmap_get_content_job: a job with the state of each step. */
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_get_content_job", async ({ content_job_id }, ctx) => {
  return await (await ctx.use(topicMap)).job(content_job_id);
});
