/** A phone number by its figures, however it is written: +49 30 1234567, 030/123 45 67, 0049 (0)30 1234567. */
import { GatewayError } from "../../core/errors.ts";
import { comparable, isFigure, isOfWords, type Needle, signAt, type Spot } from "./signs.ts";

const FIGURES_MIN = 5;
const FIGURES_MAX = 15; // ITU-T E.164, 6.1
/** A number of so many figures is taken for whole where a blank and further figures follow, such as the hours of a shop. */
const WHOLE_FIGURES = 8;
/** What may stand between two figures of a number, so many signs at most. */
const SEPARATORS = " -/.()";
const GAP_SIGNS = 4;
const LINE_ENDS = "\n\r";
/** As many figures at most stand before those of a number: 00, a calling code, 0. */
const BEFORE_FIGURES = 6;

/** Calling codes of one figure and of two; all others have three (ITU-T E.164, list of assigned country codes). */
const ONE = ["1", "7"];
const TWO = new Set(
  ("20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 " +
    "91 92 93 94 95 98").split(" "),
);
/** Countries that put nothing before a number at home, some of which keep its first 0 abroad (ITU-T E.123, national plans). */
const KEEPS_ZERO = new Set(["39", "225", "241", "242", "378"]);
const NOTHING_BEFORE = new Set([
  ...KEEPS_ZERO,
  ...("1 30 34 45 47 48 52 56 57 65 351 352 354 356 357 371 372 377 420 502 503 504 505 506 507 852 853 965 968 973 974")
    .split(" "),
]);
/** What others dial before one at home, where it is not 0. */
const BEFORE: Readonly<Record<string, string>> = { "7": "8", "36": "06" };

/** A number: its figures without what is dialled before them, its country where that is known. */
interface PhoneNumber {
  readonly figures: string;
  readonly country: string | null;
  /** Whether the figures alone are the number, nothing before them. */
  readonly alone: boolean;
}

/** The number as a needle. Throws E_BAD_INPUT naming the field for what is none. */
export function phoneNeedle(text: string, field = "text"): Needle {
  const number = numberOf(text);
  if (number === null) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: with kind phone give one phone number of ${FIGURES_MIN} to ${FIGURES_MAX} figures, such as +49 30 1234567; ` +
        "for anything else leave kind out",
    );
  }
  return {
    parts: [...number.figures],
    between: "separators",
    plain: false,
    spots: (given) =>
      runsOf(given, number.figures.length).flatMap((run) => spotsIn(run, number)).map(withBracket(given)),
  };
}

/** The calling code that figures begin with. */
const codeOf = (figures: string) =>
  figures.slice(0, ONE.includes(figures[0] ?? "") ? 1 : TWO.has(figures.slice(0, 2)) ? 2 : 3);

const isCode = (figures: string) =>
  ONE.includes(figures) || TWO.has(figures) || (figures.length === 3 && codeOf(figures) === figures);

function numberOf(text: string): PhoneNumber | null {
  const trimmed = text.trim();
  const signs = [...trimmed].map(comparable);
  const rest = signs[0] === "+" ? signs.slice(1) : signs;
  if (!rest.every((one) => isFigure(one) || SEPARATORS.includes(one))) return null;
  const figures = rest.filter(isFigure).join("");
  const found = readNumber(figures, signs[0] === "+");
  const fits = found.figures.length >= FIGURES_MIN && figures.length <= FIGURES_MAX + 3;
  return fits ? found : null;
}

function readNumber(figures: string, isAbroad: boolean): PhoneNumber {
  if (isAbroad || figures.startsWith("00")) {
    const whole = isAbroad ? figures : figures.slice(2);
    const country = codeOf(whole);
    const home = whole.slice(country.length);
    const isZero = home.startsWith("0") && !KEEPS_ZERO.has(country);
    return { figures: isZero ? home.slice(1) : home, country, alone: NOTHING_BEFORE.has(country) };
  }
  if (figures.startsWith("0")) return { figures: figures.slice(1), country: null, alone: false };
  // Of North America, and of Russia, as they are dialled at home.
  if (figures.length === 11 && figures.startsWith("1")) {
    return { figures: figures.slice(1), country: "1", alone: true };
  }
  if (figures.length === 11 && figures.startsWith("8")) {
    return { figures: figures.slice(1), country: "7", alone: false };
  }
  return { figures, country: null, alone: true };
}

/**
 * The figures of a number as they are dialled from abroad, the calling code first: its own, or where it is written as at
 * home that of the number whose place it takes, which is written with one. Null where neither has a calling code.
 */
export function fromAbroadAs(text: string, before: string): string | null {
  const [number, there] = [numberOf(text), numberOf(before)];
  const country = number?.country ?? there?.country ?? null;
  if (number === null || country === null) return null;
  const isKept = number.country === null && KEEPS_ZERO.has(country) && text.trim().startsWith("0");
  return `${country}${isKept ? "0" : ""}${number.figures}`;
}

/** Figures in a row, with what separates them: where each stands, and what is before it. */
interface Run {
  readonly figures: string;
  /** Where each figure begins, and where it ends. */
  readonly at: readonly Spot[];
  /** What separates each figure from the one before it. */
  readonly gaps: readonly string[];
  /** Where the plus before the first figure stands; null for none. */
  readonly plus: number | null;
  /** Whether a letter follows without a blank. */
  readonly isWord: boolean;
}

/** All rows of so many figures or more, but those within words. */
function runsOf(text: string, least: number): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < text.length;) {
    const one = text[at]!;
    const mayBegin = isFigure(one) || one === "+" || one === "&" || one === "\\" || one === "%";
    const isWithin = isFigure(one) && at > 0 && isOfWords(text[at - 1]!);
    const read = mayBegin ? readRun(text, at) : null;
    if (read !== null && !isWithin && read.run.figures.length >= least) runs.push(read.run);
    at = read?.next ?? at + 1;
  }
  return runs;
}

function readRun(text: string, from: number): { readonly run: Run; readonly next: number } | null {
  const first = signAt(text, from, true);
  const plus = first.seen === "+" ? from : null;
  let at = plus === null ? from : pastGap(text, from + first.length).at;
  const [spots, gaps]: [Spot[], string[]] = [[], []];
  let figures = "";
  let gap = "";
  for (;;) {
    const { seen, length } = signAt(text, at, true);
    if (!isFigure(seen)) break;
    figures += seen;
    spots.push({ from: at, to: at + length });
    gaps.push(gap);
    const past = pastGap(text, at + length);
    [gap, at] = [past.gap, past.at];
  }
  if (figures === "") return null;
  const end = spots.at(-1)!.to;
  const isWord = isOfWords(signAt(text, end, true).seen);
  return { run: { figures, at: spots, gaps, plus, isWord }, next: end };
}

/** Behind the signs that may separate two figures. */
function pastGap(text: string, from: number): { readonly gap: string; readonly at: number } {
  let [gap, at] = ["", from];
  for (let count = 0; count < GAP_SIGNS; count++) {
    const { seen, length } = signAt(text, at, true);
    const one = LINE_ENDS.includes(seen) ? "" : comparable(seen);
    if (one === "" || !SEPARATORS.includes(one)) break;
    gap += one;
    at += length;
  }
  return { gap, at };
}

/** The spot with the bracket that opens right before it, where it closes within. */
const withBracket = (text: string) => ({ from, to }: Spot): Spot => {
  const opens = text[from - 1] === "(" && text.slice(from, to).includes(")");
  return { from: opens && !text.slice(from, to).includes("(") ? from - 1 : from, to };
};

function spotsIn(run: Run, number: PhoneNumber): Spot[] {
  const spots: Spot[] = [];
  let from = 0; // behind the number found last: what follows is no part of it
  for (let index = run.figures.indexOf(number.figures); index >= 0;) {
    const end = index + number.figures.length;
    const start = canEnd(run, end, number) ? startOf(run, { from, index }, number) : null;
    if (start !== null) {
      spots.push({ from: start, to: run.at[end - 1]!.to });
      from = end;
    }
    index = run.figures.indexOf(number.figures, start === null ? index + 1 : end);
  }
  return spots;
}

/** Whether the number can end before that figure of the row. */
function canEnd({ figures, gaps }: Run, end: number, number: PhoneNumber): boolean {
  if (end === figures.length) return true;
  const gap = gaps[end]!;
  if (gap.includes("/")) return true; // another number is named beside it
  return gap.includes(" ") && !gap.includes("-") && number.figures.length >= WHOLE_FIGURES;
}

/** Figures of a number within a row of which so many are of numbers before it. */
interface Figures {
  readonly from: number;
  readonly index: number;
}

/** Where the number begins whose figures begin at that one of the row, with what is dialled before them; null for another number. */
function startOf(run: Run, { from, index }: Figures, number: PhoneNumber): number | null {
  const before = run.figures.slice(Math.max(from, index - BEFORE_FIGURES), index);
  const plus = from === 0 ? run.plus : null;
  if (plus !== null || run.figures.startsWith("00", from)) {
    const isIt = index - from <= BEFORE_FIGURES && fromAbroad(plus, before, number);
    return isIt ? plus ?? run.at[from]!.from : null;
  }
  for (const dialled of dialledBefore(number)) {
    const first = index - dialled.length;
    if (first < from || !before.endsWith(dialled) || (dialled === "" && run.isWord)) continue;
    if (first === from || run.gaps[first]!.includes(" ")) return run.at[first]!.from;
  }
  return null;
}

/** Whether what stands before is the way there from abroad, the 0 that is dialled at home within it or not. */
function fromAbroad(plus: number | null, before: string, { country }: PhoneNumber): boolean {
  const code = plus === null ? before.slice(2) : before;
  const own = country ?? codeOf(code);
  return isCode(own) && [own, `${own}0`].includes(code);
}

/** What may be dialled before the figures at home, the longest first; nothing where they may stand alone. */
function dialledBefore({ country, alone }: PhoneNumber): readonly string[] {
  if (country === null) return alone ? ["0", "1", ""] : ["0"];
  if (country === "1") return ["1", ""];
  return NOTHING_BEFORE.has(country) ? [""] : [BEFORE[country] ?? "0"];
}
