/** Fields of posts and pages as they are stored, kept before a change and set back as they were. */
import type { Id } from "../../core/ids.ts";
import type { Capability } from "../_connector/connector.ts";
import type { PublishGrant } from "../_http/request.ts";
import type { ContentType } from "./posts.ts";
import type { PostHead, Seen, Updated } from "./post.ts";

/** Values by the names of arguments, as the platform stores them: terms and images by their numbers, 0 for none. */
export type StoredFields = Readonly<Record<string, unknown>>;

/** Which post or page, and whether it is to be live. */
export interface StoredPlace {
  /** `post`, `page`, or a type of the site's own. */
  readonly type: ContentType;
  readonly id: Id;
  readonly live: boolean;
}

/** Fields that can be set back, and what stands there now. Only the platform that made it can write it. */
export interface PreparedFields {
  readonly now: PostHead & Seen;
  readonly fields: StoredFields;
  /** What people read in place of numbers, by field: as it is now, and as it would be. */
  readonly names: Readonly<Record<string, readonly [now: readonly string[], then: readonly string[]]>>;
  /** Where visitors see its content, and not what the visual builder keeps; null where the site does not tell. */
  readonly shown: boolean | null;
}

/** What can be done with them. Every method throws E_UPSTREAM, and E_FORBIDDEN_OP for what the state forbids. */
export interface StoredContentClient {
  /**
   * Reads only. Throws E_FORBIDDEN_OP, too, for what is not on the site any more and cannot be set back: a term, an image,
   * a person, a page above it, a template.
   */
  prepare(place: StoredPlace, fields: StoredFields): Promise<PreparedFields>;
  /** Writes them as they were. Throws E_STALE_PREVIEW where somebody changed what they replace since they were prepared. */
  restore(place: StoredPlace, prepared: PreparedFields, grant?: PublishGrant): Promise<Updated>;
}

/** Fields that a site stores as they were, empty ones too. */
export const storedContent: Capability<StoredContentClient> = {
  capability: "stored_content",
  noun: "Setting back fields as they were stored",
};

/** What is kept of given fields before they are changed; null where the site does not tell one of them. */
export function storedFields({ parts }: Pick<Seen, "parts">, names: readonly string[]): StoredFields | null {
  return names.every((name) => parts[name] !== undefined)
    ? Object.fromEntries(names.map((name) => [name, parts[name]]))
    : null;
}
