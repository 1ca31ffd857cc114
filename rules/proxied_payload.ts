/** What a write of another's tool may set: no status but a draft's, nothing that publishes or destroys by a mere yes. */
import { GatewayError } from "../errors.ts";
import { isPublishedWord, wouldPublish } from "./publishing.ts";
import { hasLead, parseMoment } from "./schedule.ts";
import { isJsonLike, type Place, unreadable, walk } from "./proxied_walk.ts";
import { wordList } from "./proxied_words.ts";

/** An argument that a write must not have. */
export interface PayloadFault {
  readonly field: string;
  readonly value: string;
}

/** A status may be one of these: a scheduled one without a date, or with one that is past, is live at once. */
const DRAFTS: ReadonlySet<string> = new Set(["draft", "pending"]);
const STATUS = /status\W*$/i;
/** Whether anything on the way to a value is called so; most values are not. */
const IN_STATUS = /status/i;
/** What readers may do beneath content, which is no state of it. */
const BENEATH = /(comment|ping)[_-]?status\W*$/i;
/** What destroys where it is answered with yes. */
const SWITCHES: ReadonlySet<string> = new Set(["delete", "trash", "destroy", "purge", "erase", "wipe"]);
/** What publishes by any answer but no; the words of a name joined. */
const PUBLISHING: ReadonlySet<string> = new Set([
  "publish",
  "unpublish",
  "published",
  "ispublished",
  "publishnow",
  "autopublish",
  "publishimmediately",
]);
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
): PayloadFault | null {
  const known = new WeakMap<Place, boolean>();
  const found = walk(args, (place) => {
    const { field, value } = place;
    if (typeof value === "string" && unreadable(value) && LOOSE_STATUS.test(value)) {
      return { field, value: shown(value) };
    }
    const one = typeof value !== "object" || value === null;
    const isOther = one && !anyStatus && !isDraft(value) &&
      ((IN_STATUS.test(field) && isStatus(place, known)) || isPublished(place));
    return isOther || isSwitch(place) || (one && publishes(place))
      ? { field, value: shown(value) }
      : undefined;
  });
  if (found) return found;
  const published = wouldPublish(args);
  return published && { field: published.field, value: shown(published.value) };
}

/** Whether it is a status, or a part of one: keys are read by others as they are written. */
function isStatus({ key, within }: Place, known: WeakMap<Place, boolean>): boolean {
  if (STATUS.test(key)) return !BENEATH.test(key);
  if (within === null || key.startsWith("$$")) return false; // how a typed value says what type it is
  const above = known.get(within) ?? isStatus(within, known);
  known.set(within, above);
  return above;
}

/** Whether it is a published word under a name that has a status in it. */
const isPublished = ({ key, value }: Place) =>
  typeof value === "string" && IN_STATUS.test(key) && !BENEATH.test(key) && isPublishedWord(value);

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
  const words = wordList(key);
  const isBare = words.length === 1 ? SWITCHES.has(words[0]!) : false;
  if (isBare || PUBLISHING.has(words.join(""))) return !isOff(value);
  if (![words.at(0), words.at(-1)].some((word) => word !== undefined && SWITCHES.has(word))) return false;
  if (Array.isArray(value)) return value.length > 0;
  return value === true || value === 1 ||
    (typeof value === "string" && /^\s*(true|1|yes|on|y|t)\s*$/i.test(value));
}

/** What every server takes for a no, or for nothing. */
function isOff(value: unknown): boolean {
  if (typeof value === "string") return /^\s*(false|0|no|off|)\s*$/i.test(value);
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
