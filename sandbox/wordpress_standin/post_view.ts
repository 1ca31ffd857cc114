/** How a post, page or medium reads in a REST answer. */
import { wallTime } from "./dates.ts";
import { can, type Person } from "./people.ts";
import { restRoot } from "./rest.ts";
import { type MediaFile, type Post, type State, uniqueSlug } from "./state.ts";
import { plainText, renderContent, slugify, texturize } from "./text.ts";

/** The rights' suffix of a type: `edit_posts` or `edit_pages`. */
export function plural(post: Pick<Post, "type">): "posts" | "pages" {
  return post.type === "page" ? "pages" : "posts";
}

/** Where a type's routes are. */
export function baseOf({ types }: Pick<State, "types">, type: Post["type"]): string {
  return types.find(({ slug }) => slug === type)?.rest_base ?? plural({ type });
}

/** Whether that person may edit the post, by owner and state. */
export function mayEdit(person: Person | null, post: Post): boolean {
  const kind = plural(post);
  if (!can(person, `edit_${kind}`)) return false;
  if (person!.id !== post.author && !can(person, `edit_others_${kind}`)) return false;
  const status = post.status === "trash" ? post.status_before_trash ?? "draft" : post.status;
  return !["publish", "future", "private"].includes(status) || can(person, `edit_published_${kind}`);
}

/** Whether that person may read the post. */
export function mayRead(person: Person | null, post: Post): boolean {
  return post.status === "publish" || post.status === "inherit" || mayEdit(person, post);
}

/** The address of a post: `?p=` while nobody else can see it. */
export function permalink(state: State, post: Post): string {
  const own = !["post", "page", "attachment"].includes(post.type);
  const plain = own
    ? `post_type=${post.type}&p=${post.id}`
    : post.type === "page"
    ? `page_id=${post.id}`
    : post.type === "post"
    ? `p=${post.id}`
    : "";
  if (post.type === "attachment") {
    return state.plain_permalinks
      ? `${state.origin()}/?attachment_id=${post.id}`
      : `${state.origin()}/${post.slug}/`;
  }
  if (post.status !== "publish" || state.plain_permalinks) return `${state.origin()}/?${plain}`;
  const steps: string[] = [];
  if (own) return `${state.origin()}/${post.type}/${post.slug}/`;
  for (let at: Post | undefined = post; at; at = at.parent ? state.posts.get(at.parent) : undefined) {
    steps.unshift(at.slug);
  }
  return `${state.origin()}/${steps.join("/")}/`;
}

function links(state: State, post: Post): unknown {
  const root = restRoot(state);
  const base = post.type === "attachment" ? "media" : baseOf(state, post.type);
  return {
    self: [{ href: `${root}wp/v2/${base}/${post.id}` }],
    collection: [{ href: `${root}wp/v2/${base}` }],
    author: [{ embeddable: true, href: `${root}wp/v2/users/${post.author}` }],
    ...base === "media" ? {} : {
      "version-history": [{
        count: state.keeps_revisions ? state.revisions.filter(({ parent }) => parent === post.id).length : 0,
        href: `${root}wp/v2/${base}/${post.id}/revisions`,
      }],
    },
  };
}

type Shown = Record<string, unknown>;

function common(state: State, post: Post, edit: boolean): Shown {
  const guid = `${state.origin()}/?${post.type === "page" ? "page_id" : "p"}=${post.id}`;
  return {
    id: post.id,
    date: wallTime(post.date.at, state.timezone),
    date_gmt: wallTime(post.date.at, "UTC"),
    guid: edit ? { rendered: guid, raw: guid } : { rendered: guid },
    modified: wallTime(post.modified, state.timezone),
    modified_gmt: wallTime(post.modified, "UTC"),
    ...(edit && post.type !== "attachment" ? { password: post.password ?? "" } : {}),
    slug: post.slug,
    status: post.status,
    type: post.type,
    link: permalink(state, post),
    title: { ...(edit ? { raw: post.title } : {}), rendered: texturize(post.title) },
  };
}

/** The name of a post's author. */
export const authorOf = ({ people }: Pick<State, "people">, { author }: Pick<Post, "author">): string =>
  people.find(({ id }) => id === author)?.name ?? "";

/** What an editor sees of the address to be. */
function templates(state: State, post: Post): Shown {
  // get_sample_permalink with an empty name: of the title, whatever slug there is, with a number where that is taken.
  const generated_slug = uniqueSlug(state, slugify(post.title), post.type, post.parent, post.id);
  if (state.plain_permalinks) return { permalink_template: permalink(state, post), generated_slug };
  const above = post.parent ? state.posts.get(post.parent) : undefined;
  const root = above ? permalink(state, { ...above, status: "publish" }) : `${state.origin()}/`;
  return {
    permalink_template: `${root}${
      ["post", "page", "attachment"].includes(post.type) ? "" : `${post.type}/`
    }%${post.type === "page" ? "pagename" : "postname"}%/`,
    generated_slug,
  };
}

/** The fields that a type's posts have only where it supports something (class-wp-rest-posts-controller.php, 6.5). */
const SUPPORTED = [
  ["excerpt", "excerpt"],
  ["author", "author"],
  ["thumbnail", "featured_media"],
  [
    "comments",
    "comment_status",
  ],
  ["comments", "ping_status"],
  ["custom-fields", "meta"],
] as const;

/** The full row of a post, a page or one of a type of the site's own; `edit` adds the raw values. */
export function viewPost(state: State, post: Post, edit: boolean): Shown {
  const shown = viewWhole(state, post, edit);
  const own = state.types.find(({ slug }) => slug === post.type);
  if (own === undefined) return shown;
  for (const [feature, field] of SUPPORTED) if (!own.supports.includes(feature)) delete shown[field];
  const terms = [["category", "categories"], ["post_tag", "tags"]] as const;
  for (const [taxonomy, field] of terms) if (own.taxonomies.includes(taxonomy)) shown[field] = post[field];
  return shown;
}

function viewWhole(state: State, post: Post, edit: boolean): Shown {
  const rendered = post.built ?? renderContent(post.content);
  const excerpt = renderContent(post.excerpt || plainText(rendered).split(" ").slice(0, 55).join(" "));
  const raw = (value: string): Shown => edit ? { raw: value } : {};
  return {
    ...common(state, post, edit),
    content: { ...raw(post.content), rendered, protected: false, ...(edit ? { block_version: 1 } : {}) },
    excerpt: { ...raw(post.excerpt), rendered: excerpt, protected: false },
    author: post.author,
    featured_media: post.featured_media,
    ...(post.type === "page" ? { parent: post.parent, menu_order: post.menu_order } : {}),
    comment_status: post.comment_status,
    ping_status: post.ping_status,
    ...(post.type === "post" ? { sticky: post.sticky } : {}),
    template: post.template,
    ...(post.type === "post" ? { format: "standard" } : {}),
    meta: { footnotes: "", ...post.meta },
    ...(post.type === "post" ? { categories: post.categories, tags: post.tags } : {}),
    ...(edit ? templates(state, post) : {}),
    ...(edit ? Object.assign({}, ...state.fields.map((field) => field(post))) : {}),
    _links: links(state, post),
  };
}

/** The full row of a medium. */
export function viewMedia(state: State, post: Post & { file: MediaFile }, edit: boolean): Shown {
  const { file } = post;
  const { path = file.path, filesize = file.bytes.length } = file.scaled ?? {};
  const url = `${state.origin()}/wp-content/uploads/${path}`;
  const raw = (value: string): Shown => edit ? { raw: value } : {};
  const { guid: _, ...rest } = common(state, post, edit);
  return {
    ...rest,
    guid: { rendered: url, ...raw(url) },
    author: post.author,
    comment_status: post.comment_status,
    ping_status: post.ping_status,
    template: post.template,
    meta: [],
    description: { ...raw(post.content), rendered: renderContent(post.content) },
    caption: { ...raw(post.excerpt), rendered: renderContent(post.excerpt) },
    alt_text: file.alt_text,
    media_type: file.mime_type.startsWith("image/") ? "image" : "file",
    mime_type: file.mime_type,
    media_details: {
      width: file.width,
      height: file.height,
      file: path,
      filesize,
      ...file.scaled && { original_image: file.path.split("/").at(-1) },
      sizes: {
        full: {
          file: file.path.split("/").at(-1),
          width: file.width,
          height: file.height,
          mime_type: file.mime_type,
          source_url: url,
        },
      },
      image_meta: {},
    },
    post: post.parent || null,
    source_url: url,
    featured_media: post.featured_media,
    ...(edit ? { missing_image_sizes: [], ...templates(state, post) } : {}),
    _links: links(state, post),
  };
}
