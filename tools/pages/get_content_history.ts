/** get_content_history: who changed a post, page or file, and when, and what differs between two versions of it. */
import { GatewayError } from "../../core/errors.ts";
import { history, type VersionTexts } from "../../platforms/_content/history.ts";
import { readAt } from "../../rules/branch.ts";
import { sourcePath } from "../../rules/path.ts";
import { tool } from "../../registry/tool.ts";
import { partsApart } from "./_apart.ts";

export default tool("get_content_history", {
  check({ post_id, page_id, path, from, to }, { checkId }) {
    checkId(post_id, "post_id");
    checkId(page_id, "page_id");
    checkId(from, "from");
    checkId(to, "to");
    if (path !== undefined) sourcePath(path, "path");
    if (to === undefined || from !== undefined) return;
    throw new GatewayError("E_BAD_INPUT", "to: goes with from; give both, or from alone");
  },
  async run({ from, to, page, ref, ...what }, ctx) {
    const of = { ...what, ref: await readAt(ref, ctx.previews) };
    const client = await ctx.use(history);
    if (from === undefined) return await client.list(of, page);
    const [older, newer] = await client.pair(of, from, to);
    return { from: headOf(older), to: headOf(newer), ...partsApart(older.texts, newer.texts, page) };
  },
});

const headOf = ({ id, at, by }: VersionTexts) => ({
  id: id ?? "now",
  ...at === null ? {} : { at },
  ...by === null ? {} : { by },
});
