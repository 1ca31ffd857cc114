/** unschedule: a scheduled post, or page, is a draft again. */
import { posts } from "../../platforms/_content/posts.ts";
import { compared, tool } from "../../registry/tool.ts";
import { quoted, stateChanges } from "./_plans.ts";

export default tool("unschedule", {
  check: ({ post_id }, ctx) => ctx.checkId(post_id, "post_id"),
  async plan({ post_id, type }, ctx) {
    const post = await (await ctx.use(posts)).check(post_id, "unschedule", undefined, type);
    return {
      summary: `Take back the schedule of ${quoted(post.title)} on ${ctx.site.name} (${post.scheduled_at})`,
      changes: stateChanges(post, "draft", null),
      revision: { status: post.parts["status"], scheduled_at: post.parts["scheduled_at"] },
      warnings: post.warnings,
      state: post,
    };
  },
  async run({ post_id, type }, ctx, { state, changes }) {
    ctx.annotate({ result_id: post_id, changes });
    return compared(await (await ctx.use(posts)).unschedule(post_id, type ?? state.type, state));
  },
});
