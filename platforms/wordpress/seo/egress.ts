/** What of SEO is read from and written to a CMS: known fields, and on published posts only where the site allows it. */
import type { Site } from "../../../core/model.ts";
import { type Fields, isFields } from "../../../core/values.ts";
import type { Outgoing } from "../../_http/request.ts";
import { fields, type Judge, only } from "../egress_rules.ts";
import { SEO_ROBOTS } from "./names.ts";
import {
  RANK_MATH_IMAGE_IDS,
  RANK_MATH_KEYS,
  RANK_MATH_ROBOTS,
  RANK_MATH_SHARED,
  SEOPRESS_IMAGE_IDS,
  SEOPRESS_ROBOTS,
  SEOPRESS_ROUTES,
  type SeopressRoute,
  YOAST_IMAGE_IDS,
  YOAST_KEYS,
} from "./keys.ts";

const SEOPRESS = Object.keys(SEOPRESS_ROUTES).join("|");

/**
 * Routes of the companion plugin and of SEO plugins that are read (docs/upstreams/wordpress.md, "Companion plugin:
 * routes").
 */
export const SEO_READABLE: readonly RegExp[] = [
  /^\/site-ops\/v1\/seo\/((meta|schema)\/[1-9]\d*|redirects|sitemap)$/,
  new RegExp(`^/seopress/v1/posts/[1-9]\\d*/(${SEOPRESS})$`),
];

/** What is written there, where a write replaces something; none of these fields is a state or a date. */
export const SEO_REPLACED: readonly (readonly [RegExp, Judge])[] = [
  [/^\/site-ops\/v1\/seo\/meta\/[1-9]\d*$/, guarded(judgeMeta)],
  [/^\/site-ops\/v1\/seo\/schema\/[1-9]\d*$/, guarded(judgeSchema)],
  [/^\/site-ops\/v1\/seo\/redirects$/, fields(judgeRedirect)],
];

/** All that is written there. */
export const SEO_WRITABLE: readonly (readonly [RegExp, Judge])[] = [
  ...SEO_REPLACED,
  [/^\/site-ops\/v1\/seo\/sitemap\/rebuild$/, fields((body) => only(body, []))],
  [/^\/rankmath\/v1\/updateMeta$/, fields(judgeRankMath)],
];

/** Routes that are written with PUT, as SEOPress has them. */
export const SEO_PUTTABLE: readonly (readonly [RegExp, Judge])[] =
  (Object.keys(SEOPRESS_ROUTES) as SeopressRoute[])
    .map((route) => {
      const names = [
        ...Object.values<string>(SEOPRESS_ROUTES[route]),
        ...(route === "meta-robot-settings" ? Object.values(SEOPRESS_ROBOTS) : []),
        ...(route === "social-settings" ? Object.values(SEOPRESS_IMAGE_IDS) : []),
      ];
      return [
        new RegExp(`^/seopress/v1/posts/[1-9]\\d*/${route}$`),
        fields((body) => texts(body, names)),
      ] as const;
    });

/** Why `meta` may not be set with a post: anything but texts of SEO, or anything beside it. */
export function seoMetaForbids(body: Fields): string | null {
  const { meta } = body;
  if (!isFields(meta) || Object.keys(meta).length === 0) return "its meta holds no fields of SEO";
  return only(body, ["meta"]) ?? texts(meta, [
    ...Object.values(YOAST_KEYS),
    ...Object.values(YOAST_IMAGE_IDS),
  ]);
}

function texts(body: Fields, names: readonly string[]): string | null {
  const other = names.find((name) => body[name] !== undefined && typeof body[name] !== "string");
  return only(body, names) ?? (other === undefined ? null : `the field "${other}" is not a text`);
}

/** The plugin is told that a post may be published only where the site's switch says so. */
function guarded(judge: (body: Fields) => string | null): Judge {
  return (out: Outgoing, now: number, site: Site) =>
    fields(({ allow_published, ...body }) => {
      const allowed = allow_published === undefined ||
        (allow_published === true && site.flags.allow_seo_on_published);
      return allowed ? judge(body) : "SEO of published posts needs the site's leave";
    })(out, now, site);
}

function judgeMeta({ robots = {}, og = {}, twitter = {}, ...body }: Fields): string | null {
  if (!isFields(robots) || !isFields(og) || !isFields(twitter)) {
    return "a group of fields is no list of fields";
  }
  const card = ["title", "description", "image"];
  const unclear = Object.values(robots).some((on) => typeof on !== "boolean");
  return only(robots, SEO_ROBOTS) ?? (unclear ? "a switch is true or false" : null) ?? texts(og, card) ??
    texts(twitter, card) ?? texts(body, ["title", "description", "focus_keyword", "canonical"]);
}

function judgeSchema({ schema, ...body }: Fields): string | null {
  if (typeof schema !== "object" || schema === null) return "structured data is an object or a list";
  return texts(body, ["entry_id"]);
}

function judgeRedirect({ status, ...body }: Fields): string | null {
  if (![301, 302, 307, 308].includes(status as number)) return "a redirect is 301, 302, 307 or 308";
  const broken = Object.values(body).some((text) => /[\r\n\0]/.test(String(text)));
  return broken ? "a redirect holds a line break" : texts(body, ["source", "destination"]);
}

function judgeRankMath({ objectType, objectID, meta, ...body }: Fields): string | null {
  if (objectType !== "post" || !Number.isInteger(objectID)) return "its fields belong to no post";
  if (!isFields(meta)) return "its fields are no list";
  const { [RANK_MATH_ROBOTS]: robots = [], ...rest } = meta;
  const listed = Array.isArray(robots) && robots.every((one) => ["index", ...SEO_ROBOTS].includes(one));
  return only(body, []) ?? (listed ? null : "robots is a list of known switches") ??
    texts(rest, [
      ...Object.values(RANK_MATH_KEYS),
      ...Object.values(RANK_MATH_IMAGE_IDS),
      RANK_MATH_SHARED,
    ]);
}
