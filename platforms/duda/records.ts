/** What Duda answers, as far as it is relied on, and what it is in the gateway's words. */
import { z } from "zod";
import type { Page } from "../_content/page.ts";
import type { Post } from "../_content/post.ts";
import { utc } from "./dates.ts";

const text = z.string().nullish().transform((value) => value ?? null).catch(null);
const flag = z.boolean().nullish().transform((value) => value ?? null).catch(null);
const id = z.union([z.string().min(1), z.number().transform(String)]);

/** The site itself. */
export const SITE = z.object({
  site_name: text,
  site_domain: text,
  site_default_domain: text,
  preview_site_url: text,
  publish_status: text,
  last_published_date: text,
});
export type SiteRecord = z.infer<typeof SITE>;

/** A post. Its text is in no answer. */
export const POST = z.object({
  id,
  title: text,
  description: text,
  author_name: text,
  status: text,
  path: text,
  meta_title: text,
  no_index: flag,
  tags: z.array(z.string()).nullish().transform((value) => value ?? []).catch([]),
  creation_date: text,
  publish_date: text,
  schedule_publish_date: text,
  main_image: z.object({ url: text }).nullish().catch(null),
  thumbnail: z.object({ url: text }).nullish().catch(null),
});
export type PostRecord = z.infer<typeof POST>;

/** A part of the list of posts. */
export const POSTS = z.object({ results: z.array(POST), total_responses: z.number().int().nullish() });
/** The answer to an import, which need not tell the id. */
export const IMPORTED = z.object({ id: id.optional().catch(undefined) }).nullish();

const SEO = z.object({ title: text, description: text, no_index: flag, og_image: text });
/** A page. */
export const PAGE = z.object({
  uuid: z.string().min(1),
  title: text,
  path: text,
  seo: SEO.nullish().catch(null),
  header_html: text,
  draft_status: text,
});
export type PageRecord = z.infer<typeof PAGE>;

/** Every page of a site, as a list or in one. */
export const PAGES = z.union([
  z.object({ results: z.array(PAGE) }),
  z.array(PAGE).transform((results) => ({ results })),
]);
/** The answer to a new page, which may be empty. */
export const CREATED = z.object({ uuid: z.string().optional().catch(undefined) }).nullish();

/** An element that was added to a page. */
export const ELEMENT = z.object({ element_id: id });
/** The elements of a page. */
export const ELEMENTS = z.union([
  z.array(ELEMENT),
  z.object({ results: z.array(ELEMENT) }).transform(({ results }) => results),
]);
/** A saved section of the account. */
export const SECTION = z.object({ name: text });

/** How the API refuses: the status alone does not always tell. */
export const ERROR = z.object({ error_code: z.string(), message: z.string().nullish().catch(null) });

/** The site's address: its public address, or its preview's while it has none. */
export function addressOfSite(
  { site_domain, site_default_domain, preview_site_url }: SiteRecord,
): string | null {
  const domain = site_domain || site_default_domain;
  return domain ? `https://${domain}` : preview_site_url;
}

const urlOf = (address: string | null, path: string | null) =>
  address === null || path === null
    ? address ?? ""
    : `${address.replace(/\/$/, "")}/${path.replace(/^\//, "")}`;

/** The state of a post; `now` is the latest time the platform's clock can show. */
export function postStatus({ status, publish_date, schedule_publish_date }: PostRecord, now: number): string {
  const word = (status ?? "").toUpperCase();
  if (word === "PUBLISHED") return "published";
  if (Date.parse(utc(schedule_publish_date) ?? "") > now || word === "SCHEDULED") return "scheduled";
  if (["", "DRAFT", "UNPUBLISHED"].includes(word)) return word === "" && publish_date ? "published" : "draft";
  return publish_date ? "published" : word.toLowerCase();
}

/** A post in the tools' words. */
export function postOf(record: PostRecord, now: number, address: string | null): Post {
  const status = postStatus(record, now);
  return {
    id: record.id,
    status,
    url: urlOf(address, record.path),
    title: record.title ?? "",
    scheduled_at: status === "scheduled" ? utc(record.schedule_publish_date) : null,
    modified_gmt: null,
    slug: record.path ?? "",
    author_id: null,
    page_builder: null,
    content_html: null,
    excerpt: record.description ?? "",
    date_gmt: utc(record.publish_date),
    featured_media_id: null,
    categories: [],
    tags: record.tags.map((name) => ({ id: null, name })),
    author_name: record.author_name,
    meta_title: record.meta_title,
    no_index: record.no_index,
    note: "The platform shows no text of a post: content_html is null, look at it in the platform's editor",
  };
}

/** What of a post a visitor would get, as far as it can be read, in the words of arguments. */
export function postParts(record: PostRecord, now: number): Record<string, unknown> {
  const { status, scheduled_at, title, excerpt, slug } = postOf(record, now, null);
  const { tags, author_name, meta_title, no_index, main_image, thumbnail } = record;
  const images = { main_image: main_image?.url ?? null, thumbnail: thumbnail?.url ?? null };
  return { status, scheduled_at, title, excerpt, slug, tags, author_name, meta_title, no_index, ...images };
}

/** A page in the tools' words. What is neither of its two drafts is live. */
export function pageOf(record: PageRecord, address: string | null): Page {
  const { draft_status } = record;
  const draft = draft_status === "DRAFT" || draft_status === "STAGED_DRAFT";
  return {
    id: record.uuid,
    status: draft ? "draft" : "published",
    url: urlOf(address, record.path),
    title: record.title ?? "",
    scheduled_at: null,
    modified_gmt: null,
    slug: record.path ?? "",
    author_id: null,
    content_html: null,
    parent_id: null,
    template: "",
    page_builder: null,
    from_code: false,
    seo: record.seo ?? null,
    header_html: record.header_html ?? "",
    publish_on_next_site_publish: draft_status === "STAGED_DRAFT",
  };
}

/** What of a page a visitor would get, as far as it can be read, in the words of arguments. */
export function pageParts(record: PageRecord): Record<string, unknown> {
  const { status, title, slug, seo, header_html, publish_on_next_site_publish } = pageOf(record, null);
  return { status, title, slug, seo, header_html, publish_on_next_site_publish };
}
