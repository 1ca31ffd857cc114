/** Texts as they are and as they would be: in one text with marks, or side by side; every sign of theirs is text. */
import { formOf } from "../../core/one_line.ts";
import type { Child } from "hono/jsx";
import { type Stretch, textDiff } from "../../core/text_diff.ts";
import { isUnseen, seenParts } from "../../core/unseen.ts";

/** How long all texts of a page are compared; what is not compared by then is shown as gone and new. */
const COMPARED_MS = 100;
const CONTEXT_CHARACTERS = 160;
const WORD_CHARACTERS = 30;
/** The room that texts have on a page that does not show all of them, in bytes. */
const ROOM_BYTES = 56 * 1024;

/** How a page shows texts. */
export interface Drawing {
  readonly view: "inline" | "side";
  /** Whether all of every text is shown, also what stays. */
  readonly whole: boolean;
  readonly until: number;
  /** Bytes that are left. */
  room: number;
  /** Characters that had no room, which nobody has seen. */
  cut: number;
}

/** Begins a page. */
export const drawing = (view: Drawing["view"], whole: boolean): Drawing => ({
  ...{ view, whole, cut: 0 },
  until: performance.now() + COMPARED_MS,
  room: whole ? Infinity : ROOM_BYTES,
});

type Part = Stretch | { readonly kind: "fold"; readonly text: string };

const number = (count: number) => count.toLocaleString("en");

/** Where a text may be cut: not within a sign. */
const cutAt = (text: string, at: number) =>
  at > 0 && at < text.length && text.codePointAt(at - 1)! > 0xffff ? at + 1 : at;

/** The first blank behind a place, or that place where none is near. */
function blankBy(text: string, at: number): number {
  for (let near = at; near < at + WORD_CHARACTERS; near++) if (" \n".includes(text[near] ?? "x")) return near;
  return cutAt(text, at);
}

/** Stretches that stay, without their middle. */
function folded(all: readonly Stretch[], { whole }: Drawing): readonly Part[] {
  if (whole) return all;
  return all.flatMap((stretch, at): Part[] => {
    const { kind, text } = stretch;
    const [first, last] = [at === 0, at === all.length - 1];
    if (kind !== "same" || text.length <= 3 * CONTEXT_CHARACTERS) return [stretch];
    const head = first ? 0 : blankBy(text, CONTEXT_CHARACTERS);
    const tail = last ? text.length : blankBy(text, text.length - CONTEXT_CHARACTERS);
    const parts: Part[] = [
      { kind, text: text.slice(0, head) },
      { kind: "fold", text: text.slice(head, tail) },
      { kind, text: text.slice(tail) },
    ];
    return parts.filter((part) => part.text !== "");
  });
}

const COSTS: Readonly<Record<string, number>> = { "<": 4, ">": 4, "&": 5, '"': 6, "'": 5 };
/** The most that a sign takes which stands as its number, and an element around a stretch. */
const SIGN_BYTES = 64;
const ELEMENT_BYTES = 12;

function costOf(sign: string): number {
  const code = sign.codePointAt(0)!;
  // Letters and figures of English, and what stands between them, are most of any text in HTML.
  if (code >= 0x20 && code < 0x7f) return COSTS[sign] ?? 1;
  if (isUnseen(sign)) return SIGN_BYTES;
  return COSTS[sign] ?? (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);
}

/** The bytes that a text takes on a page. */
export const textBytes = (text: string): number => [...text].reduce((sum, sign) => sum + costOf(sign), 0);

/** Takes the room of markup; false where there is none, and what would stand in it has not been seen. */
export function takes(bytes: number, characters: number, on: Drawing): boolean {
  on.room -= bytes;
  if (on.room > 0) return true;
  on.room = 0;
  on.cut += characters;
  return false;
}

/** As much of a text as there is room for. */
export function fitting(text: string, on: Drawing): string {
  if (on.room === Infinity) return text;
  let end = 0;
  for (const sign of text) {
    const cost = costOf(sign);
    if (on.room < cost) break;
    on.room -= cost;
    end += sign.length;
  }
  if (end < text.length) {
    on.room = 0;
    on.cut += text.length - end;
  }
  return text.slice(0, end);
}

/** A text, with what nobody sees made visible. */
export const marked = (text: string, joiners = false): Child[] =>
  seenParts(text, joiners).map((part) =>
    typeof part === "string" ? part : <span class="sign">{part.sign}</span>
  );

function drawn({ kind, text }: Part, on: Drawing): Child {
  if (kind === "fold") {
    takes(SIGN_BYTES, 0, on);
    return (
      <span class="fold">
        {` … ${number(text.length)} ${
          formOf(text.length, "character stays as it is", "characters stay as they are")
        } … `}
      </span>
    );
  }
  const part = fitting(text, on);
  if (part === "") return null;
  if (kind === "same") return marked(part);
  takes(ELEMENT_BYTES, 0, on);
  const signs = marked(part, true);
  return kind === "gone" ? <del>{signs}</del> : <ins>{signs}</ins>;
}

/** The stretches of two texts, within what is left of the page's time. */
export const stretchesOf = (from: string, to: string, on: Drawing): readonly Stretch[] =>
  textDiff(from, to, Math.max(0, on.until - performance.now()));

/** One side of two short texts, with what only it has marked. */
export function oneSide(all: readonly Stretch[], side: "gone" | "new", on: Drawing): Child {
  return (
    <span dir="auto">
      {all.filter(({ kind }) => kind === "same" || kind === side).map((one) => drawn(one, on))}
    </span>
  );
}

/** A text that has no other side. */
export const wholeText = (text: string, on: Drawing): Child => (
  <div class="text" dir="auto">{marked(fitting(text, on))}</div>
);

/** Two texts, in the view of the page. */
export function comparedText(from: string, to: string, on: Drawing): Child {
  const parts = folded(stretchesOf(from, to, on), on);
  if (on.view === "inline") return <div class="text" dir="auto">{parts.map((part) => drawn(part, on))}</div>;
  return (
    <div class="table">
      <table class="sides" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">Now</th>
            <th scope="col" role="columnheader">Then</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rowsOf(parts).map(([left, right]) => (
            <tr role="row">
              <td role="cell" data-column="Now" dir="auto">{left.map((part) => drawn(part, on))}</td>
              <td role="cell" data-column="Then" dir="auto">{right.map((part) => drawn(part, on))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Rows of both sides: a new one begins behind a line that both have, and around what is folded. */
function rowsOf(parts: readonly Part[]): (readonly [Part[], Part[]])[] {
  const rows: [Part[], Part[]][] = [[[], []]];
  const both = (part: Part) => rows.at(-1)!.forEach((side) => side.push(part));
  const next = () => void (rows.at(-1)!.some(({ length }) => length > 0) && rows.push([[], []]));
  for (const part of parts) {
    if (part.kind === "fold") {
      next();
      both(part);
      next();
    } else if (part.kind === "same") {
      const [head, ...lines] = part.text.split("\n");
      if (head !== "") both({ kind: "same", text: head! });
      if (lines.length === 0) continue;
      next();
      const rest = lines.join("\n");
      if (rest !== "") both({ kind: "same", text: rest });
    } else rows.at(-1)![part.kind === "gone" ? 0 : 1].push(part);
  }
  return rows.filter((row) => row.some(({ length }) => length > 0));
}
