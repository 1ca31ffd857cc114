/** Pages that are made at Duda, anew or as a copy: always a DRAFT, which is looked at afterwards. */
import { GatewayError } from "../../core/errors.ts";
import type { Making } from "../../core/model.ts";
import type { PreparedPage } from "../_content/page.ts";
import type { Updated } from "../_content/post.ts";
import { type PageRead, readPage, seenPage } from "./read.ts";
import { bodyOf, checkPath, plainPath, sentParts } from "./page_fields.ts";
import { CREATED, PAGE, PAGES } from "./records.ts";
import { differences, requireUnchanged } from "./seen.ts";
import type { Wire } from "./wire.ts";
import { readAfterWrite, written } from "./written.ts";

/** A page to be made, and those there are already, to tell the new one from. */
export interface NewPage extends PreparedPage {
  readonly known: readonly string[];
}

/** What there is: the ids, and whether a page has that path already. */
export async function existing(wire: Wire, slug: string | undefined) {
  const { results } = (await wire.ask("pages", PAGES)).data;
  const path = plainPath(slug);
  const taken = path !== undefined && results.some((page) => (page.path ?? "").replace(/^\//, "") === path);
  const warnings = taken
    ? [`slug: the site has a page "${path}" already; the platform may refuse it or choose another`]
    : [];
  return { known: results.map(({ uuid }) => uuid), warnings };
}

/** The id of a page that was just made: the platform need not tell it. `title` is what it was asked to have. */
async function idOfNew(
  wire: Wire,
  told: string | undefined,
  known: readonly string[],
  title: string | undefined,
): Promise<string> {
  if (told !== undefined && !known.includes(told)) return told;
  const { results } = (await wire.ask("pages", PAGES)).data;
  const fresh = results.filter((page) =>
    !known.includes(page.uuid) && (title === undefined || page.title === title)
  );
  if (fresh.length === 1) return fresh[0]!.uuid;
  throw new GatewayError(
    "E_UPSTREAM",
    "The page was made, but the platform did not tell its id; find it with list_content",
    { upstream: 502, outcome: "made" },
  );
}

/**
 * Looks at a new page; one that is not the DRAFT it was asked to be is made one. Throws E_FORBIDDEN_OP where it was
 * published, or where it stays what it is.
 */
async function requireDraft(wire: Wire, id: string): Promise<PageRead> {
  const found = await readAfterWrite(readPage(wire, id));
  if (found.record.draft_status === "DRAFT") return found;
  const after = await madeDraft(wire, id);
  const wasLive = found.whole.status === "published";
  if (after !== null && !wasLive) return after;
  const end = after === null
    ? "making it a draft failed: take it down in the platform's editor now"
    : "it was made a draft again at once";
  throw new GatewayError(
    "E_FORBIDDEN_OP",
    `Page ${id} was made and was "${found.whole.status}" (${found.whole.url}); ${end}`,
    { outcome: "made", ...wasLive ? { published: true } : {} },
  );
}

/** The page, once it is a DRAFT; null where making it one failed. */
async function madeDraft(wire: Wire, id: string): Promise<PageRead | null> {
  try {
    await wire.ask("change_page", PAGE.nullish(), { id, json: { draft_status: "DRAFT" } });
    const after = await readPage(wire, id);
    return after.record.draft_status === "DRAFT" ? after : null;
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown; // told by who asked
    return null;
  }
}

/** Makes a page. Throws E_FORBIDDEN_OP where the platform made it no draft and keeps it so. */
export async function create(wire: Wire, { fields, known }: NewPage, made: Making): Promise<Updated> {
  const page = { ...bodyOf(fields), draft_status: "DRAFT" };
  const { data } = await wire.ask("create_page", CREATED, { json: { page } });
  const late = wire.forCleanup();
  const id = await readAfterWrite(idOfNew(late, data?.uuid, known, fields.title));
  made({ what: "page", id, name: fields.title });
  const after = await requireDraft(late, id);
  return { ...written(after.whole, differences(sentParts(fields), after.parts)), parts: after.parts };
}

/** What a copy is made of. */
export interface CopyFields {
  readonly title?: string;
  readonly slug?: string;
}

/** A page of any state that is to be copied: what is shown of it, and the pages there are. */
export async function prepareCopy(wire: Wire, id: string, { slug }: CopyFields) {
  checkPath(slug);
  const found = await readPage(wire, id);
  return { page: seenPage(found), ...await existing(wire, slug) };
}
export type PreparedCopy = Awaited<ReturnType<typeof prepareCopy>>;

/** Copies a page as a DRAFT, only while it is as it was seen. */
export async function copyPage(
  wire: Wire,
  fields: CopyFields,
  { page, known }: PreparedCopy,
  made: Making,
): Promise<Updated> {
  const id = String(page.id);
  requireUnchanged("page", id, page, (await readPage(wire, id)).parts);
  const json = { ...bodyOf(fields), draft_status: "DRAFT" };
  const { data } = await wire.ask("duplicate_page", CREATED, { id, json });
  const late = wire.forCleanup();
  const fresh = await readAfterWrite(idOfNew(late, data?.uuid, known, fields.title));
  made({ what: "page", id: fresh, name: fields.title ?? page.title });
  const after = await requireDraft(late, fresh);
  const lost = differences(sentParts(fields), after.parts);
  const uncompared = "the content of the copy was not compared with the page it was made of";
  return { ...written(after.whole, lost, uncompared), parts: after.parts };
}
