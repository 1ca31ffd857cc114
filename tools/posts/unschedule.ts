/** unschedule: a scheduled post, or page, is a draft again. */
import { compared, tool } from "../../registry/tool.ts";
import { checkType, contentOf, quoted, STATE_FINAL, stateChanges } from "./_plans.ts";

export default tool("unschedule", {
  check({ post_id, type }, ctx) {
    ctx.checkId(post_id, "post_id");
    checkType(type, ctx);
  },
  async plan({ post_id, type }, ctx) {
    const client = await contentOf(ctx, type === "page" ? "post" : type);
    const post = await client.check(post_id, "unschedule", undefined, type);
    return {
      summary: `Take back the schedule of ${quoted(post.title)} on ${ctx.site.name} (${post.scheduled_at})`,
      final: STATE_FINAL,
      changes: stateChanges(post, "draft", null),
      revision: { status: post.parts["status"], scheduled_at: post.parts["scheduled_at"] },
      warnings: post.warnings,
      state: post,
    };
  },
  async run({ post_id, type }, ctx, { state, changes }) {
    ctx.annotate({ result_id: post_id, changes });
    const client = await contentOf(ctx, type === "page" ? "post" : type);
    const { parts, ...done } = await client.unschedule(post_id, type ?? state.type, state);
    return compared(done).leaving(parts);
  },
});
