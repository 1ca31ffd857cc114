/** What the cases of SEO do it with: posts, what get_seo_meta answers beside a visitor's page, options that are put back. */
import assert from "node:assert/strict";
import { plainAddress } from "../../platforms/wordpress/seo/names.ts";
import type { Args } from "../cms_kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { type PageHead, pageHead, sitemapPaths } from "./_page.ts";
import type { RealSeo } from "./_seo.ts";
import { fresh } from "./_wordpress.ts";

/** The SEO plugins of the table. */
export const LIVE_PROVIDERS = ["yoast", "rankmath", "seopress"] as const;
/** One of them. */
export type LiveProvider = (typeof LIVE_PROVIDERS)[number];

/** The site that may change what visitors see. */
export const SITE = "live";

/** Where each says what a page shows. */
export const SEEN: Readonly<Record<string, (page: PageHead) => string | undefined>> = {
  title: ({ title }) => title,
  description: ({ meta }) => meta.get("description"),
  canonical: ({ canonical }) => canonical,
  og_title: ({ meta }) => meta.get("og:title"),
  og_description: ({ meta }) => meta.get("og:description"),
  // X reads the tags of Open Graph where it has none of its own.
  twitter_title: ({ meta }) => meta.get("twitter:title") ?? meta.get("og:title"),
  twitter_description: ({ meta }) => meta.get("twitter:description") ?? meta.get("og:description"),
};

/** A published post, and how it is looked at. */
export async function published(at: RealSeo, more: Json = {}): Promise<number> {
  const post = {
    post_title: fresh("Grüße & more"),
    post_content: "<p>First words of the text.</p>",
    post_status: "publish",
    post_author: 2,
    ...more,
  };
  return (await at.wp.peek({ post })).id;
}

/** What a visitor gets of a post. */
export const pageOf = (at: RealSeo, id: number) => pageHead(`${at.site.base_url}/?p=${id}`);
const read = (at: RealSeo, id: number) => at.kit.both<Args>("get_seo_meta", { site_id: SITE, post_id: id });
/** Changes SEO fields, previewed and confirmed; visitors must get them, by `live` too. */
export async function write(at: RealSeo, id: number, fields: Args) {
  const made = await at.kit.write<Args>("rest", "set_seo_meta", { site_id: SITE, post_id: id, ...fields });
  const { as_expected, differs } = made.proof.live!;
  assert.deepEqual([as_expected, differs], [true, []], JSON.stringify(fields));
  return made;
}

const plain = (field: string, text: string | null | undefined) =>
  text && field === "canonical" ? plainAddress(text) : text || null;

/** Throws where a visitor's page and get_seo_meta disagree in any field; `untold` are those that it says nothing of. */
export async function agrees(
  at: RealSeo,
  id: number,
  untold: readonly string[] = [],
): Promise<{ page: PageHead; meta: Args }> {
  const [page, meta] = [await pageOf(at, id), await read(at, id)];
  const [inEffect, origins] = [meta["in_effect"] ?? {}, meta["origins"] ?? {}] as Record<string, unknown>[];
  const differ = Object.entries(SEEN).flatMap(([field, seenIn]) => {
    const seen = plain(field, seenIn(page));
    if (untold.includes(field)) return field in inEffect! ? [`${field}: is told`] : [];
    if (["off", "idle"].includes(String(origins![field]))) {
      const own = plain(field, meta[field] as string);
      return own !== null && seen === own ? [`${field}: is off, and seen all the same`] : [];
    }
    const value = field in inEffect! ? inEffect![field] : meta[field];
    const expected = plain(field, value as string | null);
    return expected === seen
      ? []
      : [`${field}: ${JSON.stringify(expected)}, but visitors get ${JSON.stringify(seen)}`];
  });
  const robots = meta["robots"] as Record<string, boolean>;
  const judged = robots["noindex"] ? ["noindex", "nofollow"] : Object.keys(robots);
  const switches = judged.filter((name) => robots[name] !== page.robots.has(name));
  assert.deepEqual([...differ, ...switches.map((name) => `robots.${name}`)], []);
  return { page, meta };
}

/** Sets options of the site, tries something, and puts them back. */
export async function having(at: RealSeo, options: Json, work: () => Promise<void>): Promise<void> {
  const before = (await at.wp.peek({ ask: Object.keys(options) })).options;
  await at.wp.peek({ options: merged(before, options) });
  try {
    await work();
  } finally {
    await at.wp.peek({ options: before });
  }
}

function merged(old: Json, more: Json): Json {
  const both = Object.entries(more).map(([name, value]) => {
    const was = old[name];
    return [name, isObject(value) && isObject(was) ? merged(was, value) : value];
  });
  return { ...old, ...Object.fromEntries(both) };
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The list of posts in the plugin's sitemap. */
const POSTS: Readonly<Record<LiveProvider, string>> = {
  yoast: "/post-sitemap.xml",
  rankmath: "/post-sitemap.xml",
  seopress: "/post-sitemap1.xml",
};

/** Whether a post is in the list of posts. */
export async function isListed(at: RealSeo, provider: LiveProvider, id: number): Promise<boolean> {
  const found = await sitemapPaths(`${at.site.base_url}${POSTS[provider]}`);
  assert.ok(Array.isArray(found), `the sitemap answers ${found}`);
  const { link } = await at.stored(id);
  return found.includes(new URL(String(link)).pathname);
}

/** The options with which the type of posts is kept from search engines. */
export const NOINDEX: Readonly<Record<LiveProvider, Json>> = {
  yoast: { wpseo_titles: { "noindex-post": true } },
  rankmath: { "rank-math-options-titles": { pt_post_custom_robots: "on", pt_post_robots: ["noindex"] } },
  seopress: { seopress_titles_option_name: { seopress_titles_single_titles: { post: { noindex: "1" } } } },
};

/** The type without a template of its title. */
export const NO_TEMPLATE: Readonly<Record<LiveProvider, Json>> = {
  yoast: { wpseo_titles: { "title-post": "" } },
  rankmath: { "rank-math-options-titles": { pt_post_title: "" } },
  seopress: { seopress_titles_option_name: { seopress_titles_single_titles: { post: { title: "" } } } },
};

/** The options that switch a part of a plugin off, and a field of it. */
export const OFF: Readonly<
  Record<LiveProvider, readonly [part: string, field: string | null, options: Json][]>
> = {
  yoast: [
    ["Open Graph", "og_title", { wpseo_social: { opengraph: false } }],
    ["X", "twitter_title", { wpseo_social: { twitter: false } }],
    ["the sitemap", null, { wpseo: { enable_xml_sitemap: false } }],
  ],
  rankmath: [
    ["everything", "title", { rank_math_registration_skip: 0, rankmath_standin_unregistered: true }],
    ["the sitemap", null, { rank_math_modules: ["rich-snippet"] }],
  ],
  seopress: [
    ["titles", "title", { seopress_toggle: { "toggle-titles": "0" } }],
    ["Open Graph", "og_title", { seopress_social_option_name: { seopress_social_facebook_og: "" } }],
    ["X", "twitter_title", { seopress_social_option_name: { seopress_social_twitter_card: "" } }],
    ["social networks", "og_title", { seopress_toggle: { "toggle-social": "0" } }],
    ["the sitemap", null, { seopress_toggle: { "toggle-xml-sitemap": "0" } }],
  ],
};
