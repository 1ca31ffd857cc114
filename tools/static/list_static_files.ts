/** list_static_files: the source files of a static site's repository, without what may not be read. */
import { readAt } from "../../rules/branch.ts";
import { isBlocked, pathPrefix } from "../../rules/path.ts";
import github from "../../platforms/github/connector.ts";
import { tool } from "../../registry/tool.ts";

export default tool("list_static_files", {
  check: ({ prefix = "" }) => void pathPrefix(prefix, "prefix"),
  async run({ prefix = "", extension, ref, limit }, ctx) {
    const at = await readAt(ref, ctx.previews);
    const view = await (await ctx.use(github)).view(at);
    const { entries, truncated } = await view.list(pathPrefix(prefix, "prefix"));
    const ending = extension === undefined ? "" : `.${extension.replace(/^\./, "")}`.toLowerCase();
    const fitting = entries.filter(({ path }) => !isBlocked(path) && path.toLowerCase().endsWith(ending));
    return {
      files: fitting.slice(0, limit).map(({ path, sha, size }) => ({ path, sha, size })),
      truncated: truncated || fitting.length > limit,
    };
  },
});
