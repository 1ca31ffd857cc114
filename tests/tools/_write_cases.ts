/** What a table of writes is made of: a call, what a person does meanwhile to what it replaces, what changes beside it. */
import type { Code } from "../../core/errors.ts";
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import type { Term } from "../../sandbox/wordpress_standin/state.ts";
import type { Args } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import type { Ground } from "./_ground.ts";

/** What somebody else does. */
export type Act = (at: Ground, args: Args, n: number) => unknown;

/** An edit of what the call replaces, by the part that the refusal names. */
export interface Edit {
  readonly part: string | ((n: number) => string);
  readonly act: Act;
  /** How the write that compares calls it, where that is another word. */
  readonly late?: string;
  /** Where the tool's own plan refuses what stands there now. */
  readonly code?: Code;
  /** Seen through the companion plugin only. */
  readonly plugin?: true;
}

/** A call that goes well, as often as it is made: what it is about is another with each number. */
export interface Write {
  readonly tool: string;
  /** What it is about, where a tool stands here twice. */
  readonly of?: string;
  readonly site?: "static";
  args(at: Ground, n: number): Args;
  readonly edits: readonly Edit[];
  readonly beside: Act;
  /** Requests that change something. Default 1. */
  readonly writes?: number;
  /** Whether what an edit right before the write changed is seen: always in a repository, of posts by the plugin. */
  readonly compares?: true;
}

/** A moment that is over. */
export const LIVE = { at: NOW - 1000, floating: false };
/** What a scheduled post has. */
export const SOON = { status: "future", date: { at: NOW + 7_200_000, floating: false } } as const;

const postOf = (at: Ground, args: Args): Post =>
  at.cms.posts.get(Number(args["post_id"] ?? args["page_id"]))!;

/** An edit of a post or page, which its time of change shows. */
export const edit = (
  part: string,
  change: (post: Post, at: Ground) => void,
  more: Partial<Edit> = {},
): Edit => ({
  part,
  act: (at, args) => {
    const post = postOf(at, args);
    change(post, at);
    post.modified += 1000;
  },
  ...more,
});

/** The number of a term of that name, made where there is none. */
export function termOf(at: Ground, name: string, taxonomy: Term["taxonomy"] = "post_tag"): number {
  const { terms } = at.cms.state;
  const known = [...terms.values()].find((one) => one.taxonomy === taxonomy && one.name === name);
  const id = known?.id ?? Math.max(0, ...terms.keys()) + 1;
  if (!known) terms.set(id, { id, taxonomy, name, slug: name.toLowerCase(), description: "", parent: 0 });
  return id;
}

/** Edits of one field each. */
export const title = edit("title", (post) => post.title = "WIP do not publish");
export const text = edit("content_html", (post) => post.content = "<p>By a person</p>");
export const tags = edit("tags", (post, at) => post.tags = [termOf(at, "Theirs")]);
export const pending = edit("status", (post) => post.status = "pending");
export const published = edit("", (post) => Object.assign(post, { status: "publish", date: LIVE }), {
  code: "E_FORBIDDEN_OP",
});
const noindex = edit("seo", (post, at) => at.guarded?.noindex.add(post.id), { plugin: true });
/** Everything a visitor would get. */
export const SEEN: readonly Edit[] = [
  title,
  text,
  pending,
  published,
  edit("excerpt", (post) => post.excerpt = "By a person"),
  edit("slug", (post) => post.slug = "by-a-person"),
  edit("author_id", (post) => post.author = 3),
  edit("featured_media_id", (post) => post.featured_media = 5),
  edit("template", (post) => post.template = "page-wide"),
  edit("date", (post) => post.date = { at: NOW + 9_000_000, floating: false }, { late: "scheduled_at" }),
  edit("password", (post) => post.password = `secret ${post.id}`),
  edit("comments", (post) => post.comment_status = post.comment_status === "open" ? "closed" : "open"),
  noindex,
];

/** An autosave, the editor open, a comment, and somebody at work on another post. */
export const besidePost: Act = (at, args) => {
  const post = postOf(at, args);
  post.meta["_edit_lock"] = "1:1";
  post.modified += 1000;
  at.guarded?.editing.set(post.id, { name: "Ann", at: "2026-11-21T11:59:00" });
  besideAll(at, args, 0);
};
/** Somebody at work elsewhere on the site. */
export const besideAll: Act = (at) => {
  at.post({ title: "Another" });
  termOf(at, "Another");
};

/** A draft, by its number. */
export const post = (at: Ground, given: Partial<Post> = {}) => at.post({ title: "Before", ...given }).id;
/** The same as a page. */
export const page = (at: Ground, given: Partial<Post> = {}) =>
  post(at, { type: "page", excerpt: "", ...given });
