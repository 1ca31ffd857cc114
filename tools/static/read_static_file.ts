/** read_static_file: one source file of a static site's repository. */
import { readAt } from "../../rules/branch.ts";
import github from "../../platforms/github/connector.ts";
import { tool } from "../../registry/tool.ts";
import { contentOf, sourceIn } from "./_files.ts";

const READ_BYTES_MAX = 1024 * 1024;

export default tool("read_static_file", {
  check: ({ path }, { site }) => void sourceIn(site, path, "path"),
  async run({ path, ref }, ctx) {
    const at = await readAt(ref, ctx.previews);
    const client = await ctx.use(github);
    const file = await client.read(sourceIn(ctx.site, path, "path"), READ_BYTES_MAX, at);
    return { path: file.path, sha: file.sha, size: file.size, ...contentOf(file.bytes) };
  },
});
