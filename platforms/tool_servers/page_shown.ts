/** Whether visitors see what a tool changes of a page: its builder's elements, or the text of WordPress's own editor. */
import { GatewayError } from "../../core/errors.ts";
import { contentStates } from "../_content/posts.ts";
import type { PageState } from "./page_state.ts";
import type { ProxyContext } from "./proxied_context.ts";
import type { Resolved } from "./resolved.ts";

/** What a tool changes: blocks, a post's own text, elements that the builder keeps, or a page of which it keeps none so far. */
export type Parts = "blocks" | "text" | "elements" | "none";

/** Whether a tool is one for blocks; a "div block" is an element of the builder's. */
export const changesBlocks = (words: readonly string[]) =>
  words.includes("pattern") || words.some((one, at) => one === "block" && words[at - 1] !== "div");

/** What a call changes; null of a tool for a post's fields that sends no text. `elements` is null where it is not known. */
export function partsOf(
  { target: { input_schema: { properties } }, targetArgs }: Resolved,
  words: readonly string[],
  elements: number | null,
): Parts | null {
  if (changesBlocks(words)) return "blocks";
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const ofPost = words.includes("post") && !names.some((one) => one === "parent_id" || one === "element_id");
  if (ofPost) return typeof targetArgs.content === "string" ? "text" : null;
  return elements === 0 ? "none" : "elements";
}

/** What is known of a page before a tool changes it. */
interface Page {
  /** null where nothing was read. */
  readonly state: Pick<PageState, "type" | "builder" | "storesCode"> | null;
  readonly parts: Parts | null;
}

/**
 * Refuses a change that nobody would see, and one by the builder of a page whose text it did not make: what the builder
 * makes of its elements is stored in place of that. Says what to know where the site does not tell who shows the page.
 * Throws E_BUILDER_MISMATCH, E_FORBIDDEN_OP, E_UPSTREAM.
 */
export async function assertSeen(
  { target, pageId }: Resolved,
  ctx: ProxyContext,
  { state, parts }: Page,
): Promise<readonly string[]> {
  const type = state?.type ?? null;
  if (pageId === null || type === null || parts === null) return [];
  const states = await ctx.use(contentStates);
  const field = target.page ?? "post_id";
  // Of a page without elements the site puts out nothing by which to tell.
  const builder = state?.builder ?? (parts === "none" ? null : await states.builderSeen(pageId, type));
  const hasText = async () => (await states.text(pageId, type) ?? "").trim() !== "";
  if (parts === "blocks" || parts === "text") {
    if (builder === "visual") throw unseenText(field, pageId, parts);
    return builder === null ? [maybeUnseen(field, pageId, "another builder shows", parts)] : [];
  }
  if (parts === "none" && await hasText()) throw textLost(field, pageId);
  if (builder === "block") throw await hasText() ? olderElements(field, pageId) : unseen(field, pageId);
  return [
    ...(parts === "elements" && state?.storesCode === false ? [codeLost(field, pageId)] : []),
    ...(builder === null ? [maybeUnseen(field, pageId, "WordPress's own editor shows", "elements")] : []),
  ];
}

const refused = (code: "E_BUILDER_MISMATCH" | "E_FORBIDDEN_OP", message: string) =>
  new GatewayError(code, message, { outcome: "none" });

const textLost = (field: string, id: number) =>
  refused(
    "E_FORBIDDEN_OP",
    `${field}: page ${id} has text that was not made with the page builder, and its first element would take the ` +
      "text's place; make a new page for elements, or have somebody empty this one in the CMS",
  );

const olderElements = (field: string, id: number) =>
  refused(
    "E_FORBIDDEN_OP",
    `${field}: page ${id} was given back to WordPress's own editor, and what the builder makes of the elements that ` +
      "it still keeps would take the place of the text there; make a new page for elements, or have somebody open " +
      "this one with the builder in the CMS first",
  );

const unseen = (field: string, id: number) =>
  refused(
    "E_BUILDER_MISMATCH",
    `${field}: page ${id} is shown by WordPress's own editor, so nobody would see elements of it; make a page with ` +
      "the builder's own tool for that, or have somebody open this one with the builder in the CMS first",
  );

const unseenText = (field: string, id: number, parts: string) =>
  refused(
    "E_BUILDER_MISMATCH",
    `${field}: page ${id} is shown by the page builder, so nobody would see a change of its ${parts}, and the builder's next ` +
      "save would take it away; change its elements instead, or have somebody give it back to WordPress's own editor",
  );

/** What the builder saves, it saves whole, as far as the account may store it. */
const codeLost = (field: string, id: number) =>
  `${field}: the site's account may not store code (WordPress's right unfiltered_html), so scripts, frames and the like ` +
  `are taken out of every element of page ${id}, also of those that the call does not name; give the account that right`;

const maybeUnseen = (field: string, id: number, other: string, parts: string) =>
  `${field}: the site does not tell whether ${other} page ${id}, and where that is so, nobody sees its ${parts}`;
