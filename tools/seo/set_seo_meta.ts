/** set_seo_meta: given SEO fields of a post, of a published one only where the site allows it. */
import { numericId } from "../../core/ids.ts";
import visitor, { expectations } from "../../platforms/visitor/connector.ts";
import { liveAt, notLive, unknownBy, unpublished } from "../../platforms/visitor/live.ts";
import { pageAddress, seo, storedRows } from "../../platforms/wordpress/connector.ts";
import { areRows } from "../../platforms/wordpress/companion/stored_rows.ts";
import type { SeoMeta } from "../../platforms/wordpress/seo/client.ts";
import { valuesMeant } from "../../platforms/wordpress/seo/effect.ts";
import type { SeoChange } from "../../platforms/wordpress/seo/names.ts";
import {
  groupsOfRows,
  partsAfter,
  plannedRows,
  type PreparedRows,
  rowParts,
} from "../../platforms/wordpress/seo/row_plans.ts";
import { replacedBy } from "../../rules/change.ts";
import type { Change } from "../../core/model.ts";
import { compared, type Plan, tool, type ToolContext } from "../../registry/tool.ts";
import {
  answerOf,
  changeKept,
  changeOf,
  fieldChanges,
  fieldsIn,
  metaBefore,
  placeOf,
  requireExact,
  rowsOf,
  seenBy,
  stateOf,
  storedBefore,
} from "./_meta.ts";

type Using = Pick<ToolContext, "use" | "site" | "annotate">;

/** What goes back: by rows, or without the companion plugin by arguments. */
type Restored = { readonly rows: PreparedRows } | { readonly change: SeoChange; readonly meta: SeoMeta };

export default tool("set_seo_meta", {
  check({ post_id, ...fields }) {
    numericId(post_id, "post_id");
    changeOf(fields);
  },
  plan: ({ post_id, ...fields }, ctx) => planned(post_id, changeOf(fields), ctx),
  run: ({ post_id, ...fields }, ctx, { state, changes }) =>
    write({ post_id, change: changeOf(fields), meta: state, changes }, ctx),
  restore: {
    async plan(kept, ctx): Promise<Plan<Restored>> {
      const { post_id } = kept.of as { post_id: string | number };
      if (areRows(kept.values)) {
        const id = numericId(post_id, "post_id");
        const rows = await (await ctx.use(storedRows)).prepare("seo-meta", id, kept.values);
        const { post } = rows.meta;
        return {
          summary: `Set back the SEO fields of ${placeOf(post, ctx.site)}`,
          ...plannedRows(rows, kept.of),
          raises: seenBy(post),
          state: { rows },
        };
      }
      const change = changeKept(kept.values);
      const { state, ...plan } = await planned(post_id, change, ctx);
      requireExact(plan.changes, kept.values);
      return { ...plan, state: { change, meta: state } };
    },
    async run({ of }, ctx, { state, changes }) {
      const { post_id } = of as { post_id: string | number };
      if (!("rows" in state)) return await write({ post_id, ...state, changes }, ctx);
      ctx.annotate({ result_id: post_id, changes });
      const client = await ctx.use(storedRows);
      const done = await client.write(
        state.rows,
        (live) => live && ctx.annotate({ _published: true }),
      );
      const proven = compared({ ...answerOf(done.meta), differences: done.differences })
        .leaving(partsAfter(done, state.rows));
      const change = fieldsIn(groupsOfRows(state.rows), done.meta);
      return proven.seen(await shownTo(change, done.meta, client.cachesAsked(), ctx));
    },
  },
});

async function planned(post_id: string | number, change: SeoChange, ctx: Pick<Using, "use" | "site">) {
  const now = await (await ctx.use(seo)).prepareMeta(numericId(post_id, "post_id"), change);
  const changes = fieldChanges(change, now);
  const idle = changes.length === 0;
  return {
    summary: idle
      ? `Change nothing: the SEO fields given are so already on ${
        placeOf({ ...now.post, live: false }, ctx.site)
      }`
      : `Change the SEO fields of ${placeOf(now.post, ctx.site)}`,
    changes,
    revision: replacedBy(storedBefore(change, now), { ...stateOf(now), ...rowsOf(change, now) }),
    ...idle ? {} : metaBefore(post_id, change, now),
    warnings: now.warnings ?? [],
    raises: idle ? [] : seenBy(now.post),
    state: now,
  };
}

/** A change of fields, and the fields as they were planned. */
interface Write {
  readonly post_id: string | number;
  readonly change: SeoChange;
  readonly meta: SeoMeta;
  readonly changes: readonly Change[];
}

async function write({ post_id, change, meta, changes }: Write, ctx: Using) {
  ctx.annotate({ result_id: post_id, changes });
  const sending = (live: boolean) => live && ctx.annotate({ _published: true });
  const stands = (fields: readonly string[]) =>
    ctx.annotate({ changes: changes.filter(({ field }) => fields.includes(field.split(".")[0]!)) });
  const client = await ctx.use(seo);
  const { differences, warnings, uncompared, ...after } = await client.writeMeta(
    change,
    meta,
    sending,
    stands,
  );
  const rows = meta.stored === undefined ? {} : rowsOf(change, after);
  const left = meta.stored === undefined
    ? replacedBy(storedBefore(change, after), stateOf(after))
    : rows && rowParts(after, rows);
  const proven = compared({ ...answerOf(after), differences, warnings, uncompared }).leaving(
    left ?? undefined,
  );
  return proven.seen(await shownTo(change, after, client.cachesAsked(), ctx));
}

/** What visitors get of fields after a write. */
async function shownTo(
  change: SeoChange,
  { post, effect }: SeoMeta,
  caches: readonly string[],
  ctx: Pick<Using, "use" | "site">,
) {
  if (post.status !== "published") return notLive(unpublished(post));
  const { seoShown, unjudged } = await expectations();
  const meant = valuesMeant(effect);
  const address = pageAddress(ctx.site, post.id);
  const seen = await liveAt(await ctx.use(visitor), address, seoShown(change, meant), caches);
  return unknownBy(unjudged(change, meant), seen);
}
