/** Posts, on whatever platform the site has. */
import { GatewayError } from "../errors.ts";
import { type Id, numericId } from "../lib/ids.ts";
import type { Moment } from "../rules/schedule.ts";
import type { Site } from "../model.ts";
import { cms, type CmsClient } from "./wordpress/client.ts";
import type { Platform, PublishGrant } from "./platform.ts";
import type {
  DraftFields,
  DraftList,
  DraftsQuery,
  Post,
  PostHead,
  PreparedDraft,
  Verb,
  Written,
} from "./post.ts";

export type { DraftFields, NamedTerm, Post, PostHead, PreparedDraft, Written } from "./post.ts";

/** A post, or a page where a tool takes both. */
export type ContentType = "post" | "page";

/** What can be done with posts. Every method throws E_UPSTREAM; those that write or check also E_FORBIDDEN_OP. */
export interface ContentClient {
  getPost(id: Id): Promise<Post>;
  /** Never a published one. */
  listDrafts(query: DraftsQuery): Promise<DraftList>;
  /** Reads only: proves rights, looks names up. */
  prepareDraft(fields: DraftFields): Promise<PreparedDraft>;
  createDraft(draft: PreparedDraft): Promise<Written>;
  updateDraft(id: Id, draft: PreparedDraft): Promise<Written>;
  /** Reads only: refuses what the live state forbids. */
  check(id: Id, verb: Verb, moment?: Moment, type?: ContentType): Promise<PostHead>;
  schedule(id: Id, moment: Moment): Promise<Written>;
  unschedule(id: Id, type?: ContentType): Promise<Written>;
  publish(id: Id, grant: PublishGrant): Promise<Written>;
}

/** Refuses, without asking the site, an id its platform cannot have. Throws E_BAD_INPUT naming the field. */
export function checkContentId(site: Site, id: Id | undefined, field: string): void {
  if (site.platform === "cms" && id !== undefined) numericId(id, field);
}

function overCms(client: CmsClient): ContentClient {
  const number = (id: Id) => numericId(id, "post_id");
  const kind = (type: ContentType = "post") => type === "post" ? "posts" : "pages";
  return {
    getPost: (id) => client.getPost(number(id)),
    listDrafts: (query) => client.listDrafts(query),
    prepareDraft: (fields) => client.prepareDraft(fields),
    createDraft: (draft) => client.createDraft(draft),
    updateDraft: (id, draft) => client.updateDraft(number(id), draft),
    check: (id, verb, moment, type) => client.check(kind(type), number(id), verb, moment),
    schedule: (id, moment) => client.schedule("posts", number(id), moment),
    unschedule: (id, type) => client.unschedule(kind(type), number(id)),
    publish: (id, grant) => client.publish("posts", number(id), grant),
  };
}

/** Posts of a site. Throws E_NOT_SUPPORTED where the site's platform is not connected. */
export const content: Platform<ContentClient> = {
  name: "content",
  async connect(reach) {
    if (reach.site.platform === "cms") return overCms(await cms.connect(reach));
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `Posts of a ${reach.site.platform} site cannot be reached: this gateway is not connected to that platform yet; ` +
        "use the platform's own editor",
    );
  },
  forbids(out, now, site) {
    return site.platform === "cms" ? cms.forbids?.(out, now, site) ?? null : "its platform is not connected";
  },
};
