/** Lists of posts and pages: pages of records, and what the companion plugin and SEO plugins tell beside them. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { numericId } from "../../../core/ids.ts";
import type { ContentList, ListedRow, ListQuery, ListSort, PostRow, RowSeo } from "../../_content/post.ts";
import { CmsError } from "../errors.ts";
import {
  fieldsOf,
  head,
  type Kind,
  plainName,
  POST_ROW,
  type PostRowRecord,
  totals,
  VIEWED_ROW,
} from "./records.ts";
import { rightAt } from "./types.ts";
import { requireRight } from "./users.ts";
import type { Query, WordPressClient } from "./wordpress_client.ts";

/** Of the companion plugin from version 1.5.0 on; undefined where it is older or missing, null where it does not know. */
const CHANGED = z.object({
  by: z.object({ id: z.number().int().positive(), name: z.string() }).nullable(),
}).nullable().optional().catch(undefined);
const text = z.string().nullish().catch(null);
const SEO = z.object({
  title: text,
  description: text,
  noindex: z.boolean().nullish().catch(null),
  canonical: text,
}).nullable().optional().catch(undefined);
/** Of Yoast SEO: what it puts into the head of a page. */
const HEAD = z.object({
  title: text,
  description: text,
  robots: z.object({ index: text }).catch({ index: null }),
  canonical: text,
}).nullable().optional().catch(undefined);

const ROW = POST_ROW.extend({ site_ops_changed: CHANGED, site_ops_seo: SEO, yoast_head_json: HEAD });
type RowRecord = PostRowRecord & Partial<Pick<z.infer<typeof ROW>, keyof typeof BESIDE_FIELDS>>;
const BESIDE_FIELDS = {
  site_ops_changed: "site_ops_changed",
  site_ops_seo: "site_ops_seo",
  yoast_head_json: ["title", "description", "robots", "canonical"].map((one) => `yoast_head_json.${one}`)
    .join(),
} as const;
const ROWS = z.array(ROW);
const ROW_FIELDS = fieldsOf(POST_ROW);
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

/** States that a list of all of them leaves out. */
const UNLISTED: ReadonlySet<string> = new Set(["trash", "auto-draft", "inherit"]);

type Beside = NonNullable<ListQuery["beside"]>;

/** A row of a listing in this gateway's words. */
export function rowOf(record: PostRowRecord): PostRow {
  return { ...head(record), slug: record.slug, author_id: record.author || null };
}

/** The same with what was asked for beside its own fields. */
function listedRow(record: RowRecord, beside: Beside): ListedRow {
  return {
    ...rowOf(record),
    ...beside.includes("modified_by") ? { modified_by: record.site_ops_changed?.by ?? null } : {},
    ...beside.includes("seo") ? { seo: seoOf(record) } : {},
  };
}

/** What visitors get of its SEO fields, by the companion plugin, else by Yoast SEO; null where neither tells. */
function seoOf({ site_ops_seo: told, yoast_head_json: shown }: RowRecord): RowSeo | null {
  if (told) {
    const { title = null, description = null, noindex = null, canonical = null } = told;
    return { title, description, noindex, canonical };
  }
  if (!shown) return null;
  const { title = null, description = null, robots: { index }, canonical = null } = shown;
  return { title, description, noindex: index == null ? null : index === "noindex", canonical };
}

const COMPANION_SINCE = "the companion plugin tells it from version 1.5.0 on";
const UNTOLD = {
  modified_by: `WordPress's own lists do not say who changed a post last; ${COMPANION_SINCE}, and ` +
    "get_content_history of one post where the site keeps versions",
  seo:
    `the site's lists tell SEO values in effect only with Yoast SEO; ${COMPANION_SINCE}, and get_seo_meta of one post`,
} as const;

/** What was asked for and stands in no row. */
function missingOf(rows: readonly RowRecord[], beside: Beside): { missing?: string[] } {
  const untold = {
    modified_by: (row: RowRecord) => row.site_ops_changed === undefined,
    seo: (row: RowRecord) => seoOf(row) === null,
  };
  const missing = beside.filter((name) => rows.length > 0 && rows.every(untold[name]));
  return missing.length === 0 ? {} : { missing: missing.map((name) => `${name}: ${UNTOLD[name]}`) };
}

/** Throws E_COMPANION_REQUIRED where the list was not narrowed: an older plugin, or none, does not heed what it does not know. */
function requireNarrowed(rows: readonly RowRecord[]): void {
  if (!rows.some((row) => row.site_ops_changed === undefined)) return;
  throw new GatewayError(
    "E_COMPANION_REQUIRED",
    "modified_by: WordPress's own lists cannot be narrowed by who changed a post last; the companion plugin can, version " +
      "1.5.0 or newer: an operator makes its zip with deno task companion and uploads it on the site's Plugins page. " +
      "Without it list with modified_after, and ask get_content_history of each post",
  );
}

/** The account's number for the plugin's parameters; 0 is the one that asks. */
function narrowed(modified_by: ListQuery["modified_by"]): Query {
  switch (modified_by) {
    case undefined:
      return {};
    case "gateway":
      return { site_ops_changed_by: 0 };
    case "others":
      return { site_ops_changed_not_by: 0 };
    default:
      return { site_ops_changed_by: numericId(modified_by, "modified_by") };
  }
}

/** The order of a list, as WordPress asks for it; last changed first without one. */
export function ordered(sort: ListSort = "-modified"): Query {
  const isFalling = sort.startsWith("-");
  return { orderby: isFalling ? sort.slice(1) : sort, order: isFalling ? "desc" : "asc" };
}

/** One page of a listing and its totals; past its end an empty one. Throws CmsError. */
export async function pageOfRecords(
  wire: WordPressClient,
  kind: Kind,
  asked: Query,
  page: number,
  beside: Beside = [],
) {
  const { site_ops_changed, site_ops_seo, yoast_head_json } = BESIDE_FIELDS;
  const more = {
    modified_by: `,${site_ops_changed}`,
    seo: `,${site_ops_seo},${yoast_head_json}`,
  };
  const _fields = ROW_FIELDS + beside.map((name) => more[name]).join("");
  const ask = (page: number) => wire.get(`wp/v2/${kind}`, { ...asked, page, _fields }, ROWS);
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
  rows: readonly RowRecord[],
): Promise<readonly RowRecord[]> {
  const query = { ...asked, page, context: "view", _fields: VIEWED_FIELDS };
  const { data } = await wire.get(`wp/v2/${kind}`, query, VIEWED_ROWS);
  const own = new Map(rows.map((row) => [row.id, row]));
  const viewed = new Set(data.map((row) => row.id));
  return [...data.map((row) => own.get(row.id) ?? row), ...rows.filter((row) => !viewed.has(row.id))];
}

/**
 * Content of a kind, that in the bin never, last changed first unless asked otherwise. Throws E_COMPANION_REQUIRED where a
 * site cannot tell who changed what, CmsError.
 */
export async function listContent(wire: WordPressClient, kind: Kind, query: ListQuery): Promise<ContentList> {
  const { page, per_page, search, status, modified_after, modified_by, sort } = query;
  // Plugins have states of their own, and take some of WordPress's away, which a list of states would then be refused for.
  const isWanted = (state: string) =>
    status === undefined ? !UNLISTED.has(state) : state === STATUSES[status];
  const asked = {
    status: status === undefined ? "any" : STATUSES[status],
    context: "edit",
    ...ordered(sort),
    search,
    modified_after,
    ...narrowed(modified_by),
  };
  const beside: Beside = modified_by === undefined
    ? query.beside ?? []
    : [...new Set(["modified_by" as const, ...query.beside ?? []])];
  try {
    const found = await pageOfRecords(wire, kind, { ...asked, per_page }, page, beside);
    if (modified_by !== undefined) requireNarrowed(found.rows);
    const { counts } = found;
    const due = counts.total === null
      ? 0
      : Math.min(per_page, Math.max(0, counts.total - (page - 1) * per_page));
    const rows = found.rows.length < due
      ? await withViewed(wire, kind, { ...asked, per_page }, page, found.rows)
      : found.rows;
    const items = rows.filter((record) => isWanted(record.status)).map((row) => listedRow(row, beside));
    const hidden = due - items.length;
    const note =
      `${hidden} more on this page of the list cannot be seen by the site's account, such as drafts of others`;
    return {
      items,
      page,
      per_page,
      ...counts,
      ...(hidden > 0 ? { note } : {}),
      ...missingOf(found.rows, beside),
    };
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
