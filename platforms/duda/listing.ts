/** Lists cut to a page here, as the platform neither searches nor sorts. */
import { GatewayError } from "../../core/errors.ts";
import type { ContentList, ListQuery, ListSort, PostRow } from "../_content/post.ts";

/** A page of the rows that fit. `whole` says whether the rows are all there are; without it no totals are told. */
export function rowsOf(
  all: readonly PostRow[],
  { status, search, page, per_page, sort, beside = [] }: ListQuery,
  whole = true,
): Omit<ContentList, "items"> & { readonly rows: readonly PostRow[] } {
  const wanted = search?.toLowerCase();
  const found = sorted(
    all.filter((row) =>
      (status === undefined || row.status === status) &&
      (wanted === undefined || `${row.title}\n${row.slug}`.toLowerCase().includes(wanted))
    ),
    sort,
  );
  const missing = beside.map((name) => `${name}: ${UNTOLD[name]}`);
  const more = missing.length === 0 ? {} : { missing };
  const rows = found.slice((page - 1) * per_page, page * per_page);
  if (!whole) {
    const note =
      `The site has more than the ${all.length} that were looked at; narrow the search in its editor`;
    return { rows, page, per_page, total: null, total_pages: null, note, ...more };
  }
  const total_pages = Math.ceil(found.length / per_page);
  return { rows, page, per_page, total: found.length, total_pages, ...more };
}

const UNTOLD = {
  modified_by: "the platform does not tell who changed what; its editor does",
  seo: "the platform's lists have no SEO fields; get_post and get_page show those of one",
} as const;

/** The rows in that order, as they come without one. Throws E_NOT_SUPPORTED for moments, which the platform does not tell. */
function sorted(rows: readonly PostRow[], sort: ListSort | undefined): readonly PostRow[] {
  if (sort === undefined) return rows;
  if (sort !== "title" && sort !== "-title") {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      "sort: the platform tells no moments to sort by; use title or -title, or leave it out for the platform's own order",
    );
  }
  const rising = rows.toSorted((a, b) => a.title.localeCompare(b.title, "en"));
  return sort === "title" ? rising : rising.toReversed();
}
