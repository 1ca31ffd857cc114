/** What visitors of the stand-in get: its published posts and pages as WordPress and its SEO plugins print them, and redirects. */
import { permalink } from "./post_view.ts";
import type { Head, Post, State } from "./state.ts";
import { escapeText, renderContent, texturize } from "./text.ts";

const meta = (kind: "name" | "property", name: string, content: string | undefined) =>
  content ? `<meta ${kind}="${name}" content="${quoted(content)}" />` : "";
const quoted = (text: string) => escapeText(text).replaceAll('"', "&quot;");

/**
 * The head that WordPress prints of itself: the title of `wp_get_document_title`, `rel_canonical` and `wp_robots`
 * (wp-includes/general-template.php, link-template.php, robots-template.php, 6.5).
 */
function ownHead(state: State, post: Post): Head {
  return {
    title: `${texturize(post.title)} &#8211; ${escapeText(state.name)}`,
    tags: [
      meta("name", "robots", "max-image-preview:large"),
      `<link rel="canonical" href="${permalink(state, post)}" />`,
    ],
  };
}

/** A post's page. */
function pageOf(state: State, post: Post): string {
  const own = ownHead(state, post);
  const heads = state.heads.map((head) => head(post)).filter((head) => head !== null);
  const title = heads.find((head) => head.title)?.title ?? own.title;
  const tags = heads.length > 0 ? heads.flatMap((head) => head.tags) : own.tags;
  const text = post.built ?? renderContent(post.content);
  const layout = state.theme.templates.find(({ name }) => name === post.template);
  const heading = layout?.shows_title === false ? "" : `<h1>${texturize(post.title)}</h1>\n`;
  return `<!DOCTYPE html>\n<html lang="en-US"><head><meta charset="UTF-8" /><title>${title}</title>\n${
    tags.filter(Boolean).join("\n")
  }\n</head><body>${heading}${text}\n</body></html>\n`;
}

/**
 * What a visitor of that address gets; undefined for what is no post's. An address that names a post by its id leads to
 * its own with the other names of the query kept (`redirect_canonical`, wp-includes/canonical.php).
 */
export function visitorPage(state: State, url: URL): Response | undefined {
  const led = state.leads.map((lead) => lead(url.pathname)).find((one) => one !== null);
  if (led) return new Response(null, { status: led.status, headers: { location: led.destination } });
  const id = Number(url.searchParams.get("p") ?? url.searchParams.get("page_id") ?? NaN);
  const shown = [...state.posts.values()].filter(({ status, type }) =>
    status === "publish" && type !== "attachment"
  );
  const named = shown.find((post) => post.id === id);
  const headers = { "content-type": "text/html; charset=UTF-8" };
  if (named !== undefined) {
    if (state.plain_permalinks) return new Response(pageOf(state, named), { headers });
    const to = new URL(permalink(state, named));
    for (const [name, value] of url.searchParams) {
      if (name !== "p" && name !== "page_id") to.searchParams.set(name, value);
    }
    return new Response(null, { status: 301, headers: { location: to.href } });
  }
  if (state.plain_permalinks) return undefined;
  const bare = (path: string) => path.endsWith("/") ? path.slice(0, -1) : path;
  const there = shown.find((post) => bare(new URL(permalink(state, post)).pathname) === bare(url.pathname));
  if (bare(url.pathname) === "") return undefined;
  if (there === undefined) return guessed(state, shown, url.pathname);
  if (url.pathname.endsWith("/")) return new Response(pageOf(state, there), { headers });
  return new Response(null, { status: 301, headers: { location: `${url.pathname}/${url.search}` } });
}

/**
 * Where visitors are led from a path of one segment that is nobody's: to a post whose slug begins with it
 * (`redirect_guess_404_permalink`, wp-includes/canonical.php).
 */
function guessed(state: State, shown: readonly Post[], path: string): Response | undefined {
  const [name = "", ...deeper] = path.split("/").filter((part) => part !== "");
  const found = deeper.length > 0 ? undefined : shown.find(({ slug }) => slug.startsWith(name));
  if (found === undefined || name === "") return undefined;
  return new Response(null, { status: 301, headers: { location: permalink(state, found) } });
}

/** The SEO fields of a post, as far as a page shows them. */
export interface ShownSeo {
  readonly title: string;
  readonly description: string;
  readonly canonical: string;
  readonly robots: Readonly<Record<string, boolean>>;
  readonly og: Readonly<Record<string, string>>;
  readonly twitter: Readonly<Record<string, string>>;
}

/** What the companion plugin, or the SEO plugin it writes to, prints of a post: no canonical beside noindex. */
export function seoHead(stored: ShownSeo | undefined, schemas: readonly { schema: unknown }[]): Head | null {
  if (stored === undefined && schemas.length === 0) return null;
  const data = schemas.map(({ schema }) =>
    `<script type="application/ld+json">${JSON.stringify(schema).replaceAll("<", "\\u003C")}</script>`
  );
  const { title, tags } = stored ? tagsOf(stored) : { tags: [] };
  return { title, tags: [...tags, ...data] };
}

function tagsOf({ title, description, canonical, robots, og, twitter }: ShownSeo): Head {
  const told = Object.entries(robots).filter(([, on]) => on).map(([name]) => name).join(", ");
  return {
    title: escapeText(title),
    tags: [
      meta("name", "description", description),
      meta("name", "robots", told),
      canonical && !robots["noindex"] ? `<link rel="canonical" href="${quoted(canonical)}" />` : "",
      ...["title", "description", "image"].map((name) => meta("property", `og:${name}`, og[name])),
      ...["title", "description", "image"].map((name) => meta("name", `twitter:${name}`, twitter[name])),
    ],
  };
}

const SEOPRESS_ROBOTS = [["index", "noindex"], ["follow", "nofollow"], ["snippet", "nosnippet"], [
  "imageindex",
  "noimageindex",
]] as const;

/** What SEOPress prints of the rows it keeps of a post (src/Actions/Front, 9.7). */
export function seopressHead(row: Readonly<Record<string, unknown>> | undefined): Head | null {
  if (row === undefined) return null;
  const of = (key: string) => String(row[`_seopress_${key}`] ?? "");
  const social = (network: string, key: string) => of(`social_${network}_${key}`);
  const robots = Object.fromEntries(
    SEOPRESS_ROBOTS.map(([key, name]) => [name, of(`robots_${key}`) === "yes"]),
  );
  const card = (network: string) => ({
    title: social(network, "title"),
    description: social(network, "desc"),
    image: social(network, "img"),
  });
  return tagsOf({
    title: of("titles_title"),
    description: of("titles_desc"),
    canonical: of("robots_canonical"),
    robots,
    og: card("fb"),
    twitter: card("twitter"),
  });
}
