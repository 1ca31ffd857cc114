/** The published pages of a site: by the platform's lists, by its sitemap, or by the links of its home page. */
import { counted, formOf } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Id } from "../../core/ids.ts";
import { pages } from "../../platforms/_content/pages.ts";
import type { ContentList, ListQuery, RowSeo } from "../../platforms/_content/post.ts";
import { posts, typedPosts } from "../../platforms/_content/posts.ts";
import type { Visitor } from "../../platforms/visitor/client.ts";
import type { ContextOf } from "../../registry/tool.ts";

/** A published page, with what a list tells of it. */
export interface ListedPage {
  readonly url: string;
  readonly id?: Id;
  readonly type?: "post" | "page";
  /** Its own title, where a list told it. */
  readonly name?: string;
  readonly seo?: RowSeo | null;
}

/** The pages that were found. */
export interface ListedPages {
  readonly pages: readonly ListedPage[];
  readonly found_by: "lists" | "sitemap" | "links of the home page";
  /** How many requests that took. */
  readonly requests: number;
  /** What could not be listed, a sentence each. */
  readonly unread: readonly string[];
}

type Context = ContextOf<{ site: "required" }>;

const PER_LIST = 100;
/** More lists of one type are not asked for. */
const LISTS_MAX = 5;
const SITEMAP_BYTES = 5 * 1024 * 1024;
const SITEMAPS_MAX = 5;
/** Where sitemaps are: of Astro's integration, and of nearly everybody else (docs/upstreams/visitors.md, "How it asks"). */
const SITEMAPS = ["sitemap-index.xml", "sitemap.xml"];

/** Finds the pages. Throws E_UPSTREAM where neither posts nor pages can be listed. */
export async function listedPages(ctx: Context, visitor: Visitor): Promise<ListedPages> {
  const found = ctx.can(pages) ? await byLists(ctx) : await bySitemap(visitor);
  const home = new URL(visitor.home()).href;
  const own = found.pages.filter(({ url }) => visitor.mayRead(url));
  const foreign = found.pages.length - own.length;
  const isListed = own.some(({ url }) => bare(url) === bare(home));
  const strangers = `${counted(foreign, "address", "addresses")} of the list ${
    formOf(foreign, "is", "are")
  } not below the site's base_url`;
  return {
    ...found,
    pages: isListed ? own : [{ url: home }, ...own],
    unread: [...found.unread, ...foreign > 0 ? [strangers] : []],
  };
}

/** An address without its anchor and without a slash at its end. */
export function bare(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  url.hash = "";
  return url.href.endsWith("/") ? url.href.slice(0, -1) : url.href;
}

async function byLists(ctx: Context): Promise<ListedPages> {
  const [own, blog] = await Promise.all([ctx.use(pages), ctx.use(posts)]);
  const both = await Promise.all([
    ofType("page", (query) => own.list(query)),
    ofType("post", (query) => blog.list(query)),
  ]);
  const [failed] = both.flatMap(({ failure }) => failure ?? []);
  if (failed !== undefined && both.every(({ failure }) => failure !== undefined)) throw failed;
  const types = "content of types of the site's own: only posts and pages are listed";
  return {
    pages: both.flatMap((one) => one.pages),
    found_by: "lists",
    requests: both.reduce((sum, one) => sum + one.requests, 0),
    unread: [...new Set(both.flatMap((one) => one.unread)), ...ctx.can(typedPosts) ? [types] : []],
  };
}

async function ofType(type: "post" | "page", list: (query: ListQuery) => Promise<ContentList>) {
  const found: ListedPage[] = [];
  const unread: string[] = [];
  let requests = 0;
  for (let page = 1; page <= LISTS_MAX; page++) {
    let part: ContentList;
    try {
      requests++;
      part = await list({ status: "published", beside: ["seo"], page, per_page: PER_LIST });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      return { pages: found, unread: [...unread, `${type}s: ${thrown.message}`], requests, failure: thrown };
    }
    found.push(...part.items.map(({ id, url, title, seo }) => ({ url, id, type, name: title, seo })));
    if (part.note !== undefined) unread.push(`${type}s: ${part.note}`);
    if (page === 1) unread.push(...part.missing ?? []);
    const { total, total_pages } = part;
    if (part.items.length === 0 || page >= (total_pages ?? 1)) break;
    if (page === LISTS_MAX) {
      unread.push(`${(total ?? 0) - found.length} more ${type}s, which were changed longer ago`);
    }
  }
  return { pages: found, unread, requests };
}

async function bySitemap(visitor: Visitor): Promise<ListedPages> {
  const base = new URL(visitor.home());
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  let requests = 0;
  const read = async (address: string) => {
    requests++;
    const bytes = await visitor.fileAt(address, SITEMAP_BYTES);
    const text = bytes === null ? "" : new TextDecoder().decode(bytes);
    return { isIndex: text.includes("<sitemapindex"), found: locationsIn(text) };
  };
  for (const name of SITEMAPS) {
    const { isIndex, found } = await read(new URL(name, base).href);
    if (found.length === 0) continue;
    if (!isIndex) return { pages: unique(found), found_by: "sitemap", requests, unread: [] };
    const parts = await Promise.all(found.slice(0, SITEMAPS_MAX).map(read));
    const more = found.length - SITEMAPS_MAX;
    const unread = more > 0 ? [`${counted(more, "more part")} of the sitemap`] : [];
    return { pages: unique(parts.flatMap((part) => part.found)), found_by: "sitemap", requests, unread };
  }
  const { page } = await visitor.visit(base.href);
  const links = (page?.links ?? []).flatMap((link) => URL.parse(link, page?.base ?? base)?.href ?? [])
    .filter((link) => visitor.mayRead(link)).map(bare);
  const unread = ["pages that the home page does not link to: the site has no sitemap"];
  return { pages: unique(links), found_by: "links of the home page", requests: requests + 1, unread };
}

const unique = (urls: readonly string[]): ListedPage[] => [...new Set(urls)].map((url) => ({ url }));

/** The addresses of a sitemap (sitemaps.org, "XML tag definitions": each in a `loc`, its ampersands escaped). */
function locationsIn(text: string): string[] {
  return text.split("<loc>").slice(1).flatMap((part) => {
    const address = part.split("</loc>", 1)[0]!.trim().replaceAll("&amp;", "&");
    return address.includes("<") || URL.parse(address) === null ? [] : [address];
  });
}
