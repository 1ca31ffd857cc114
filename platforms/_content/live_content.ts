/** Posts and pages that are live, and changes of them that visitors get at once. */
import type { Id } from "../../core/ids.ts";
import type { Builder, Making } from "../../core/model.ts";
import type { Capability } from "../_connector/connector.ts";
import type { PublishGrant } from "../_http/request.ts";
import type { DraftFields, Post, PreparedDraft, Seen, Updated } from "./post.ts";

/** What may be set of what is live: never its state, its date or its address. */
export type LiveFields = Pick<
  DraftFields,
  "title" | "content_html" | "excerpt" | "tags" | "categories" | "featured_media_id"
>;

/** A post or page that is live, and what a change of it relies on. */
export interface LiveContent extends Post, Seen {
  readonly title: string;
  /** null where the platform does not show it, and changes it nowhere but in its editor. */
  readonly content_html: string | null;
  /** Whether its content was made from code, with CSS of its own. */
  readonly from_code: boolean;
}

/** `post`, `page`, or the name of a type of the site's own. */
export type LiveType = string;

/**
 * What can be done with what is live. Every method throws E_UPSTREAM, and E_FORBIDDEN_OP for what is not live; `revise`
 * also E_STALE_PREVIEW, where somebody changed what it replaces since it was seen.
 */
export interface LiveContentClient {
  get(type: LiveType, id: Id): Promise<LiveContent>;
  /** Reads only: what visitors see of one whose own record does not tell; null where nothing does. */
  builderSeen(type: LiveType, id: Id): Promise<Builder | null>;
  /** Reads only: looks names up, and gives the content as it would be stored there. */
  prepare(type: LiveType, fields: LiveFields, now: LiveContent): Promise<PreparedDraft>;
  revise(
    type: LiveType,
    draft: PreparedDraft,
    grant: PublishGrant,
    made: Making,
    seen: LiveContent,
  ): Promise<Updated>;
}

/** What is live on a site, where its text can be changed without publishing anything else. */
export const liveContent: Capability<LiveContentClient> = {
  capability: "live_content",
  noun: "Changes of posts and pages that are live",
};
