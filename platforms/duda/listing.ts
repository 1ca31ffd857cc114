/** Lists cut to a page here, as the platform neither searches nor sorts. */
import type { ContentList, ListQuery, PostRow } from "../_content/post.ts";

/** A page of the rows that fit. `whole` says whether the rows are all there are; without it no totals are told. */
export function rowsOf(
  all: readonly PostRow[],
  { status, search, page, per_page }: ListQuery,
  whole = true,
): Omit<ContentList, "items"> & { readonly rows: readonly PostRow[] } {
  const wanted = search?.toLowerCase();
  const found = all.filter((row) =>
    (status === undefined || row.status === status) &&
    (wanted === undefined || `${row.title}\n${row.slug}`.toLowerCase().includes(wanted))
  );
  const rows = found.slice((page - 1) * per_page, page * per_page);
  if (!whole) {
    const note =
      `The site has more than the ${all.length} that were looked at; narrow the search in its editor`;
    return { rows, page, per_page, total: null, total_pages: null, note };
  }
  return { rows, page, per_page, total: found.length, total_pages: Math.ceil(found.length / per_page) };
}
