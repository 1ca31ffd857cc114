/** What a page lacks for search engines, and how much that weighs. */
import { cut } from "../../core/values.ts";
import type { Visit } from "../../platforms/visitor/client.ts";
import { tellsRobots, wordsIn } from "../../platforms/visitor/page.ts";
import { bare, type ListedPage } from "./_listed_pages.ts";

/** Search engines show about so much of a title, and of a description; they name no limit (docs/upstreams/visitors.md). */
const TITLE_CHARACTERS_MAX = 60;
const TITLE_CHARACTERS_MIN = 10;
const DESCRIPTION_CHARACTERS_MAX = 160;
/** With its menus and its footer a page of fewer words says next to nothing. */
const WORDS_MIN = 200;
const BEGINNING_CHARACTERS = 200;
const VALUE_CHARACTERS = 300;

/** Each issue with its weight: what keeps a page out of search first, then what visitors of a search read, then the rest. */
const WEIGHTS = {
  not_reached: 12,
  blocked: 12,
  not_found: 12,
  noindex: 9,
  canonical_elsewhere: 6,
  redirected: 4,
  no_title: 7,
  no_description: 4,
  duplicate_title: 3,
  duplicate_description: 3,
  no_h1: 3,
  thin_text: 3,
  images_without_alt: 2,
  broken_structured_data: 2,
  several_h1: 1,
  short_title: 1,
  long_title: 1,
  long_description: 1,
  no_structured_data: 1,
} as const;
export type Issue = keyof typeof WEIGHTS;

/** What a page's issues weigh together. */
export const weightOf = (issues: readonly Issue[]): number =>
  issues.reduce((sum, issue) => sum + WEIGHTS[issue], 0);

/** How often each title and description stands there, each as it is compared. */
export interface Alike {
  readonly titles: ReadonlyMap<string, number>;
  readonly descriptions: ReadonlyMap<string, number>;
}

const plain = (text: string | null | undefined) => text?.trim().toLowerCase() ?? "";

/** Counts the texts that are there. */
export function counted(texts: readonly (string | null | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts.map(plain)) if (text !== "") counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

const isAlike = (counts: ReadonlyMap<string, number>, text: string | null) =>
  (counts.get(plain(text)) ?? 0) > 1;

function textIssues(title: string | null, description: string | null, alike: Alike): Issue[] {
  const found: Issue[] = [];
  const length = title?.trim().length ?? 0;
  if (length === 0) found.push("no_title");
  else if (length < TITLE_CHARACTERS_MIN) found.push("short_title");
  else if (length > TITLE_CHARACTERS_MAX) found.push("long_title");
  if (isAlike(alike.titles, title)) found.push("duplicate_title");
  const said = description?.trim().length ?? 0;
  if (said === 0) found.push("no_description");
  else if (said > DESCRIPTION_CHARACTERS_MAX) found.push("long_description");
  if (isAlike(alike.descriptions, description)) found.push("duplicate_description");
  return found;
}

/** What the lists alone tell of a page that nobody has read yet. */
export function listedIssues({ seo, name }: ListedPage, alike: Alike): Issue[] {
  if (!seo) return isAlike(alike.titles, name ?? null) ? ["duplicate_title"] : [];
  const { title, description, noindex } = seo;
  return [...noindex === true ? ["noindex"] as const : [], ...textIssues(title, description, alike)];
}

/** A page as it was read, or why it was not. */
export interface Read {
  readonly listed: ListedPage;
  readonly visit: Visit | null;
  /** Why there is no visit. */
  readonly why?: string;
}

/** A title or description that a page has at its own address; of one that leads elsewhere none. */
export function ownText({ listed, visit }: Read, name: "title" | "description"): string | null {
  return visit === null || bare(visit.address) !== bare(listed.url) ? null : visit.page?.[name] ?? null;
}

/** What the answer says of a page. */
export interface Row {
  readonly url: string;
  readonly issues: readonly Issue[];
  readonly [name: string]: unknown;
}

/** What is told of a page. Its texts are its own words. */
export function rowOf({ listed, visit, why }: Read, alike: Alike): Row {
  const { url, id, type, name } = listed;
  const head = { url, ...id === undefined ? {} : { id }, ...type === undefined ? {} : { type } };
  if (visit === null) return { ...head, name, issues: ["not_reached"], why };
  const { page, wall, status, address, ends } = visit;
  if (wall !== null) {
    return { ...head, name, status, issues: ["blocked"], why: `${wall.message}; ${wall.next}` };
  }
  const isThere = status !== null && status < 400;
  if (page === null || !isThere) {
    return {
      ...head,
      name,
      status,
      issues: [isThere ? "not_reached" : "not_found"],
      ...ends === null ? {} : { why: ends },
    };
  }
  const moved = bare(address) !== bare(url);
  const words = wordsIn(page.text);
  const h1 = page.headings.filter(({ level }) => level === 1).map(({ text }) => text);
  const canonical = page.canonical === null
    ? null
    : URL.parse(page.canonical, address)?.href ?? page.canonical;
  const broken = page.structured.some(({ valid }) => !valid);
  const issues: Issue[] = [
    ...tellsRobots([...page.robots, ...visit.robots_header], "noindex") ? ["noindex"] as const : [],
    ...canonical !== null && bare(canonical) !== bare(address) ? ["canonical_elsewhere"] as const : [],
    // What it leads to is a page of its own.
    ...moved ? ["redirected"] as const : textIssues(page.title, page.description, alike),
    ...page.h1_count === 0 ? ["no_h1"] as const : page.h1_count > 1 ? ["several_h1"] as const : [],
    ...words < WORDS_MIN ? ["thin_text"] as const : [],
    ...page.images.without_alt > 0 ? ["images_without_alt"] as const : [],
    ...broken ? ["broken_structured_data"] as const : [],
    ...page.structured.length === 0 ? ["no_structured_data"] as const : [],
  ];
  return {
    ...head,
    ...moved ? { leads_to: address } : {},
    title: page.title === null ? null : cut(page.title, VALUE_CHARACTERS),
    description: page.description === null ? null : cut(page.description, VALUE_CHARACTERS),
    h1: h1.slice(0, 3),
    words,
    text: cut(textFrom(page.text, h1[0]), BEGINNING_CHARACTERS),
    ...page.images.without_alt > 0 ? { images_without_alt: page.images.without_alt } : {},
    ...issues.includes("canonical_elsewhere") ? { canonical } : {},
    ...page.cut ? { read_in_part: true } : {},
    issues,
  };
}

/** A page's text from its first heading on, before which its menus stand. */
function textFrom(text: string, heading: string | undefined): string {
  const at = heading ? text.indexOf(heading) : -1;
  return at < 0 ? text : text.slice(at + heading!.length).trim();
}
