/** check_static_deploy: how the newest deployment, or that of a commit, is doing. */
import cloudflarePages from "../../platforms/cloudflare_pages/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("check_static_deploy", async ({ commit_sha }, ctx) => {
  const client = await ctx.use(cloudflarePages);
  const found = commit_sha === undefined ? await client.latest() : await client.ofCommit(commit_sha);
  if (found === null) {
    const note = commit_sha === undefined
      ? "The project has no deployment yet"
      : "No deployment of that commit is known; one that was just pushed takes some seconds to show, so ask again";
    const asked = commit_sha === undefined ? {} : { commit_sha };
    return { found: false, status: null, stage: null, log_url: null, ...asked, note };
  }
  const { id, url, note, ...rest } = found;
  return {
    found: true,
    deployment_id: id,
    ...rest,
    ...(url === null ? {} : { preview_url: url }),
    ...(note === null ? {} : { note }),
  };
});
