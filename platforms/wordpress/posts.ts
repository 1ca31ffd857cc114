/** Posts of a WordPress site, as tools know them on any platform. */
import { type Id, numericId } from "../../core/ids.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { ContentClient, ContentType, StatesClient } from "../_content/content.ts";
import type { PublicClient } from "../_content/public_content.ts";
import { builderSeen } from "./rest/builders.ts";
import { findState, recordOf, textOf } from "./rest/found.ts";
import { listContent } from "./rest/listing.ts";
import {
  type CmsDraft,
  createDraft,
  listDrafts,
  prepareDraft,
  readDraft,
  readPost,
  updateDraft,
} from "./rest/posts.ts";
import { OtherKindError } from "./rest/one.ts";
import { publicOf } from "./rest/public_lists.ts";
import type { CmsSeen } from "./rest/seen.ts";
import { checkState, publish, schedule, unschedule } from "./rest/states.ts";
import { timeZoneOf } from "./rest/time_zone.ts";
import { Wire } from "./rest/wire.ts";
import type { Verb } from "../_content/post.ts";

const kindOf = (type: ContentType = "post") => type === "post" ? "posts" : "pages";

/** The states of its posts and pages. */
export function statesOf(ctx: SiteContext): StatesClient {
  const wire = new Wire(ctx);
  const number = (id: Id) => numericId(id, "post_id");
  return {
    find: (id) => findState(wire, number(id)),
    text: (id, type) => textOf(wire, kindOf(type), number(id)),
    fields: (id, type) => recordOf(wire, kindOf(type), number(id)),
    builderSeen: (id, type) => builderSeen(wire, kindOf(type), number(id)),
  };
}

/** `checkState` of a post or page, whichever has the id. */
async function checkEither(wire: Wire, id: number, verb: Verb): Promise<CmsSeen> {
  try {
    return await checkState(wire, "posts", id, verb);
  } catch (thrown) {
    if (!(thrown instanceof OtherKindError)) throw thrown;
    return { ...await checkState(wire, "pages", id, verb), type: "page" };
  }
}

/** What is public on the site. */
export const publicContentOf = (ctx: SiteContext): PublicClient => publicOf(new Wire(ctx));

/** The posts of the site. */
export function postsOf(ctx: SiteContext): ContentClient {
  const wire = new Wire(ctx);
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
      updateDraft(wire, number(id), draft as CmsDraft, made, seen as CmsSeen),
    check: (id, verb, moment, type) =>
      type === undefined && verb === "unschedule"
        ? checkEither(wire, number(id), verb)
        : checkState(wire, kindOf(type), number(id), verb, moment),
    timeZone: () => timeZoneOf(wire),
    schedule: (id, moment, seen) => schedule(wire, "posts", number(id), moment, seen as CmsSeen),
    unschedule: (id, type, seen) => unschedule(wire, kindOf(type), number(id), seen as CmsSeen),
    publish: (id, grant, seen) => publish(wire, "posts", number(id), grant, seen as CmsSeen),
  };
}
