/** Revisions of posts and pages: kept with each change of a text, and listed (docs/upstreams/wordpress.md, "Revisions"). */
import type { Hono } from "hono";
import { wallTime } from "./dates.ts";
import { refused, RestError } from "./errors.ts";
import type { ParamRules, Params } from "./params.ts";
import { mayEdit, plural } from "./post_view.ts";
import { INTEGERS } from "./posts_list.ts";
import { type Answer, type Ask, type RestEnv, route } from "./rest.ts";
import type { Post, Revision, State } from "./state.ts";
import { renderContent } from "./text.ts";

const TEXTS = ["title", "content", "excerpt"] as const;

/** Keeps the post's texts as they are now, where they differ from the newest revision; an autosave always. */
export function keepRevision(state: State, post: Post, author: number, autosave?: Partial<Revision>): void {
  if (!state.keeps_revisions || post.type === "attachment") return;
  const newest = state.revisions.findLast(({ parent, autosave }) => parent === post.id && !autosave);
  if (!autosave && newest && TEXTS.every((name) => newest[name] === post[name])) return;
  const { title, content, excerpt } = { ...post, ...autosave };
  state.revisions.push({
    id: state.nextPost++,
    parent: post.id,
    author,
    at: state.now(),
    autosave: autosave !== undefined,
    title,
    content,
    excerpt,
  });
}

const revisionsOf = (state: State, { id }: Pick<Post, "id">): Revision[] =>
  state.keeps_revisions ? state.revisions.filter(({ parent }) => parent === id) : [];

const PARAMS: ParamRules = {
  id: { type: "integer" },
  context: { type: "string", enum: ["view", "embed", "edit"], fallback: "view" },
  page: { type: "integer", min: 1, fallback: 1 },
  per_page: { type: "integer", min: 1, max: 100 },
  offset: { type: "integer" },
  include: INTEGERS,
  orderby: {
    type: "string",
    enum: ["date", "id", "include", "relevance", "slug", "title"],
    fallback: "date",
  },
  order: { type: "string", enum: ["asc", "desc"], fallback: "desc" },
};

function view(row: Revision, asked: readonly string[] | null, timezone: string): Params {
  const { id, parent, author, at, autosave } = row;
  // The texts are shown where they are asked for whole alone.
  const shown = TEXTS.filter((name) => asked === null || asked.includes(name));
  return {
    id,
    parent,
    author,
    date: wallTime(at, timezone),
    date_gmt: wallTime(at, "UTC"),
    modified: wallTime(at, timezone),
    modified_gmt: wallTime(at, "UTC"),
    slug: `${parent}-${autosave ? "autosave" : "revision"}-v1`,
    ...Object.fromEntries(
      shown.map((name) => [name, { raw: row[name], rendered: renderContent(row[name]) }]),
    ),
  };
}

function list(ask: Ask, type: "post" | "page"): Answer {
  const { params, state, person, query } = ask;
  const post = state.posts.get(params["id"] as number);
  if (post?.type !== type) {
    throw new RestError("rest_post_invalid_parent", "Invalid post parent ID.", 404);
  }
  if (!mayEdit(person, post)) {
    throw refused(person, "rest_cannot_read", "Sorry, you are not allowed to view revisions of this post.");
  }
  const include = params["include"] as number[] | undefined;
  const all = revisionsOf(state, post).filter(({ id }) => include?.includes(id) ?? true);
  const sign = params["order"] === "asc" ? 1 : -1;
  all.sort((a, b) => sign * (a.at - b.at || a.id - b.id));
  const offset = params["offset"] as number | undefined ?? 0;
  if (all.length > 0 && offset >= all.length) {
    throw new RestError(
      "rest_revision_invalid_offset_number",
      "The offset number requested is larger than or equal to the number of available revisions.",
      400,
    );
  }
  const rows = all.slice(offset, offset + (params["per_page"] as number | undefined ?? all.length));
  const fields = query.get("_fields")?.split(",") ?? null;
  return {
    body: rows.map((row) => view(row, fields, state.timezone)),
    headers: { "x-wp-total": String(all.length) },
  };
}

/** Adds the lists of revisions. */
export function addRevisions(app: Hono<RestEnv>): void {
  for (const type of ["post", "page"] as const) {
    const path = `/wp/v2/${plural({ type })}/:id{[0-9]+}/revisions`;
    route(app, ["GET"], path, () => PARAMS, (ask) => list(ask, type));
  }
}
