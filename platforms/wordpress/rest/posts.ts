/** Posts of a CMS, as tools know them on any platform: reading, listing, drafts made and changed. */
import { GatewayError } from "../../../core/errors.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import { allOrThrow } from "../../../core/async.ts";
import type { Making } from "../../../core/model.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { PostsClient } from "../../_content/posts.ts";
import type {
  DraftFields,
  DraftList,
  DraftsQuery,
  Post,
  PreparedDraft,
  Updated,
  Verb,
  Written,
} from "../../_content/post.ts";
import { CmsError } from "../errors.ts";
import { builderSeen, builderTold } from "./builders.ts";
import { requireImage } from "./media.ts";
import { kindOf, listContent, OtherKindError, pageOfRecords, readOne, rowOf } from "./reader.ts";
import { CONTENT, type ContentRecord, fieldsOf, plainName, POST, TERMS_TOO, utc } from "./records.ts";
import { readState, type StateRead, type StateSnapshot, toSnapshot } from "./snapshot.ts";
import { checkState, judge, publish, requireUnpublished, schedule, unschedule } from "./states.ts";
import { findTerms, makeMissing, requireTermRight, type Taxonomy, type TermPick, termsOf } from "./terms.ts";
import {
  accountIfShown,
  knownAccount,
  type Me,
  requireAuthor,
  requireRight,
  uncheckedRights,
} from "./users.ts";
import { changedBeside, differences } from "./warnings.ts";
import { timeZoneOf } from "./time_zone.ts";
import { type Query, WordPressClient } from "./wordpress_client.ts";
import { change, written } from "./writer.ts";

const FIELDS = fieldsOf(POST);

/** A draft as this platform prepared it. */
export interface CmsDraft extends PreparedDraft {
  readonly tags?: readonly TermPick[];
  readonly categories?: readonly TermPick[];
}

/** The posts of the site. */
export function postsOf(ctx: SiteContext): PostsClient {
  const wire = new WordPressClient(ctx);
  const number = (id: Id) => numericId(id, "post_id");
  return {
    getPost: (id) => readPost(wire, number(id)),
    getDraft: (id) => readDraft(wire, number(id)),
    builderSeen: (id) => builderSeen(wire, "posts", number(id)),
    list: (query) => listContent(wire, "posts", query),
    listDrafts: (query) => listDrafts(wire, query),
    prepareDraft: (fields, isNew) => prepareDraft(wire, fields, isNew),
    createDraft: (draft, made) => createDraft(wire, draft as CmsDraft, made),
    updateDraft: (id, draft, made, seen) =>
      updateDraft(wire, number(id), draft as CmsDraft, made, seen as StateSnapshot),
    check: (id, verb, moment, type) =>
      type === undefined && verb === "unschedule"
        ? checkEither(wire, number(id), verb)
        : checkState(wire, kindOf(type), number(id), verb, moment),
    timeZone: () => timeZoneOf(wire),
    schedule: (id, moment, seen) => schedule(wire, "posts", number(id), moment, seen as StateSnapshot),
    unschedule: (id, type, seen) => unschedule(wire, kindOf(type), number(id), seen as StateSnapshot),
    publish: (id, grant, seen) => publish(wire, "posts", number(id), grant, seen as StateSnapshot),
  };
}

/** `checkState` of a post or page, whichever has the id. */
async function checkEither(wire: WordPressClient, id: number, verb: Verb): Promise<StateSnapshot> {
  try {
    return await checkState(wire, "posts", id, verb);
  } catch (thrown) {
    if (!(thrown instanceof OtherKindError)) throw thrown;
    return { ...await checkState(wire, "pages", id, verb), type: "page" };
  }
}

/** A post in any state, with its terms' names. Throws CmsError (404 for an id that is no post). */
async function readPost(wire: WordPressClient, id: number): Promise<Post> {
  const { data } = await readOne(wire, "posts", id, { context: "edit", ...TERMS_TOO }, CONTENT);
  return await withTerms(wire, data);
}

/** The same of one that is to be changed; refuses what its state forbids: E_FORBIDDEN_OP. */
async function readDraft(wire: WordPressClient, id: number): Promise<Post & StateSnapshot> {
  const found = await readState(wire, "posts", id, TERMS_TOO);
  judge("posts", "update")(found);
  return { ...await postWithTerms(wire, found), ...toSnapshot(found) };
}

/** The post of a state that was read, with its terms' names. Throws CmsError. */
export async function postWithTerms(wire: WordPressClient, { record, guarded }: StateRead): Promise<Post> {
  const named = (terms: readonly TermPick[]) => terms.map(({ id, name }) => ({ id, name: plainName(name) }));
  return guarded
    ? post(record, named(guarded.terms.categories), named(guarded.terms.tags))
    : await withTerms(wire, record);
}

async function withTerms(wire: WordPressClient, record: ContentRecord): Promise<Post> {
  return post(
    record,
    ...await allOrThrow(termsOf(wire, "category", record), termsOf(wire, "tag", record)),
  );
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
async function listDrafts(wire: WordPressClient, query: DraftsQuery): Promise<DraftList> {
  const { page, per_page, search, status } = query;
  const wanted = status === undefined ? ["draft", "future"] : status === "draft" ? ["draft"] : ["future"];
  const asked = { status: wanted.join(","), context: "edit", orderby: "modified", order: "desc", search };
  try {
    const { rows, counts } = await pageOfOwn(wire, { ...asked, per_page }, page);
    const posts = rows.filter((record) => wanted.includes(record.status)).map(rowOf);
    return { posts, page, per_page, ...counts };
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    // 400 for a status that may not be asked for: also what nobody's request gets
    if (thrown.reason === "rest_invalid_param") await requireRight(wire, "edit_posts", "see drafts");
    throw thrown;
  }
}

/** All posts that are asked for; the account's own alone where it may not see others'. */
async function pageOfOwn(wire: WordPressClient, asked: Query, page: number) {
  const all = () => pageOfRecords(wire, "posts", asked, page);
  const own = (me: Me) => pageOfRecords(wire, "posts", { ...asked, author: me.id }, page);
  const sees = (me: Me | null) => me === null || me.can("edit_others_posts");
  const known = knownAccount(wire);
  if (known) return sees(known) ? await all() : await own(known);
  const [me, found] = await allOrThrow(accountIfShown(wire), all());
  return me === null || sees(me) ? found : await own(me);
}

/**
 * Looks the names up and proves the account's rights, those of a post to be changed as far as reading it does not prove
 * them; writes nothing. Throws E_BAD_INPUT, E_UPSTREAM.
 */
export async function prepareDraft(
  wire: WordPressClient,
  fields: DraftFields,
  isNew: boolean,
): Promise<CmsDraft> {
  const { author_id } = fields;
  const alone = isNew && [...fields.tags ?? [], ...fields.categories ?? []].length === 1;
  const [me, tags, categories] = await allOrThrow(
    isNew || author_id !== undefined ? accountIfShown(wire) : null,
    fields.tags && findTerms(wire, "tag", fields.tags, alone),
    fields.categories && findTerms(wire, "category", fields.categories, alone),
    requireImage(wire, fields.featured_media_id),
    requireAuthor(wire, author_id),
  );
  if (isNew) await requireRight(wire, "edit_posts", "write drafts");
  if (author_id !== undefined && numericId(author_id, "author_id") !== me?.id) {
    await requireRight(wire, "edit_others_posts", "write in another author's name");
  }
  await requireTermRight(wire, "tag", tags ?? []);
  await requireTermRight(wire, "category", categories ?? []);
  return { fields, tags, categories, warnings: isNew ? uncheckedRights(wire) : [] };
}

/**
 * The body of a write: only what was given, never a state or a date; and which new terms the site named otherwise, a
 * sentence each. Makes the terms that are missing, before the post
 * that carries them (docs/decisions/0017-terms-are-made-before-their-post.md).
 */
export async function bodyOf(
  wire: WordPressClient,
  draft: CmsDraft,
  made: Making,
): Promise<{ sent: Record<string, unknown>; renamed: string[] }> {
  const { title, content_html: content, excerpt, slug, featured_media_id, author_id } = draft.fields;
  const renamed: string[] = [];
  const termsOfPost = (taxonomy: Taxonomy, picks: readonly TermPick[] | undefined) =>
    picks && makeMissing(wire, taxonomy, picks, made, renamed);
  const given = {
    title,
    content,
    excerpt,
    slug,
    featured_media: featured_media_id && numericId(featured_media_id, "featured_media_id"),
    author: author_id && numericId(author_id, "author_id"),
    tags: await termsOfPost("tag", draft.tags),
    categories: await termsOfPost("category", draft.categories),
  };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { sent, renamed };
}

/** Makes a draft. Throws E_FORBIDDEN_OP when the site made it public all the same (it is taken back), CmsError. */
async function createDraft(wire: WordPressClient, draft: CmsDraft, made: Making): Promise<Written> {
  const { sent, renamed } = await bodyOf(wire, draft, made);
  const record = await wire.post("wp/v2/posts", { _fields: FIELDS }, { ...sent, status: "draft" }, POST);
  await requireUnpublished(wire, "posts", record, made);
  return written(record, [...differences(record, { ...sent, status: "draft" }), ...renamed]);
}

/** Changes the given fields of a draft or scheduled post. Throws E_FORBIDDEN_OP, CmsError. */
async function updateDraft(
  wire: WordPressClient,
  id: number,
  draft: CmsDraft,
  made: Making,
  seen?: StateSnapshot,
): Promise<Updated> {
  const { sent, renamed } = await bodyOf(wire, draft, made);
  if (Object.keys(sent).length === 0) throw new GatewayError("E_BAD_INPUT", "Nothing to change was given");
  const dependsOn = ["status", "date_gmt"];
  const what = { kind: "posts", id, fields: sent, dependsOn, judge: judge("posts", "update") } as const;
  const record = await change(wire, what, seen);
  await requireUnpublished(wire, "posts", record, null);
  const beside = seen ? changedBeside(seen.read.record, record, sent) : [];
  const done = written(record, [...differences(record, sent), ...renamed, ...beside]);
  return seen ? { ...done, parts: toSnapshot({ ...seen.read, record }).parts } : done;
}
