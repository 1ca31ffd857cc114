/** The state of a post or page of which only the id is known. */
import { z } from "zod";
import type { FoundState, PostFields } from "../../_content/content.ts";
import { editingWarnings, TRACE } from "../companion/guarded.ts";
import { CmsError } from "../errors.ts";
import { builderTold } from "./builders.ts";
import {
  CONTENT,
  fieldsOf,
  head,
  type Kind,
  POST_HEAD,
  POST_STATE,
  RAW,
  SLUG,
  statusWord,
} from "./records.ts";
import type { Wire } from "./wire.ts";

const MORE = CONTENT.pick({ template: true, site_ops_builder: true, meta: true });
/** Who has it open; the companion plugin's field, null where it is missing or too old. */
const EDITING = TRACE.nullable().catch(null);
/** What the account may do, by the names of links: rights that a network of sites takes away show nowhere else. */
const LINKS = z.looseObject({ self: z.unknown() }).optional().catch(undefined);
const CODE_LINK = "wp:action-unfiltered-html";
const STATE = POST_HEAD.extend({ ...MORE.shape, site_ops_editing: EDITING, _links: LINKS });
const FIELDS = `${
  fieldsOf(POST_HEAD)
},template,site_ops_builder,site_ops_editing,meta._elementor_edit_mode,_links`;
const TEXT = POST_HEAD.pick({ id: true }).extend({ content: RAW });
/** Of posts and pages, which both have not all of them. */
const RECORD = POST_STATE.pick({ id: true, status: true }).extend({
  title: RAW,
  content: RAW,
  excerpt: RAW,
  slug: SLUG,
  parent: z.number().optional().catch(undefined),
  menu_order: z.number().optional().catch(undefined),
  comment_status: z.string().optional().catch(undefined),
});
const TEXT_FIELDS = "id,content.raw";

/** Its state; null where neither a page nor a post has that id. Throws CmsError, E_UPSTREAM. */
export async function findState(wire: Wire, id: number): Promise<FoundState | null> {
  return await stateOf(wire, "pages", id) ?? await stateOf(wire, "posts", id);
}

async function stateOf(wire: Wire, kind: Kind, id: number): Promise<FoundState | null> {
  const found = await orNone(wire.get(route(kind, id), { context: "edit", _fields: FIELDS }, STATE));
  if (found?.data.id !== id) return null;
  const { data, siteNow } = found;
  const { template, site_ops_editing, _links } = data;
  const type = kind === "pages" ? "page" : "post";
  const editing = editingWarnings(site_ops_editing);
  const storesCode = _links?.self === undefined ? null : CODE_LINK in _links;
  return { ...head(data), type, template, builder: builderTold(data), editing, storesCode, siteNow };
}

/** Its text as it is stored; null where none of that kind has the id. Throws CmsError, E_UPSTREAM. */
export async function textOf(wire: Wire, kind: Kind, id: number): Promise<string | null> {
  const found = await orNone(wire.get(route(kind, id), { context: "edit", _fields: TEXT_FIELDS }, TEXT));
  return found?.data.id === id ? found.data.content.raw : null;
}

/** Its fields as they are stored; null where none of that kind has the id. Throws CmsError, E_UPSTREAM. */
export async function recordOf(wire: Wire, kind: Kind, id: number): Promise<PostFields | null> {
  const query = { context: "edit", _fields: fieldsOf(RECORD) };
  const found = await orNone(wire.get(route(kind, id), query, RECORD));
  if (found?.data.id !== id) return null;
  const { id: _, title, content, excerpt, slug, status, ...others } = found.data;
  const more = Object.entries(others).filter((one): one is [string, string | number] => one[1] !== undefined);
  return {
    ...Object.fromEntries(more),
    title: title.raw,
    content: content.raw,
    excerpt: excerpt.raw,
    slug,
    status: statusWord(status),
  };
}

const route = (kind: Kind, id: number) => `wp/v2/${kind}/${id}`;

async function orNone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof CmsError && thrown.reason === "rest_post_invalid_id") return null;
    throw thrown;
  }
}
