/** What is known of both times of a comparison beside their figures: whether each can be held against the other, or why not. */
import type { ComparedDays } from "../../rules/comparison.ts";
import { beginNote } from "./_history.ts";

const NOTHING_THERE =
  "The other period has no figures at all; it may lie before anything was counted, so no change is said";
const NOTHING_HERE =
  "This period has no figures at all; whether nothing happened or nothing was counted is not known, so no change is said";
/** What is said where rows are of days, or of other times. */
export const DAYS_DIFFER = "Rows by date are not held against each other, for no day is in both periods";

/** Both times, and what is known of them. */
export interface Extent {
  readonly days: ComparedDays;
  /** Since when the earlier of the two is counted, where that is within it. */
  readonly begins: string | null;
  readonly isEmpty: boolean;
  readonly wasEmpty: boolean;
}

const isOwnFirst = ({ current, other }: ComparedDays): boolean => current.from <= other.from;

/** Whether this time has figures, counted from its beginning on. */
export const isThere = ({ days, begins, isEmpty }: Extent): boolean =>
  !isEmpty && (begins === null || !isOwnFirst(days));

/** The same of the other time. */
export const wasThere = ({ days, begins, wasEmpty }: Extent): boolean =>
  !wasEmpty && (begins === null || isOwnFirst(days));

/** What is to be said of both times. */
export const extentNotes = ({ days, begins, isEmpty, wasEmpty }: Extent): string[] => [
  ...days.notes,
  ...isEmpty ? [NOTHING_HERE] : [],
  ...wasEmpty ? [NOTHING_THERE] : [],
  ...begins === null ? [] : [beginNote(begins, isOwnFirst(days))],
];
