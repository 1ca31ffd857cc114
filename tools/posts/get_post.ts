/** get_post: one post in any status. */
import { posts } from "../../platforms/_content/posts.ts";
import { tool } from "../../registry/tool.ts";

export default tool("get_post", {
  check: ({ post_id }, ctx) => ctx.checkId(post_id, "post_id"),
  async run({ post_id }, ctx) {
    const { page_builder: _, ...post } = await (await ctx.use(posts)).getPost(post_id);
    return post;
  },
});
