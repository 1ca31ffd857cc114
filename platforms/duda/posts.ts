/** Posts of a site at Duda, as tools know them on any platform. */
import { GatewayError } from "../../core/errors.ts";
import type { Making } from "../../core/model.ts";
import type { PostsClient } from "../_content/posts.ts";
import { excerpt } from "../_content/excerpt.ts";
import type { DraftFields, DraftList, PostRow, PreparedDraft, Seen, Updated } from "../_content/post.ts";
import { rowsOf } from "./listing.ts";
import { type PostRead, readPost, seenPost } from "./read.ts";
import { checkPath, plainPath } from "./page_fields.ts";
import { DudaError } from "./errors.ts";
import { IMPORTED, POST, postOf, type PostRecord, POSTS, postStatus } from "./records.ts";
import { differences, judge, requireUnchanged } from "./seen.ts";
import { publish, revert, schedule, unschedule } from "./states.ts";
import type { Wire } from "./wire.ts";
import { readAfterWrite, unread, written } from "./written.ts";

/** Posts of a call: where the platform refuses so many, fewer. */
const PER_CALL = [100, 50, 10] as const;
const POSTS_MAX = 2000;
const DESCRIPTION_CHARACTERS = 160;
/** How far an import's own date may lie before the request, by another clock. */
const CLOCKS_APART_MS = 120_000;

/** What there is of a blog: posts, whether they are all, and the platform's clock; a note where there is no blog. */
interface Posts {
  readonly found: readonly PostRecord[];
  readonly siteNow: number;
  readonly whole: boolean;
  readonly note?: string;
}

const NO_BLOG =
  "The site has no blog yet: somebody adds one in the platform's editor, and then it can have posts";

/** Every post, or the first 2,000 where there are more. */
async function everyPost(wire: Wire): Promise<Posts> {
  const found: PostRecord[] = [];
  let size = 0;
  while (found.length < POSTS_MAX) {
    const limit = PER_CALL[size]!;
    let part;
    try {
      part = await wire.ask("posts", POSTS, { query: { limit, offset: found.length } });
    } catch (thrown) {
      if (await isWithoutBlog(wire, thrown)) {
        return { found, siteNow: wire.now(), whole: true, note: NO_BLOG };
      }
      const isTooMany = thrown instanceof DudaError && thrown.upstream === 400;
      if (!isTooMany || found.length > 0 || ++size === PER_CALL.length) throw thrown;
      continue;
    }
    const { data: { results, total_responses }, siteNow } = part;
    found.push(...results);
    const done = results.length === 0 ||
      (total_responses == null ? results.length < limit : found.length >= total_responses);
    if (done) return { found, siteNow, whole: true };
  }
  return { found, siteNow: wire.now(), whole: false };
}

/** Whether what is missing is the blog alone: the site itself answers. */
async function isWithoutBlog(wire: Wire, thrown: unknown): Promise<boolean> {
  if (!(thrown instanceof DudaError) || !thrown.missing) return false;
  await wire.site(); // throws where it is the site
  return true;
}

async function rows(wire: Wire): Promise<Pick<Posts, "whole" | "note"> & { rows: PostRow[] }> {
  const address = await wire.address();
  const { found, siteNow, ...rest } = await everyPost(wire);
  const row = (record: PostRecord): PostRow => {
    const { id, status, url, title, scheduled_at, modified_gmt, slug, author_id } = postOf(
      record,
      siteNow,
      address,
    );
    return { id, status, url, title, scheduled_at, modified_gmt, slug, author_id };
  };
  return { rows: found.map(row), ...rest };
}

/** Refuses what the platform has no field for: E_NOT_SUPPORTED naming the argument. */
function refuseFieldless({ categories, content_html }: DraftFields, change: boolean): void {
  if (categories !== undefined && categories.length > 0) {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      "categories: the platform's posts have tags alone; give them as tags, or leave them out",
    );
  }
  if (change && content_html !== undefined) {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      "content_html: the platform cannot change the text of a post; change it in the platform's editor, or make a new " +
        "draft with create_draft",
    );
  }
}

/** The platform wants a description: the excerpt, else the beginning of the text, else the title. */
function describe({ title = "", content_html = "", excerpt: given }: DraftFields) {
  if (given !== undefined && given.trim() !== "") return given;
  const text = excerpt(content_html);
  return text === "" ? title : [...text].slice(0, DESCRIPTION_CHARACTERS).join("");
}

async function prepare(wire: Wire, fields: DraftFields, isNew: boolean): Promise<PreparedDraft> {
  refuseFieldless(fields, !isNew);
  checkPath(fields.slug);
  if (!isNew) return { fields };
  await wire.site(); // proves the credentials and the alias
  const description = describe(fields);
  const warning = `excerpt: the platform wants one, so the post gets the beginning of its text: ${
    JSON.stringify(description)
  }`;
  return {
    fields: { ...fields, excerpt: description },
    ...fields.excerpt === description ? {} : { warnings: [warning] },
  };
}

/** The fields of a change in the platform's words; what is absent stays. */
export function bodyOf({ title, excerpt, slug, tags }: DraftFields): Record<string, unknown> {
  const given = { title, description: excerpt, path: plainPath(slug), tags };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The same in the words of arguments, to compare what is stored with. */
export function sentParts({ title, excerpt, slug, tags }: DraftFields): Record<string, unknown> {
  const given = { title, excerpt, slug: plainPath(slug), tags };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Throws E_UPSTREAM that says so where the site has no blog. */
async function importOf(wire: Wire, json: Readonly<Record<string, unknown>>) {
  try {
    return await wire.ask("import_post", IMPORTED, { json });
  } catch (thrown) {
    if (!await isWithoutBlog(wire, thrown)) throw thrown;
    throw new GatewayError("E_UPSTREAM", NO_BLOG, { cause: thrown, upstream: 404, outcome: "none" });
  }
}

async function create(wire: Wire, { fields }: PreparedDraft, made: Making): Promise<Updated> {
  const { title = "", content_html = "", excerpt: description } = fields;
  const began = wire.now();
  const content = new TextEncoder().encode(content_html).toBase64();
  const { data } = await importOf(wire, { title, description, content });
  const late = wire.forCleanup();
  const id = data?.id ?? await readAfterWrite(idOfImport(late, title, began));
  made({ what: "post", id, name: title });
  const { title: _, excerpt: __, ...rest } = fields;
  const json = bodyOf(rest);
  const failed: string[] = [];
  if (Object.keys(json).length > 0) {
    try {
      await wire.ask("change_post", POST.nullish(), { id, json });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      failed.push(
        `${
          Object.keys(sentParts(rest)).join(", ")
        }: not set: ${thrown.message}; the draft stands, so set it with ` +
          "update_draft and do not make it again",
      );
    }
  }
  const after = await readAfterWrite(readPost(late, id));
  if (after.whole.status !== "draft") throw await madeOtherwise(late, after);
  const lost = differences(
    failed.length > 0 ? sentParts({ title, excerpt: description }) : sentParts(fields),
    after.parts,
  );
  const unread = "the platform does not show the text of a post";
  return { ...written(after.whole, [...failed, ...lost], unread), parts: after.parts };
}

/** An import need not tell its id: it is the newest draft of that title. */
async function idOfImport(wire: Wire, title: string, began: number): Promise<string> {
  const { found, siteNow } = await everyPost(wire);
  const madeAt = ({ creation_date }: PostRecord) => Date.parse(`${creation_date}Z`.replace(/ZZ$/, "Z"));
  const [newest] = found.filter((one) =>
    one.title === title && postStatus(one, siteNow) === "draft" && madeAt(one) >= began - CLOCKS_APART_MS
  ).toSorted((a, b) => madeAt(b) - madeAt(a));
  if (newest !== undefined) return newest.id;
  throw new GatewayError(
    "E_UPSTREAM",
    `The post ${
      JSON.stringify(title)
    } was handed over, but the platform did not tell its id; find it with list_drafts`,
    { upstream: 502, outcome: "made" },
  );
}

async function madeOtherwise(wire: Wire, { whole }: PostRead): Promise<GatewayError> {
  const { said } = await revert(wire, String(whole.id));
  return new GatewayError(
    "E_FORBIDDEN_OP",
    `Post ${whole.id} was created and is "${whole.status}" now (${whole.url}); ${said}`,
    // What was made is a draft now, or is still public.
    { outcome: "made", ...whole.status === "published" ? { published: true } : {} },
  );
}

async function update(wire: Wire, id: string, { fields }: PreparedDraft, seen: Seen): Promise<Updated> {
  const json = bodyOf(fields);
  if (Object.keys(json).length === 0) throw new GatewayError("E_BAD_INPUT", "Nothing to change was given");
  const before = await readPost(wire, id);
  const sent = sentParts(fields);
  requireUnchanged("post", id, seen, before.parts, ["status", "scheduled_at", ...Object.keys(sent)]);
  judge("post", before.whole, before.siteNow, "update");
  await wire.ask("change_post", POST.nullish(), { id, json });
  let after: PostRead;
  try {
    after = await readPost(wire.forCleanup(), id);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return unread(before.whole, "the post", thrown);
  }
  if (after.whole.status === "published") {
    throw new GatewayError(
      "E_FORBIDDEN_OP",
      `Post ${id} was updated and is "published" now (${after.whole.url}); somebody published it meanwhile, and the ` +
        "change is live: look at it",
      { outcome: "made", published: true },
    );
  }
  return { ...written(after.whole, differences(sent, after.parts, before.parts)), parts: after.parts };
}

/** The posts of the site. */
export function postsOf(wire: Wire): PostsClient {
  const read = async (id: string | number) => await readPost(wire, String(id));
  return {
    getPost: async (id) => (await read(id)).whole,
    async getDraft(id) {
      const found = await read(id);
      judge("post", found.whole, found.siteNow, "update");
      return seenPost(found);
    },
    builderSeen: () => Promise.resolve(null),
    async list(query) {
      const { rows: found, whole, note } = await rows(wire);
      const { rows: items, ...list } = rowsOf(found, query, whole);
      return { items, ...list, ...note && { note } };
    },
    async listDrafts({ status, ...query }): Promise<DraftList> {
      const { rows: found, whole, note } = await rows(wire);
      const drafts = found.filter((one) => one.status === "draft" || one.status === "scheduled");
      const { rows: posts, ...list } = rowsOf(drafts, { ...query, ...status && { status } }, whole);
      return { posts, ...list, ...note && { note } };
    },
    prepareDraft: (fields, id) => prepare(wire, fields, id === null),
    createDraft: (draft, made) => create(wire, draft, made),
    updateDraft: (id, draft, _made, seen) => update(wire, String(id), draft, seen),
    async check(id, verb, moment) {
      const found = await read(id);
      judge("post", found.whole, found.siteNow, verb, moment);
      return seenPost(found, verb === "publish" || verb === "schedule");
    },
    timeZone: () => Promise.resolve(undefined), // the platform's API does not tell it
    schedule: (id, moment, seen) => schedule(wire, String(id), moment, seen),
    unschedule: (id, _type, seen) => unschedule(wire, String(id), seen),
    publish: (id, grant, seen) => publish(wire, String(id), grant, seen),
  };
}
