/** topicmap_get_content_job_output: what a job has written; the job itself is read first, to know whether it has. */
import { GatewayError } from "../../core/errors.ts";
import topicMap from "../../platforms/topic_map/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("topicmap_get_content_job_output", async (args, ctx) => {
  const { content_job_id: id, format, summary } = args;
  const client = await ctx.use(topicMap);
  const { status, output_available } = await client.job(id);
  if (!output_available) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `content_job_id: the job is "${status}" and has no output yet; topicmap_get_content_job shows how far it is`,
    );
  }
  return format === "markdown" ? await client.markdown(id) : await client.document(id, summary);
});
