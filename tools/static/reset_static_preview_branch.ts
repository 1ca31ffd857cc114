/** reset_static_preview_branch: the next write to a preview begins a new branch. */
import { compared, tool } from "../../registry/tool.ts";

export default tool("reset_static_preview_branch", {
  async plan(_, ctx) {
    const branch = await ctx.previews.get();
    return {
      summary: branch === null
        ? `Forget nothing: this token has no preview branch on ${ctx.site.name}`
        : `Forget the preview branch "${branch}" of ${ctx.site.name}; the branch itself stays in the repository`,
      changes: branch === null ? [] : [{ field: "preview_branch", from: branch, to: null }],
      revision: { branch },
      final:
        "It changes nothing in the repository: the branch stays there, and a person merges it or deletes it",
    };
  },
  async run(_, ctx, { changes }) {
    ctx.annotate({ changes });
    const forgotten = await ctx.previews.forget();
    const now = await ctx.previews.get();
    const stands = forgotten !== null && now === forgotten;
    return compared({
      forgotten,
      differences: stands ? [`preview_branch: "${now}" is remembered all the same; call again`] : [],
    });
  },
});
