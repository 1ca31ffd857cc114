/** Everything the stand-in remembers: posts, pages, media and terms as a fresh WordPress has them. */
import type { PostDate } from "./dates.ts";
import type { Person } from "./people.ts";

/** The kinds of content that share one range of ids. */
export type PostType = "post" | "page" | "attachment" | (string & Record<never, never>);

/** A type of content of the site's own, as a plugin or a theme registers it. */
export interface OwnType {
  readonly slug: string;
  readonly rest_base: string;
  readonly viewable: boolean;
  readonly show_in_nav_menus: boolean;
  /** As register_post_type takes them: title, editor, excerpt, author, thumbnail, custom-fields. */
  readonly supports: readonly string[];
  readonly taxonomies: readonly string[];
  /** False for one that REST does not know. */
  show_in_rest: boolean;
}

/** A post, page or medium. Tests may read and change it as they like. */
export interface Post {
  readonly id: number;
  readonly type: PostType;
  status: string;
  title: string;
  content: string;
  excerpt: string;
  slug: string;
  date: PostDate;
  modified: number;
  author: number;
  featured_media: number;
  parent: number;
  menu_order: number;
  template: string;
  categories: number[];
  tags: number[];
  meta: Record<string, unknown>;
  comment_status: "open" | "closed";
  ping_status: "open" | "closed";
  sticky: boolean;
  password?: string;
  /** What a page builder puts out in place of the content. */
  built?: string;
  /** Only for media. */
  file?: MediaFile;
  /** What a trashed post was before. */
  status_before_trash?: string;
}

/** The texts of a post as somebody saved them, or typed them (an autosave). */
export interface Revision {
  readonly id: number;
  readonly parent: number;
  readonly author: number;
  readonly at: number;
  readonly autosave: boolean;
  readonly title: string;
  readonly content: string;
  readonly excerpt: string;
}

/** The file of a medium. */
export interface MediaFile {
  /** Below `/wp-content/uploads/`. */
  readonly path: string;
  readonly mime_type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
  alt_text: string;
  /** What is shown of an image of more than 2560 pixels, beside the file that was sent; its own size in bytes. */
  scaled?: { readonly path: string; readonly filesize: number };
}

/** A tag or category; `name` is stored with entities, as WordPress does. */
export interface Term {
  readonly id: number;
  readonly taxonomy: "post_tag" | "category";
  name: string;
  slug: string;
  description: string;
  parent: number;
}

/** A plugin row for diagnosis. */
export interface PluginRow {
  readonly plugin: string;
  readonly status: "active" | "inactive";
  readonly name: string;
  readonly version: string;
}

/** What a plugin prints in the head of a post's page, in place of what WordPress prints of itself. */
export interface Head {
  /** As HTML; WordPress's own where it is left out or empty. */
  readonly title?: string;
  readonly tags: readonly string[];
}

/** A template that the theme has for pages; the one without a name is its own layout. */
export interface ThemeTemplate {
  readonly name: string;
  readonly title: string;
  /** Whether a header or footer is around the content, and whether the title is shown; null where a classic theme does not tell. */
  readonly frame: boolean | null;
  readonly shows_title: boolean | null;
}

/** Those of Twenty Twenty-Four. */
const TEMPLATES: readonly ThemeTemplate[] = [
  { name: "", title: "", frame: true, shows_title: true },
  { name: "page-no-title", title: "Page No Title", frame: true, shows_title: false },
  { name: "page-with-sidebar", title: "Page with Sidebar", frame: true, shows_title: true },
  { name: "page-wide", title: "Page with Wide Image", frame: true, shows_title: true },
];

/** The theme of a new site. */
export const THEME = { name: "Twenty Twenty-Four", templates: TEMPLATES };

/** The site's memory. */
export interface State {
  readonly name: string;
  readonly timezone: string;
  readonly origin: () => string;
  readonly plain_permalinks: boolean;
  readonly application_passwords: boolean;
  readonly namespaces: string[];
  /** What visitors are answered at paths of plugins. */
  readonly front: Map<string, () => number>;
  /** What plugins add to a post or page in edit context. */
  readonly fields: ((post: Post) => Record<string, unknown>)[];
  /** How plugins narrow lists by parameters of their own: whether a post stays. */
  readonly narrows: ((post: Post, asked: URLSearchParams, asker: Person | null) => boolean)[];
  /** What plugins print in the head of a post's page; null for nothing. */
  readonly heads: ((post: Post) => Head | null)[];
  /** Where plugins send visitors of a path; null for nowhere. */
  readonly leads: ((path: string) => { readonly destination: string; readonly status: number } | null)[];
  readonly plugins: PluginRow[];
  readonly people: Person[];
  /** Types of content of plugins and themes (`addOwnType`). */
  readonly types: OwnType[];
  theme: { readonly name: string; readonly templates: readonly ThemeTemplate[] };
  readonly posts: Map<number, Post>;
  readonly terms: Map<number, Term>;
  readonly revisions: Revision[];
  /** False as with WP_POST_REVISIONS set to false. */
  keeps_revisions: boolean;
  /** The site's clock. */
  now: () => number;
  nextPost: number;
  nextTerm: number;
}

/** A post with the defaults of a new one; takes the next id. */
export function addPost(state: State, given: Partial<Post> & { type: PostType; author: number }): Post {
  const now = state.now();
  const post: Post = {
    status: "draft",
    title: "",
    content: "",
    excerpt: "",
    slug: "",
    date: { at: now, floating: true },
    modified: now,
    featured_media: 0,
    parent: 0,
    menu_order: 0,
    template: "",
    categories: [],
    tags: [],
    meta: {},
    comment_status: given.type === "page" ? "closed" : "open",
    ping_status: given.type === "page" ? "closed" : "open",
    sticky: false,
    ...given,
    id: state.nextPost++,
  };
  state.posts.set(post.id, post);
  return post;
}

/** Puts in what every new WordPress holds: one post, one page, the privacy draft and one category. */
export function furnish(state: State): void {
  const date = { at: state.now(), floating: false };
  state.terms.set(1, {
    id: 1,
    taxonomy: "category",
    name: "Uncategorized",
    slug: "uncategorized",
    description: "",
    parent: 0,
  });
  state.nextTerm = 2;
  const published = { status: "publish", date, author: 1 };
  addPost(state, {
    ...published,
    type: "post",
    title: "Hello world!",
    slug: "hello-world",
    content:
      "<!-- wp:paragraph -->\n<p>Welcome to WordPress. This is your first post. Edit or delete it, then start writing!</p>\n<!-- /wp:paragraph -->",
    categories: [1],
  });
  addPost(state, { ...published, type: "page", title: "Sample Page", slug: "sample-page" });
  addPost(state, { type: "page", author: 1, date, title: "Privacy Policy", slug: "privacy-policy" });
}

/** A slug no other published thing of that type has: `-2`, `-3`… is put behind where needed. */
export function uniqueSlug(state: State, slug: string, type: PostType, parent: number, self: number): string {
  const taken = new Set<string>();
  for (const post of state.posts.values()) {
    // Pages share theirs with files (wp_unique_post_slug, wp-includes/post.php).
    const rival = type === "page"
      ? ["page", "attachment"].includes(post.type) && post.parent === parent
      : post.type === type;
    if (post.id !== self && rival) taken.add(post.slug);
  }
  if (!taken.has(slug)) return slug;
  for (let n = 2;; n++) if (!taken.has(`${slug}-${n}`)) return `${slug}-${n}`;
}

/** Publishes every post whose time has come. */
export function publishDue(state: State): void {
  for (const post of state.posts.values()) {
    if (post.status === "future" && post.date.at <= state.now()) publishNow(state, post);
  }
}

/** Makes a post public as the site's own editor or cron would. */
export function publishNow(state: State, post: Post): void {
  if (post.date.floating || post.date.at > state.now()) post.date = { at: state.now(), floating: false };
  post.status = "publish";
  post.modified = state.now();
}
