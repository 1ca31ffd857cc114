/** find_text: where a text, a phone number or an address of electronic mail occurs on a site. */
import { textSearch } from "../../platforms/_content/text_search.ts";
import { tool } from "../../registry/tool.ts";
import { hitOf } from "./_places.ts";

// What reads texts sign by sign brings every entity of HTML, which is not needed to start.
const NEEDLES = {
  text: async () => (await import("../../rules/finding/text.ts")).textNeedle,
  phone: async () => (await import("../../rules/finding/phone.ts")).phoneNeedle,
  email: async () => (await import("../../rules/finding/email.ts")).emailNeedle,
} as const;

export default tool("find_text", {
  check: async ({ text, kind }) => void (await NEEDLES[kind]())(text),
  async run({ text, kind, ref, limit }, ctx) {
    const client = await ctx.use(textSearch);
    const { places, total, isAtLeast, unread } = await client.find((await NEEDLES[kind]())(text), ref);
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
