/** publish_page: makes a draft or scheduled page public; the site must allow it. */
import { pages } from "../../platforms/_content/pages.ts";
import visitor, { expectations } from "../../platforms/visitor/connector.ts";
import { liveAt } from "../../platforms/visitor/live.ts";
import { compared, tool } from "../../registry/tool.ts";
import {
  dateChanges,
  lastChange,
  publishWarnings,
  quoted,
  revealed,
  STATE_FINAL,
  stateChanges,
} from "./_plans.ts";

export default tool("publish_page", {
  check: ({ page_id }, ctx) => ctx.checkId(page_id, "page_id"),
  async plan({ page_id }, ctx) {
    const page = await (await ctx.use(pages)).check(page_id, "publish");
    return {
      summary: `Publish the page ${quoted(page.title)} on ${ctx.site.name} for everyone to see${
        lastChange(page)
      }`,
      final: STATE_FINAL,
      changes: [...stateChanges(page, "published", null), ...dateChanges(page, ctx.now())],
      shows: () => revealed(page),
      revision: page.parts,
      warnings: publishWarnings(page, ctx.now()),
      state: page,
    };
  },
  async run({ page_id }, ctx, { state, changes }) {
    ctx.annotate({ result_id: page_id, changes });
    const { parts, ...done } = await (await ctx.use(pages)).publish(page_id, ctx.grant, state);
    const { published } = await expectations();
    const { url, caches_asked } = done;
    return compared(done).leaving(parts).seen(
      await liveAt(await ctx.use(visitor), url, published(state), caches_asked),
    );
  },
});
