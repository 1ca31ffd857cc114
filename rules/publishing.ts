/** Which arguments would publish: a status by any of its names, set to a word that makes content public. */
import { memoizeByName } from "../core/made_once.ts";
import { parsedWithin } from "../core/steps.ts";
import { LIMITS } from "../core/model.ts";

/** Words for "public", compared in lower case without anything but letters. `private` is published to the signed-in. */
const PUBLISHED_WORDS: ReadonlySet<string> = new Set([
  "publish",
  "published",
  "publishing",
  "publishnow",
  "public",
  "publicly",
  "private",
  "live",
  "golive",
]);

/** Names of arguments that say what state content gets, compared the same way. */
const STATUS_NAMES: ReadonlySet<string> = new Set([
  "status",
  "poststatus",
  "pagestatus",
  "draftstatus",
  "contentstatus",
  "templatestatus",
  "publishstatus",
  "publicationstatus",
  "newstatus",
  "targetstatus",
  "state",
  "poststate",
  "pagestate",
  "publishstate",
]);

/** Names whose mere truth publishes; their words joined. */
const SWITCH_NAMES: ReadonlySet<string> = new Set([
  "publish",
  "published",
  "ispublished",
  "publishnow",
  "autopublish",
  "publishimmediately",
]);

/** The argument that would publish, with the path to it. */
export interface Publishing {
  readonly field: string;
  readonly value: string;
}

const NAME_CHARACTERS_MAX = 64;

/** A name as it is compared. */
const plain = memoizeByName(
  (text) => text.normalize("NFKC").toLowerCase().replace(/[^a-z]/g, ""),
  NAME_CHARACTERS_MAX,
);

/** Whether that word, however written, makes content public. */
export function isPublishedWord(text: string): boolean {
  return PUBLISHED_WORDS.has(plain(text));
}

/**
 * The first argument, at any depth, that sets a status to a published word or switches publishing on; also inside
 * text that is itself JSON and not called `code`. Null when there is none. What is nested deeper than
 * LIMITS.NESTING_LEVELS is not judged but named as if it would publish.
 */
export function wouldPublish(args: unknown): Publishing | null {
  return judge(args, { field: "", depth: 0, status: false });
}

interface Place {
  readonly field: string;
  readonly depth: number;
  /** Inside a value that belongs to a status. */
  readonly status: boolean;
  /** Inside a text of code, which is shown or run as it is: what it could be read as is not judged. */
  readonly code?: boolean;
}

function judge(value: unknown, place: Place): Publishing | null {
  if (typeof value === "string") return judgeText(value, place);
  if (typeof value !== "object" || value === null) return null;
  if (place.depth >= LIMITS.NESTING_LEVELS) return { field: place.field, value: "nested too deep" };
  for (const [key, inner] of Object.entries(value)) {
    const found = judgeEntry(key, inner, place, Array.isArray(value));
    if (found) return found;
  }
  return null;
}

function judgeEntry(key: string, inner: unknown, place: Place, inArray: boolean): Publishing | null {
  const dotted = place.field === "" ? key : `${place.field}.${key}`;
  const field = inArray ? `${place.field}[${key}]` : dotted;
  if (!inArray && SWITCH_NAMES.has(plain(key)) && isOn(inner)) return { field, value: String(inner) };
  const status = place.status || (!inArray && STATUS_NAMES.has(plain(key)));
  const code = !inArray && key.toLowerCase() === "code";
  return judge(inner, { field, depth: place.depth + 1, status, code });
}

function judgeText(text: string, place: Place): Publishing | null {
  if (place.status && isPublishedWord(text)) return { field: place.field, value: text };
  if (place.code || !/^\s*[[{]/.test(text)) return null;
  const parsed = parsedWithin(text);
  return judge(parsed, { ...place, depth: place.depth + 1 });
}

const ON_WORDS: ReadonlySet<string> = new Set(["true", "1", "yes", "on"]);

function isOn(value: unknown): boolean {
  return value === true || value === 1 ||
    (typeof value === "string" && ON_WORDS.has(value.trim().toLowerCase()));
}
