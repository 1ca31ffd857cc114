/** One period held against another: which days the other one has, and how each figure changed. */
import { GatewayError } from "../core/errors.ts";
import { rounded } from "../core/rounded.ts";
import { isFields } from "../core/values.ts";
import { latestDay, todayIs } from "../core/zoned_day.ts";
import type { Period } from "./data_head.ts";

/** Days as YYYY-MM-DD, both included. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** What a caller gives as compare. */
export type CompareWith = "previous_period" | "previous_year" | DayRange;

/** The two ranges of a comparison, and what is to be said of them. */
export interface ComparedDays {
  /** Of the period that was asked for what has begun by now. */
  readonly current: DayRange;
  readonly other: DayRange;
  readonly notes: readonly string[];
}

const day = (text: string) => Temporal.PlainDate.from(text);
/** How many days a range has. */
export const lengthOf = ({ from, to }: DayRange): number => day(from).until(day(to)).days + 1;
const wrong = (sentence: string) => new GatewayError("E_BAD_INPUT", sentence);

/** Refuses with E_BAD_INPUT days of the caller's own that are turned round, or that have begun nowhere yet. */
export function checkCompare(compare: CompareWith | undefined, now: number): void {
  if (compare === undefined || typeof compare === "string") return;
  if (compare.to < compare.from) {
    throw wrong(`compare.to: "${compare.to}" lies before compare.from "${compare.from}"; turn them round`);
  }
  if (compare.to > latestDay(now)) {
    throw wrong(
      `compare.to: "${compare.to}" lies in the future, of which there is nothing to compare with; ${
        todayIs(now)
      }`,
    );
  }
}

/**
 * The days to compare with. Of a period that goes on behind `last`, the last day that the source counts (today, or the day
 * it has come to, in its time zone), only as much is taken of the other one, so that half a month is not held against a
 * whole one. Throws E_BAD_INPUT for the very same days, and where nothing of the period is counted yet.
 */
export function daysToCompare(compare: CompareWith, asked: DayRange, last: string): ComparedDays {
  if (asked.from > last) {
    throw wrong(
      `compare: of ${asked.from} to ${asked.to} nothing is counted yet; leave compare out, or name earlier days`,
    );
  }
  const isCut = asked.to > last;
  const current = { from: asked.from, to: isCut ? last : asked.to };
  const notes = isCut
    ? [
      `Days after ${last} are not counted yet: the change is of the days up to it, and of as many of the other period`,
    ]
    : asked.to === last
    ? [`${last} may not be over: the change can still move`]
    : [];
  if (typeof compare === "string") {
    const from = compare === "previous_year"
      ? day(asked.from).subtract({ years: 1 })
      : day(asked.from).subtract({ days: lengthOf(asked) });
    const to = compare === "previous_year"
      ? day(current.to).subtract({ years: 1 })
      : from.add({ days: lengthOf(current) - 1 });
    const other = { from: from.toString(), to: to.toString() };
    return { current, other, notes: [...notes, ...lengthNotes(current, other)] };
  }
  if (compare.from === asked.from && compare.to === asked.to) {
    throw wrong(`compare: ${compare.from} to ${compare.to} is the period itself; name other days`);
  }
  const overlap = compare.from <= current.to && compare.to >= current.from
    ? ["The two periods share days, which count in both"]
    : [];
  return { current, other: compare, notes: [...notes, ...overlap, ...lengthNotes(current, compare)] };
}

/** How many days each has, such as "31 and 30 days"; null where both have as many. */
export function differingLengths(current: DayRange, other: DayRange): string | null {
  const [own, before] = [lengthOf(current), lengthOf(other)];
  return own === before ? null : `${own} and ${before} days`;
}

function lengthNotes(current: DayRange, other: DayRange): string[] {
  const lengths = differingLengths(current, other);
  return lengths === null ? [] : [`The periods have ${lengths}: sums are not per day`];
}

/** A figure against its former value: the difference, and as a share of the former one; null where that cannot be said. */
export interface Change {
  readonly abs: number | null;
  readonly pct: number | null;
}

/** A change for each figure, at the place that the figure has; of rows by what they are about. */
export interface Changes {
  readonly [name: string]: Change | Changes | readonly RowChange[];
}

/** What a row is about, and how each of its figures changed. */
export type RowChange = Readonly<Record<string, unknown>>;

/** How one figure changed; pct is a share (0.1 is ten per cent more) and null where there was nothing before. */
export function changeOf(now: number | null, before: number | null): Change {
  if (now === null || before === null) return { abs: null, pct: null };
  const abs = rounded(now - before);
  return { abs, pct: before === 0 ? null : rounded((now - before) / Math.abs(before)) };
}

const isFigure = (value: unknown): value is number | null => value === null || typeof value === "number";

/**
 * How the figures of two answers of one shape changed: numbers at the same place, in objects within objects. A figure that
 * one side lacks where the other has it is not known there, so its change is null; lists, texts and flags are passed over.
 */
export function changesOf(now: object, before: object): Changes {
  const [own, other] = [now as Record<string, unknown>, before as Record<string, unknown>];
  const changes: Record<string, Changes[string]> = {};
  for (const name of new Set([...Object.keys(own), ...Object.keys(other)])) {
    const [to, from] = [own[name], other[name]];
    if (typeof to === "number" || typeof from === "number") {
      changes[name] = changeOf(isFigure(to) ? to : null, isFigure(from) ? from : null);
    } else if (isFields(to) && isFields(from)) {
      const inner = changesOf(to, from);
      if (Object.keys(inner).length > 0) changes[name] = inner;
    }
  }
  return changes;
}

/**
 * How rows changed that are about the same, in the order of the newer ones. Of a row that one side does not show nothing is
 * said: it may have been cut off there, or fall under what a source names at all.
 */
export function rowChanges<Row>(
  now: readonly Row[],
  before: readonly Row[],
  about: (row: Row) => Readonly<Record<string, unknown>>,
  figures: (row: Row) => object,
): { readonly changes: readonly RowChange[]; readonly notes: readonly string[] } {
  const known = new Map(before.map((row) => [JSON.stringify(about(row)), row]));
  const changes = now.flatMap((row) => {
    const what = about(row);
    const other = known.get(JSON.stringify(what));
    return other === undefined ? [] : [{ ...what, ...changesOf(figures(row), figures(other)) }];
  });
  const both = changes.length;
  const alone = now.length - both;
  const notes = alone > 0 || both < before.length
    ? [
      `${both} of the rows are shown in both periods, ${alone} in this one alone and ${
        before.length - both
      } in the other ` +
      "alone; of those no change is said, for a row that is not shown need not be nought",
    ]
    : [];
  return { changes, notes };
}

/** Figures, and of which time they are. */
export interface ComparedPart<Figures extends object> {
  readonly period: Period;
  readonly figures: Figures;
}

/** The other period in an answer: its figures in the shape of the answer's own, and how they changed. */
export interface Comparison<Figures extends object> {
  readonly period: Period;
  readonly complete: boolean;
  readonly truncated: boolean;
  readonly figures: Figures;
  /** What the change is of on this side, where the answer's own figures are of more. */
  readonly current?: ComparedPart<Figures>;
  /** Null where not all of one side was read; notes say what is missing. */
  readonly change: Changes | null;
  readonly notes: readonly string[];
}

/** What of one side has a part in a comparison. */
export interface ComparedSide<Figures extends object> {
  readonly period: Period;
  /** Whether all that the period holds so far was counted, so that it can be compared. */
  readonly whole: boolean;
  readonly truncated: boolean;
  readonly figures: Figures;
}

/** What is said where an answer's own figures are of more than its comparison, so that nobody takes one for the other. */
const OF_LESS =
  "The change is that from compare.figures to compare.current: the answer's own figures hold more of this period";

/** What a change is of, where the figures that are `shown` as the answer's own are of more; and what is said of that. */
export function apartFrom<Figures extends object>(
  part: ComparedPart<Figures>,
  shown: Figures,
): { readonly beside: { readonly current?: ComparedPart<Figures> }; readonly notes: readonly string[] } {
  return JSON.stringify(part.figures) === JSON.stringify(shown)
    ? { beside: {}, notes: [] }
    : { beside: { current: part }, notes: [OF_LESS] };
}

/**
 * Holds two sides against each other; where one is not whole, nothing is reported as a change. `changes` works the change
 * out where it is more than that of the figures at the same places. Of this side the answer has the figures already:
 * they are told again, with their `period`, only where they differ from those, the `shown` ones.
 */
export function compared<Figures extends object>(
  now: Omit<ComparedSide<Figures>, "period" | "truncated"> & {
    readonly apart?: { readonly period: Period; readonly shown: Figures };
  },
  other: ComparedSide<Figures> & { readonly complete: boolean },
  notes: readonly string[],
  changes: (now: Figures, before: Figures) => Changes = changesOf,
): Comparison<Figures> {
  const lacking = [...now.whole ? [] : ["this period"], ...other.whole ? [] : ["the other one"]];
  const { period, complete, truncated, figures } = other;
  const change = lacking.length > 0 ? null : changes(now.figures, figures);
  const apart = change === null || now.apart === undefined
    ? { beside: {}, notes: [] }
    : apartFrom({ period: now.apart.period, figures: now.figures }, now.apart.shown);
  return {
    period,
    complete: complete && other.whole && !truncated,
    truncated,
    figures,
    ...apart.beside,
    change,
    notes: [
      ...new Set(
        lacking.length > 0
          ? [
            `change is null, because it is not known that all of ${lacking.join(" and ")} was counted`,
            ...notes,
          ]
          : [...notes, ...apart.notes],
      ),
    ],
  };
}
