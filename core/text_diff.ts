/** What differs between two texts: by sentences and lines first, then by words within those that differ. */
import { diffArrays } from "diff";
import { commonEnds } from "./common_ends.ts";

/** A stretch of both texts, of the earlier one alone, or of the later one alone. */
export interface Stretch {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Beyond so many edits a comparison of sentences, or of words, is given up: it takes the square of them. */
const SENTENCE_EDITS_MAX = 600;
const WORD_EDITS_MAX = 1500;
/** Stretches that differ are compared by words up to here; longer ones sentence by sentence, or not at all. */
const WORDS_CHARACTERS_MAX = 40_000;
/** So much is compared by words however long the rest took: a few changes are marked on a busy machine as well. */
const ALWAYS_CHARACTERS = 20_000;
const ALWAYS_MS = 50;
/** Words of scripts that put blanks between them; a sign of any other; blanks; anything else by itself. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]\p{M}*|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*|\s+|[^]/gu;

/** The stretches in their order: those that are the same or new make the later text, the same and the gone the earlier one. */
export function textDiff(from: string, to: string, ms: number): readonly Stretch[] {
  const words = new Words(ms);
  const all: Stretch[] = [];
  let gone: readonly string[] = [];
  const found = compared(sentencesOf(from), sentencesOf(to), SENTENCE_EDITS_MAX, Math.max(ms, ALWAYS_MS));
  for (const { kind, parts } of found) {
    if (kind === "new") {
      all.push(...words.compare(gone, parts));
      gone = [];
      continue;
    }
    all.push(...words.compare(gone, []));
    gone = kind === "gone" ? parts : [];
    if (kind === "same") all.push({ kind, text: parts.join("") });
  }
  return tidied([...all, ...words.compare(gone, [])]);
}

/** Compares by words, within a time for all that it compares. */
class Words {
  readonly #until: number;
  #always = ALWAYS_CHARACTERS;

  constructor(ms: number) {
    this.#until = performance.now() + ms;
  }

  /** Sentences that are gone and those in their place; where they are long and as many, each with its own. */
  compare(gone: readonly string[], come: readonly string[]): readonly Stretch[] {
    const [from, to] = [gone.join(""), come.join("")];
    if (from.length + to.length <= WORDS_CHARACTERS_MAX || gone.length !== come.length) {
      return this.#texts(from, to);
    }
    return gone.flatMap((one, at) =>
      one === come[at] ? [{ kind: "same", text: one }] : this.#texts(one, come[at]!)
    );
  }

  #texts(gone: string, come: string): readonly Stretch[] {
    const whole: Stretch[] = [{ kind: "gone", text: gone }, { kind: "new", text: come }];
    const characters = gone.length + come.length;
    if (characters > WORDS_CHARACTERS_MAX || gone === "" || come === "") return whole;
    const left = this.#until - performance.now();
    if (left <= 0 && characters > this.#always) return whole;
    this.#always -= characters;
    const found = compared(wordsOf(gone), wordsOf(come), WORD_EDITS_MAX, Math.max(left, ALWAYS_MS))
      .map(({ kind, parts }) => ({ kind, text: parts.join("") }));
    return isAlike(found, gone, come) ? found : whole;
  }
}

/** Whether two texts share enough that marks within them say more than the one after the other. */
function isAlike(words: readonly Stretch[], gone: string, come: string): boolean {
  const shared = words.reduce((sum, { kind, text }) => kind === "same" ? sum + text.trim().length : sum, 0);
  return shared > 0 && shared * ALIKE_PARTS >= Math.min(gone.length, come.length);
}
const ALIKE_PARTS = 4;

/** A run of the parts of a text. */
interface Run {
  readonly kind: Stretch["kind"];
  readonly parts: readonly string[];
}

/** The parts of two texts compared; where that takes too long everything between what they begin and end with differs. */
function compared(
  from: readonly string[],
  to: readonly string[],
  maxEditLength: number,
  timeout: number,
): Run[] {
  const found = leastEdits(from, to) > maxEditLength
    ? undefined
    : diffArrays([...from], [...to], { maxEditLength, timeout });
  if (found !== undefined) {
    return found.map(({ value, added, removed }) => ({
      kind: added ? "new" : removed ? "gone" : "same",
      parts: value,
    }));
  }
  const { start, end } = commonEnds(from, to);
  return [
    { kind: "same", parts: from.slice(0, start) },
    { kind: "gone", parts: from.slice(start, from.length - end) },
    { kind: "new", parts: to.slice(start, to.length - end) },
    { kind: "same", parts: from.slice(from.length - end) },
  ];
}

/** So many edits it takes at least: each part that the other side has not, wherever it stands. It takes the lists once. */
function leastEdits(from: readonly string[], to: readonly string[]): number {
  const left = new Map<string, number>();
  for (const part of from) left.set(part, (left.get(part) ?? 0) + 1);
  let shared = 0;
  for (const part of to) {
    const count = left.get(part) ?? 0;
    if (count === 0) continue;
    left.set(part, count - 1);
    shared++;
  }
  return from.length + to.length - 2 * shared;
}

const wordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

/** A text cut behind each line, each tag that another follows, and each end of a sentence. */
function sentencesOf(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign > LAST_END) continue;
    const isEnd = sign === LINE ||
      (sign === TAG_END && text[at + 1] === "<") || (ENDS.has(sign) && text[at + 1] === " ");
    if (!isEnd) continue;
    parts.push(text.slice(start, at + 1));
    start = at + 1;
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}
const LINE = 0x0a;
const TAG_END = 0x3e;
const ENDS: ReadonlySet<number> = new Set([...".!?;"].map((sign) => sign.charCodeAt(0)));
/** No sign behind it ends anything. */
const LAST_END = 0x3f;

/** Neighbours of a kind are one; blanks between two changes belong to both, so that changes read as phrases. */
function tidied(all: readonly Stretch[]): Stretch[] {
  const tidy: Stretch[] = [];
  let [gone, come] = ["", ""];
  const flush = () => {
    if (gone !== "") tidy.push({ kind: "gone", text: gone });
    if (come !== "") tidy.push({ kind: "new", text: come });
    [gone, come] = ["", ""];
  };
  const parts = all.filter(({ text }) => text !== "");
  parts.forEach(({ kind, text }, at) => {
    const next = parts[at + 1];
    const between = (gone !== "" || come !== "") && next !== undefined && next.kind !== "same";
    const joins = kind === "same" && between && text.trim() === "" && !text.includes("\n");
    if (kind === "gone" || joins) gone += text;
    if (kind === "new" || joins) come += text;
    if (kind !== "same" || joins) return;
    flush();
    const last = tidy.at(-1);
    if (last?.kind === "same") tidy[tidy.length - 1] = { kind, text: last.text + text };
    else tidy.push({ kind, text });
  });
  flush();
  return tidy;
}
