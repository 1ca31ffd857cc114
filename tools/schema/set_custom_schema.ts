/** set_custom_schema: another value for one entry of custom structured data. */
import { GatewayError } from "../../core/errors.ts";
import { numericId } from "../../core/ids.ts";
import { checkStructured } from "../../rules/structured_data.ts";
import { whenLive, whenScheduled } from "../../rules/change.ts";
import { quoted } from "../../rules/wording.ts";
import visitor, { expectations } from "../../platforms/visitor/connector.ts";
import { liveAt, notLive, UNPUBLISHED } from "../../platforms/visitor/live.ts";
import { pageAddress, storedRows, structuredData } from "../../platforms/wordpress/connector.ts";
import { keptRows } from "../../platforms/wordpress/companion/stored_rows.ts";
import {
  changedRows,
  partsAfter,
  plannedRows,
  type PreparedRows,
  rowParts,
  scopeOf,
} from "../../platforms/wordpress/seo/row_plans.ts";
import type { PlannedEntry } from "../../platforms/wordpress/structured_data/client.ts";
import { compared, type Plan, tool } from "../../registry/tool.ts";
import { valueChanges, whatChanges } from "./_plans.ts";

const GLOBAL = "it shows on every page it targets; look at one of them with view_live";
const SETTINGS = "its plugin makes the markup out of settings; look at the page with view_live";

export default tool("set_custom_schema", {
  check({ id, value }) {
    numericId(id, "id");
    checkStructured(value, "value");
  },
  async plan({ id, value }, ctx) {
    const planned = await (await ctx.use(structuredData)).prepare(numericId(id, "id"), value);
    if (planned.scope === "page" && planned.live && !ctx.site.flags.allow_seo_on_published) {
      throw new GatewayError(
        "E_FORBIDDEN_OP",
        `Entry ${id} belongs to a ${planned.entry.status} page, of which ${
          planned.entry.status === "private" ? "those who may read it" : "visitors"
        } would get the change at once; "set_custom_schema" ` +
          `needs allow_seo_on_published on site "${ctx.site.id}" for that; a super-admin can set it`,
      );
    }
    const changes = valueChanges(planned.entry.value, planned.after);
    const { entry: { title, status }, scope } = planned;
    const what = scope === "page"
      ? `the page ${quoted(title)}`
      : `the entry ${quoted(title)}, which is global,`;
    return {
      summary: whatChanges(planned, ctx.site.name, changes.length > 0),
      changes,
      revision: {
        value: planned.entry.value,
        live: planned.live,
        targets: planned.targets,
        ...changedRows(planned),
      },
      ...valueBefore(id, planned),
      warnings: planned.warnings,
      raises: [...whenLive(planned.live, what, { status }), ...whenScheduled({ status }, what)],
      state: planned,
    };
  },
  async run({ id }, ctx, { state, changes }) {
    ctx.annotate({ result_id: id, changes });
    const client = await ctx.use(structuredData);
    const { entry, stored, differences } = await client.write(state);
    const rows = stored && changedRows({ ...state, stored });
    const proven = compared({ ...entry, differences }).leaving(
      rows ? rowParts({ post: entry }, rows) : undefined,
    );
    if (!state.live || state.entry.status === "private") return proven.seen(notLive(UNPUBLISHED));
    if (state.scope !== "page") return proven.seen(notLive(GLOBAL));
    const { schemaShown, typedNodes } = await expectations();
    const data = typedNodes(state.things);
    if (data.length === 0) return proven.seen(notLive(SETTINGS));
    const address = pageAddress(ctx.site, state.entry.post_id);
    return proven.seen(
      await liveAt(await ctx.use(visitor), address, schemaShown(data), client.cachesAsked()),
    );
  },
  restore: {
    async plan(kept, ctx) {
      const id = numericId((kept.of as { id: string | number }).id, "id");
      const rows = await (await ctx.use(storedRows)).prepare("custom-schema", id, kept.values);
      const { post } = rows.meta;
      const what = isOfPage(rows)
        ? `the page ${quoted(post.title)}`
        : `the entry ${quoted(post.title)}, which is global,`;
      return {
        summary: `Set back the custom schema of ${what} on ${ctx.site.name}`,
        ...plannedRows(rows, kept.of),
        raises: [...whenLive(post.live, what), ...whenScheduled(post, what)],
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
      return proven.seen(notLive(!post.live ? UNPUBLISHED : isOfPage(state) ? AS_STORED : GLOBAL));
    },
  },
});

const AS_STORED = "it is set back as its plugin stores it; look at the page with view_live";

/** Whether an entry belongs to one page. */
const isOfPage = ({ stored }: PreparedRows) => scopeOf(stored.plugin.split(" ")[0]) === "page";

/** What sets an entry's value back. */
function valueBefore(id: string | number, planned: PlannedEntry): Pick<Plan, "before"> {
  const rows = changedRows(planned);
  return rows === null ? {} : { before: { of: { id }, values: keptRows(planned.stored!, rows) } };
}
