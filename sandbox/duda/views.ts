/** Records as the API shows them, and the bodies it takes. */
import { z } from "zod";
import type { Page, Post, Site } from "./state.ts";

const date = (at: number | null) => at === null ? null : new Date(at).toISOString().slice(0, 19);

/** A site. */
export function siteView({ alias, domain }: Site): object {
  return {
    site_name: alias,
    account_name: "agency",
    site_domain: domain,
    site_default_domain: `${alias}.multiscreensite.com`,
    preview_site_url: `https://my.duda.co/preview/${alias}`,
    publish_status: domain === null ? "NOT_PUBLISHED_YET" : "PUBLISHED",
    labels: [],
  };
}

/** A post; never its content. */
export function postView(
  { content: _, creation_date, publish_date, schedule_publish_date, ...post }: Post,
): object {
  return {
    ...post,
    creation_date: date(creation_date),
    publish_date: date(publish_date),
    schedule_publish_date: date(schedule_publish_date),
    main_image: null,
    thumbnail: null,
  };
}

/** A page; a live one has no draft status. */
export function pageView({ elements: _, draft_status, ...page }: Page): object {
  return { ...page, type: "REGULAR", ...draft_status === "PUBLISHED" ? {} : { draft_status } };
}

const seo = z.strictObject({
  title: z.string().nullish(),
  description: z.string().nullish(),
  no_index: z.boolean().nullish(),
  og_image: z.string().nullish(),
});
const pageFields = {
  title: z.string().min(1).optional(),
  path: z.string().min(1).refine((path) => !path.startsWith("/"), "path begins with a slash").optional(),
  seo: seo.optional(),
  header_html: z.string().optional(),
  draft_status: z.enum(["DRAFT", "STAGED_DRAFT", "PUBLISHED"]).optional(),
};
const dated = z.string().regex(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?$/).nullable()
  .transform((text) => text === null ? null : Date.parse(text.includes("T") ? `${text}Z` : text));
const base64 = z.string().min(1).refine((text) => {
  try {
    return Uint8Array.fromBase64(text).length > 0;
  } catch {
    return false;
  }
}, "content is not Base64").transform((text) => new TextDecoder().decode(Uint8Array.fromBase64(text)));

/** What each write takes; anything else is InvalidInput. */
export const TAKES = {
  create_page: z.strictObject({
    page: z.strictObject({ ...pageFields, title: z.string().min(1), path: pageFields.path.unwrap() }),
  }),
  change_page: z.strictObject(pageFields),
  duplicate_page: z.strictObject(pageFields),
  add_element: z.strictObject({
    type: z.literal("SECTION"),
    element_source_id: z.string().min(1),
    next_sibling_id: z.string().optional(),
    parent_element_id: z.string().optional(),
  }),
  import_post: z.strictObject({
    title: z.string().min(1),
    description: z.string().min(1),
    content: base64,
    author: z.string().optional(),
  }),
  change_post: z.strictObject({
    title: z.string().min(1).optional(),
    description: z.string().optional(),
    author_name: z.string().optional(),
    meta_title: z.string().optional(),
    no_index: z.boolean().optional(),
    path: z.string().min(1).optional(),
    tags: z.array(z.string()).optional(),
    publish_date: dated.optional(),
    schedule_publish_date: dated.optional(),
  }),
};
