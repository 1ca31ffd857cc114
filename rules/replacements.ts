/** Exact replacements in a text: each is found as often as it was said to be, or nothing is replaced. */
import { GatewayError } from "../core/errors.ts";
import { counted } from "../core/one_line.ts";
import { cut } from "../core/values.ts";

/** A text to be replaced, and how often it stands there. */
export interface Replacement {
  readonly find: string;
  readonly replace: string;
  /** Default 1. */
  readonly count?: number;
}

/** A text after them. */
export interface Replaced {
  readonly text: string;
  /** Where each of them stood, in the order of the text. */
  readonly places: readonly Place[];
  /** What a person should know before approving, a sentence each. */
  readonly warnings: readonly string[];
}

/** Throws E_BAD_INPUT where a whole text is given beside them. */
export function checkReplacements(
  { content_html, replacements }: { readonly content_html?: unknown; readonly replacements?: unknown },
): void {
  if (content_html === undefined || replacements === undefined) return;
  throw new GatewayError("E_BAD_INPUT", "content_html, replacements: give one of the two");
}

/** A place of the text that one of them stands for: its characters from `at` to before `end`, and the number of that one. */
export interface Place {
  readonly at: number;
  readonly end: number;
  readonly by: number;
}

/** How a refusal speaks of them. */
export interface Wording {
  /** The argument that the text to be found came in. */
  field(by: number): string;
  /** How a caller gets to know what stands there. */
  readonly shown: string;
}

/** Of a list of them, in the text of a post or page. */
const OF_CONTENT: Wording = {
  field: (by) => `replacements[${by}].find`,
  shown: "as it stands in content_html, tags and entities included, as get_post or get_page shows it",
};

const AROUND = 25;
const PLACES_SHOWN = 5;
const QUOTED_CHARACTERS = 80;

const quoted = (text: string) => JSON.stringify(cut(text, QUOTED_CHARACTERS));

/**
 * All of them at once, each found in the text as it stands, never in what another put there. Throws E_BAD_INPUT naming the
 * one that is found another number of times, how often it is and where, and those that overlap.
 */
export function replacing(
  text: string,
  replacements: readonly Replacement[],
  words: Wording = OF_CONTENT,
): Replaced {
  const places: Place[] = [];
  const warnings: string[] = [];
  for (const [by, { find, count = 1 }] of replacements.entries()) {
    const found = placesOf(text, find);
    if (found.length !== count) {
      throw otherCount(text, { find, count }, found, { ...words, named: words.field(by) });
    }
    const inside = countInTags(text, found);
    if (inside > 0) {
      warnings.push(
        `replacements[${by}]: ${inside} of its ${counted(found.length, "place")} ${
          inside === 1 ? "is" : "are"
        } inside a tag or a comment of the HTML, not in what is read`,
      );
    }
    for (const at of found) places.push({ at, end: at + find.length, by });
  }
  places.sort((one, other) => one.at - other.at);
  let done = "";
  let end = 0;
  for (const place of places) {
    if (place.at < end) throw overlapping(text, place, places.find((one) => one.end > place.at)!);
    done += text.slice(end, place.at) + replacements[place.by]!.replace;
    end = place.end;
  }
  return { text: done + text.slice(end), places, warnings };
}

/** Where it begins, one behind the end of the other. */
function placesOf(text: string, find: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + find.length)) found.push(at);
  return found;
}

/** How many of the places, in their order, are between the `<` and the `>` of a tag or comment. */
function countInTags(text: string, found: readonly number[]): number {
  let [from, isOpen, count] = [0, false, 0];
  for (const at of found) {
    const between = text.slice(from, at);
    const [opens, closes] = [between.lastIndexOf("<"), between.lastIndexOf(">")];
    if (opens !== closes) isOpen = opens > closes;
    if (isOpen) count++;
    from = at;
  }
  return count;
}

/** What stands around a place, on one line, in quotes. */
export function around(text: string, at: number, length: number): string {
  const [from, to] = [Math.max(0, at - AROUND), at + Math.min(length, QUOTED_CHARACTERS) + AROUND];
  const part = text.slice(from, to).toWellFormed();
  return JSON.stringify(`${from > 0 ? "…" : ""}${part}${to < text.length ? "…" : ""}`);
}

function otherCount(
  text: string,
  { find, count }: { readonly find: string; readonly count: number },
  found: readonly number[],
  { named, shown: read }: Wording & { readonly named: string },
): GatewayError {
  const times = (many: number) => many === 1 ? "once" : `${many} times`;
  const shown = found.slice(0, PLACES_SHOWN).map((at) => `at ${at} ${around(text, at, find.length)}`);
  const more = found.length > PLACES_SHOWN ? `, and ${found.length - PLACES_SHOWN} more` : "";
  const next = found.length === 0
    ? `give it ${read}`
    : `give count ${found.length}, or more of the text around the place that is meant`;
  return new GatewayError(
    "E_BAD_INPUT",
    `${named}: ${quoted(find)} stands there ${found.length === 0 ? "nowhere" : times(found.length)}, not ${
      times(count)
    }${shown.length === 0 ? "" : `: ${shown.join(", ")}${more}`}; nothing is replaced: ${next}`,
  );
}

function overlapping(text: string, place: Place, other: Place): GatewayError {
  return new GatewayError(
    "E_BAD_INPUT",
    `replacements[${place.by}].find: what it stands for at ${place.at} ${
      around(text, place.at, place.end - place.at)
    } is also found by replacements[${other.by}]; make one of the two`,
  );
}
