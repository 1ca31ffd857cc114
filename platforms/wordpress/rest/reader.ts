/** Reading posts and pages: one by its id, one of which only the id is known, and lists of them. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { numericId } from "../../../core/ids.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { FoundState, StatesClient } from "../../_content/posts.ts";
import { editingWarnings, TRACE } from "../companion/guarded.ts";
import { CmsError } from "../errors.ts";
import { fieldsOf, head, type Kind, POST_HEAD } from "./records.ts";
import { typeHaving } from "./types.ts";
import { type Query, WordPressClient } from "./wordpress_client.ts";

const OTHER: Readonly<Record<string, { readonly kind: Kind; readonly is: string }>> = {
  posts: {
    kind: "pages",
    is:
      "a page, not a post; the tools for pages take it (get_page, update_page_draft, publish_page, schedule_page, page_id of " +
      "revise_published), and unschedule takes both",
  },
  pages: {
    kind: "posts",
    is: "a post, not a page; the tools for posts take it (get_post, update_draft, publish_post, " +
      "schedule_draft, post_id of revise_published)",
  },
};

/** That there is no such post, or page, because the id is of the other kind. */
export class OtherKindError extends CmsError {}

/** The record and what came with it. Throws CmsError; where the other kind has that id OtherKindError. */
export async function readOne<T>(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  query: Query,
  schema: z.ZodType<T>,
) {
  try {
    return await wire.get(`wp/v2/${kind}/${id}`, query, schema);
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.reason !== "rest_post_invalid_id") throw thrown;
    throw await explained(wire, kind, id, thrown);
  }
}

async function explained(wire: WordPressClient, kind: Kind, id: number, thrown: CmsError): Promise<CmsError> {
  const other = OTHER[kind];
  const { message, reason, data } = thrown;
  const { gone, excerpt } = thrown;
  const none = new CmsError(`${message}; list_content finds ids`, 404, reason, data, { gone, excerpt });
  if (other === undefined) return none;
  const query = { context: "edit", _fields: "id" };
  const found = await wire.get(`wp/v2/${other.kind}/${id}`, query, z.object({ id: z.literal(id) }))
    .catch((failed) => {
      if (failed instanceof GatewayError) return null;
      throw failed;
    });
  if (found !== null) return new OtherKindError(`CMS 404 ${reason}: ${id} is ${other.is}`, 404, reason, data);
  const type = await typeHaving(wire, id);
  if (type === null) return none;
  const is = `${id} is of the type "${type.slug}"; the tools for posts take it with type "${type.slug}"`;
  return new CmsError(`CMS 404 ${reason}: ${is}`, 404, reason, data);
}

/** Who has it open; the companion plugin's field, null where it is missing or too old. */
const EDITING = TRACE.nullable().catch(null);
const STATE = POST_HEAD.extend({ site_ops_editing: EDITING });
const FIELDS = `${fieldsOf(POST_HEAD)},site_ops_editing`;

/** The states of the posts and pages of a site. */
export function statesOf(ctx: SiteContext): StatesClient {
  const wire = new WordPressClient(ctx);
  return {
    find: (id) => findState(wire, numericId(id, "post_id")),
    findAny: (id) => findAnyState(wire, numericId(id, "post_id")),
  };
}

/** Its state; null where neither a page nor a post has that id. Throws CmsError, E_UPSTREAM. */
async function findState(wire: WordPressClient, id: number): Promise<FoundState | null> {
  return await stateOf(wire, "pages", id) ?? await stateOf(wire, "posts", id);
}

/** The same of content of any type for writers. */
async function findAnyState(wire: WordPressClient, id: number): Promise<FoundState | null> {
  const found = await findState(wire, id);
  if (found !== null) return found;
  const type = await typeHaving(wire, id);
  return type && await stateOf(wire, type.kind, id);
}

async function stateOf(wire: WordPressClient, kind: Kind, id: number): Promise<FoundState | null> {
  const found = await orNone(wire.get(route(kind, id), { context: "edit", _fields: FIELDS }, STATE));
  if (found?.data.id !== id) return null;
  const { data, siteNow } = found;
  return { ...head(data), editing: editingWarnings(data.site_ops_editing), siteNow };
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
