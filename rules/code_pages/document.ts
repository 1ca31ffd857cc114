/** A whole document that was given as the HTML of a page: its body is the page's, and its head is the site's to make. */
import { GatewayError } from "../../core/errors.ts";
import { type DefaultTreeAdapterMap, parse, parseFragment } from "parse5";

type Tree = DefaultTreeAdapterMap;
type Element = Tree["element"];

/** What there is to put on a page, and what is to be said of it. */
export interface Body {
  readonly html: string;
  readonly warnings: readonly string[];
}

/** What of a head works on a page as well: it stands in front of the body, and is judged with it. */
const MOVED = new Set(["style", "script"]);
const SHEETS = "stylesheet";

const elementsOf = (parent: Element): Element[] =>
  parent.childNodes.filter((node): node is Element => "tagName" in node);
const named = (parent: Tree["document"] | Element | undefined, name: string): Element | undefined =>
  parent?.childNodes.find((node): node is Element => "tagName" in node && node.tagName === name);
const attribute = ({ attrs }: Element, name: string): string | undefined =>
  attrs.find((one) => one.name === name)?.value;

const isMoved = (element: Element): boolean =>
  MOVED.has(element.tagName) ||
  element.tagName === "link" && (attribute(element, "rel") ?? "").toLowerCase().includes(SHEETS);

/** How an element of the head is called in a sentence: its name, and what tells it from its like. */
function called(element: Element): string {
  const what = ["name", "property", "rel", "http-equiv", "charset"].find((name) =>
    attribute(element, name) !== undefined
  );
  return what === undefined ? element.tagName : `${element.tagName} ${what}="${attribute(element, what)}"`;
}

const SHOWN_MAX = 8;

function listed(names: readonly string[]): string {
  const rest = names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : "";
  return names.slice(0, SHOWN_MAX).join(", ") + rest;
}

/** The text of the body, from behind its start tag (or what comes first in it) to its end tag, and whether more follows. */
function innerOf(text: string, body: Element | undefined): { inner: string; behind: string } {
  const where = body?.sourceCodeLocation;
  const first = body?.childNodes.find(({ sourceCodeLocation }) => sourceCodeLocation);
  const start = where?.startTag?.endOffset ?? first?.sourceCodeLocation?.startOffset ?? text.length;
  const rest = text.slice(start);
  const end = where?.endTag ? where.endTag.startOffset - start : endOfBody(rest);
  return { inner: rest.slice(0, end), behind: rest.slice(end) };
}

/** Where a body without a start tag ends: at the last end tag of a body or a document. */
function endOfBody(rest: string): number {
  const lower = rest.toLowerCase();
  const ends = ["</body", "</html"].map((tag) => lower.lastIndexOf(tag)).filter((at) => at >= 0);
  return ends.length === 0 ? rest.length : Math.min(...ends);
}

/** Whether only end tags, blanks and comments follow. */
const isNothing = (behind: string): boolean =>
  parseFragment(behind).childNodes.every((node) =>
    node.nodeName === "#comment" || "value" in node && node.value.trim() === ""
  );

/**
 * The body of a whole document, with the styles and scripts of its head before it; of any other HTML the text as it is.
 * What is left out is named: a page's head is made by its site. Throws E_BAD_INPUT for a document without a body.
 */
export function bodyOf(text: string, field = "html"): Body {
  const document = parse(text, { sourceCodeLocationInfo: true });
  const root = named(document, "html");
  const [head, body] = [named(root, "head"), named(root, "body")];
  const hasDoctype = document.childNodes.some(({ nodeName }) => nodeName === "#documentType");
  const isWhole = hasDoctype || [root, head, body].some((one) => one?.sourceCodeLocation);
  if (!isWhole) return { html: text, warnings: [] };
  const inHead = head ? elementsOf(head) : [];
  const moved = inHead.filter(isMoved).flatMap(({ sourceCodeLocation: where }) =>
    where ? [text.slice(where.startOffset, where.endOffset)] : []
  );
  const { inner, behind } = innerOf(text, body);
  if (inner.trim() === "") {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: the body of the document is empty; give what the page shows`,
    );
  }
  const left = [
    ...inHead.filter((one) => !isMoved(one)).map(called),
    ...[root, body].flatMap((one) => one?.attrs.map(({ name }) => `${name} of ${one.tagName}`) ?? []),
    ...isNothing(behind) ? [] : ["what stands behind the end of the body"],
  ];
  const taken = `${field}: a whole document was given; its body is taken${
    moved.length > 0 ? ", and the styles and scripts of its head" : ""
  }`;
  const warning = left.length === 0
    ? taken
    : `${taken}. Left out: ${
      listed(left)
    }; give the title as title, and set what search engines and social networks read ` +
      "with set_seo_meta";
  return { html: [...moved, inner.trim()].join("\n"), warnings: [warning] };
}

/** What a page's theme shows beside its content; null where that is not known. */
export interface Layout {
  readonly shows_title: boolean | null;
}

/** What is to be said of the headings: most themes show the page's title as the first one. */
export function headingWarnings(html: string, layout: Layout | null = null): string[] {
  const count = countOf(parse(html), "h1");
  const shows = layout?.shows_title ?? null;
  const has = count === 1 ? "has an h1" : `has ${count} h1`;
  if (shows === false) {
    return count > 1 ? [`html: ${has}, and a page has one first heading: use h2 for the others`] : [];
  }
  if (count === 0) return [];
  const why = shows
    ? "the page's template shows its title as one"
    : "most themes show the page's title as one";
  const instead = shows
    ? "use h2, or choose a template that does not show it (template)"
    : "use h2 where the theme does";
  return [`html: ${has}, and ${why}: ${instead}`];
}

/** Whether it has a first heading. */
export const hasFirstHeading = (html: string): boolean => countOf(parse(html), "h1") > 0;

/** Where the links of the text lead, as they are written, each once. */
export function linksOf(html: string): string[] {
  const links = new Set<string>();
  const look = (parent: Tree["parentNode"]) => {
    for (const node of parent.childNodes) {
      if (!("tagName" in node)) continue;
      const href = node.tagName === "a" ? attribute(node, "href")?.trim() : undefined;
      if (href) links.add(href);
      look(node);
    }
  };
  look(parse(html));
  return [...links];
}

function countOf(parent: Tree["parentNode"], name: string): number {
  let count = 0;
  for (const node of parent.childNodes) {
    if (!("tagName" in node)) continue;
    if (node.tagName === name) count++;
    count += countOf("content" in node ? (node as Tree["template"]).content : node, name);
  }
  return count;
}
