/** Posts of a CMS, as tools know them on any platform: reading, listing, drafts made and changed. */
import { GatewayError } from "../../../core/errors.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import { allOrThrow } from "../../../core/async.ts";
import type { Making } from "../../../core/model.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { ContentType, PostsClient } from "../../_content/posts.ts";
import type {
  DraftFields,
  DraftList,
  DraftsQuery,
  Post,
  PreparedDraft,
  Updated,
  Verb,
} from "../../_content/post.ts";
import { languageOf } from "../companion/guarded.ts";
import { CmsError } from "../errors.ts";
import { builderSeen, builderTold } from "./builders.ts";
import { requireImage } from "./media.ts";
import { listContent, pageOfRecords, rowOf } from "./lists.ts";
import { OtherKindError, readOne } from "./reader.ts";
import {
  CONTENT,
  type ContentRecord,
  fieldsOf,
  type Kind,
  plainName,
  POST,
  TERMS_TOO,
  utc,
} from "./records.ts";
import { madeParts, readState, type StateRead, type StateSnapshot, toSnapshot } from "./snapshot.ts";
import { checkState, judge, publish, requireUnpublished, schedule, unschedule } from "./states.ts";
import { kindNamed, requireFields, rightAt, typeAt } from "./types.ts";
import { takenWarnings } from "./slugs.ts";
import { findTerms, makeMissing, requireTermRight, type Taxonomy, type TermPick, termsOf } from "./terms.ts";
import {
  accountIfShown,
  knownAccount,
  mayStoreAny,
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
  readonly kind: Kind;
  readonly tags?: readonly TermPick[];
  readonly categories?: readonly TermPick[];
  /** Of the post, where the site keeps content of several languages: its terms are of the same. */
  readonly lang?: string | undefined;
}

/** The posts of the site, and what is there of types of its own. */
export function postsOf(ctx: SiteContext): PostsClient {
  const wire = new WordPressClient(ctx);
  const number = (id: Id) => numericId(id, "post_id");
  const at = (type: ContentType | undefined) => kindNamed(wire, type);
  // The tools for pages have no schedule to take back.
  const atAny = async (type: ContentType | undefined) => type === "page" ? "pages" as const : await at(type);
  return {
    getPost: async (id, type) => await readPost(wire, await at(type), number(id), type),
    getDraft: async (id, type) => await readDraft(wire, await at(type), number(id)),
    builderSeen: async (id, type) => await builderSeen(wire, await at(type), number(id)),
    list: async (query, type) => await listContent(wire, await at(type), query),
    listDrafts: (query) => listDrafts(wire, query),
    prepareDraft: async (fields, id, type) =>
      await prepareDraft(wire, await at(type), fields, id === null ? null : number(id)),
    createDraft: (draft, made) => createDraft(wire, draft as CmsDraft, made),
    updateDraft: (id, draft, made, seen) =>
      updateDraft(wire, number(id), draft as CmsDraft, made, seen as StateSnapshot),
    check: async (id, verb, moment, type) =>
      type === undefined && verb === "unschedule"
        ? await checkEither(wire, number(id), verb)
        : await checkState(
          wire,
          await (verb === "unschedule" ? atAny : at)(type),
          number(id),
          verb,
          moment,
        ),
    timeZone: () => timeZoneOf(wire),
    schedule: async (id, moment, seen, type) =>
      await schedule(wire, await at(type), number(id), moment, seen as StateSnapshot),
    unschedule: async (id, type, seen) =>
      await unschedule(wire, await atAny(type), number(id), seen as StateSnapshot),
    publish: async (id, grant, seen, type) =>
      await publish(wire, await at(type), number(id), grant, seen as StateSnapshot),
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
async function readPost(wire: WordPressClient, kind: Kind, id: number, type?: ContentType): Promise<Post> {
  const { data } = await readOne(wire, kind, id, { context: "edit", ...TERMS_TOO }, CONTENT);
  const found = await withTerms(wire, data);
  return kind === "posts" ? found : { ...found, type };
}

/** The same of one that is to be changed; refuses what its state forbids: E_FORBIDDEN_OP. */
export async function readDraft(
  wire: WordPressClient,
  kind: Kind,
  id: number,
): Promise<Post & StateSnapshot> {
  const found = await readState(wire, kind, id, TERMS_TOO);
  judge(kind, "update")(found);
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
    const posts = rows.filter((record) => wanted.includes(record.status)).map((row) => rowOf(row));
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
  kind: Kind,
  fields: DraftFields,
  id: number | null,
): Promise<CmsDraft> {
  const isNew = id === null;
  const { author_id } = fields;
  requireFields(await typeAt(wire, kind), fields);
  const hasTerms = fields.tags !== undefined || fields.categories !== undefined;
  const lang = (isNew || !hasTerms ? null : await languageOf(wire, kind, id)) ?? undefined;
  const at_once = isNew && [...fields.tags ?? [], ...fields.categories ?? []].length === 1;
  const { title, slug } = fields;
  const [me, tags, categories, taken] = await allOrThrow(
    isNew || author_id !== undefined ? accountIfShown(wire) : null,
    fields.tags && findTerms(wire, "tag", fields.tags, { at_once, lang }),
    fields.categories && findTerms(wire, "category", fields.categories, { at_once, lang }),
    isNew
      ? takenWarnings(wire, kind, { slug, title })
      : slug === undefined
      ? []
      : takenWarnings(wire, kind, { slug, id }),
    requireImage(wire, fields.featured_media_id),
    requireAuthor(wire, author_id),
  );
  const right = (name: string) => rightAt(wire, kind, name);
  if (isNew) await requireRight(wire, await right("edit_posts"), "write drafts");
  if (author_id !== undefined && numericId(author_id, "author_id") !== me?.id) {
    await requireRight(wire, await right("edit_others_posts"), "write in another author's name");
  }
  await requireTermRight(wire, "tag", tags ?? []);
  await requireTermRight(wire, "category", categories ?? []);
  const warnings = isNew ? uncheckedRights(wire) : [];
  return { kind, fields, tags, categories, lang, warnings, lasting: taken };
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
    picks && makeMissing(wire, taxonomy, picks, made, renamed, draft.lang);
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
async function createDraft(wire: WordPressClient, draft: CmsDraft, made: Making): Promise<Updated> {
  const { sent, renamed } = await bodyOf(wire, draft, made);
  const { kind } = draft;
  const record = await wire.post(`wp/v2/${kind}`, { _fields: FIELDS }, { ...sent, status: "draft" }, POST);
  await requireUnpublished(wire, kind, record, made);
  const beside = [...differences(record, { ...sent, status: "draft" }, mayStoreAny(wire)), ...renamed];
  return { ...written(wire, record, beside), parts: madeParts(record) };
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
  const { kind } = draft;
  const { record, beside } = await changeDraft(wire, kind, id, sent, seen);
  const done = written(wire, record, [
    ...differences(record, sent, mayStoreAny(wire)),
    ...renamed,
    ...beside,
  ]);
  return seen ? { ...done, parts: toSnapshot({ ...seen.read, record }).parts } : done;
}

/**
 * Writes fields of a draft or scheduled post or page, and answers its record, with what changed beside them. Throws
 * E_FORBIDDEN_OP, CmsError.
 */
export async function changeDraft(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  fields: Readonly<Record<string, unknown>>,
  seen: StateSnapshot | undefined,
): Promise<{ readonly record: ContentRecord; readonly beside: readonly string[] }> {
  const dependsOn = ["status", "date_gmt"];
  const record = await change(wire, { kind, id, fields, dependsOn, judge: judge(kind, "update") }, seen);
  await requireUnpublished(wire, kind, record, null);
  const beside = seen ? changedBeside(seen.read.record, record, fields) : [];
  return { record, beside };
}
