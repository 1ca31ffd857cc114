/** Creating and changing a post or page by WordPress's rules for rights, dates, slugs and terms. */
import { type AskedDate, parseDate, settle } from "./dates.ts";
import { refused, RestError } from "./errors.ts";
import type { Params } from "./params.ts";
import { can } from "./people.ts";
import { plural } from "./post_view.ts";
import type { Ask } from "./rest.ts";
import { keepRevision } from "./revisions.ts";
import { addPost, type Post, type State, uniqueSlug } from "./state.ts";
import { filterHtml, slugify } from "./text.ts";

/** A text parameter that may also come as `{raw}`; undefined when it was not sent. */
export function rawText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const raw = (value as { raw?: unknown } | null | undefined)?.raw;
  return typeof raw === "string" ? raw : undefined;
}

/** Refuses a status the asker may not give. */
function checkStatus(ask: Ask, type: Post["type"], status: unknown): void {
  if (!["publish", "future", "private"].includes(String(status))) return;
  if (can(ask.person, `publish_${plural({ type })}`)) return;
  const what = status === "private" ? "create private posts" : "publish posts";
  throw refused(
    ask.person,
    "rest_cannot_publish",
    `Sorry, you are not allowed to ${what} in this post type.`,
  );
}

function askedDate(params: Params, zone: string): AskedDate {
  const { date, date_gmt } = params;
  if (date === null || date_gmt === null) return null;
  if (typeof date === "string" && date !== "") return parseDate(date, zone) ?? undefined;
  if (typeof date_gmt === "string" && date_gmt !== "") return parseDate(date_gmt, "UTC") ?? undefined;
  return undefined;
}

/** Everything a write may set, judged before anything is changed. */
function prepare(ask: Ask, type: Post["type"], before: Post | null): Partial<Post> & { asked: AskedDate } {
  const { params, state, person } = ask;
  const out: Partial<Post> & { asked: AskedDate } = { asked: askedDate(params, state.timezone) };
  const filter = can(person, "unfiltered_html") ? (text: string) => text : filterHtml;
  for (const name of ["title", "content", "excerpt"] as const) {
    const text = rawText(params[name]);
    if (text !== undefined) out[name] = filter(text);
  }
  if (params["status"] !== undefined && params["status"] !== before?.status) {
    checkStatus(ask, type, params["status"]);
    out.status = params["status"] as string;
  }
  if (params["slug"] !== undefined) out.slug = slugify(params["slug"] as string);
  if (params["author"]) {
    const id = params["author"] as number;
    if (!state.people.some((row) => row.id === id)) {
      throw new RestError("rest_invalid_author", "Invalid author ID.", 400);
    }
    out.author = id;
  }
  if (type === "page" && params["parent"] !== undefined) {
    const id = params["parent"] as number;
    if (id !== 0 && !state.posts.has(id)) {
      throw new RestError("rest_post_invalid_id", "Invalid post parent ID.", 400);
    }
    out.parent = id;
  }
  for (const name of ["menu_order", "comment_status", "ping_status"] as const) {
    if (params[name] !== undefined) Object.assign(out, { [name]: params[name] });
  }
  return out;
}

/** Refuses an author other than the asker where the asker has no right to name one. */
export function checkAuthor(ask: Ask, type: Post["type"], verb: "create" | "update"): void {
  const author = ask.params["author"];
  if (!author || author === ask.person?.id || can(ask.person, `edit_others_${plural({ type })}`)) return;
  throw refused(
    ask.person,
    "rest_cannot_edit_others",
    `Sorry, you are not allowed to ${verb} posts as this user.`,
  );
}

function knownTerms(state: State, ids: unknown, taxonomy: "post_tag" | "category"): number[] {
  const known = (ids as number[]).filter((id) => state.terms.get(id)?.taxonomy === taxonomy);
  return [...new Set(known)];
}

/** What WordPress sets after the post itself is saved; unknown ids are dropped without a word. */
function attach(ask: Ask, post: Post): void {
  const { params, state } = ask;
  if (params["featured_media"] !== undefined) {
    const id = params["featured_media"] as number;
    const image = state.posts.get(id)?.file?.mime_type.startsWith("image/");
    if (id === 0 || image) post.featured_media = id;
  }
  if (params["template"] !== undefined) post.template = params["template"] as string;
  for (const [key, value] of Object.entries((params["meta"] ?? {}) as Params)) {
    // Keys that are not open to REST are ignored without a word.
    if (key in post.meta) post.meta[key] = value;
  }
  if (params["sticky"] !== undefined) post.sticky = params["sticky"] as boolean;
  if (post.type === "page") return;
  if (params["tags"] !== undefined) post.tags = knownTerms(state, params["tags"], "post_tag");
  if (params["categories"] !== undefined) {
    post.categories = knownTerms(state, params["categories"], "category");
  }
}

function nameSlug(state: State, post: Post, asked: string | undefined): void {
  const draft = ["draft", "pending", "auto-draft"].includes(post.status);
  if (asked !== undefined) post.slug = asked;
  if (post.slug === "" && !draft) post.slug = slugify(post.title) || String(post.id);
  if (post.slug !== "" && (asked !== undefined || !draft)) {
    post.slug = uniqueSlug(state, post.slug, post.type, post.parent, post.id);
  }
}

function refuseEmpty(post: Pick<Post, "title" | "content" | "excerpt">): void {
  if (post.title.trim() !== "" || post.content !== "" || post.excerpt !== "") return;
  throw new RestError("empty_content", "Content, title, and excerpt are empty.", 400);
}

/** Makes a post; throws what WordPress would answer. */
export function createPost(ask: Ask, type: Post["type"]): Post {
  const { state } = ask;
  const { asked, slug, ...fields } = prepare(ask, type, null);
  refuseEmpty({ title: "", content: "", excerpt: "", ...fields });
  const now = state.now();
  const settled = settle(null, { status: fields.status ?? "draft", date: asked }, now);
  const post = addPost(state, { author: ask.person!.id, ...fields, ...settled, type });
  post.modified = settled.date.floating ? now : settled.date.at;
  if (type === "post") post.categories = [1];
  nameSlug(state, post, slug || undefined);
  attach(ask, post);
  return post;
}

/** Changes a post; throws what WordPress would answer. */
export function updatePost(ask: Ask, post: Post): void {
  const { state } = ask;
  const { asked, slug, ...fields } = prepare(ask, post.type, post);
  refuseEmpty({ ...post, ...fields });
  const settled = settle(post, { status: fields.status ?? post.status, date: asked }, state.now());
  Object.assign(post, fields, settled, { modified: state.now() });
  nameSlug(state, post, slug);
  attach(ask, post);
  keepRevision(state, post, ask.person?.id ?? 0);
}
