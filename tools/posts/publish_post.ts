/** publish_post: makes a draft or scheduled post public; the site must allow it. */
import visitor, { expectations } from "../../platforms/visitor/connector.ts";
import { liveAt } from "../../platforms/visitor/live.ts";
import { compared, tool } from "../../registry/tool.ts";
import {
  checkType,
  contentOf,
  dateChanges,
  lastChange,
  publishWarnings,
  quoted,
  revealed,
  STATE_FINAL,
  stateChanges,
} from "./_plans.ts";

export default tool("publish_post", {
  check({ post_id, type }, ctx) {
    ctx.checkId(post_id, "post_id");
    checkType(type, ctx);
  },
  async plan({ post_id, type }, ctx) {
    const post = await (await contentOf(ctx, type)).check(post_id, "publish", undefined, type);
    return {
      summary: `Publish ${quoted(post.title)} on ${ctx.site.name} for everyone to see${lastChange(post)}`,
      final: STATE_FINAL,
      changes: [...stateChanges(post, "published", null), ...dateChanges(post, ctx.now())],
      shows: () => revealed(post),
      revision: post.parts,
      warnings: publishWarnings(post, ctx.now()),
      state: post,
    };
  },
  async run({ post_id, type }, ctx, { state, changes }) {
    ctx.annotate({ result_id: post_id, changes });
    const { parts, ...done } = await (await contentOf(ctx, type)).publish(post_id, ctx.grant, state, type);
    const { published } = await expectations();
    const { url, caches_asked } = done;
    return compared(done).leaving(parts).seen(
      await liveAt(await ctx.use(visitor), url, published(state), caches_asked),
    );
  },
});
