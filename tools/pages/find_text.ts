/** find_text: where a text, a phone number or an address of electronic mail occurs on a site. */
import { textSearch } from "../../platforms/_content/text_search.ts";
import { readAt } from "../../rules/branch.ts";
import { tool } from "../../registry/tool.ts";
import { hitOf, needleOf } from "./_places.ts";

export default tool("find_text", {
  check: async ({ text, kind }) => void await needleOf(kind, text, "text"),
  async run({ text, kind, ref, limit }, ctx) {
    const at = await readAt(ref, ctx.previews);
    const client = await ctx.use(textSearch);
    const { places, total, isAtLeast, unread } = await client.find(await needleOf(kind, text, "text"), at);
    const hits = places.slice(0, limit).map((place) => hitOf(place, ctx.site));
    return {
      total,
      ...isAtLeast ? { total_is: "at least" } : {},
      shown: hits.length,
      hits,
      not_searched: unread,
    };
  },
});
