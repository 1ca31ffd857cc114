/** Posts of a CMS: reading, listing, drafts made and changed. */
import { GatewayError } from "../../../errors.ts";
import { numericId } from "../../../lib/ids.ts";
import { together } from "../../../lib/async.ts";
import type { Making } from "../../../model.ts";
import type { DraftFields, DraftList, DraftsQuery, Post, PreparedDraft, Seen, Written } from "../../post.ts";
import { CmsError } from "../errors.ts";
import { builderTold } from "./builders.ts";
import { requireImage } from "./media.ts";
import { pageOfRecords, rowOf } from "./listing.ts";
import { readOne } from "./one.ts";
import {
  CONTENT,
  CONTENT_FIELDS,
  type ContentRecord,
  fieldsOf,
  plainName,
  POST,
  type PostRecord,
  utc,
} from "./records.ts";
import { change, type CmsSeen, look, seenOf } from "./seen.ts";
import { judge, requireUnpublished, written } from "./states.ts";
import { findTerms, makeMissing, requireTermRight, type TermPick, termsOf } from "./terms.ts";
import { type Me, requireAuthor, requireRight, whoami } from "./users.ts";
import { losses } from "./warnings.ts";
import type { Wire } from "./wire.ts";

const FIELDS = fieldsOf(POST);

/** A draft as this platform prepared it. */
export interface CmsDraft extends PreparedDraft {
  readonly tags?: readonly TermPick[];
  readonly categories?: readonly TermPick[];
}

/** A post in any state, with its terms' names. Throws CmsError (404 for an id that is no post). */
export async function readPost(wire: Wire, id: number): Promise<Post> {
  const { data } = await readOne(wire, "posts", id, { context: "edit", _fields: CONTENT_FIELDS }, CONTENT);
  const [categories, tags] = await together(
    termsOf(wire, "category", data.categories),
    termsOf(wire, "tag", data.tags),
  );
  return post(data, categories, tags);
}

/** The same of one that is to be changed; refuses what its state forbids: E_FORBIDDEN_OP. */
export async function readDraft(wire: Wire, id: number): Promise<Post & CmsSeen> {
  const found = await look(wire, "posts", id);
  judge("posts", "update")(found);
  const { record, guarded } = found;
  const named = (terms: readonly TermPick[]) => terms.map(({ id, name }) => ({ id, name: plainName(name) }));
  const [categories, tags] = guarded
    ? [named(guarded.terms.categories), named(guarded.terms.tags)]
    : await together(termsOf(wire, "category", record.categories), termsOf(wire, "tag", record.tags));
  return { ...post(record, categories, tags), ...seenOf(found) };
}

function post(data: ContentRecord, categories: readonly TermPick[], tags: readonly TermPick[]): Post {
  return {
    ...rowOf(data),
    page_builder: builderTold(data),
    content_html: data.content.raw,
    excerpt: data.excerpt.raw,
    date_gmt: utc(data.date_gmt),
    featured_media_id: data.featured_media || null,
    categories,
    tags,
  };
}

/**
 * Drafts and scheduled posts, last changed first; never a row of another state. A CMS counts those of others for an
 * account that may not see them, and leaves holes in their place; such an account is asked for its own alone.
 */
export async function listDrafts(wire: Wire, query: DraftsQuery): Promise<DraftList> {
  const { page, per_page, search, status } = query;
  const wanted = status === undefined ? ["draft", "future"] : status === "draft" ? ["draft"] : ["future"];
  const asked = { status: wanted.join(","), context: "edit", orderby: "modified", order: "desc", search };
  try {
    const [me, all] = await together(
      whoIfTold(wire),
      pageOfRecords(wire, "posts", { ...asked, per_page }, page),
    );
    const { rows, counts } = me === null || me.can("edit_others_posts")
      ? all
      : await pageOfRecords(wire, "posts", { ...asked, author: me.id, per_page }, page);
    const posts = rows.filter((record) => wanted.includes(record.status)).map(rowOf);
    return { posts, page, per_page, ...counts };
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    // 400 for a status that may not be asked for: also what nobody's request gets
    if (thrown.reason === "rest_invalid_param") requireRight(await whoami(wire), "edit_posts", "see drafts");
    throw thrown;
  }
}

/** The account; null where the site hides it, as some security plugins do with all people. */
async function whoIfTold(wire: Wire): Promise<Me | null> {
  try {
    return await whoami(wire);
  } catch (thrown) {
    const hidden = thrown instanceof GatewayError && [401, 403, 404].includes(thrown.upstream ?? 0);
    if (!hidden) throw thrown;
    return null;
  }
}

/** Proves the account's rights and looks the names up; writes nothing. Throws E_BAD_INPUT, E_UPSTREAM. */
export async function prepareDraft(wire: Wire, fields: DraftFields, seen?: Seen): Promise<CmsDraft> {
  const [me, tags, categories] = await together(
    (seen as CmsSeen | undefined)?.look.guarded?.me ?? whoami(wire),
    fields.tags && findTerms(wire, "tag", fields.tags),
    fields.categories && findTerms(wire, "category", fields.categories),
    requireImage(wire, fields.featured_media_id),
    requireAuthor(wire, fields.author_id),
  );
  requireRight(me, "edit_posts", "write drafts");
  if (fields.author_id !== undefined && numericId(fields.author_id, "author_id") !== me.id) {
    requireRight(me, "edit_others_posts", "write in another author's name");
  }
  requireTermRight(me, "tag", tags ?? []);
  requireTermRight(me, "category", categories ?? []);
  return { fields, tags, categories };
}

/**
 * The body of a write: only what was given, never a state or a date. Makes the terms that are missing, before the post
 * that carries them (docs/decisions/0017-terms-are-made-before-their-post.md).
 */
async function body(wire: Wire, draft: CmsDraft, made: Making): Promise<Record<string, unknown>> {
  const { title, content_html: content, excerpt, slug, featured_media_id, author_id } = draft.fields;
  const given = {
    title,
    content,
    excerpt,
    slug,
    featured_media: featured_media_id && numericId(featured_media_id, "featured_media_id"),
    author: author_id && numericId(author_id, "author_id"),
    tags: draft.tags && await makeMissing(wire, "tag", draft.tags, made),
    categories: draft.categories && await makeMissing(wire, "category", draft.categories, made),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Makes a draft. Throws E_FORBIDDEN_OP when the site made it public all the same (it is taken back), CmsError. */
export async function createDraft(wire: Wire, draft: CmsDraft, made: Making): Promise<Written> {
  const sent = await body(wire, draft, made);
  const record = await wire.post("wp/v2/posts", { _fields: FIELDS }, { ...sent, status: "draft" }, POST);
  await requireUnpublished(wire, "posts", record, made);
  return result(record, sent);
}

/** Changes the given fields of a draft or scheduled post. Throws E_FORBIDDEN_OP, CmsError. */
export async function updateDraft(
  wire: Wire,
  id: number,
  draft: CmsDraft,
  made: Making,
  seen?: CmsSeen,
): Promise<Written> {
  const sent = await body(wire, draft, made);
  if (Object.keys(sent).length === 0) throw new GatewayError("E_BAD_INPUT", "Nothing to change was given");
  const relied = ["status", "date_gmt"];
  const what = { kind: "posts", id, fields: sent, relied, judge: judge("posts", "update") } as const;
  const record = await change(wire, what, seen);
  await requireUnpublished(wire, "posts", record, null);
  return result(record, sent);
}

function result(record: PostRecord, sent: Record<string, unknown>): Written {
  const warnings = losses(record, sent);
  return warnings.length === 0 ? written(record) : { ...written(record), warnings };
}
