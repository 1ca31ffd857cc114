/** What a CMS did not keep as it was sent: it drops HTML, unknown terms and media without a word. */
import { decodeHTML } from "entities/decode";
import { cut } from "../../../core/values.ts";
import {
  type ContentRecord,
  type DescribedRecord,
  plainSlug,
  type PostRecord,
  statusWord,
  utc,
} from "./records.ts";

/** Without what no reader sees: blanks, the spelling of entities, the slash of empty elements. */
function shape(html: string): string {
  return decodeHTML(html).replace(/\s+/g, "").replace(/\/>/g, ">");
}

/** Element names of the source that are not in what was stored. */
function lostElements(sent: string, stored: string): string[] {
  const names = (html: string) =>
    new Set([...html.matchAll(/<([a-z][\w-]*)/gi)].map(([, name]) => name!.toLowerCase()));
  return [...names(sent).difference(names(stored))];
}

/** The words of HTML that a reader sees, one by one. */
const wordsOf = (html: string): string[] =>
  html.split("<").map((part, at) => at === 0 ? part : part.slice(part.indexOf(">") + 1)).join(" ").split(
    /\s+/,
  )
    .filter((word) => word !== "").map((word) => decodeHTML(word));

/**
 * Who changed a text: WordPress's filter for accounts without the right unfiltered_html takes HTML away and adds
 * nothing (docs/upstreams/wordpress.md, "HTML that is filtered"), so what is new came from a plugin. Of an account
 * whose role has the right most changes did; on a network of sites it may lack it all the same. `mayStoreAny` is what
 * the role has, undefined where that is not known.
 */
function causeOf(sent: string, stored: string, mayStoreAny: boolean | undefined): string {
  const left = wordsOf(sent).values();
  const isLess = wordsOf(stored).every((word) => left.some((one) => one === word));
  const byPlugin = "a plugin or a filter of the site changes what is saved: see which";
  if (mayStoreAny === true) {
    return isLess
      ? `${byPlugin}; the account's role has the right unfiltered_html, which on a network of sites only super ` +
        "administrators keep"
      : `${byPlugin}; the account may store any HTML, so its rights are not the cause`;
  }
  if (!isLess || lostElements(stored, sent).length > 0) {
    return `${byPlugin}; missing rights of the account only take HTML away, and this adds to it`;
  }
  return mayStoreAny === false
    ? "the account lacks the right unfiltered_html, so WordPress took out what it does not allow"
    : "a plugin or a filter of the site changed it, as WordPress does where the account lacks the right unfiltered_html";
}

/** The sentence of a text that reads otherwise than it was sent; none where it reads the same, or none was sent. */
export function textDifference(
  field: string,
  sent: unknown,
  stored: string,
  mayStoreAny?: boolean,
): string[] {
  if (typeof sent !== "string" || shape(sent) === shape(stored)) return [];
  const lost = lostElements(sent, stored);
  const which = lost.length === 0 ? "" : ` (without ${lost.map((name) => `<${name}>`).join(", ")})`;
  const cause = causeOf(sent, stored, mayStoreAny);
  return [`${field}: the site stored another text than was sent${which}; ${cause}: read the post`];
}

function termDifference(field: string, sent: unknown, stored: readonly number[]): string[] {
  if (!Array.isArray(sent)) return [];
  const dropped = sent.filter((id: number) => !stored.includes(id));
  const added = stored.filter((id) => !sent.includes(id));
  return [
    ...dropped.length === 0
      ? []
      : [`${field}: the site did not keep the terms ${dropped.join(", ")}; set them again`],
    ...added.length === 0
      ? []
      : [`${field}: the site added the terms ${added.join(", ")}; look at them there`],
  ];
}

const QUOTED_CHARACTERS = 200;

/** A value as a sentence names it, shortened. */
export function quotedValue(value: unknown): string {
  return cut(JSON.stringify(value) ?? "nothing", QUOTED_CHARACTERS);
}

/** The sentence of a field that was stored with another value than was sent; none where nothing was sent. */
export function valueDifference(field: string, sent: unknown, stored: unknown): string[] {
  if (sent === undefined || sent === stored) return [];
  return [`${field}: the site kept ${quotedValue(stored)} instead of ${quotedValue(sent)}`];
}

/** The same for a few words, which may be spelled otherwise where no reader sees it. */
export const wordsDifference = (field: string, sent: string | undefined, stored: string): string[] =>
  sent === undefined || shape(sent) === shape(stored) ? [] : valueDifference(field, sent, stored);

/** The same for a state, in this gateway's words. */
const stateDifference = (sent: unknown, stored: string): string[] =>
  typeof sent === "string" ? valueDifference("status", statusWord(sent), statusWord(stored)) : [];

/** The same for a slug, of which the site may keep letters escaped. */
export const slugDifference = (sent: unknown, stored: string): string[] =>
  typeof sent === "string" && plainSlug(sent) === stored ? [] : valueDifference("slug", sent, stored);

/**
 * One sentence per field that was stored otherwise than it was sent (docs/upstreams/wordpress.md, "HTML that is filtered";
 * ids dropped in silence). Differences nobody sees do not count.
 */
export function differences(
  record: PostRecord,
  sent: Readonly<Record<string, unknown>>,
  mayStoreAny?: boolean,
): string[] {
  return [
    ...stateDifference(sent["status"], record.status),
    ...textDifference("title", sent["title"], record.title.raw, mayStoreAny),
    ...textDifference("content_html", sent["content"], record.content.raw, mayStoreAny),
    ...textDifference("excerpt", sent["excerpt"], record.excerpt.raw, mayStoreAny),
    ...slugDifference(sent["slug"], record.slug),
    ...termDifference("tags", sent["tags"], record.tags),
    ...termDifference("categories", sent["categories"], record.categories),
    ...valueDifference("featured_media_id", sent["featured_media"], record.featured_media),
    ...valueDifference("author_id", sent["author"], record.author),
  ];
}

/** The same for a page. */
export function pageDifferences(
  record: Pick<PostRecord, "status" | "title" | "content" | "slug"> & {
    readonly parent: number;
    readonly template: string;
  },
  sent: Readonly<Record<string, unknown>>,
  mayStoreAny?: boolean,
): string[] {
  return [
    ...stateDifference(sent["status"], record.status),
    ...textDifference("title", sent["title"], record.title.raw, mayStoreAny),
    ...textDifference("content_html", sent["content"], record.content.raw, mayStoreAny),
    ...slugDifference(sent["slug"], record.slug),
    ...valueDifference("parent_id", sent["parent"], record.parent),
    ...valueDifference("template", sent["template"], record.template),
  ];
}

/** What a write of some fields must leave as it is, by the names of the fields it is sent under and of arguments. */
const BESIDE = {
  status: "status",
  date: "scheduled_at",
  title: "title",
  content: "content_html",
  excerpt: "excerpt",
  slug: "slug",
  author: "author_id",
  parent: "parent_id",
  template: "template",
  featured_media: "featured_media_id",
  tags: "tags",
  categories: "categories",
} as const;

/** What is compared of a record; a date only while the post waits for it. */
const besideOf = (record: ContentRecord): Readonly<Record<keyof typeof BESIDE, unknown>> => ({
  ...record,
  date: record.status === "future" ? utc(record.date_gmt) : null,
  title: shape(record.title.raw),
  content: shape(record.content.raw),
  excerpt: shape(record.excerpt.raw),
  tags: record.tags.toSorted((a, b) => a - b),
  categories: record.categories.toSorted((a, b) => a - b),
});

/**
 * One sentence per field that was not sent and is no longer as this call saw it: a CMS saves a post whole,
 * and filters its HTML anew by the rights of the account. A slug is made where there was none.
 */
export function changedBeside(
  before: ContentRecord,
  after: ContentRecord,
  sent: Readonly<Record<string, unknown>>,
): string[] {
  const given = new Set(Object.keys(sent));
  if (given.has("status") || given.has("date_gmt")) given.add("date");
  if (before.slug === "") given.add("slug");
  const [was, is] = [besideOf(before), besideOf(after)];
  const names = Object.keys(BESIDE) as (keyof typeof BESIDE)[];
  return names.filter((name) => !given.has(name) && JSON.stringify(was[name]) !== JSON.stringify(is[name]))
    .map((name) =>
      `${
        BESIDE[name]
      }: was not to change, and is not what it was; the site changed it with this write, or somebody ` +
      "did meanwhile: look at it there"
    );
}

/** The texts of an image, and the post it belongs to. */
interface Texts {
  readonly alt_text?: string;
  readonly title?: string;
  readonly caption?: string;
  readonly post?: number;
}

/**
 * The same for the texts of an image: its alternative text loses what looks like a tag or an escape. `unshown` are those
 * that the site does not show.
 */
export function mediaDifferences(
  record: DescribedRecord,
  sent: Texts,
): { readonly differences: string[]; readonly unshown: string[] } {
  const differences: string[] = [];
  const unshown: string[] = [];
  for (const field of ["alt_text", "title", "caption"] as const) {
    const [given, stored] = [sent[field], record[field]];
    if (given === undefined) continue;
    if (stored === undefined) unshown.push(field);
    else differences.push(...wordsDifference(field, given, stored));
  }
  if (sent.post !== undefined && record.post === undefined) unshown.push("post_id");
  else differences.push(...valueDifference("post_id", sent.post, record.post));
  return { differences, unshown };
}
