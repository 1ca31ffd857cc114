/** get_post: one post in any status. */
import { tool } from "../../registry/tool.ts";
import { checkType, contentOf } from "./_plans.ts";

export default tool("get_post", {
  check({ post_id, type }, ctx) {
    ctx.checkId(post_id, "post_id");
    checkType(type, ctx);
  },
  async run({ post_id, type }, ctx) {
    const { page_builder: _, ...post } = await (await contentOf(ctx, type)).getPost(post_id, type);
    return post;
  },
});
