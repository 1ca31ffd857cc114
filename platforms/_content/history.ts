/** What became of a post, a page or a file over time, on whatever platform keeps versions of it. */
import type { Id } from "../../core/ids.ts";
import type { Capability } from "../_connector/connector.ts";

/** Whose versions are asked for. */
export interface HistoryOf {
  readonly post_id?: Id;
  readonly page_id?: Id;
  /** The type of the post where that is one of the site's own. */
  readonly type?: string;
  /** A file of a repository, and the branch, tag or commit whose history is meant; without one the deployed branch. */
  readonly path?: string;
  readonly ref?: string;
}

/** One version, as it is listed. */
export interface Version {
  readonly id: Id;
  /** ISO 8601; null where nothing says it. */
  readonly at: string | null;
  /** Who made it, by name; null where the platform does not tell. */
  readonly by: string | null;
  /** Whether that is the account the gateway writes with; null where that is not known. */
  readonly gateway: boolean | null;
  /** `autosave`: what somebody typed and has not saved; visitors never saw it. */
  readonly kind?: "autosave";
  /** Which fields differ from the version before it; null for the oldest. */
  readonly fields?: readonly string[] | null;
  /** The first line of what was said of it. */
  readonly message?: string;
}

/** Some versions, newest first. */
export interface VersionList {
  readonly items: readonly Version[];
  /** How many there are; null where that is not told. */
  readonly total: number | null;
  /** The page with older ones, null for the last. */
  readonly next: number | null;
  /** Whether versions are kept at all; null where that cannot be told. */
  readonly kept: boolean | null;
  /** What a reader could not know otherwise, in a sentence. */
  readonly note?: string;
}

/** The texts of a version by field; a field that is bytes, and no text, has a word about them in its place. */
export interface VersionTexts extends Pick<Version, "at" | "by"> {
  /** Null for what stands there now. */
  readonly id: Id | null;
  readonly texts: Readonly<Record<string, string>>;
}

/** Reads versions. Every method throws E_UPSTREAM; `apart` also E_NOT_FOUND for an id that is no version of it. */
export interface HistoryClient {
  list(of: HistoryOf, page: number): Promise<VersionList>;
  /** The two by their ids; without the second what stands there now. */
  pair(of: HistoryOf, from: Id, to?: Id): Promise<readonly [VersionTexts, VersionTexts]>;
}

/** How many versions a page of a list holds. */
export const VERSIONS_PER_PAGE = 10;

/** Versions of content, whichever connector keeps them. */
export const history: Capability<HistoryClient> = { capability: "history", noun: "Earlier versions" };
