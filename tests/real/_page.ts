/** The head of a visitor's page, read as search engines and social networks read it. */
import { type DefaultTreeAdapterTypes as Tree, parse } from "parse5";

/** What a page says of itself; undefined where it says nothing. */
export interface PageHead {
  readonly status: number;
  readonly title?: string;
  readonly canonical?: string;
  /** By name or property: `description`, `og:title`, `twitter:title`. */
  readonly meta: ReadonlyMap<string, string>;
  /** The words of its robots. */
  readonly robots: ReadonlySet<string>;
  /** Its structured data, each thing of a graph by itself. */
  readonly things: readonly Readonly<Record<string, unknown>>[];
}

function* elements(node: Tree.ParentNode): Generator<Tree.Element> {
  for (const child of node.childNodes) {
    if (!("tagName" in child)) continue;
    yield child;
    yield* elements(child);
  }
}

const attribute = ({ attrs }: Tree.Element, name: string) => attrs.find((one) => one.name === name)?.value;
const textOf = (element: Tree.Element) =>
  element.childNodes.map((node) => "value" in node ? node.value : "").join("").trim();
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

function thingsOf(text: string): Record<string, unknown>[] {
  const data = JSON.parse(text);
  const graph = "@graph" in data ? data["@graph"] : data;
  return [graph].flat();
}

/** Fetches a page as a visitor, without credentials, and reads its head. */
export async function pageHead(address: string): Promise<PageHead> {
  const response = await fetch(address);
  const all = [...elements(parse(await response.text()))];
  const named = all.filter(({ tagName }) => tagName === "meta").flatMap((element) => {
    const name = attribute(element, "name") ?? attribute(element, "property");
    return name === undefined ? [] : [[name, oneLine(attribute(element, "content") ?? "")] as const];
  });
  // Of two the first counts, as for most readers.
  const meta = new Map(named.toReversed());
  const title = all.find(({ tagName, parentNode }) =>
    tagName === "title" && parentNode !== null && "tagName" in parentNode && parentNode.tagName === "head"
  );
  const canonical = all.find((one) => one.tagName === "link" && attribute(one, "rel") === "canonical");
  const data = all.filter((one) => attribute(one, "type") === "application/ld+json");
  const words = named.filter(([name]) => name === "robots").flatMap(([, content]) => content.split(","));
  return {
    status: response.status,
    title: title && oneLine(textOf(title)),
    canonical: canonical && attribute(canonical, "href"),
    meta,
    robots: new Set(words.map((word) => word.trim())),
    things: data.flatMap((one) => thingsOf(textOf(one))),
  };
}

/** The addresses in a sitemap, without the site's own part; its status where that is not 200. */
export async function sitemapPaths(address: string): Promise<string[] | number> {
  const response = await fetch(address);
  const text = await response.text();
  if (response.status !== 200) return response.status;
  return [...text.matchAll(/<loc>(?:<!\[CDATA\[)?([^<\]]+)/g)].map(([, url]) => new URL(url!).pathname);
}
