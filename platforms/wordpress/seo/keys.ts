/** Under which names SEO plugins keep the fields (docs/upstreams/wordpress.md, "Where they keep the fields"). */
import type { SeoImage, SeoRobot, SeoText } from "./names.ts";

const YOAST = "_yoast_wpseo_";

/** Post meta of Yoast SEO. */
export const YOAST_KEYS: Readonly<Record<SeoText, string>> = {
  title: `${YOAST}title`,
  description: `${YOAST}metadesc`,
  focus_keyword: `${YOAST}focuskw`,
  canonical: `${YOAST}canonical`,
  og_title: `${YOAST}opengraph-title`,
  og_description: `${YOAST}opengraph-description`,
  og_image: `${YOAST}opengraph-image`,
  twitter_title: `${YOAST}twitter-title`,
  twitter_description: `${YOAST}twitter-description`,
  twitter_image: `${YOAST}twitter-image`,
};

/** Where Yoast SEO keeps the number of an image. */
export const YOAST_IMAGE_IDS: Readonly<Record<SeoImage, string>> = {
  og_image: `${YOAST}opengraph-image-id`,
  twitter_image: `${YOAST}twitter-image-id`,
};

/** Post meta of Rank Math. */
export const RANK_MATH_KEYS: Readonly<Record<SeoText, string>> = {
  title: "rank_math_title",
  description: "rank_math_description",
  focus_keyword: "rank_math_focus_keyword",
  canonical: "rank_math_canonical_url",
  og_title: "rank_math_facebook_title",
  og_description: "rank_math_facebook_description",
  og_image: "rank_math_facebook_image",
  twitter_title: "rank_math_twitter_title",
  twitter_description: "rank_math_twitter_description",
  twitter_image: "rank_math_twitter_image",
};
/** Where Rank Math keeps the number of an image: of an image only that counts. */
export const RANK_MATH_IMAGE_IDS: Readonly<Record<SeoImage, string>> = {
  og_image: "rank_math_facebook_image_id",
  twitter_image: "rank_math_twitter_image_id",
};
/** A list of the switches that are on. */
export const RANK_MATH_ROBOTS = "rank_math_robots";
/** Unless "off", the fields of Open Graph are shown in place of those of Twitter. */
export const RANK_MATH_SHARED = "rank_math_twitter_use_facebook";

/** SEOPress's own routes below `seopress/v1/posts/{id}/`, each with the names it takes. */
export const SEOPRESS_ROUTES = {
  "title-description-metas": { title: "title", description: "description" },
  "target-keywords": { focus_keyword: "_seopress_analysis_target_kw" },
  "meta-robot-settings": { canonical: "_seopress_robots_canonical" },
  "social-settings": {
    og_title: "_seopress_social_fb_title",
    og_description: "_seopress_social_fb_desc",
    og_image: "_seopress_social_fb_img",
    twitter_title: "_seopress_social_twitter_title",
    twitter_description: "_seopress_social_twitter_desc",
    twitter_image: "_seopress_social_twitter_img",
  },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<SeoText, string>>>>>;
export type SeopressRoute = keyof typeof SEOPRESS_ROUTES;

/** Where SEOPress keeps the number of an image, on the route `social-settings`. */
export const SEOPRESS_IMAGE_IDS: Readonly<Record<SeoImage, string>> = {
  og_image: "_seopress_social_fb_img_attachment_id",
  twitter_image: "_seopress_social_twitter_img_attachment_id",
};

/** The switches, on the route `meta-robot-settings`; "yes" means "no…". The route has no noarchive. */
export const SEOPRESS_ROBOTS: Readonly<Record<Exclude<SeoRobot, "noarchive">, string>> = {
  noindex: "_seopress_robots_index",
  nofollow: "_seopress_robots_follow",
  nosnippet: "_seopress_robots_snippet",
  noimageindex: "_seopress_robots_imageindex",
};
