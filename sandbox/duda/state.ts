/** What a site builder remembers: sites by their alias, with their pages and posts, and the account's sections. */

/** A blog post; dates in milliseconds. */
export interface Post {
  readonly id: string;
  title: string;
  description: string;
  /** As it was decoded; the API never shows it. */
  content: string;
  author_name: string | null;
  status: "DRAFT" | "PUBLISHED";
  path: string;
  meta_title: string | null;
  no_index: boolean;
  tags: string[];
  readonly creation_date: number;
  publish_date: number | null;
  schedule_publish_date: number | null;
}

/** What search engines are told of a page. */
export interface Seo {
  title?: string | null;
  description?: string | null;
  no_index?: boolean | null;
  og_image?: string | null;
}

/** A page. `PUBLISHED` is how one that is live is kept; its answers name no draft status then. */
export interface Page {
  readonly uuid: string;
  title: string;
  path: string;
  seo: Seo;
  header_html: string;
  draft_status: "DRAFT" | "STAGED_DRAFT" | "PUBLISHED";
  readonly elements: { readonly element_id: string; readonly element_source_id: string }[];
}

/** A saved section of the account. */
export interface Section {
  readonly uuid: string;
  readonly name: string;
}

/** A site. */
export interface Site {
  readonly alias: string;
  readonly domain: string | null;
  readonly posts: Map<string, Post>;
  readonly pages: Map<string, Page>;
}

/** What tests switch between, as it is not known which of it the vendor does. */
export interface Switches {
  /** Whether a write answers what it made, or nothing. */
  answers: "body" | "nothing";
  /** Whether a page can be published by itself. */
  publishes_pages: boolean;
  /** Whether an empty date takes a schedule back. */
  clears_dates: boolean;
  /** Whether pages come as a list, not in one. */
  lists_bare: boolean;
  /** Whether sites have a blog. */
  has_blog: boolean;
  /** Of how many posts at once more are refused. */
  posts_max: number;
}

/** Everything. */
export interface DudaState {
  readonly api_user: string;
  readonly api_password: string;
  readonly now: () => number;
  readonly sites: Map<string, Site>;
  readonly sections: Map<string, Section>;
  readonly switches: Switches;
}

const slugOf = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
const hex = (length: number) => crypto.randomUUID().replaceAll("-", "").slice(0, length);

/** Adds a site with a home page that is live. */
export function addSite(state: DudaState, alias: string, domain: string | null = null): Site {
  const site: Site = { alias, domain, posts: new Map(), pages: new Map() };
  state.sites.set(alias, site);
  addPage(site, { title: "Home", path: "home", draft_status: "PUBLISHED" });
  return site;
}

/** Adds a page; one without a draft status goes live with the site, as the vendor's do. */
export function addPage(site: Site, given: Partial<Page> & { readonly title: string }): Page {
  const page: Page = {
    uuid: crypto.randomUUID(),
    path: slugOf(given.title),
    seo: {},
    header_html: "",
    draft_status: "STAGED_DRAFT",
    elements: [],
    ...given,
  };
  site.pages.set(page.uuid, page);
  return page;
}

/** Adds a draft post, or another. */
export function addPost(
  state: DudaState,
  site: Site,
  given: Partial<Post> & { readonly title: string },
): Post {
  const post: Post = {
    id: hex(12),
    description: "",
    content: "",
    author_name: null,
    status: "DRAFT",
    path: slugOf(given.title),
    meta_title: null,
    no_index: false,
    tags: [],
    creation_date: state.now(),
    publish_date: null,
    schedule_publish_date: null,
    ...given,
  };
  site.posts.set(post.id, post);
  return post;
}

/** Posts whose moment has come are published, as a platform's own clock does. */
export function publishDue({ now }: DudaState, { posts }: Site): void {
  for (const post of posts.values()) {
    const due = post.schedule_publish_date;
    if (post.status !== "DRAFT" || due === null || due > now()) continue;
    Object.assign(post, { status: "PUBLISHED", publish_date: due, schedule_publish_date: null });
  }
}
