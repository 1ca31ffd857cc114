/** Reading one post or page: the record in the tools' words, and the parts that a write may not overwrite unseen. */
import { GatewayError } from "../../core/errors.ts";
import { allOrThrow } from "../../core/async.ts";
import type { Page } from "../_content/page.ts";
import type { Post, Seen } from "../_content/post.ts";
import {
  PAGE,
  pageOf,
  pageParts,
  type PageRecord,
  POST,
  postOf,
  postParts,
  type PostRecord,
} from "./records.ts";
import type { Wire } from "./wire.ts";

/** A post or page as it was read. */
interface ReadRecord<Answer, Whole> {
  readonly record: Answer;
  /** In the tools' words. */
  readonly whole: Whole;
  readonly parts: Readonly<Record<string, unknown>>;
  /** The latest time the platform's clock can show now. */
  readonly siteNow: number;
}
export type PostRead = ReadRecord<PostRecord, Post>;
export type PageRead = ReadRecord<PageRecord, Page>;

/** What of a post's text no plan can show and no revision can hold. */
const UNSEEN_TEXT =
  "The platform does not show the text of a post: look at it in the platform's editor before it goes live, for an edit " +
  "of the text alone between this preview and the write is not noticed";
/** The same of what is placed on a page. */
const UNSEEN_ELEMENTS =
  "The platform does not show the content of a page: look at it in the platform's editor before it goes live, for an " +
  "edit of it between this preview and the write is not noticed";

/** Reads a post. Throws DudaError (`missing` where there is none). */
export async function readPost(wire: Wire, id: string): Promise<PostRead> {
  const [address, { data, siteNow }] = await allOrThrow(wire.address(), wire.ask("post", POST, { id }));
  return { record: data, whole: postOf(data, siteNow, address), parts: postParts(data, siteNow), siteNow };
}

/** Reads a page. Throws DudaError (`missing` where there is none). */
export async function readPage(wire: Wire, id: string): Promise<PageRead> {
  const [address, { data, siteNow }] = await allOrThrow(wire.address(), wire.ask("page", PAGE, { id }));
  return { record: data, whole: pageOf(data, address), parts: pageParts(data), siteNow };
}

/** A look in the words of plans; `live` where visitors are to see the post. */
export function seenPost({ whole, parts }: PostRead, live = false): Post & Seen {
  const warnings = live ? [UNSEEN_TEXT] : [];
  return { ...whole, parts, changed: null, noindex: whole.no_index ?? null, warnings };
}

/** The same of a page. */
export function seenPage({ whole, parts }: PageRead, live = false): Page & Seen {
  const warnings = live ? [UNSEEN_ELEMENTS] : [];
  return { ...whole, parts, changed: null, noindex: whole.seo?.no_index ?? null, warnings };
}

/** What a change of a draft page ends with where visitors got it. */
export const wentLive = ({ whole }: PageRead): GatewayError =>
  new GatewayError(
    "E_FORBIDDEN_OP",
    `Page ${whole.id} was updated and is "published" now (${whole.url}); look at it in the platform's editor`,
    { outcome: "made", published: true },
  );
