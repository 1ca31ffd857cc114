/** Reading posts and pages: one by its id, one of which only the id is known, and lists of them. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { numericId } from "../../../core/ids.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { FoundState, StatesClient } from "../../_content/posts.ts";
import type { ContentList, ListQuery, PostRow } from "../../_content/post.ts";
import { editingWarnings, TRACE } from "../companion/guarded.ts";
import { CmsError } from "../errors.ts";
import {
  fieldsOf,
  head,
  type Kind,
  plainName,
  POST_HEAD,
  POST_ROW,
  type PostRowRecord,
  totals,
  VIEWED_ROW,
} from "./records.ts";
import { rightAt, typeHaving } from "./types.ts";
import { requireRight } from "./users.ts";
import { type Query, WordPressClient } from "./wordpress_client.ts";

const OTHER: Readonly<Record<string, { readonly kind: Kind; readonly is: string }>> = {
  posts: {
    kind: "pages",
    is: "a page, not a post; the tools for pages take it (get_page), and unschedule takes both",
  },
  pages: { kind: "posts", is: "a post, not a page; the tools for posts take it (get_post)" },
};

/** That there is no such post, or page, because the id is of the other kind. */
export class OtherKindError extends CmsError {}

/** The record and what came with it. Throws CmsError; where the other kind has that id OtherKindError. */
export async function readOne<T>(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  query: Query,
  schema: z.ZodType<T>,
) {
  try {
    return await wire.get(`wp/v2/${kind}/${id}`, query, schema);
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.reason !== "rest_post_invalid_id") throw thrown;
    throw await explained(wire, kind, id, thrown);
  }
}

async function explained(wire: WordPressClient, kind: Kind, id: number, thrown: CmsError): Promise<CmsError> {
  const other = OTHER[kind];
  const { message, reason, data } = thrown;
  const { gone } = thrown;
  const none = new CmsError(`${message}; list_content finds ids`, 404, reason, data, { gone });
  if (other === undefined) return none;
  const query = { context: "edit", _fields: "id" };
  const found = await wire.get(`wp/v2/${other.kind}/${id}`, query, z.object({ id: z.literal(id) }))
    .catch((failed) => {
      if (failed instanceof GatewayError) return null;
      throw failed;
    });
  if (found !== null) return new OtherKindError(`CMS 404 ${reason}: ${id} is ${other.is}`, 404, reason, data);
  const type = await typeHaving(wire, id);
  if (type === null) return none;
  const is = `${id} is of the type "${type.slug}"; the tools for posts take it with type "${type.slug}"`;
  return new CmsError(`CMS 404 ${reason}: ${is}`, 404, reason, data);
}

/** Who has it open; the companion plugin's field, null where it is missing or too old. */
const EDITING = TRACE.nullable().catch(null);
const STATE = POST_HEAD.extend({ site_ops_editing: EDITING });
const FIELDS = `${fieldsOf(POST_HEAD)},site_ops_editing`;

/** The states of the posts and pages of a site. */
export function statesOf(ctx: SiteContext): StatesClient {
  const wire = new WordPressClient(ctx);
  return {
    find: (id) => findState(wire, numericId(id, "post_id")),
    findAny: (id) => findAnyState(wire, numericId(id, "post_id")),
  };
}

/** Its state; null where neither a page nor a post has that id. Throws CmsError, E_UPSTREAM. */
async function findState(wire: WordPressClient, id: number): Promise<FoundState | null> {
  return await stateOf(wire, "pages", id) ?? await stateOf(wire, "posts", id);
}

/** The same of content of any type for writers. */
async function findAnyState(wire: WordPressClient, id: number): Promise<FoundState | null> {
  const found = await findState(wire, id);
  if (found !== null) return found;
  const type = await typeHaving(wire, id);
  return type && await stateOf(wire, type.kind, id);
}

async function stateOf(wire: WordPressClient, kind: Kind, id: number): Promise<FoundState | null> {
  const found = await orNone(wire.get(route(kind, id), { context: "edit", _fields: FIELDS }, STATE));
  if (found?.data.id !== id) return null;
  const { data, siteNow } = found;
  return { ...head(data), editing: editingWarnings(data.site_ops_editing), siteNow };
}

const route = (kind: Kind, id: number) => `wp/v2/${kind}/${id}`;

async function orNone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof CmsError && thrown.reason === "rest_post_invalid_id") return null;
    throw thrown;
  }
}

const ROW_FIELDS = fieldsOf(POST_ROW);
const ROWS = z.array(POST_ROW);
const VIEWED_FIELDS = fieldsOf(VIEWED_ROW);
const VIEWED_ROWS = z.array(
  VIEWED_ROW.transform(({ title, ...row }) => ({ ...row, title: { raw: plainName(title.rendered) } })),
);

const STATUSES: Readonly<Record<NonNullable<ListQuery["status"]>, string>> = {
  draft: "draft",
  scheduled: "future",
  published: "publish",
  pending: "pending",
  private: "private",
};

/** A row of a listing in this gateway's words. */
export function rowOf(record: PostRowRecord): PostRow {
  return { ...head(record), slug: record.slug, author_id: record.author || null };
}

/** One page of a listing and its totals; past its end an empty one. Throws CmsError. */
export async function pageOfRecords(wire: WordPressClient, kind: Kind, asked: Query, page: number) {
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

/**
 * The rows of a page, with those that the account may see and not edit: from 6.8 on WordPress leaves them out of a list in
 * the context edit (docs/upstreams/wordpress.md, "Requests and answers"). Asked for where rows are missing alone. Throws CmsError.
 */
async function withViewed(
  wire: WordPressClient,
  kind: Kind,
  asked: Query,
  page: number,
  rows: readonly PostRowRecord[],
): Promise<readonly PostRowRecord[]> {
  const query = { ...asked, page, context: "view", _fields: VIEWED_FIELDS };
  const { data } = await wire.get(`wp/v2/${kind}`, query, VIEWED_ROWS);
  const own = new Map(rows.map((row) => [row.id, row]));
  const viewed = new Set(data.map((row) => row.id));
  return [...data.map((row) => own.get(row.id) ?? row), ...rows.filter((row) => !viewed.has(row.id))];
}

/** Content of a kind, last changed first, that in the bin never. Throws CmsError. */
export async function listContent(wire: WordPressClient, kind: Kind, query: ListQuery): Promise<ContentList> {
  const { page, per_page, search, status } = query;
  const wanted = status === undefined ? Object.values(STATUSES) : [STATUSES[status]];
  const asked = { status: wanted.join(","), context: "edit", orderby: "modified", order: "desc", search };
  try {
    const found = await pageOfRecords(wire, kind, { ...asked, per_page }, page);
    const { counts } = found;
    const due = counts.total === null
      ? 0
      : Math.min(per_page, Math.max(0, counts.total - (page - 1) * per_page));
    const rows = found.rows.length < due
      ? await withViewed(wire, kind, { ...asked, per_page }, page, found.rows)
      : found.rows;
    const items = rows.filter((record) => wanted.includes(record.status)).map(rowOf);
    const hidden = due - items.length;
    const note =
      `${hidden} more on this page of the list cannot be seen by the site's account, such as drafts of others`;
    return { items, page, per_page, ...counts, ...(hidden > 0 ? { note } : {}) };
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    // 400 for a status that may not be asked for: also what nobody's request gets
    if (thrown.reason === "rest_invalid_param") {
      const right = await rightAt(wire, kind, "edit_posts");
      await requireRight(wire, right, `see ${kind} that are not published`);
    }
    throw thrown;
  }
}
