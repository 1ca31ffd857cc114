/** Pages of a CMS made of blocks: reading, drafts made and changed. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import { type Id, numericId } from "../../../lib/ids.ts";
import { CODE_APART, type Page, type PageFields, type PreparedPage } from "../../page.ts";
import type { Written } from "../../post.ts";
import { together } from "../../../lib/async.ts";
import { CmsError } from "../errors.ts";
import { BUILDER_FIELD, builderTold, ELEMENTOR_MODE } from "../rest/builders.ts";
import { rowOf } from "../rest/listing.ts";
import { readOne } from "../rest/one.ts";
import { fieldsOf, POST_ROW, RAW } from "../rest/records.ts";
import { checkState, requireUnpublished, written } from "../rest/states.ts";
import { requireRight, whoami } from "../rest/users.ts";
import { pageLosses } from "../rest/warnings.ts";
import type { Wire } from "../rest/wire.ts";

/** Who made the page's content. */
const MADE_WITH = z.object({
  _elementor_edit_mode: ELEMENTOR_MODE,
  _site_ops_scope: z.string().catch(""),
});

const PAGE = POST_ROW.extend({
  content: RAW,
  parent: z.number().default(0),
  template: z.string().default(""),
  site_ops_builder: BUILDER_FIELD,
  meta: MADE_WITH.catch(MADE_WITH.parse({})),
});
const META = Object.keys(MADE_WITH.shape).map((key) => `meta.${key}`);
const FIELDS = [fieldsOf(PAGE.omit({ meta: true })), ...META].join(",");

/** A page in any state. Throws CmsError (404 for an id that is no page). */
export async function readPage(wire: Wire, id: number): Promise<Page> {
  const { data } = await readOne(wire, "pages", id, { context: "edit", _fields: FIELDS }, PAGE);
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

/** HTML as the CMS's editor keeps it: one HTML block, unless it is made of blocks already. */
export function asBlocks(html: string): string {
  if (html.trim() === "" || html.includes("<!-- wp:")) return html;
  return `<!-- wp:html -->\n${html}\n<!-- /wp:html -->`;
}

/** Refuses a parent that is no page of the site: E_BAD_INPUT. */
export async function requireParent(wire: Wire, parent: Id | undefined): Promise<void> {
  if (parent === undefined) return;
  const id = numericId(parent, "parent_id");
  try {
    await wire.get(`wp/v2/pages/${id}`, { _fields: "id" }, z.object({ id: z.literal(id) }));
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.upstream !== 404) throw thrown;
    throw new GatewayError("E_BAD_INPUT", `parent_id: the site has no page ${id}`, { cause: thrown });
  }
}

/** Proves the account's rights and that the parent is there; writes nothing. Throws E_BAD_INPUT, E_UPSTREAM. */
export async function preparePage(wire: Wire, fields: PageFields): Promise<PreparedPage> {
  const [me] = await together(whoami(wire), requireParent(wire, fields.parent_id));
  requireRight(me, "edit_pages", "write pages");
  const { content_html, ...rest } = fields;
  return { fields: content_html === undefined ? rest : { ...rest, content_html: asBlocks(content_html) } };
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
export async function createPage(wire: Wire, { fields }: PreparedPage): Promise<Written> {
  const sent = body(fields);
  const record = await wire.post("wp/v2/pages", { _fields: FIELDS }, { ...sent, status: "draft" }, PAGE);
  await requireUnpublished(wire, "pages", record, "created");
  return result(record, sent);
}

/** Changes the given fields of a draft or scheduled page. Throws E_FORBIDDEN_OP, CmsError. */
export async function updatePage(wire: Wire, id: number, { fields }: PreparedPage): Promise<Written> {
  const sent = body(fields);
  await checkState(wire, "pages", id, "update"); // last before the write
  const record = await wire.post(`wp/v2/pages/${id}`, { _fields: FIELDS }, sent, PAGE);
  await requireUnpublished(wire, "pages", record, "updated");
  return result(record, sent);
}

function result(record: z.infer<typeof PAGE>, sent: Record<string, unknown>): Written {
  const losses = pageLosses(record, sent);
  const unstyled = sent["content"] !== undefined && record.meta._site_ops_scope !== "";
  const warnings = unstyled ? [...losses, `content_html: ${CODE_APART}`] : losses;
  return warnings.length === 0 ? written(record) : { ...written(record), warnings };
}
