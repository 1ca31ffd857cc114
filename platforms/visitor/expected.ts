/** What a page is expected to say after a write, field by field. */
import { decodeHTML } from "entities/decode";
import { cleaned } from "../../core/one_line.ts";
import { isFields } from "../../core/values.ts";
import { excerpt } from "../_content/excerpt.ts";
import type { Visit } from "./client.ts";
import type { Difference } from "../_content/live.ts";
import type { Expectation } from "./live.ts";
import { type PageFacts, tellsRobots } from "./page.ts";

/** Marks that a CMS sets in the place of plain ones (WordPress's wptexturize), and theirs. */
const MARKS: readonly (readonly [string, string])[] = [
  ["‘", "'"],
  ["’", "'"],
  ["′", "'"],
  ["“", '"'],
  ["”", '"'],
  ["″", '"'],
  ["–", "-"],
  ["—", "-"],
  ["…", "..."],
  ["×", "x"],
];

/** A text as a reader takes it: blanks joined, plain marks. */
function plain(text: string): string {
  let out = cleaned(text);
  for (const [mark, simple] of MARKS) out = out.replaceAll(mark, simple);
  return out.replaceAll("---", "-").replaceAll("--", "-");
}

/** The same of a text that was sent, in which an entity stands for its character. */
const meant = (text: string) => plain(decodeHTML(text));

/** What robots are told, by the page and by its header. */
const robotsOf = (page: PageFacts, visit: Visit) => [...page.robots, ...visit.robots_header];

/** What goes live, as a plan saw it. */
export interface Published {
  readonly title: string;
  /** Its values by their arguments' names, content_html among them where it is known. */
  readonly parts: Readonly<Record<string, unknown>>;
  /** Null where that is not known. */
  readonly noindex: boolean | null;
}

const BEGINNING_CHARACTERS = 40;

const SHORT_CHARACTERS = 8;

/** Whether a text holds a part; a short one as words of their own, for any page holds its letters. */
const holds = (text: string, part: string) =>
  part.length < SHORT_CHARACTERS ? ` ${text} `.includes(` ${part} `) : text.includes(part);

/** A page that shows its title, or the beginning of its text, and tells robots what the site said it would. */
export function published({ title, parts, noindex }: Published): Expectation {
  return (page, visit) => {
    const texts = [page.title ?? "", ...page.headings.map(({ text }) => text), page.text].map(plain);
    const wanted = meant(title);
    const begin = plain(excerpt(String(parts["content_html"] ?? ""))).slice(0, BEGINNING_CHARACTERS);
    const shows = (part: string) => part !== "" && texts.some((text) => holds(text, part));
    const isThere = wanted === "" && begin === "" || shows(wanted) || shows(begin);
    const differs: Difference[] = isThere ? [] : [{ field: "title", expected: title, seen: page.title }];
    const told = tellsRobots(robotsOf(page, visit), "noindex");
    if (noindex !== null && told !== noindex) {
      differs.push({ field: "robots.noindex", expected: noindex, seen: told });
    }
    return differs;
  };
}

/** What is live, and what of it was changed. */
export interface Revised extends Published {
  readonly changed: {
    readonly title?: boolean;
    /** The text before and after; left out where it stays, and where visitors do not see it. */
    readonly text?: { readonly from: string; readonly to: string };
  };
}

const NEAR_CHARACTERS = 20;

/** A page that shows what was changed of it: its title, and the words around the first place where its text differs. */
export function revised({ changed: { title, text }, ...now }: Revised): Expectation {
  return (page, visit) => {
    const differs = [...published(now)(page, visit)];
    const wanted = meant(now.title);
    const titles = [page.title ?? "", ...page.headings.map((one) => one.text), page.text].map(plain);
    if (title && differs.length === 0 && !titles.some((one) => one.includes(wanted))) {
      differs.push({ field: "title", expected: now.title, seen: page.title });
    }
    const words = text === undefined ? "" : firstChange(text.from, text.to);
    if (words !== "" && !joined(page.text).includes(joined(words))) {
      differs.push({ field: "content_html", expected: words, seen: null });
    }
    return differs;
  };
}

/** Without blanks, which a theme may set anywhere between two elements. */
const joined = (text: string) => plain(text).replaceAll(" ", "");

/** The words of the new text around the first place where it reads otherwise; "" where it reads the same. */
function firstChange(from: string, to: string): string {
  const [old, now] = [wordsOf(from), wordsOf(to)];
  if (old === now) return "";
  let at = 0;
  while (at < now.length && old[at] === now[at]) at++;
  const near = now.slice(Math.max(0, at - NEAR_CHARACTERS), at + NEAR_CHARACTERS).toWellFormed();
  // A shortcode is replaced by what it makes.
  return near.includes("[") || near.includes("]") ? "" : near;
}

/** What of HTML is read. */
const wordsOf = (html: string) => plain(decodeHTML(textOf(html)));

/** HTML without its tags and comments. */
function textOf(html: string): string {
  let text = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) return text + html.slice(at);
    text += `${html.slice(at, open)} `;
    const isComment = html.startsWith("<!--", open);
    const close = html.indexOf(isComment ? "-->" : ">", open);
    if (close === -1) return text;
    at = close + (isComment ? 3 : 1);
  }
  return text;
}

/** A change of SEO fields; robots switch by switch. */
export type SeoValues = Readonly<Record<string, unknown>>;

/** Where a page shows each field; X shows a post's Open Graph field where it has none of its own. */
const SHOWN: Readonly<Record<string, (page: PageFacts) => string | null | undefined>> = {
  title: (page) => page.title,
  description: (page) => page.description,
  canonical: (page) => page.canonical,
  og_title: ({ social }) => social["og:title"],
  og_description: ({ social }) => social["og:description"],
  og_image: ({ social }) => social["og:image"],
  twitter_title: ({ social }) => social["twitter:title"] ?? social["og:title"],
  twitter_description: ({ social }) => social["twitter:description"] ?? social["og:description"],
  twitter_image: ({ social }) => social["twitter:image"] ?? social["og:image"],
};
const ADDRESSES: ReadonlySet<string> = new Set(["canonical", "og_image", "twitter_image"]);
/** Without effect beside noindex, and then not printed by every plugin. */
const BESIDE_NOINDEX: ReadonlySet<string> = new Set(["noarchive", "nosnippet", "noimageindex"]);

/** Made by the plugin while it prints a page; no answer of the site tells them before. */
const IMAGES: ReadonlySet<string> = new Set(["og_image", "twitter_image"]);

/** What a field is to show: its own text; where that is cleared or holds variables, what the site says it comes to. */
function expectedText(field: string, own: unknown, inEffect: SeoValues): string | null {
  if (typeof own !== "string") return null;
  if (own !== "" && !hasVariable(own)) return own;
  const made = IMAGES.has(field) ? null : inEffect[field];
  return typeof made === "string" && made !== "" ? made : null;
}

/**
 * Why no page tells whether visitors get what was set, a sentence's part; null where one does. What is cleared, or made of
 * variables, is the site's to make: unknown where it does not say what that comes to.
 */
export function unjudged({ robots, ...texts }: SeoValues, inEffect: SeoValues = {}): string | null {
  const given = Object.entries(texts).filter(([, own]) => own !== undefined);
  const isHeld = isFields(robots) ||
    given.some(([field, own]) => SHOWN[field] !== undefined && expectedText(field, own, inEffect) !== null);
  if (isHeld) return null;
  const made = given.map(([field]) => field).filter((field) => SHOWN[field] !== undefined);
  return made.length === 0
    ? "no page shows what was set"
    : `${made.join(", ")}: cleared or made of variables, and the site does not say what visitors get then`;
}

/**
 * The fields of a post that were set. Those cleared and those with variables are made by the site: they are judged by
 * what it says is in effect after the write, and left out where it does not say.
 */
export function seoShown({ robots, ...texts }: SeoValues, inEffect: SeoValues = {}): Expectation {
  return (page, visit) => {
    const told = robotsOf(page, visit);
    const isHidden = tellsRobots(told, "noindex");
    const differs: Difference[] = [];
    for (const [field, own] of Object.entries(texts)) {
      const of = SHOWN[field];
      const expected = expectedText(field, own, inEffect);
      if (of === undefined || expected === null) continue;
      if (field === "canonical" && isHidden) continue;
      const seen = of(page) ?? null;
      const same = seen !== null &&
        (ADDRESSES.has(field) ? sameAddress(expected, seen) : meant(expected) === plain(seen));
      if (!same) differs.push({ field, expected, seen });
    }
    for (const [name, expected] of Object.entries(isFields(robots) ? robots : {})) {
      if (isHidden && BESIDE_NOINDEX.has(name)) continue;
      const seen = tellsRobots(told, name);
      if (seen !== expected) differs.push({ field: `robots.${name}`, expected, seen });
    }
    return differs;
  };
}

const sameAddress = (one: string, other: string) =>
  one === other || URL.parse(decodeHTML(one))?.href === URL.parse(decodeHTML(other))?.href;

/**
 * Whether a text holds a variable of an SEO plugin, as `%title%` or `%%sitename%%`. Their names begin with a letter, so
 * that `5%-10%` is a text: Rank Math drops it from the page all the same.
 */
function hasVariable(text: string): boolean {
  const parts = text.split("%");
  return parts.slice(1, -1).some((part) => !part.includes(" ") && isLetter(part.charAt(0)));
}

const isLetter = (sign: string) => sign.toLowerCase() !== sign.toUpperCase();

const NODES_MAX = 500;

/** The objects of structured data, one by one, those of a @graph among them. */
function nodesOf(data: unknown): Record<string, unknown>[] {
  const nodes: Record<string, unknown>[] = [];
  const left: unknown[] = [data];
  while (left.length > 0 && nodes.length < NODES_MAX) {
    const one = left.shift();
    if (Array.isArray(one)) left.push(...one);
    else if (isFields(one) && Array.isArray(one["@graph"])) left.push(...one["@graph"]);
    else if (isFields(one)) nodes.push(one);
  }
  return nodes;
}

/** The objects among structured data that say what they are. */
export const typedNodes = (data: unknown): Record<string, unknown>[] =>
  nodesOf(data).filter((node) => node["@type"] !== undefined);

const typesIn = (node: Record<string, unknown>) => [node["@type"]].flat().map(String);

/** Structured data on the page: each object by its type, with the texts it has at its top. */
export function schemaShown(data: unknown): Expectation {
  return (page) => {
    const there = page.schemas.flatMap(nodesOf);
    return typedNodes(data).flatMap((wanted): Difference[] => {
      const types = typesIn(wanted);
      const alike = there.filter((node) => types.every((type) => typesIn(node).includes(type)));
      if (alike.length === 0) {
        const seen = [...new Set(there.flatMap(typesIn))].slice(0, 20);
        return [{ field: "structured_data", expected: types.join(", "), seen }];
      }
      return alike.map((node) => apart(wanted, node, types)).sort((a, b) => a.length - b.length)[0]!;
    });
  };
}

function apart(
  wanted: Record<string, unknown>,
  node: Record<string, unknown>,
  types: string[],
): Difference[] {
  return Object.entries(wanted).flatMap(([name, expected]): Difference[] => {
    if (name.startsWith("@") || typeof expected !== "string" || hasVariable(expected)) return [];
    const seen = node[name] ?? null;
    if (typeof seen === "string" && cleaned(seen) === cleaned(expected)) return [];
    return [{ field: `structured_data.${types[0]}.${name}`, expected, seen }];
  });
}
