/** set_seo_schema: one entry of structured data of a post, added or replaced. */
import { numericId } from "../../core/ids.ts";
import { hasContext, pageSchema, typesOf } from "../../rules/seo_schema.ts";
import visitor, { expectations } from "../../platforms/visitor/connector.ts";
import { liveAt, notLive, UNPUBLISHED } from "../../platforms/visitor/live.ts";
import { pageAddress, seo } from "../../platforms/wordpress/connector.ts";
import { replacedBy } from "../../rules/change.ts";
import { compared, tool } from "../../registry/tool.ts";
import { placeOf, seenBy, stateOf } from "./_meta.ts";

const BARE = '; it has no "@context", without which search engines may not read it';

export default tool("set_seo_schema", {
  check({ post_id, schema }) {
    numericId(post_id, "post_id");
    pageSchema(schema);
  },
  async plan({ post_id, schema, entry_id }, ctx) {
    const data = pageSchema(schema);
    const client = await ctx.use(seo);
    const planned = await client.prepareSchema(numericId(post_id, "post_id"), data, entry_id);
    const { post, entries, replaces } = planned;
    const verb = replaces
      ? `Replace the structured data "${replaces.entry_id}" of`
      : "Add structured data to";
    const others = entries.filter((one) => one !== replaces).map((one) => `${one.entry_id} (${one.type})`);
    const beside = others.length > 0 ? `; it has ${others.slice(0, 10).join(", ")} too, which stays` : "";
    const changes = [
      { field: "type", from: replaces?.type ?? null, to: typesOf(data).join(", ") },
      { field: "schema", from: replaces?.schema ?? null, to: data },
    ];
    return {
      summary: `${verb} ${placeOf(post, ctx.site)}${beside}${hasContext(data) ? "" : BARE}`,
      changes,
      revision: replacedBy(changes, { ...stateOf(planned), entries: entries.map((one) => one.entry_id) }),
      warnings: planned.warnings ?? [],
      raises: seenBy(post),
      state: planned,
    };
  },
  async run({ post_id, schema }, ctx, { state, changes }) {
    ctx.annotate({ result_id: post_id, changes });
    const sending = (live: boolean) => live && ctx.annotate({ _published: true });
    const client = await ctx.use(seo);
    const proven = compared(await client.writeSchema(state, sending, ctx.made));
    if (state.post.status !== "published") return proven.seen(notLive(UNPUBLISHED));
    const address = pageAddress(ctx.site, state.post.id);
    const { schemaShown } = await expectations();
    const shown = schemaShown(pageSchema(schema));
    return proven.seen(await liveAt(await ctx.use(visitor), address, shown, client.cachesAsked()));
  },
});
