/** Which of a site's own types of content are for writers, and which are parts of the site or things of a plugin. */

/** What a site says of a type of its own. */
export interface TypeFacts {
  /** Its name, such as `recipe`. */
  readonly slug: string;
  /** The last part of its address in the REST API, and the part before that. */
  readonly base: string;
  readonly namespace: string;
  /** Whether each of its posts has a page that visitors can open. */
  readonly viewable: boolean;
  /** Whether people may put its posts into menus; undefined where the site does not tell. */
  readonly in_menus?: boolean | undefined;
  /** What its posts have, in the CMS's words. */
  readonly supports: ReadonlySet<string>;
}

/** Where every type but those of a few plugins is read and written. */
const NAMESPACE = "wp/v2";

/**
 * What stands at that place beside types of content for writers (WordPress 6.5 to 7.1; tests/real/content_types_test.ts
 * compares it with a real site's index). Some of it takes fields of the same names, such as the site's title.
 */
const TAKEN: ReadonlySet<string> = new Set([
  "block-directory",
  "block-patterns",
  "block-renderer",
  "block-types",
  "blocks",
  "categories",
  "comments",
  "font-collections",
  "font-families",
  "global-styles",
  "icon-collections",
  "icons",
  "knowledge",
  "media",
  "menu-items",
  "menu-locations",
  "menus",
  "navigation",
  "pages",
  "pattern-directory",
  "plugins",
  "posts",
  "search",
  "settings",
  "sidebars",
  "statuses",
  "tags",
  "taxonomies",
  "template-parts",
  "templates",
  "themes",
  "types",
  "users",
  "view-config",
  "widget-types",
  "widgets",
  "wp_pattern_category",
]);

/** Types whose plugin keeps beside the text what makes one of them whole, and what that is. */
const THINGS: Readonly<Record<string, string>> = {
  product: "its price and stock",
  product_variation: "its price and stock",
  download: "its price and files",
  tribe_events: "its day and place",
  job_listing: "its company and last day",
  give_forms: "its amounts",
  "sfwd-courses": "its lessons and price",
  lp_course: "its lessons and price",
  courses: "its lessons and price",
  forum: "who may write in it",
  topic: "its place in a forum",
  reply: "the topic that it answers",
};

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-";
const NAME_MAX = 80;

const isPlain = (name: string): boolean =>
  name !== "" && name.length <= NAME_MAX && [...name.toLowerCase()].every((one) => LETTERS.includes(one));

/** Whether content of a type of the site's own can be at that place of the REST API. */
export const isContentBase = (base: string): boolean =>
  isPlain(base) && !TAKEN.has(base.toLowerCase()) && !(base.toLowerCase() in THINGS);

/**
 * Why writers have nothing to do with the type, a sentence's part; null where it is for them
 * (docs/decisions/0104-a-type-for-writers-has-a-page-a-title-and-a-text.md).
 */
export function typeForbids(type: TypeFacts): string | null {
  const { slug, base, namespace, viewable, in_menus = true, supports } = type;
  const beside = THINGS[slug] ?? THINGS[base];
  if (beside !== undefined) {
    return `its plugin keeps ${beside} beside the text, so it is made and published in the CMS`;
  }
  if (slug.startsWith("wp_") || (namespace === NAMESPACE && TAKEN.has(base.toLowerCase()))) {
    return "it is a part of the site, not something that writers publish";
  }
  if (!viewable) return "its posts have no pages that visitors could open";
  const lacks = ["title", "editor"].filter((name) => !supports.has(name));
  if (lacks.length > 0) {
    return `its posts have no ${
      lacks.join(" and no ")
    } in WordPress's own sense (register_post_type, supports), as those of builders and of forms`;
  }
  if (!in_menus) {
    return "it is kept out of the site's menus, as templates are; where it is content, whoever registers it sets " +
      "show_in_nav_menus to true";
  }
  if (namespace !== NAMESPACE || !isContentBase(base)) {
    return `it is read and written at a place of its own (${namespace}/${base}), which the gateway does not know`;
  }
  return null;
}

/** Type names that the tools for posts leave to others, and which those are. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  page:
    "pages have tools of their own: get_page, create_page_draft, update_page_draft, schedule_page, publish_page; " +
    "get_content_history takes page_id in place of post_id",
  attachment: "files are put into the media library with upload_media",
};

/** What to use for a type that has tools of its own, a sentence; null for one that has none. */
export const toolsForType = (type: string): string | null => ELSEWHERE[type] ?? null;
