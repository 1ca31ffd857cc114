/** How a tool's figures come about, and how those of another period stand beside them. */
import { dayAfter, dayOf, todayIs } from "../../core/zoned_day.ts";
import { type Days, daysBetween } from "../../platforms/highlevel/days.ts";
import { GatewayError } from "../../core/errors.ts";
import { isFields } from "../../core/values.ts";
import {
  changesOf,
  checkCompare,
  compared,
  type CompareWith,
  type Comparison,
  daysToCompare,
} from "../../rules/comparison.ts";
import { answer, begin, type Context, Notes, type Reading, type Told } from "./_read.ts";
import { checkWindow, DAYS_MAX, periodOf, type WindowArgs } from "./_window.ts";

/** What a window comes to. */
export interface Counted<Figures extends object> extends Told {
  readonly figures: Figures;
  readonly truncated: boolean;
  /** What stands in an answer beside its figures, and is not compared. */
  readonly beside?: object;
}

/** How figures come about: reading is one thing, counting another, so that two windows can be read at once. */
export interface Metric<Found, Figures extends object> {
  /** What each of the windows is counted from, in their order: what is read may be of longer. */
  read(reading: Reading, windows: readonly Days[]): Promise<readonly Found[]>;
  /** What the days of the reading come to; what is to be said of that is noted. */
  count(found: Found, reading: Reading): Counted<Figures>;
  /** Two sides in such a form that the same place means the same; needed where figures are rows. */
  comparable?(now: Figures, other: Figures): readonly [object, object];
  /** Why not of all figures a change is said. */
  readonly unchanged?: string;
}

/** The arguments of a tool whose window can be compared. */
export interface MetricArgs extends WindowArgs {
  readonly compare?: CompareWith;
}

/** Refuses with E_BAD_INPUT, before anything is asked, a window that is none, or one that it cannot be compared with. */
export function checkSpan({ compare, ...window }: MetricArgs, now: number): void {
  checkWindow(window, now);
  checkCompare(compare, now);
  if (compare === undefined || typeof compare === "string") return;
  const { count } = daysBetween(compare.from, compare.to, "UTC");
  if (count > DAYS_MAX) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `compare.to: the other period has ${count} days; at most ${DAYS_MAX} are counted in one call`,
    );
  }
}

/** The windows of a comparison. */
export interface Sides {
  /** Of the window that was asked for what has passed. */
  readonly current: Days;
  readonly other: Days;
  /** Whether the other one is over. */
  readonly isOver: boolean;
  readonly notes: readonly string[];
}

/** The days with another end. */
const until = (days: Days, to: number): Days => ({ ...days, to: Math.min(days.to, to) });

/**
 * The window that another is compared with. Rows have moments: where the window is not over, both sides end at the same time
 * of day. Throws E_BAD_INPUT for days that cannot be compared.
 */
export function sidesOf(compare: CompareWith, { days, now }: Pick<Reading, "days" | "now">): Sides {
  const { first, last, timezone } = days;
  const today = dayOf(now, timezone);
  const { current, other, notes } = daysToCompare(compare, { from: first, to: last }, today);
  if (other.from > today) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `compare.from: "${other.from}" lies in the future, of which there is nothing to compare with; ${
        todayIs(now)
      }`,
    );
  }
  const whole = daysBetween(other.from, other.to, timezone);
  const own = until(daysBetween(current.from, current.to, timezone), now);
  if (last < today) return { current: own, other: until(whole, now), isOver: other.to < today, notes };
  const clock = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).toPlainTime();
  const end = Temporal.PlainDate.from(other.to).toZonedDateTime({ timeZone: timezone, plainTime: clock });
  return {
    current: own,
    other: until(whole, Math.min(end.epochMilliseconds, now)),
    isOver: other.to < today,
    notes: [
      ...notes,
      `Compared is what both periods hold until ${clock.toString().slice(0, 5)} of their last day`,
    ],
  };
}

/** Whether one begins where the other ends, or before, so that both are one time. */
const adjoin = (one: Days, other: Days) =>
  dayAfter(one.last) >= other.first && dayAfter(other.last) >= one.first;

/** Reads windows that adjoin in one go, and others one after the other. */
export async function readTogether<T>(
  windows: readonly Days[],
  read: (days: Days) => Promise<T>,
): Promise<T[]> {
  const [one, other] = windows;
  if (one !== undefined && other !== undefined && adjoin(one, other)) {
    const [early, late] = one.first < other.first ? [one, other] : [other, one];
    const last = early.last > late.last ? early.last : late.last;
    const whole = {
      ...daysBetween(early.first, last, one.timezone),
      from: Math.min(one.from, other.from),
      to: Math.max(one.to, other.to),
    };
    const found = await read(whole);
    return [found, found];
  }
  const found: T[] = [];
  for (const days of windows) found.push(await read(days));
  return found;
}

/** The names under which figures are counts by a word; a word that one side lacks was counted there too: not once. */
const TALLIES: ReadonlySet<string> = new Set(["by_status", "unmapped"]);

/** The same figures, with each word that the other side's counts have in counts by a word. */
function tallied(own: object, other: object): object {
  const beside = other as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => {
      const there = beside[name];
      if (!isFields(value) || !isFields(there)) return [name, value];
      if (!TALLIES.has(name)) return [name, tallied(value, there)];
      return [name, { ...Object.fromEntries(Object.keys(there).map((word) => [word, 0])), ...value }];
    }),
  );
}

/** What is said where all of the other period was read, and it holds nothing. */
export const NOTHING_THERE =
  "The other period holds nothing at all; it may lie before the location was used, so no change is said";

/** Every number in figures, in objects and lists within them too. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** Whether figures have numbers, and none but zero. */
function isNothing(figures: object): boolean {
  const numbers = numbersIn(figures);
  return numbers.length > 0 && numbers.every((one) => one === 0);
}

/** What a window comes to, and beside it the other one where there is one. */
export interface Beside<Figures extends object> {
  readonly counted: Counted<Figures>;
  readonly comparison: Comparison<Figures> | null;
  /** Both sides as they are compared: apart from what is still to come, the same place meaning the same. */
  readonly alike: readonly [object, object] | null;
}

/** Counts the window of the reading, and the other one of `sides` within the same requests. */
export async function countBeside<Found, Figures extends object>(
  { read, count, comparable = (now, other) => [now, other], unchanged }: Metric<Found, Figures>,
  reading: Reading,
  sides: Sides | null,
): Promise<Beside<Figures>> {
  const [found, before] = await read(reading, [reading.days, ...sides === null ? [] : [sides.other]]);
  const counted = count(found!, reading);
  if (sides === null) return { counted, comparison: null, alike: null };
  // Apart from what is still to come, of which there is nothing to compare with.
  const own = { ...reading, days: sides.current, notes: new Notes() };
  const now = sides.current.to === reading.days.to ? counted : count(found!, own);
  const other = { ...reading, days: sides.other, notes: new Notes() };
  const then = count(before!, other);
  const [left, right] = comparable(now.figures, then.figures);
  if (isNothing(right) && !then.truncated && other.notes.whole) other.notes.lack(NOTHING_THERE);
  const alike = [tallied(left, right), tallied(right, left)] as const;
  const side = ({ figures, truncated }: Counted<Figures>, notes: Notes) => ({
    whole: notes.whole && !truncated,
    truncated,
    figures,
  });
  const comparison = compared(
    {
      ...side(now, reading.notes),
      apart: { period: periodOf(sides.current), shown: counted.figures },
    },
    { ...side(then, other.notes), period: periodOf(sides.other), complete: sides.isOver },
    [...sides.notes, ...unchanged === undefined ? [] : [unchanged], ...other.notes.all],
    () => changesOf(...alike),
  );
  return { counted, comparison, alike };
}

/** What is asked of a tool with a window. */
export interface Asked {
  /** So many days where none are given. */
  readonly otherwise: number;
  readonly requests?: number;
}

/** The answer of a tool that counts a window, with the other one where there is something to compare with. */
export async function answerOf<Found, Figures extends object>(
  ctx: Context,
  { compare, ...window }: MetricArgs,
  { otherwise, requests }: Asked,
  metric: Metric<Found, Figures>,
) {
  const reading = await begin(ctx, { ...window, otherwise }, requests);
  const sides = compare === undefined ? null : sidesOf(compare, reading);
  const { counted, comparison } = await countBeside(metric, reading, sides);
  const { figures, beside, ...told } = counted;
  const body = { ...figures, ...beside, ...comparison === null ? {} : { compare: comparison } };
  return answer(reading, body, told);
}
