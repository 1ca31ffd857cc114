/** Which names of arguments are those of a status, and which words of one make content public. */
import { memoizeByName } from "../../core/made_once.ts";
import { isPublishedWord } from "../publishing.ts";
import { readingsOf, wordList } from "./words.ts";

/**
 * What a name says of the value under it: a `status`, which may be a draft's alone; something `related` to one, the status
 * of another domain than content, or its `visibility`, where words that publish count; what readers may do below content
 * (`comment`), or nothing.
 */
export type Kind = "status" | "related" | "otherDomain" | "visibility" | "comment" | "none";

const VISIBILITY =
  /(visibility|(post|page|content|entry|workflow|moderation|editorial|publishing|publication)[_-]?state)\W*$/i;
const ENDS = /status\W*$/i;
const COMMENT = /(comment|ping|creative_?work)[_-]?status\W*$/i;
const OTHER_DOMAIN =
  /(stock|tax|payment|event|action|order|reservation|delivery|shipping|fulfil\w{0,64}|http|health|enrol\w{0,64})[_-]?status\W*$/i;
/** What a name about a status ends with that says how it looks, or what is written beside it. */
const LOOKS: ReadonlySet<string> = new Set(
  ("label title text color colour icon class classes css style heading caption placeholder typography align tooltip " +
    "description message messages image background border size width bar").split(" "),
);

const NAME_CHARACTERS_MAX = 256;

/** What that name says, in whatever letters it is written. */
export const kindOf: (key: string) => Kind = memoizeByName(
  (key) => readingsOf(key).map(kindAsRead).find((one) => one !== "none") ?? "none",
  NAME_CHARACTERS_MAX,
);

function kindAsRead(key: string): Kind {
  if (VISIBILITY.test(key)) return "visibility";
  if (!/status/i.test(key)) return "none";
  if (COMMENT.test(key)) return "comment";
  if (OTHER_DOMAIN.test(key)) return "otherDomain";
  const words = wordList(key);
  // `label_status` says whether a label is shown.
  if (ENDS.test(key)) return LOOKS.has(words.at(-2) ?? "") ? "otherDomain" : "status";
  return LOOKS.has(words.at(-1) ?? "") ? "none" : "related";
}

/** Words that are not "public" and have it made so, at once or later, or that throw away. */
const MORE: ReadonlySet<string> = new Set(["future", "schedule", "scheduled", "trash", "trashed"]);
const WORD_CHARACTERS_MAX = 64;

/** Whether a status of that kind must not be set to that word. */
export function isMore(text: string, kind: Kind): boolean {
  if (text.length > WORD_CHARACTERS_MAX) return false;
  return readingsOf(text).some((one) => {
    if (isPublishedWord(one)) return true;
    const word = one.trim().toLowerCase();
    return kind !== "visibility" && MORE.has(word) && (kind !== "otherDomain" || !word.startsWith("schedul"));
  });
}

/** As a server writes the name of a status, and no sentence: `status`, `post_status`, `/post_status`, `--post_status`. */
const NAME = /^\s*[\w.:/[\]>-]{0,58}status\]?\s*$/i;
/** What is named by it where it stands alone may be a heading. */
const PLAIN = /^\s*status\s*$/i;
/** Names of what says in which order things come, how something looks or where it leads. */
const PLACES: ReadonlySet<string> = new Set(
  "by sort orderby sortby class classes classname css url link href anchor slug icon image src tag tags target library"
    .split(" "),
);

/** What most values have nothing of. */
const MAYBE = /status|[^\x20-\x7e]/i;

/** Whether an argument's value is the name of a status: surely, maybe (a word that people use as well), or not. */
export function namesStatus(key: string, value: string): "surely" | "maybe" | "no" {
  if (value.length > WORD_CHARACTERS_MAX || !MAYBE.test(value)) return "no";
  const name = readingsOf(value).find((one) => NAME.test(one));
  if (name === undefined || kindOf(name) !== "status") return "no";
  const last = wordList(key).at(-1) ?? "";
  if (PLACES.has(last)) return "no";
  if (!PLAIN.test(name)) return "surely";
  return name.trim() !== "status" || last === "id" ? "no" : "maybe";
}
