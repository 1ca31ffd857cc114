/** replace_text: what find_text finds, replaced by one set of calls, each of the tool that fits its place. */
import { tool } from "../../registry/tool.ts";
import { needleOf } from "./_places.ts";

// What reads and rewrites texts is not needed to start.
const making = () => import("./_replacement_set.ts");

export default tool("replace_text", {
  async check({ find, replace, kind }) {
    await needleOf(kind, find, "find");
    if (kind !== "text") await needleOf(kind, replace, "replace");
  },
  async plan(args, ctx) {
    const { replacementSet } = await making();
    return await ctx.sets.plan(() => replacementSet(args, ctx));
  },
  async run({ wait_seconds }, { sets }, { set, warnings = [] }) {
    const { leftIn, nothingLeft } = await making();
    const done = await sets.run(set!, wait_seconds);
    return done.also(nothingLeft(done, warnings)).warned(leftIn(warnings));
  },
});
