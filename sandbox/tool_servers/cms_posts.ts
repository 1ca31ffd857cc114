/** Tools that make pages, and those of posts whatever edits them; a post lives and is judged as on the REST side. */
import type { Params } from "../wordpress_standin/params.ts";
import { authorOf, permalink } from "../wordpress_standin/post_view.ts";
import { createPost, updatePost } from "../wordpress_standin/post_write.ts";
import { wallTime } from "../wordpress_standin/dates.ts";
import type { Post } from "../wordpress_standin/state.ts";
import { can } from "../wordpress_standin/people.ts";
import {
  type Asked,
  editable,
  integer,
  need,
  pageOf,
  postOf,
  type Run,
  store,
  takeOver,
  ToolFailure,
} from "./cms_state.ts";
import { built, type Element, find, imported, shorthands } from "./elements.ts";

type Args = Readonly<Record<string, unknown>>;

const FIELDS = [
  "title",
  "content",
  "excerpt",
  "status",
  "slug",
  "author",
  "parent",
  "menu_order",
  "comment_status",
  "date",
];

/** The arguments that are fields of a post. */
function fields(args: Args): Params {
  return Object.fromEntries(
    FIELDS.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]),
  );
}

const editUrl = ({ ask }: Asked, id: number, action = "edit") =>
  `${ask.state.origin()}/wp-admin/post.php?post=${id}&action=${action}`;

function make(args: Args, at: Asked, type: "post" | "page"): Post {
  const { person } = at.ask;
  need(at, "edit_posts");
  if (["publish", "future", "private"].includes(String(args["status"]))) need(at, "publish_posts");
  // Who may publish posts may publish pages here: the site's own rules for pages are not asked.
  const ask = { ...at.ask, person: at.ask.state.people[0]! };
  return createPost({ ...ask, params: { status: "draft", author: person!.id, ...fields(args) } }, type);
}

/** A title as the tools that make pages store it: without elements, and without backslashes. */
const sanitized = (title: unknown) => String(title).replaceAll(/<[^>]*>/g, "").replaceAll("\\", "").trim();

function makePage(args: Args, at: Asked, elements: Element[]) {
  need(at, "edit_pages");
  const title = sanitized(args["title"]);
  const post = make({ ...args, title }, at, args["post_type"] === "post" ? "post" : "page");
  takeOver(post);
  if (args["template"] !== undefined) post.template = String(args["template"]);
  store(at, post, elements);
  const shown = { post_id: post.id, title: post.title, edit_url: editUrl(at, post.id, "elementor") };
  return { ...shown, preview_url: permalink(at.ask.state, post) };
}

function shown(at: Asked, post: Post) {
  const { state } = at.ask;
  return {
    post_id: post.id,
    post_type: post.type,
    title: post.title,
    slug: post.slug,
    status: post.status,
    content: post.content,
    excerpt: post.excerpt,
    date: wallTime(post.date.at, state.timezone).replace("T", " "),
    modified: wallTime(post.modified, state.timezone).replace("T", " "),
    parent: post.parent,
    menu_order: post.menu_order,
    comment_status: post.comment_status,
    permalink: permalink(state, post),
    edit_link: editUrl(at, post.id),
    author: { id: post.author, name: authorOf(state, post) },
    is_elementor: at.tools.pages.has(post.id),
  };
}

function attachment(at: Asked, args: Args): Post {
  const post = at.ask.state.posts.get(integer(args["id"]));
  if (post?.type !== "attachment") throw new ToolFailure("That ID is not a media attachment.");
  return post;
}

const PAGE_SIZE = 20;

/** By name without the plugin's prefix. */
export const POST_TOOLS: Readonly<Record<string, Run>> = {
  "create-page": (args, at) => makePage(args, at, imported(args["content"])),
  "build-page"(args, at) {
    const { claimed, elements } = built(args["structure"]);
    if (args["dry_run"] === true) return { dry_run: true, would_create: claimed, warnings: [] };
    const warnings = shorthands(args["structure"]);
    const made = { ...makePage(args, at, elements), elements_created: claimed };
    return warnings.length > 0 ? { ...made, warnings } : made;
  },
  // Published without having been asked to.
  "save-as-template"(args, at) {
    const post = editable(at, args);
    const { elements } = pageOf(at, post.id);
    const one = args["element_id"] === undefined ? undefined : find(elements, String(args["element_id"]));
    if (args["element_id"] !== undefined && one === undefined) throw new ToolFailure("Element not found.");
    const id = at.ask.state.nextPost++;
    const [title, type] = [sanitized(args["title"]), String(args["template_type"] ?? "page")];
    const saved = structuredClone(one === undefined ? elements : [one]);
    at.tools.templates.set(id, { id, title, type, status: "publish", elements: saved });
    return { template_id: id, title };
  },
  "create-post"(args, at) {
    const asked = String(args["status"] ?? "draft");
    const post = make(args, at, args["post_type"] === "page" ? "page" : "post");
    // The status that was asked for, whatever came of it.
    const answer = { post_id: post.id, status: asked, permalink: permalink(at.ask.state, post) };
    return { ...answer, edit_link: editUrl(at, post.id) };
  },
  "get-post"(args, at) {
    need(at, "edit_posts");
    return shown(at, postOf(at, args));
  },
  "update-post"(args, at) {
    const post = editable(at, args);
    updatePost({ ...at.ask, params: fields(args) }, post);
    return { post_id: post.id, status: post.status, permalink: permalink(at.ask.state, post) };
  },
  "delete-post"(args, at) {
    const post = editable(at, args);
    if (args["force"] === true) at.ask.state.posts.delete(post.id);
    else [post.status_before_trash, post.status] = [post.status, "trash"];
    return { success: true, post_id: post.id, deleted: args["force"] === true ? "deleted" : "trashed" };
  },
  "list-posts"(args, at) {
    need(at, "edit_posts");
    const { post_type = "post", status = "any", search = "" } = args;
    const [types, statuses] = [[post_type].flat(), [status].flat()];
    const rows = [...at.ask.state.posts.values()].filter((post) =>
      types.includes(post.type) && (statuses.includes("any") || statuses.includes(post.status)) &&
      post.title.toLowerCase().includes(String(search).toLowerCase())
    );
    const [page, size] = [integer(args["page"] ?? 1), integer(args["per_page"] ?? PAGE_SIZE)];
    const posts = rows.reverse().slice((page - 1) * size, page * size).map((post) => {
      const { post_id, post_type, title, slug, status, date, modified, permalink, is_elementor } = shown(
        at,
        post,
      );
      const row = { post_id, post_type, title, slug, status, date, modified };
      return { ...row, author_id: post.author, permalink, is_elementor };
    });
    return { posts, total: rows.length, pages: Math.ceil(rows.length / size), page };
  },
  "list-media"(_, at) {
    need(at, "upload_files");
    const files = [...at.ask.state.posts.values()].filter(({ type }) => type === "attachment");
    const results = files.map(({ id, title, file }) => ({ id, title, alt: file?.alt_text ?? "" }));
    return {
      result_count: files.length,
      page: 1,
      page_count: files.length > 0 ? 1 : 0,
      total: files.length,
      results,
    };
  },
  "get-media"(args, at) {
    need(at, "upload_files");
    const { id, title, file } = attachment(at, args);
    return { id, title, alt: file?.alt_text ?? "", mime_type: file?.mime_type ?? "" };
  },
  "update-media"(args, at) {
    need(at, "upload_files");
    const medium = attachment(at, args);
    if (args["title"] !== undefined) medium.title = String(args["title"]);
    if (args["alt"] !== undefined && medium.file) medium.file.alt_text = String(args["alt"]);
    return { id: medium.id, updated: true };
  },
  "delete-media"(args, at) {
    need(at, "delete_others_posts");
    at.ask.state.posts.delete(attachment(at, args).id);
    return { success: true };
  },
  // Appends what it does not know, "primary" too.
  "update-global-colors"(args, at) {
    need(at, "manage_options");
    for (const color of args["colors"] as Record<string, unknown>[]) {
      const known = at.tools.colors.find(({ _id }) => _id === color["_id"] && _id !== "primary");
      if (known) Object.assign(known, color);
      else at.tools.colors.push({ ...color });
    }
    return { success: true };
  },
  "update-global-typography"(args, at) {
    need(at, "manage_options");
    at.tools.typography.push(...args["typography"] as Record<string, unknown>[]);
    return { success: true };
  },
  // Whoever asks for the file gets it, of drafts too.
  "export-content"(args, at) {
    need(at, "edit_posts");
    const wanted = args["post_id"] === undefined ? [...at.ask.state.posts.values()] : [postOf(at, args)];
    const names = wanted.map((post) => {
      const name = `wp-content/uploads/emcp-content-mirror/${post.type}-${post.id}.json`;
      at.tools.files.set(name, JSON.stringify(shown(at, post)));
      return name;
    });
    return { exported: names.length === 1 ? names[0] : names };
  },
  "core-get-site-info"(_, at) {
    need(at, "manage_options");
    return { name: at.tools.options.get("blogname"), url: at.ask.state.origin(), version: "7.1.4" };
  },
  "core-get-environment-info"(_, at) {
    need(at, "manage_options");
    return { environment: "local", php_version: "8.2.36", wp_version: "7.1.4" };
  },
  "core-get-user-info": (_, { ask: { person } }) => ({
    id: person?.id,
    user_login: person?.username,
    roles: [person?.role],
  }),
  "list-users"(_, at) {
    if (!can(at.ask.person, "list_users")) throw new ToolFailure("Permission denied");
    const rows = at.ask.state.people.map(({ id, username, email, role }) => ({
      id,
      username,
      email,
      roles: [role],
    }));
    return { users: rows, total: rows.length };
  },
};
