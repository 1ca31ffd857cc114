/** list_content: posts, pages or a type of the site's own, of any status, to find one by. */
import { GatewayError } from "../../core/errors.ts";
import { pages } from "../../platforms/_content/pages.ts";
import type { ImageList, LibraryImage } from "../../platforms/_content/images.ts";
import type { ContentList, ListedRow, ListQuery } from "../../platforms/_content/post.ts";
import { tool } from "../../registry/tool.ts";
import { IMAGES, listImages } from "./_library.ts";
import { checkType, contentOf } from "./_plans.ts";

/** Columns that are asked for beside a row's own fields, and what they are asked by. */
const BESIDE = {
  modified_by: "modified_by",
  seo_title: "seo",
  seo_description: "seo",
  noindex: "seo",
  canonical: "seo",
} as const;

export default tool("list_content", {
  check({ type, modified_by, modified_after }, ctx) {
    checkType(type, ctx);
    if (modified_by !== undefined && !["gateway", "others"].includes(String(modified_by))) {
      ctx.checkId(modified_by, "modified_by");
    }
    if (modified_after === undefined || !Number.isNaN(Date.parse(modified_after))) return;
    throw new GatewayError(
      "E_BAD_INPUT",
      `modified_after: "${modified_after.slice(0, 40)}" is no time; give one such as 2026-03-01T09:00:00Z`,
    );
  },
  async run({ type, status, fields, modified_after, ...query }, ctx) {
    const asked: ListQuery = {
      ...query,
      ...status === "all" ? {} : { status },
      ...modified_after === undefined ? {} : { modified_after: new Date(modified_after).toISOString() },
      beside: besideOf(fields),
    };
    if (type === IMAGES) return withColumns(await listImages(asked, ctx), fields);
    const list = type === "page"
      ? await (await ctx.use(pages)).list(asked)
      : await (await contentOf(ctx, type)).list(asked, type);
    return withColumns(list, fields);
  },
});

function besideOf(fields: readonly string[] = []): NonNullable<ListQuery["beside"]> {
  return [...new Set(Object.entries(BESIDE).flatMap(([field, by]) => fields.includes(field) ? [by] : []))];
}

/** The list with the columns that were asked for; with those that every row has where none were. */
function withColumns({ items, ...list }: ContentList | ImageList, fields: readonly string[] | undefined) {
  if (fields === undefined) return { items, ...list };
  const wanted = new Set(["id", ...fields]);
  const columns = (row: ListedRow | LibraryImage) =>
    Object.entries(flat(row)).filter(([name]) => wanted.has(name));
  return { items: items.map((row) => Object.fromEntries(columns(row))), ...list };
}

function flat(listed: ListedRow | LibraryImage): Record<string, unknown> {
  if (!("seo" in listed) || listed.seo === undefined) return { ...listed };
  const { seo, ...row } = listed;
  const { title = null, description = null, noindex = null, canonical = null } = seo ?? {};
  return { ...row, seo_title: title, seo_description: description, noindex, canonical };
}
