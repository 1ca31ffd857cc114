/** get_seo_meta: the SEO fields of a post in any status. */
import { numericId } from "../../core/ids.ts";
import { seo } from "../../platforms/wordpress/connector.ts";
import { tool } from "../../registry/tool.ts";
import { answerOf } from "./_meta.ts";

export default tool("get_seo_meta", {
  check({ post_id }) {
    numericId(post_id, "post_id");
  },
  async run({ post_id }, ctx) {
    return answerOf(await (await ctx.use(seo)).readMeta(numericId(post_id, "post_id")));
  },
});
