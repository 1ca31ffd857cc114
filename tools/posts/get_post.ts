/** get_post: one post in any status. */
import { content } from "../../platforms/_content/content.ts";
import { tool } from "../../registry/tool.ts";

export default tool("get_post", {
  check: ({ post_id }, ctx) => ctx.checkId(post_id, "post_id"),
  async run({ post_id }, ctx) {
    const { page_builder: _, ...post } = await (await ctx.use(content)).getPost(post_id);
    return post;
  },
});
