/** What a write of another's tool may set: no status but a draft's, nothing that publishes or destroys by a mere yes. */
import { GatewayError } from "../../core/errors.ts";
import type { Steps } from "../../core/steps.ts";
import { memoizeByName } from "../../core/made_once.ts";
import { SWITCH_NAMES, wouldPublish } from "../publishing.ts";
import { hasLead, parseMoment } from "../schedule.ts";
import { isMore, type Kind, kindOf } from "./status.ts";
import { isJsonLike } from "./unpacked.ts";
import { type Place, unreadable, walk } from "./walk.ts";
import { wordList } from "./words.ts";

/** An argument that a write must not have. */
export interface PayloadFault {
  readonly field: string;
  readonly value: string;
  /** The argument in whose text it was read; undefined where it was given as what it is. */
  readonly text?: string;
}

/** A status may be one of these: a scheduled one without a date, or with one that is past, is live at once. */
const DRAFTS: ReadonlySet<string> = new Set(["draft", "pending"]);
/** What destroys where it is answered with yes. */
const SWITCHES: ReadonlySet<string> = new Set(["delete", "trash", "destroy", "purge", "erase", "wipe"]);
/** What publishes by any answer but no; the words of a name joined. */
const PUBLISHING: ReadonlySet<string> = new Set([
  ...SWITCH_NAMES,
  "unpublish",
  "publishat",
  "publishon",
]);
/** What publishes where it is answered with yes; with a date it is a plan that somebody wrote down. */
const MAKES_PUBLIC: ReadonlySet<string> = new Set([
  "unprivate",
  "golive",
  "makelive",
  "makepublic",
  "setpublic",
]);
/** What is done to what is shown, where those words stand in a longer name. */
const SHOWS: ReadonlySet<string> = new Set(["show", "hide", "display"]);
/** In a text that means to be JSON and is none: a status, or a switch, that may be read as one that publishes. */
const LOOSE_STATUS =
  /status[^\w:=]{0,200}[:=]\W{0,200}(?!draft\b|pending\b)[a-z0-9]|publish\w{0,64}[^\w:=]{0,200}[:=]\W{0,200}(true|1|yes|on)\b/i;

const SHOWN_CHARACTERS = 80;
const shown = (value: unknown) => (JSON.stringify(value) ?? "").slice(0, SHOWN_CHARACTERS);

/**
 * The first argument, at any depth, that sets a status to anything but draft or pending, or switches publishing or
 * destroying on. With `anyStatus` a status is judged by the words that publish alone, for records whose states are none
 * of content's. Null where there is none.
 */
export function payloadFault(
  args: Readonly<Record<string, unknown>>,
  anyStatus = false,
  steps?: Steps,
): PayloadFault | null {
  const known = new WeakMap<Place, Kind>();
  const found = walk(args, (place, inner) => {
    const { field, value } = place;
    if (anyStatus && place.read?.lax) return undefined; // a note of a record's
    if (typeof value === "string" && !anyStatus && unreadable(place, inner) && LOOSE_STATUS.test(value)) {
      return { field, value: shown(value) };
    }
    const one = typeof value !== "object" || value === null;
    return (one && !anyStatus && !isDraft(value) && sets(place, known)) || isSwitch(place) ||
        (one && publishes(place))
      ? { field, value: shown(value), ...(place.read ? { text: place.read.text } : {}) }
      : undefined;
  }, steps);
  if (found) return found;
  const published = wouldPublish(args);
  return published && { field: published.field, value: shown(published.value) };
}

/** Whether it sets a status to more than a draft. */
function sets(place: Place, known: WeakMap<Place, Kind>): boolean {
  const { value, read } = place;
  const kind = kindAt(place, known);
  if (kind === "status" && !read?.lax) return true;
  if (typeof value !== "string" || kind === "comment") return false;
  if (kind !== "none") return isMore(value, kind);
  const beside = besideOf(place);
  // Of what a word of people's language stands beside, what is written as by a machine.
  const isMeant = beside === "surely" || (beside === "maybe" && value === value.toLowerCase());
  return isMeant && isMore(value, "related");
}

/** Whether it, or what it is wrapped in, may be the value of what is named beside it. */
function besideOf({ key, within, beside }: Place): Place["beside"] {
  if (beside !== undefined || within === null || !WRAPS.test(key)) return beside;
  return besideOf(within);
}

/** How a value is wrapped by those who say more of it, or set it of several. */
const WRAPS = /^(|raw|value|rendered|\d+)$/;

/** What the names on the way to a value say of it: keys are read by others as they are written. */
function kindAt(place: Place, known: WeakMap<Place, Kind>): Kind {
  const { key, within } = place;
  const own = kindOf(key);
  if (own !== "none") return own;
  if (within === null || key.startsWith("$$")) return "none"; // how a typed value says what type it is
  const above = known.get(within) ?? kindAt(within, known);
  known.set(within, above);
  if (above === "status" || WRAPS.test(key)) return above;
  return "none";
}

const isDraft = (value: unknown) =>
  value === null || (typeof value === "string" && DRAFTS.has(value.toLowerCase()));

/** A part of every name that publishes. */
const PUBLISHING_KEY = /stat|publish/i;

/** Whether it alone publishes: also within texts that only this walk reads. What a text holds that is JSON is visited itself. */
const publishes = ({ key, value }: Place) =>
  PUBLISHING_KEY.test(key) && (typeof value !== "string" || !isJsonLike(value)) &&
  wouldPublish({ [key]: value }) !== null;

/**
 * Whether it says yes to publishing or destroying, or what of: whatever stands under the bare word, for many servers take
 * any text or number for a yes; under a longer name a plain yes, or a list.
 */
function isSwitch({ key, value }: Place): boolean {
  const by = switchedBy(key);
  if (by === "nothing") return false;
  if (by === "all but no") return !isOff(value);
  if (Array.isArray(value)) return value.length > 0 && by === "yes or a list";
  return value === true || value === 1 ||
    (typeof value === "string" && /^\s*(true|1|yes|on|y|t)\s*$/i.test(value));
}

type Switching = "all but no" | "yes or a list" | "yes" | "nothing";

const NAME_CHARACTERS_MAX = 256;

/** What switches something on that stands under that name. */
const switchedBy = memoizeByName(asRead, NAME_CHARACTERS_MAX);

function asRead(key: string): Switching {
  const words = wordList(key);
  const name = words.join("");
  if ((words.length === 1 && SWITCHES.has(name)) || PUBLISHING.has(name)) return "all but no";
  if (words.length > 2 && /\S\s/.test(key.trim())) return "nothing"; // a sentence, as translations are named by
  const publishes = MAKES_PUBLIC.has(name) ||
    (words.includes("publish") && !words.some((word) => SHOWS.has(word)));
  if (publishes) return /^ids?$/.test(words.at(-1) ?? "") ? "yes or a list" : "yes";
  const ends = [words.at(0) ?? "", words.at(-1) ?? ""];
  return ends.some((word) => SWITCHES.has(word)) ? "yes or a list" : "nothing";
}

const OFF_WORDS: ReadonlySet<string> = new Set(["false", "0", "no", "off", ""]);

/** What every server takes for a no, or for nothing. */
function isOff(value: unknown): boolean {
  if (typeof value === "string") return OFF_WORDS.has(value.trim().toLowerCase());
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === null || value === false || value === 0;
}

/** What of a post for a blog or a social network says when visitors see it. */
export interface PostFields {
  readonly status: string;
  /** When a scheduled one goes live. */
  readonly moment: string;
}

/**
 * Holds a post to a draft, or to a schedule at least 60 s ahead: throws E_FORBIDDEN_OP, E_BAD_INPUT where its moment
 * cannot be read.
 */
export function assertUnpublished(
  args: Readonly<Record<string, unknown>>,
  fields: PostFields,
  now: number,
): void {
  const { status: field, moment } = fields;
  const status = args[field];
  const said = typeof status === "string" ? status.toLowerCase() : null;
  if (said === "draft") return;
  const way = `send ${field} "draft", or "scheduled" with ${moment} at least 60 s ahead`;
  if (said !== "scheduled") {
    const what = status === undefined ? "is missing" : `${shown(status)} is neither a draft nor for later`;
    throw new GatewayError("E_FORBIDDEN_OP", `${field}: ${what}; ${way}`);
  }
  const when = args[moment];
  if (typeof when !== "string") {
    throw new GatewayError("E_FORBIDDEN_OP", `${moment}: a scheduled post needs it as a text; ${way}`);
  }
  if (!hasLead(parseMoment(when, moment).at, now)) {
    throw new GatewayError("E_FORBIDDEN_OP", `${moment}: ${shown(when)} is not at least 60 s ahead; ${way}`);
  }
}
