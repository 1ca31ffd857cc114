/** find_text: where a text, a phone number or an address of electronic mail occurs on a site. */
import { emailNeedle } from "../../rules/finding/email.ts";
import { phoneNeedle } from "../../rules/finding/phone.ts";
import { textNeedle } from "../../rules/finding/text.ts";
import { textSearch } from "../../platforms/_content/text_search.ts";
import { tool } from "../../registry/tool.ts";
import { hitOf } from "./_places.ts";

const NEEDLES = { text: textNeedle, phone: phoneNeedle, email: emailNeedle } as const;

export default tool("find_text", {
  check: ({ text, kind }) => void NEEDLES[kind](text),
  async run({ text, kind, ref, limit }, ctx) {
    const client = await ctx.use(textSearch);
    const { places, total, isAtLeast, unread } = await client.find(NEEDLES[kind](text), ref);
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
