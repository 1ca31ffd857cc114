/** set_seo_schema: one entry of structured data of a post, added or replaced. */
import { numericId } from "../../core/ids.ts";
import { hasContext, pageSchema, typesOf } from "../../rules/seo_schema.ts";
import visitor, { expectations } from "../../platforms/visitor/connector.ts";
import { liveAt, notLive, unpublished } from "../../platforms/visitor/live.ts";
import { pageAddress, seo, storedRows } from "../../platforms/wordpress/connector.ts";
import { keptRows } from "../../platforms/wordpress/companion/stored_rows.ts";
import type { PreparedSchema } from "../../platforms/wordpress/seo/schema.ts";
import { partsAfter, plannedRows, replacedRows, rowParts } from "../../platforms/wordpress/seo/row_plans.ts";
import { replacedBy } from "../../rules/change.ts";
import { compared, type Plan, tool } from "../../registry/tool.ts";
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
      revision: replacedBy(changes, {
        ...stateOf(planned),
        entries: entries.map((one) => one.entry_id),
        ...replacedRows(planned),
      }),
      ...entryBefore(post_id, planned),
      warnings: planned.warnings ?? [],
      raises: seenBy(post),
      state: planned,
    };
  },
  async run({ post_id, schema }, ctx, { state, changes }) {
    ctx.annotate({ result_id: post_id, changes });
    const sending = (live: boolean) => live && ctx.annotate({ _published: true });
    const client = await ctx.use(seo);
    const { stored, ...done } = await client.writeSchema(state, sending, ctx.made);
    const rows = stored && replacedRows({ ...state, stored });
    const proven = compared(done).leaving(rows ? rowParts(state, rows) : undefined);
    if (state.post.status !== "published") return proven.seen(notLive(unpublished(state.post)));
    const address = pageAddress(ctx.site, state.post.id);
    const { schemaShown } = await expectations();
    const shown = schemaShown(pageSchema(schema));
    return proven.seen(await liveAt(await ctx.use(visitor), address, shown, client.cachesAsked()));
  },
  restore: {
    async plan(kept, ctx) {
      const id = numericId((kept.of as { post_id: string | number }).post_id, "post_id");
      const rows = await (await ctx.use(storedRows)).prepare("schema", id, kept.values);
      const { post } = rows.meta;
      return {
        summary: `Set back the structured data of ${placeOf(post, ctx.site)}`,
        ...plannedRows(rows, kept.of),
        raises: seenBy(post),
        state: rows,
      };
    },
    async run(_, ctx, { state, changes }) {
      const { post } = state.meta;
      ctx.annotate({ result_id: post.id, changes });
      const client = await ctx.use(storedRows);
      const done = await client.write(state, (live) => live && ctx.annotate({ _published: true }));
      const answer = { post_id: post.id, status: post.status, differences: done.differences };
      const proven = compared(answer).leaving(partsAfter(done, state));
      return proven.seen(notLive(post.status === "published" ? AS_STORED : unpublished(post)));
    },
  },
});

const AS_STORED = "it is set back as its plugin stores it; look at the page with view_live";

/** What sets the entry back that a call replaces; a new one stays. */
function entryBefore(post_id: string | number, planned: PreparedSchema): Pick<Plan, "before" | "final"> {
  const rows = replacedRows(planned);
  if (planned.replaces === null) {
    return { final: "An entry that was added is not taken away; nothing is deleted here" };
  }
  return rows === null ? {} : { before: { of: { post_id }, values: keptRows(planned.stored!, rows) } };
}
