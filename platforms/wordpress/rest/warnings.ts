/** What a CMS did not keep as it was sent: it drops HTML, unknown terms and media without a word. */
import { decodeHTML } from "entities";
import { type DescribedRecord, plainSlug, type PostRecord } from "./records.ts";

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

function textLoss(field: string, sent: unknown, stored: string): string[] {
  if (typeof sent !== "string" || shape(sent) === shape(stored)) return [];
  const lost = lostElements(sent, stored);
  const which = lost.length === 0 ? "" : ` (without ${lost.map((name) => `<${name}>`).join(", ")})`;
  return [
    `${field}: the site stored another text than was sent${which}; accounts without the right unfiltered_html lose ` +
    "some HTML: read the post, or use an account of an editor",
  ];
}

function termLoss(field: string, sent: unknown, stored: readonly number[]): string[] {
  if (!Array.isArray(sent)) return [];
  const dropped = sent.filter((id: number) => !stored.includes(id));
  return dropped.length === 0
    ? []
    : [`${field}: the site did not keep the terms ${dropped.join(", ")}; set them again`];
}

function valueLoss(field: string, sent: unknown, stored: unknown): string[] {
  if (sent === undefined || sent === stored) return [];
  return [`${field}: the site kept ${JSON.stringify(stored)} instead of ${JSON.stringify(sent)}`];
}

const slugLoss = (sent: unknown, stored: string): string[] =>
  typeof sent === "string" && plainSlug(sent) === stored ? [] : valueLoss("slug", sent, stored);

/**
 * One sentence per field that stands otherwise than it was sent (docs/upstreams/wordpress.md, "HTML that is filtered";
 * ids dropped in silence). Differences nobody sees do not count.
 */
export function losses(record: PostRecord, sent: Readonly<Record<string, unknown>>): string[] {
  return [
    ...textLoss("title", sent["title"], record.title.raw),
    ...textLoss("content_html", sent["content"], record.content.raw),
    ...textLoss("excerpt", sent["excerpt"], record.excerpt.raw),
    ...slugLoss(sent["slug"], record.slug),
    ...termLoss("tags", sent["tags"], record.tags),
    ...termLoss("categories", sent["categories"], record.categories),
    ...valueLoss("featured_media_id", sent["featured_media"], record.featured_media),
    ...valueLoss("author_id", sent["author"], record.author),
  ];
}

/** The same for a page. */
export function pageLosses(
  record: Pick<PostRecord, "title" | "content" | "slug"> & {
    readonly parent: number;
    readonly template: string;
  },
  sent: Readonly<Record<string, unknown>>,
): string[] {
  return [
    ...textLoss("title", sent["title"], record.title.raw),
    ...textLoss("content_html", sent["content"], record.content.raw),
    ...slugLoss(sent["slug"], record.slug),
    ...valueLoss("parent_id", sent["parent"], record.parent),
    ...valueLoss("template", sent["template"], record.template),
  ];
}

/** The texts of an image. */
interface Texts {
  readonly alt_text?: string;
  readonly title?: string;
  readonly caption?: string;
}

/** The same for the texts of an image: its alternative text loses what looks like a tag or an escape. */
export function mediaLosses(record: DescribedRecord, sent: Texts): string[] {
  return (["alt_text", "title", "caption"] as const).flatMap((field) => {
    const [given, stored] = [sent[field], record[field]];
    const kept = given === undefined || stored === undefined || shape(given) === shape(stored);
    return kept ? [] : valueLoss(field, given, stored);
  });
}
