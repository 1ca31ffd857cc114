/** What differs between two versions: the parts, each with a little of the text around it, in pages of a few KB. */
import { counted } from "../core/one_line.ts";
import { diffLines, diffWordsWithSpace } from "diff";
import { commonEnds } from "../core/common_ends.ts";
import { bytesOf } from "./text.ts";

/** One place where two texts differ. */
export interface Part {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** One page of them. */
export interface Parts {
  readonly changes: readonly Part[];
  /** The page with further ones, null for the last. */
  readonly next: number | null;
}

/** What an answer's parts take together, so that the whole stays below 4 KB. */
const PAGE_BYTES = 3400;
const SIDE_BYTES = 1500;
const AROUND = 50;
/** Longer texts are compared by lines, and with a bound on the work: the rest is one part. */
const WORDS_CHARACTERS_MAX = 40_000;
const EDITS_MAX = 1500;
const DIFF_MS = 150;

type Texts = Readonly<Record<string, string>>;

/** A page of what differs, from 1, in the order of the texts; of so many bytes, or the size of one part. */
export function partsApart(from: Texts, to: Texts, page: number, bytes = PAGE_BYTES): Parts {
  const pages: Part[][] = [[]];
  let left = bytes;
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    for (const part of partsOf(from[field] ?? "", to[field] ?? "")) {
      const one = { field, ...part };
      const size = bytesOf(JSON.stringify(one));
      if (size > left && pages.at(-1)!.length > 0) {
        pages.push([]);
        left = bytes;
      }
      pages.at(-1)!.push(one);
      left -= size;
    }
  }
  return { changes: pages[page - 1] ?? [], next: page < pages.length ? page + 1 : null };
}

/** A part of two texts: of both, or of the one or the other. */
export interface Piece {
  readonly value: string;
  readonly added: boolean;
  readonly removed: boolean;
}

/** The places where the two differ; those with next to nothing between them are one. */
function partsOf(from: string, to: string): { from: string; to: string }[] {
  if (from === to) return [];
  const pieces = piecesApart(from, to);
  const parts: { from: string; to: string }[] = [];
  let open: { from: string; to: string } | null = null;
  pieces.forEach(({ value, added, removed }, at) => {
    if (added || removed) {
      const before = pieces[at - 1]?.value ?? "";
      open ??= { from: tail(before), to: tail(before) };
      if (added) open.to += value;
      else open.from += value;
      return;
    }
    if (open === null) return;
    const isLast = at === pieces.length - 1;
    const isBridge = !isLast && value.length <= 2 * AROUND;
    const after = isBridge ? value : head(value);
    open = { from: open.from + after, to: open.to + after };
    if (isBridge) return;
    parts.push(open);
    open = null;
  });
  if (open !== null) parts.push(open);
  return parts.map((part) => ({ from: bounded(part.from, part.to), to: bounded(part.to, part.from) }));
}

/** Two texts in one: what both have, what the other one has, what only this one has; found with a bound on the work. */
export function piecesApart(from: string, to: string): readonly Piece[] {
  const isShort = Math.max(from.length, to.length) <= WORDS_CHARACTERS_MAX;
  const bound = { maxEditLength: EDITS_MAX, timeout: DIFF_MS };
  const found = isShort ? diffWordsWithSpace(from, to, bound) : diffLines(from, to, bound);
  if (found) return found;
  const { start, end } = commonEnds(from, to);
  return [
    { value: from.slice(0, start), added: false, removed: false },
    { value: from.slice(start, from.length - end), added: false, removed: true },
    { value: to.slice(start, to.length - end), added: true, removed: false },
    { value: from.slice(from.length - end), added: false, removed: false },
  ];
}

const tail = (text: string) => text.length <= AROUND ? text : `…${text.slice(-AROUND)}`;
const head = (text: string) => text.length <= AROUND ? text : `${text.slice(0, AROUND)}…`;

/** Within the room of a side, from where the two begin to differ. */
function bounded(text: string, other: string): string {
  if (bytesOf(text) <= SIDE_BYTES) return text.toWellFormed();
  const start = Math.max(0, commonEnds(text, other).start - AROUND);
  let end = Math.min(text.length, start + SIDE_BYTES);
  while (bytesOf(text.slice(start, end)) > SIDE_BYTES) end -= 50;
  const left = text.length - (end - start);
  return `${text.slice(start, end).toWellFormed()} … (${counted(left, "character")} left out)`;
}
