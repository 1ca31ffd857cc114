/** Posts of a WordPress site, as tools know them on any platform. */
import { type Id, numericId } from "../../lib/ids.ts";
import type { SiteContext } from "../connector.ts";
import type { ContentClient, ContentType } from "../content.ts";
import { builderSeen } from "./rest/builders.ts";
import { type CmsDraft, createDraft, listDrafts, prepareDraft, readPost, updateDraft } from "./rest/posts.ts";
import { listContent } from "./rest/listing.ts";
import { checkState, head, publish, schedule, unschedule } from "./rest/states.ts";
import { Wire } from "./rest/wire.ts";

const kindOf = (type: ContentType = "post") => type === "post" ? "posts" : "pages";

/** The posts of the site. */
export function postsOf(ctx: SiteContext): ContentClient {
  const wire = new Wire(ctx);
  const number = (id: Id) => numericId(id, "post_id");
  return {
    getPost: (id) => readPost(wire, number(id)),
    builderSeen: (id) => builderSeen(wire, "posts", number(id)),
    list: (query) => listContent(wire, "posts", query),
    listDrafts: (query) => listDrafts(wire, query),
    prepareDraft: (fields) => prepareDraft(wire, fields),
    createDraft: (draft) => createDraft(wire, draft as CmsDraft),
    updateDraft: (id, draft) => updateDraft(wire, number(id), draft as CmsDraft),
    check: async (id, verb, moment, type) =>
      head(await checkState(wire, kindOf(type), number(id), verb, moment)),
    schedule: (id, moment) => schedule(wire, "posts", number(id), moment),
    unschedule: (id, type) => unschedule(wire, kindOf(type), number(id)),
    publish: (id, grant) => publish(wire, "posts", number(id), grant),
  };
}
