/** Where a text occurs on a site, on whatever platform keeps its texts. */
import type { Piece } from "../../core/credentials.ts";
import type { Id } from "../../core/ids.ts";
import type { Needle } from "../../rules/finding/signs.ts";
import type { Capability } from "../_connector/connector.ts";

/** What holds texts: a post, a page, something of a type of the site's own, what is shown around them, or a file. */
export type PlaceKind =
  | "post"
  | "page"
  | "other"
  | "menu item"
  | "block menu"
  | "reusable block"
  | "template"
  | "widget"
  | "file";

/** A text of something that holds what was looked for. */
export interface FoundPlace {
  readonly kind: PlaceKind;
  /** Absent for a file. */
  readonly id?: Id;
  /** Of a file. */
  readonly path?: string;
  /** The lines of a file on which it stands, the first few, from 1. */
  readonly lines?: readonly number[];
  /** Whether the gateway made the file, a page of a static site. */
  readonly isManaged?: boolean;
  /** The name of the type where that is one of the site's own. */
  readonly type?: string;
  /** Whether the gateway's tools for posts can write it; absent where it is none of the site's own types. */
  readonly isForWriters?: boolean;
  /** `draft`, `scheduled`, `published`, or the platform's own word. */
  readonly status?: string;
  readonly title?: string;
  /** The text's name as arguments have it (`title`, `content_html`, `seo_title`, `og_title`), or `builder`, `label`, `url`. */
  readonly field: string;
  /** Whether it is a field of SEO. */
  readonly isSeo?: boolean;
  /** Which element of a page builder holds it, and under which setting; which area holds a widget. */
  readonly within?: string;
  /** Who makes what visitors see of it: the visual builder, or code; null for its content. */
  readonly madeWith?: "visual" | "code" | null;
  /** Where it stands, the first few; one at least. */
  readonly spots: readonly Piece[];
  /** How often it stands there. */
  readonly times: number;
}

/** What was found. */
export interface FoundTexts {
  readonly places: readonly FoundPlace[];
  /** How many places there are, those included that are not listed. */
  readonly total: number;
  /** Whether there may be more than that. */
  readonly isAtLeast: boolean;
  /** What could not be looked into and why, a sentence each. */
  readonly unread: readonly string[];
}

/** Searches texts. */
export interface TextSearchClient {
  /** Reads only. Throws E_UPSTREAM; where the platform has branches E_NOT_FOUND and E_BAD_INPUT for a `ref` that is none. */
  find(needle: Needle, ref?: string): Promise<FoundTexts>;
}

/** The texts of a site, whichever connector keeps them. */
export const textSearch: Capability<TextSearchClient> = {
  capability: "text_search",
  noun: "Searching its texts",
};

/** How many characters are read on each side of what was found. */
const AROUND_CHARACTERS = 160;
/** How many spots of one text are told. */
const SPOTS_MAX = 3;

/** A text that holds the needle: how often, and the first places; null for one that does not. */
export function spotsOf(needle: Needle, text: string): Pick<FoundPlace, "spots" | "times"> | null {
  const found = needle.spots(text);
  if (found.length === 0) return null;
  const spots = found.slice(0, SPOTS_MAX).map(({ from, to }): Piece => ({
    before: text.slice(Math.max(0, from - AROUND_CHARACTERS), from).toWellFormed(),
    found: text.slice(from, to),
    after: text.slice(to, to + AROUND_CHARACTERS).toWellFormed(),
    isCutBefore: from > AROUND_CHARACTERS,
    isCutAfter: to + AROUND_CHARACTERS < text.length,
  }));
  return { spots, times: found.length };
}
