/** Listing posts and pages of a CMS, whatever their status. */
import { z } from "zod";
import type { ContentList, ListQuery, PostRow } from "../../_content/post.ts";
import { CmsError } from "../errors.ts";
import { fieldsOf, head, type Kind, POST_ROW, type PostRowRecord, totals } from "./records.ts";
import { requireRight } from "./users.ts";
import type { Query, Wire } from "./wire.ts";

const ROW_FIELDS = fieldsOf(POST_ROW);
const ROWS = z.array(POST_ROW);

const STATUSES: Readonly<Record<NonNullable<ListQuery["status"]>, string>> = {
  draft: "draft",
  scheduled: "future",
  published: "publish",
  pending: "pending",
  private: "private",
};

/** A row of a listing in this gateway's words. */
export function rowOf(record: PostRowRecord): PostRow {
  return { ...head(record), slug: record.slug, author_id: record.author };
}

/** One page of a listing and its totals; past its end an empty one. Throws CmsError. */
export async function pageOfRecords(wire: Wire, kind: Kind, asked: Query, page: number) {
  const ask = (page: number) => wire.get(`wp/v2/${kind}`, { ...asked, page, _fields: ROW_FIELDS }, ROWS);
  try {
    const { data, headers } = await ask(page);
    return { rows: data, counts: totals(headers) };
  } catch (thrown) {
    const past = thrown instanceof CmsError && thrown.reason === "rest_post_invalid_page_number" && page > 1;
    if (!past) throw thrown;
    return { rows: [], counts: totals((await ask(1)).headers) };
  }
}

/** Posts or pages, last changed first, those in the bin never. Throws CmsError. */
export async function listContent(wire: Wire, kind: Kind, query: ListQuery): Promise<ContentList> {
  const { page, per_page, search, status } = query;
  const wanted = status === undefined ? Object.values(STATUSES) : [STATUSES[status]];
  const asked = { status: wanted.join(","), context: "edit", orderby: "modified", order: "desc", search };
  try {
    const { rows, counts } = await pageOfRecords(wire, kind, { ...asked, per_page }, page);
    const items = rows.filter((record) => wanted.includes(record.status)).map(rowOf);
    const due = counts.total === null
      ? 0
      : Math.min(per_page, Math.max(0, counts.total - (page - 1) * per_page));
    const hidden = due - items.length;
    const note =
      `${hidden} more on this page of the list cannot be seen by the site's account, such as drafts of others`;
    return { items, page, per_page, ...counts, ...(hidden > 0 ? { note } : {}) };
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    // 400 for a status that may not be asked for: also what nobody's request gets
    if (thrown.reason === "rest_invalid_param") {
      await requireRight(wire, `edit_${kind}`, `see ${kind} that are not published`);
    }
    throw thrown;
  }
}
