/** What visitors of a site can find: what is published and scheduled, of every kind that has addresses. */
import type { Capability } from "../_connector/connector.ts";

/** One thing that is published, or scheduled. */
export interface PublicItem {
  readonly id: number;
  readonly state: "published" | "scheduled";
  /** Where visitors find it; empty where the site gave none. */
  readonly address: string;
  /** The moment it goes, or went, live by its own date; ISO 8601 UTC, null where the site gave none. */
  readonly date: string | null;
  /** When it was last changed, by the site's clock; a site can publish something and leave this as it was. */
  readonly modified: string | null;
}

/** What of one kind is published and scheduled, as far as one answer holds it. */
export interface PublicKind {
  /** The site's own name of the kind, such as page. */
  readonly kind: string;
  /** Those that were changed last, the last one first; at most LIMITS.PUBLIC_ITEMS. */
  readonly items: readonly PublicItem[];
  /** How many there are of both states; null where the answer does not say. */
  readonly total: number | null;
  /** Whether scheduled posts are among them: not every account may see those. */
  readonly hasScheduled: boolean;
  /** The latest time that the site's clock can have shown, in milliseconds. */
  readonly siteNow: number;
}

/** What is public at one moment. */
export interface PublicSnapshot {
  readonly kinds: readonly PublicKind[];
  /** What could not be asked, a sentence's part each: `pages (CMS 403 …)`. */
  readonly unread: readonly string[];
}

/** What is public on a site. Nothing of it throws for a site that refuses: what could not be asked is in `unread`. */
export interface PublicClient {
  /** One request for each kind at the same time; `late` where the call's own time may be used up. */
  snapshot(late?: boolean): Promise<PublicSnapshot>;
  /** Those of a kind, among these ids, that are published; null where the site does not tell. */
  published(kind: string, ids: readonly number[]): Promise<readonly PublicItem[] | null>;
}

/** What is public on a site, whichever connector has it. */
export const publicContent: Capability<PublicClient> = {
  capability: "public_content",
  noun: "What is public",
};
