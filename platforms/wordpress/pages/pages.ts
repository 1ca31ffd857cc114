/** Pages of a CMS made of blocks: reading, drafts made and changed. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import type { Making } from "../../../core/model.ts";
import { CODE_APART, type Page, type PageFields, type PreparedPage } from "../../_content/page.ts";
import type { Updated } from "../../_content/post.ts";
import { allOrThrow } from "../../../core/async.ts";
import { CmsError } from "../errors.ts";
import { builderTold } from "../rest/builders.ts";
import { changeDraft } from "../rest/posts.ts";
import { rowOf } from "../rest/lists.ts";
import { readOne } from "../rest/reader.ts";
import { CONTENT, CONTENT_FIELDS, type ContentRecord } from "../rest/records.ts";
import { madeParts, readState, type StateSnapshot, toSnapshot } from "../rest/snapshot.ts";
import { judge, requireUnpublished } from "../rest/states.ts";
import { takenWarnings } from "../rest/slugs.ts";
import { accountIfShown, mayStoreAny, requireRight, uncheckedRights } from "../rest/users.ts";
import { blockTemplate } from "./theme_templates.ts";
import { pageDifferences } from "../rest/warnings.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";
import { written } from "../rest/writer.ts";

/** A page in any state. Throws CmsError (404 for an id that is no page). */
export async function readPage(wire: WordPressClient, id: number): Promise<Page> {
  const query = { context: "edit", _fields: CONTENT_FIELDS };
  return page((await readOne(wire, "pages", id, query, CONTENT)).data);
}

/** The same of one that is to be changed; refuses what its state forbids: E_FORBIDDEN_OP. */
export async function readDraftPage(wire: WordPressClient, id: number): Promise<Page & StateSnapshot> {
  const found = await readState(wire, "pages", id);
  judge("pages", "update")(found);
  return { ...page(found.record), ...toSnapshot(found) };
}

function page(data: ContentRecord): Page {
  const { parent, template, content, meta } = data;
  return {
    ...rowOf(data),
    content_html: content.raw,
    parent_id: parent || null,
    template,
    page_builder: builderTold(data),
    from_code: meta._site_ops_scope !== "",
  };
}

/** Whether a text is made of blocks, as one that holds nothing yet may be. */
export const isOfBlocks = (html: string): boolean => html.trim() === "" || html.includes("<!-- wp:");

/** HTML as the CMS's editor keeps it: one HTML block, unless it is made of blocks already. */
export function asBlocks(html: string): string {
  if (isOfBlocks(html)) return html;
  return `<!-- wp:html -->\n${html}\n<!-- /wp:html -->`;
}

/** Refuses a parent that is no page of the site: E_BAD_INPUT. */
export async function requireParent(wire: WordPressClient, parent: Id | undefined): Promise<void> {
  if (parent === undefined) return;
  const id = numericId(parent, "parent_id");
  try {
    await wire.get(`wp/v2/pages/${id}`, { _fields: "id" }, z.object({ id: z.literal(id) }));
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.upstream !== 404) throw thrown;
    throw new GatewayError("E_BAD_INPUT", `parent_id: the site has no page ${id}`, { cause: thrown });
  }
}

/**
 * Looks up the parent and, for a new page, proves the account's rights: reading a page to be changed proves them by
 * itself. Writes nothing. Throws E_BAD_INPUT, E_UPSTREAM.
 */
export async function preparePage(
  wire: WordPressClient,
  fields: PageFields,
  id: number | null,
): Promise<PreparedPage> {
  const isNew = id === null;
  const { title, slug, parent_id } = fields;
  const parent = parent_id === undefined ? undefined : numericId(parent_id, "parent_id");
  const [template, taken] = await allOrThrow(
    blockTemplate(wire, fields.template),
    // A page that keeps its parent has it told when it goes live.
    isNew
      ? takenWarnings(wire, "pages", { slug, title, parent })
      : parent === undefined
      ? []
      : takenWarnings(wire, "pages", { slug, parent, id }),
    isNew ? accountIfShown(wire) : undefined,
    requireParent(wire, parent_id),
  );
  if (isNew) await requireRight(wire, "edit_pages", "write pages");
  const { content_html, template: _, ...others } = fields;
  const rest = template === undefined ? others : { ...others, template };
  const warnings = isNew ? uncheckedRights(wire) : [];
  return {
    fields: content_html === undefined ? rest : { ...rest, content_html: asBlocks(content_html) },
    warnings,
    lasting: taken,
  };
}

/** The body of a write: only what was given, never a state or a date. */
function body(
  { title, content_html: content, slug, parent_id, template }: PageFields,
): Record<string, unknown> {
  const parent = parent_id === undefined ? undefined : numericId(parent_id, "parent_id");
  const given = { title, content, slug, parent, template };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Makes a draft. Throws E_FORBIDDEN_OP when the site made it public all the same (it is taken back), CmsError. */
export async function createPage(
  wire: WordPressClient,
  { fields }: PreparedPage,
  made: Making,
): Promise<Updated> {
  const sent = body(fields);
  const record = await wire.post(
    "wp/v2/pages",
    { _fields: CONTENT_FIELDS },
    { ...sent, status: "draft" },
    CONTENT,
  );
  await requireUnpublished(wire, "pages", record, made);
  const differences = pageDifferences(record, { ...sent, status: "draft" }, mayStoreAny(wire));
  return { ...written(wire, record, differences), parts: madeParts(record) };
}

/** Changes the given fields of a draft or scheduled page. Throws E_FORBIDDEN_OP, CmsError. */
export async function updatePage(
  wire: WordPressClient,
  id: number,
  { fields }: PreparedPage,
  seen?: StateSnapshot,
): Promise<Updated> {
  const sent = body(fields);
  const { record, beside } = await changeDraft(wire, "pages", id, sent, seen);
  const done = {
    ...written(wire, record, [...pageDifferences(record, sent, mayStoreAny(wire)), ...beside]),
    ...seen ? { parts: toSnapshot({ ...seen.read, record }).parts } : {},
  };
  const unstyled = sent["content"] !== undefined && record.meta._site_ops_scope !== "";
  return unstyled ? { ...done, warnings: [`content_html: ${CODE_APART}`] } : done;
}
