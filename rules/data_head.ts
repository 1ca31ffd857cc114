/** The head that every answer of figures, or of a vendor's rows, has: of which time it is, in which money, and whether it is all. */

/** What an answer is about, both ends included: days as YYYY-MM-DD in that time zone, or moments as ISO 8601. */
export interface Period {
  readonly from: string;
  readonly to: string;
  /** Null where the source does not say in which time zone its days are. */
  readonly time_zone: string | null;
}

/** What stands in every answer beside its own keys. */
export interface DataHead {
  /** Null where the answer is of what stands there now. */
  readonly period: Period | null;
  /** The currency of its amounts, in three letters; null where it has none, or where each amount names its own. */
  readonly currency: string | null;
  /** Whether everything that belongs to the answer was counted and its period was over, so that it will not change. */
  readonly complete: boolean;
  /** Whether there is more than was read. */
  readonly truncated: boolean;
  /** What to give the same call, beside its arguments, for what follows; null where nothing follows or nothing leads there. */
  readonly next: Readonly<Record<string, string | number>> | null;
  /** Up to when its source has counted, ISO 8601: of what happened later some or all is missing. Null where it is not known. */
  readonly fresh_until: string | null;
  /** What is to be known of the figures, a sentence each; those that say why they are not complete among them. */
  readonly notes: readonly string[];
}

/** The names of the head, in their order. */
export const HEAD_KEYS = [
  "period",
  "currency",
  "complete",
  "truncated",
  "next",
  "fresh_until",
  "notes",
] as const satisfies readonly (keyof DataHead)[];

/** What most answers leave out: no money, nothing cut off. */
type Usual = "currency" | "truncated" | "next" | "notes";

/**
 * An answer with its head: a tool's own keys stand as they are between the head's facts and its notes. An answer that is
 * truncated is not complete, whatever was said of it; a note that is given twice is told once.
 */
export function headed<Body extends object>(
  head: Omit<DataHead, Usual> & Partial<Pick<DataHead, Usual>>,
  body: Body & { readonly [Key in keyof DataHead]?: never },
): Omit<DataHead, "notes"> & Body & Pick<DataHead, "notes"> {
  const { period, currency = null, complete, truncated = false, next = null, fresh_until, notes = [] } = head;
  return {
    period,
    currency,
    complete: complete && !truncated,
    truncated,
    next,
    fresh_until,
    ...body as Body,
    notes: [...new Set(notes)],
  };
}
