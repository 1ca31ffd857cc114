/** What is read of a CMS's answers, and how it is written in this gateway's words. */
import { decodeHTML } from "entities/decode";
import { z } from "zod";
import { readsTypes } from "../../../core/answer_shape.ts";
import type { PostHead } from "../../_content/post.ts";
import { EMBEDDED_TERMS } from "../egress_rules.ts";

const STATUS_WORDS: Readonly<Record<string, string>> = {
  draft: "draft",
  future: "scheduled",
  publish: "published",
};

/** As plugins name states of their own. */
const STATE = /^[\w-]{1,32}$/;

/**
 * `draft`, `scheduled`, `published`; other states pass through (docs/upstreams/wordpress.md, "Status words"). What is no
 * word is not repeated, for it would be read as ours.
 */
export function statusWord(status: string): string {
  return STATUS_WORDS[status] ?? (STATE.test(status) ? status : "unknown");
}

/** As the CMS writes a moment. */
const GMT = /^(?!0000)\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?$/;

/** A `…_gmt` of the CMS, which has no zone, with its Z; null where there is none, or what is none. */
export function utc(gmt: string | null | undefined): string | null {
  return gmt === null || gmt === undefined || !GMT.test(gmt) ? null : `${gmt.replace(/Z$/, "")}Z`;
}

/** A name as a person wrote it: the CMS stores it escaped. */
export function plainName(name: string): string {
  return decodeHTML(name);
}

const id = z.number().int().positive();
/** A text as it is stored. */
export const RAW = z.object({ raw: z.string() });
/** The same of what some types do not have. */
const RAW_IF_ANY = RAW.default({ raw: "" });

/** A slug as a person wrote it: the CMS stores letters other than a to z escaped, and takes them either way. */
export function plainSlug(slug: string): string {
  try {
    return decodeURIComponent(slug);
  } catch {
    return slug; // escaped by something else
  }
}

/** A slug of an answer, as a person wrote it. */
export const SLUG = z.string().transform(plainSlug);

/** What a state check and a write's answer need. */
export const POST_STATE = z.object({
  id,
  status: z.string(),
  link: z.string(),
  date_gmt: z.string().nullable(),
  modified_gmt: z.string().nullable(),
});
export type PostState = z.infer<typeof POST_STATE>;

/** The same with its title. */
export const POST_HEAD = POST_STATE.extend({ title: RAW });
export type PostHeadRecord = z.infer<typeof POST_HEAD>;

declare const other: unique symbol;

/** A type of the site's own, by the place of its routes; only types.ts makes one, of what the rule allows. */
export type OtherKind = string & { readonly [other]: true };

/** Content that shares states and routes, as the REST API names them: posts, pages, and types of the site's own. */
export type Kind = "posts" | "pages" | OtherKind;

/** A record's head in this gateway's words. */
export function head(record: PostHeadRecord): PostHead {
  const { id, status, link, title, date_gmt, modified_gmt } = record;
  return {
    id,
    status: statusWord(status),
    url: link,
    title: title.raw,
    scheduled_at: status === "future" ? utc(date_gmt) : null,
    modified_gmt: utc(modified_gmt),
  };
}

/** A row of a listing. */
export const POST_ROW = POST_HEAD.extend({
  slug: SLUG,
  /** 0 for a type without authors. */
  author: z.number().default(0),
});
export type PostRowRecord = z.infer<typeof POST_ROW>;

/** The same as visitors may see it, whose title is escaped. */
export const VIEWED_ROW = POST_ROW.extend({ title: z.object({ rendered: z.string() }) });

/** A post in edit context. */
export const POST = POST_ROW.extend({
  content: RAW,
  excerpt: RAW_IF_ANY,
  featured_media: z.number().default(0),
  categories: z.array(id).default([]),
  tags: z.array(id).default([]),
});
export type PostRecord = z.infer<typeof POST>;

/** Who made a page's content; Elementor opens its key to REST from version 3.27 on. */
const MADE_WITH = z.looseObject({
  _elementor_edit_mode: z.string().optional().catch(undefined),
  _site_ops_scope: z.string().catch(""),
  _site_ops_css: z.string().optional().catch(undefined),
  _site_ops_js: z.string().optional().catch(undefined),
});

/** What came along with a post, as visitors may see it: its terms, a list that failed is empty, and its author's name. */
const ALONG = z.object({
  "wp:term": z.array(z.array(z.object({ id, name: z.string(), taxonomy: z.string() })).catch([])).catch([]),
  author: z.tuple([z.object({ name: z.string() })]).nullish().catch(null),
}).transform((along) => ({ terms: along["wp:term"].flat(), author: along.author?.[0].name ?? null }))
  .catch({ terms: [], author: null });

/** What is asked for of what goes live (going_live.ts); nothing where it does not come. */
export const GOING_LIVE = {
  /** In the site's own zone. */
  date: z.string().optional().catch(undefined),
  permalink_template: z.string().optional().catch(undefined),
  generated_slug: SLUG.optional().catch(undefined),
  sticky: z.boolean().optional().catch(undefined),
  format: z.string().optional().catch(undefined),
  comment_status: z.string().optional().catch(undefined),
  ping_status: z.string().optional().catch(undefined),
  menu_order: z.number().optional().catch(undefined),
  /** What Yoast SEO puts into the page's head. */
  yoast_head_json: z.record(z.string(), z.unknown()).nullish().catch(null),
};

/** A post or page in edit context, with all that either has. */
export const CONTENT = POST.extend({
  parent: z.number().default(0),
  template: z.string().default(""),
  /** What visitors are asked for before they see it; the plugin tells a hash of it alone. */
  password: z.string().optional(),
  /** The companion plugin's field; nothing where it is missing or too old. */
  site_ops_builder: z.enum(["block", "visual"]).optional().catch(undefined),
  meta: MADE_WITH.catch(MADE_WITH.parse({})),
  /** Where it was asked for. */
  _embedded: ALONG.optional(),
  ...GOING_LIVE,
});
export type ContentRecord = z.infer<typeof CONTENT>;

export const TERM = z.object({
  id,
  name: z.string(),
  slug: SLUG,
  count: z.number().default(0),
  parent: z.number().default(0),
  description: z.string().default(""),
});
export type TermRecord = z.infer<typeof TERM>;

export const ME = z.object({
  id,
  name: z.string(),
  slug: z.string(),
  roles: z.array(z.string()),
  capabilities: z.record(z.string(), z.unknown()),
});

export const USER_ROW = z.object({
  id,
  name: z.string(),
  slug: z.string(),
  url: z.string().default(""),
  email: z.string().optional(),
  roles: z.array(z.string()).optional(),
});

export const MEDIA = z.object({
  id,
  source_url: z.string(),
  mime_type: z.string(),
  media_details: z.object({
    width: z.number().optional(),
    height: z.number().optional(),
    /** Of the file that is shown; told from WordPress 6.0 on. */
    filesize: z.number().optional(),
    /** The name of the file that was sent, where a smaller or turned one is shown in its place. */
    original_image: z.string().optional(),
  }).catch({}),
});
export type MediaRecord = z.infer<typeof MEDIA>;

/** A text that is asked for whole, for the CMS knows no `raw` of it alone; nothing where it does not come. */
const text = RAW.transform(({ raw }) => raw).optional().catch(undefined);

/** The same with its texts. */
export const DESCRIBED = MEDIA.extend({
  alt_text: z.string().optional().catch(undefined),
  title: text,
  caption: text,
  /** The post it belongs to; 0 for none. */
  post: z.number().nullable().transform((post) => post ?? 0).optional().catch(undefined),
});
export type DescribedRecord = z.infer<typeof DESCRIBED>;

export const INDEX = z.object({
  name: z.string(),
  namespaces: z.array(z.string()),
  /** An empty list where there is none. */
  authentication: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]),
  timezone_string: z.string().catch(""),
  gmt_offset: readsTypes(z.coerce.number().min(-14).max(14).optional().catch(undefined), "number", "string"),
});

/** A version as plugins and themes write theirs; a site may put any text there, and only this much is shown. */
export const VERSION = /^v?\d{1,8}(\.\d{1,8}){0,4}([-+.][\w.]{1,20})?$/;
const version = z.string().regex(VERSION).nullable().catch(null);

export const PLUGINS = z.array(z.object({ plugin: z.string(), status: z.string(), version }));

export const THEMES = z.array(z.object({ stylesheet: z.string(), version }));

const RAWS: ReadonlySet<unknown> = new Set([RAW, RAW_IF_ANY]);

/**
 * The names of a record's fields, for `_fields`. Texts are asked for as stored alone: to show them the CMS would run
 * every shortcode and block in them, and a plugin's that fails there would fail the whole answer.
 */
export function fieldsOf(schema: z.ZodObject): string {
  return Object.entries(schema.shape).map(([name, field]) => RAWS.has(field) ? `${name}.raw` : name).join(
    ",",
  );
}

/** The names of all that a post or page has but its meta. */
export const CONTENT_ALONE = fieldsOf(CONTENT.omit({
  meta: true,
  _embedded: true,
  date: true,
  permalink_template: true,
  generated_slug: true,
  sticky: true,
  format: true,
  comment_status: true,
  ping_status: true,
  menu_order: true,
  yoast_head_json: true,
}));

/** The same with what of its meta says who made its content. */
export const CONTENT_FIELDS = [CONTENT_ALONE, ...Object.keys(MADE_WITH.shape).map((key) => `meta.${key}`)]
  .join(",");

/** Asks for all of it, and for its terms along with it. */
export const TERMS_TOO = { _fields: `${CONTENT_FIELDS},_links,_embedded`, _embed: EMBEDDED_TERMS } as const;

/** The totals of a listing's headers; null where a proxy took them off. */
export function totals(headers: Headers): { total: number | null; total_pages: number | null } {
  const count = (name: string) => {
    const text = headers.get(name) ?? "";
    return /^\d+$/.test(text) ? Number(text) : null;
  };
  return { total: count("x-wp-total"), total_pages: count("x-wp-totalpages") };
}
