/** Listing posts and pages: filters, order, paging, and who may see what. */
import { parseDate } from "./dates.ts";
import { refused, RestError } from "./errors.ts";
import type { ParamRules } from "./params.ts";
import { can, type Person } from "./people.ts";
import { baseOf, mayEdit, mayRead, plural, viewPost } from "./post_view.ts";
import { type Answer, type Ask, paged, PAGING } from "./rest.ts";
import type { Post, PostType } from "./state.ts";
import { plainText } from "./text.ts";

/** The statuses a write may name. */
export const STATUSES: readonly string[] = ["publish", "future", "draft", "pending", "private"];
/** A list of ids, as an array or comma-separated. */
export const INTEGERS = { type: "array", items: { type: "integer" } } as const;

const LISTING: ParamRules = {
  ...PAGING,
  status: { type: "array", items: { type: "string" }, fallback: ["publish"] },
  orderby: {
    type: "string",
    enum: [
      "author",
      "date",
      "id",
      "include",
      "modified",
      "parent",
      "relevance",
      "slug",
      "title",
      "menu_order",
    ],
    fallback: "date",
  },
  order: { type: "string", enum: ["asc", "desc"], fallback: "desc" },
  author: INTEGERS,
  include: INTEGERS,
  exclude: INTEGERS,
  slug: { type: "array", items: { type: "string" } },
  categories: INTEGERS,
  tags: INTEGERS,
  parent: INTEGERS,
  after: { type: "date" },
  before: { type: "date" },
  modified_after: { type: "date" },
  offset: { type: "integer" },
};

function matches(post: Post, params: Ask["params"], zone: string): boolean {
  const has = (name: string, value: unknown) =>
    params[name] === undefined || (params[name] as unknown[]).length === 0 ||
    (params[name] as unknown[]).includes(value);
  const any = (name: string, values: number[]) =>
    params[name] === undefined || (params[name] as number[]).some((id) => values.includes(id));
  // WP_Query, get_posts(): "any" is all but the states that are kept from searches.
  const isAny = (params["status"] as string[] | undefined)?.includes("any") &&
    !["trash", "auto-draft", "inherit"].includes(post.status);
  if (!(isAny || has("status", post.status)) || !has("author", post.author) || !has("include", post.id)) {
    return false;
  }
  if (!has("slug", post.slug) || !has("parent", post.parent)) return false;
  if (params["exclude"] !== undefined && (params["exclude"] as number[]).includes(post.id)) return false;
  if (!any("categories", post.categories) || !any("tags", post.tags)) return false;
  const after = params["after"] ? parseDate(params["after"] as string, zone) : null;
  const before = params["before"] ? parseDate(params["before"] as string, zone) : null;
  if ((after !== null && post.date.at <= after) || (before !== null && post.date.at >= before)) return false;
  const modified = params["modified_after"] ? parseDate(params["modified_after"] as string, zone) : null;
  if (modified !== null && post.modified <= modified) return false;
  const text = `${post.title}\n${post.excerpt}\n${plainText(post.content)}`.toLowerCase();
  const words = ((params["search"] as string | undefined) ?? "").toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}

function sorter(orderby: string, order: string): (a: Post, b: Post) => number {
  const key = (post: Post): number | string => {
    switch (orderby) {
      case "id":
      case "author":
      case "parent":
      case "menu_order":
      case "title":
      case "slug":
        return post[orderby];
      case "modified":
        return post.modified;
      default:
        return post.date.at;
    }
  };
  const sign = order === "asc" ? 1 : -1;
  return (a, b) => {
    const [x, y] = [key(a), key(b)];
    return x === y ? sign * (a.id - b.id) : x < y ? -sign : sign;
  };
}

/** One page of what the asker may see; the total also counts what he may not, as in WordPress. */
export function list(ask: Ask, type: PostType): Answer {
  const { params, state, person } = ask;
  const edit = params["context"] === "edit";
  if (edit && !can(person, `edit_${plural({ type })}`)) {
    throw refused(
      person,
      "rest_forbidden_context",
      "Sorry, you are not allowed to edit posts in this post type.",
    );
  }
  const rows = [...state.posts.values()]
    .filter((post) => post.type === type && matches(post, params, state.timezone))
    .filter((post) => state.narrows.every((stays) => stays(post, ask.query, person)))
    .sort(sorter(params["orderby"] as string, params["order"] as string));
  const page = params["page"] as number;
  if (rows.length > 0 && page > Math.ceil(rows.length / (params["per_page"] as number))) {
    throw new RestError(
      "rest_post_invalid_page_number",
      "The page number requested is larger than the number of pages available.",
      400,
    );
  }
  // As from 6.8 on: docs/upstreams/wordpress.md, "Requests and answers".
  const may = edit ? mayEdit : mayRead;
  const show = (post: Post) => may(person, post) ? viewPost(state, post, edit) : undefined;
  return paged(ask, `/wp/v2/${baseOf(state, type)}`, rows, show);
}

/** Only those with rights may list what is not public; the refusal is a parameter's fault in WordPress. */
export function listing(person: Person | null, type: PostType): ParamRules {
  const judge = (value: unknown) => {
    for (const status of value as string[]) {
      if (status === "publish") continue;
      if (!can(person, `edit_${plural({ type })}`)) {
        const data = { status: person === null ? 401 : 403 };
        return { code: "rest_forbidden_status", message: "Status is forbidden.", data };
      }
      if (![...STATUSES, "auto-draft", "inherit", "trash", "any"].includes(status)) {
        return { code: "rest_not_in_enum", message: `status[0] is not one of the known statuses.` };
      }
    }
    return null;
  };
  return { ...LISTING, status: { ...LISTING["status"]!, judge } };
}
