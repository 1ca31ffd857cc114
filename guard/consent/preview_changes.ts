/** The changes of a preview as a person can judge them: of long texts the parts around what differs, within a budget. */
import { counted } from "../../core/one_line.ts";
import { Buffer } from "node:buffer";
import { commonEnds } from "../../core/common_ends.ts";
import { lazily } from "../../core/made_once.ts";
import { type Change, LIMITS } from "../../core/model.ts";
import { shownText } from "../../core/unseen.ts";
import { piecesApart } from "../../rules/apart.ts";
import { hidesOf, redactWhole, shorten } from "../audit/redact.ts";

/** Texts up to here are shown whole. */
const WHOLE_CHARACTERS = 120;
const CONTEXT_CHARACTERS = 40;
const TAIL_CHARACTERS = 500;
/** Of one value so much is shown, and at least so much where many share a budget. */
const ROOM_CHARACTERS = LIMITS.PREVIEW_FIELD_BYTES / 4;
const ROOM_CHARACTERS_MIN = 128;

interface Shown {
  readonly changes: readonly Change[];
  readonly left_out?: string;
}

/** The changes, secrets hidden; says what was left out where that is more than so many bytes. */
export function shownChanges(changes: readonly Change[], bytes?: number): Shown {
  const sides = changes.map((change) => lazily(() => sidesOf(change)));
  if (bytes === undefined) return within(changes, sides, LIMITS.PREVIEW_BYTES, ROOM_CHARACTERS);
  // Of several a part of each: a short one behind a long one is shown as well.
  for (let room = ROOM_CHARACTERS; room > ROOM_CHARACTERS_MIN; room /= 2) {
    const shown = within(changes, sides, bytes, room);
    if (shown.left_out === undefined) return shown;
  }
  return within(changes, sides, bytes, ROOM_CHARACTERS_MIN);
}

/** The same for a person who decides, with whole texts; what goes beyond so many bytes together is left out. */
export function wholeChanges(changes: readonly Change[], bytes: number = LIMITS.APPROVAL_SHOWN_BYTES): Shown {
  const sides = changes.map(({ from, to }) => () => () => ({ from: redactWhole(from), to: redactWhole(to) }));
  return within(changes, sides, bytes, Infinity);
}

/** Fields are named up to here. */
const HIDDEN_NAMED = 10;

/** What a person should know of values that are written otherwise than they are shown. */
export function hiddenWarnings(changes: readonly Change[]): string[] {
  const hidden = changes.filter(({ to }) => hidesOf(to)).map(({ field }) => field);
  if (hidden.length === 0) return [];
  const more = hidden.length > HIDDEN_NAMED ? ` and ${hidden.length - HIDDEN_NAMED} more` : "";
  return [
    `${
      hidden.slice(0, HIDDEN_NAMED).join(", ")
    }${more}: what looks like a credential is shown as [redacted], and ` +
    "the site gets it as it was sent",
  ];
}

/** Both sides of a change within so many characters each. */
type Sides = (room: number) => Pick<Change, "from" | "to">;

function within(
  changes: readonly Change[],
  sides: readonly (() => Sides)[],
  bytes: number,
  room: number,
): Shown {
  const shown: Change[] = [];
  let left = bytes;
  for (const [at, { field, origin, text_of }] of changes.entries()) {
    const beside = { ...origin === undefined ? {} : { origin }, ...text_of === undefined ? {} : { text_of } };
    const one = { field, ...sides[at]!()(room), ...beside };
    left -= Buffer.byteLength(JSON.stringify(one) ?? "");
    if (left < 0 && shown.length > 0) break;
    shown.push(one);
  }
  if (shown.length === changes.length) return { changes: shown };
  const names = changes.slice(shown.length, shown.length + 10).map(({ field }) => field).join(", ");
  return {
    changes: shown,
    left_out: `${counted(changes.length - shown.length, "more change")}, beginning with ${names}`,
  };
}

function sidesOf({ from, to }: Change): Sides {
  const long = [from, to].some((one) => typeof one === "string" && one.length > WHOLE_CHARACTERS);
  if (!long || typeof from !== "string" || typeof to !== "string" || from === to) {
    return (room) => ({ from: ends(from, room), to: ends(to, room) });
  }
  const side = parts(from, to);
  return (room) => ({ from: bounded(side.from, side.to, room), to: bounded(side.to, side.from, room) });
}

/** A text by its beginning and end; what is none as it is. */
function ends(value: unknown, room: number): unknown {
  if (typeof value !== "string") return shorten(value, 4 * room);
  const text = shownText(value);
  if (text.length <= room) return text;
  const cut = text.length - room;
  const tail = Math.min(TAIL_CHARACTERS, Math.floor(room / 4));
  return `${text.slice(0, room - tail)} … (${counted(cut, "character")} left out) … ${text.slice(-tail)}`;
}

/** The parts of two texts that differ, each with the text around it. */
function parts(before: string, after: string): { from: string; to: string } {
  const [from, to] = [shownText(before), shownText(after)];
  const found = piecesApart(from, to);
  const side = { from: "", to: "" };
  found.forEach(({ value, added, removed }, at) => {
    if (added) side.to += value;
    else if (removed) side.from += value;
    else {
      const around = context(value, at === 0, at === found.length - 1);
      side.from += around;
      side.to += around;
    }
  });
  return side;
}

function context(text: string, first: boolean, last: boolean): string {
  if (text.length <= 2 * CONTEXT_CHARACTERS) return text;
  const [head, tail] = [text.slice(0, CONTEXT_CHARACTERS), text.slice(-CONTEXT_CHARACTERS)];
  return first ? `…${tail}` : last ? `${head}…` : `${head} … ${tail}`;
}

/** Within the budget of a field, from where the two begin to differ. */
function bounded(text: string, other: string, room: number): string {
  if (text.length <= room) return text;
  const start = Math.max(0, commonEnds(text, other).start - CONTEXT_CHARACTERS);
  const cut = `${text.slice(start, start + room)} … (${
    text.length - room
  } characters of what differs left out)`;
  return start === 0 ? cut : `…${cut}`;
}
