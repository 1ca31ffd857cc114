/** read_md_from_repo: one markdown file, its frontmatter and its body. */
import { LIMITS } from "../../core/model.ts";
import { readAt } from "../../rules/branch.ts";
import github from "../../platforms/github/connector.ts";
import { tool } from "../../registry/tool.ts";
import { textOf } from "../../platforms/astro/block.ts";
import { markdownIn } from "./_repository.ts";

export default tool("read_md_from_repo", {
  check: ({ path }, { site }) => void markdownIn(site, path),
  async run({ ref, ...args }, ctx) {
    const path = markdownIn(ctx.site, args.path);
    const at = await readAt(ref, ctx.previews);
    const { bytes, sha } = await (await ctx.use(github)).read(path, LIMITS.STATIC_FILE_BYTES, at);
    const { readDocument } = await import("./_frontmatter.ts"); // its package is large, and not needed to start
    const { frontmatter, body, commented } = readDocument(textOf(bytes, "path"), "path");
    return { path, frontmatter, ...commented === null ? {} : { frontmatter_text: commented }, body, sha };
  },
});
