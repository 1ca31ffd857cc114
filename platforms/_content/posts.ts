/** Posts, on whatever platform the site has. */
import type { Id } from "../../core/ids.ts";
import type { Builder, Making } from "../../core/model.ts";
import type { Moment } from "../../rules/schedule.ts";
import type { Capability } from "../_connector/connector.ts";
import type { PublishGrant } from "../_http/request.ts";
import type {
  ContentList,
  DraftFields,
  DraftList,
  DraftsQuery,
  ListQuery,
  Post,
  PostHead,
  PreparedDraft,
  Seen,
  Updated,
  Verb,
} from "./post.ts";

export type {
  DraftFields,
  NamedTerm,
  Post,
  PostHead,
  PreparedDraft,
  Seen,
  Updated,
  Written,
} from "./post.ts";

/** `post`, `page` where a tool takes both, or the name of a type of the site's own. */
export type ContentType = string;

/**
 * What can be done with posts, and with types of the site's own where the platform has those. Every method throws E_UPSTREAM; those that write or check also E_FORBIDDEN_OP; those that
 * change what is there also E_STALE_PREVIEW, where somebody changed what they replace since it was seen.
 */
export interface PostsClient {
  /** Without a type the id is a post's, here and below. */
  getPost(id: Id, type?: ContentType): Promise<Post>;
  /** A post that is to be changed; refuses what its state forbids. */
  getDraft(id: Id, type?: ContentType): Promise<Post & Seen>;
  /** Reads only: what visitors see of a post whose own record does not tell; null where nothing does. */
  builderSeen(id: Id, type?: ContentType): Promise<Builder | null>;
  /** Posts of every status, last changed first. */
  list(query: ListQuery, type?: ContentType): Promise<ContentList>;
  /** Never a published one. */
  listDrafts(query: DraftsQuery): Promise<DraftList>;
  /**
   * Reads only: looks names up and, for a new post (no id), proves rights; for one that is to be changed getDraft does.
   */
  prepareDraft(fields: DraftFields, id: Id | null, type?: ContentType): Promise<PreparedDraft>;
  createDraft(draft: PreparedDraft, made: Making): Promise<Updated>;
  updateDraft(id: Id, draft: PreparedDraft, made: Making, seen: Seen): Promise<Updated>;
  /**
   * Reads only: refuses what the live state forbids. Without a type the id is a post's; for `unschedule` the platform
   * finds out which of the two it is, and says so.
   */
  check(id: Id, verb: Verb, moment?: Moment, type?: ContentType): Promise<Seen>;
  /** Reads only: the site's own time zone, an IANA name or an offset; undefined where it does not tell. */
  timeZone(): Promise<string | undefined>;
  schedule(id: Id, moment: Moment, seen: Seen, type?: ContentType): Promise<Updated>;
  unschedule(id: Id, type: ContentType | undefined, seen: Seen): Promise<Updated>;
  publish(id: Id, grant: PublishGrant, seen: Seen, type?: ContentType): Promise<Updated>;
}

/** A post or page as it is found by its id alone. */
export interface FoundState extends PostHead {
  /** Who has it open in the editor, in a sentence; none for nobody, and where the site does not tell. */
  readonly editing: readonly string[];
  /** The latest time that the site's clock can show now. */
  readonly siteNow: number;
}

/** The states of posts and pages, where it is not known which of the two an id is of. */
export interface StatesClient {
  /** One request for a page, two for a post; null where neither has the id. Throws E_UPSTREAM. */
  find(id: Id): Promise<FoundState | null>;
  /** The same of content of any type for writers; more requests where it is neither of the two. Throws E_UPSTREAM. */
  findAny(id: Id): Promise<FoundState | null>;
}

/** The states of a site's posts and pages. */
export const contentStates: Capability<StatesClient> = {
  capability: "content_states",
  noun: "The states of posts and pages",
};

/** Posts of a site, whichever connector has them. */
export const posts: Capability<PostsClient> = { capability: "posts", noun: "Posts" };
/** The same where the text of a post that exists can be read and changed. */
export const postTexts: Capability<PostsClient> = { capability: "post_texts", noun: "The texts of posts" };
/** The same where a site has types of content of its own, such as recipes. */
export const typedPosts: Capability<PostsClient> = {
  capability: "typed_posts",
  noun: "Types of content beside posts and pages",
};

/** A site's time zone as its record is shown with it. */
export interface ToldZone {
  /** An IANA name or an offset; null where the site never told it. */
  readonly timezone: string | null;
  /** When the site told it, where it does not answer now. */
  readonly timezone_learned_at?: string;
  /** Why it is null, or not of now. */
  readonly timezone_note?: string;
}

/** What tells a site's time zone, soon and without ever failing. */
export const siteZone: Capability<{ told(): Promise<ToldZone> }> = {
  capability: "site_zone",
  noun: "A site's time zone",
};
