/** Form submissions between two instants, of a CRM that is asked by whole days. */
import { type Days, moment, within } from "../../platforms/highlevel/days.ts";
import { many } from "./_numbers.ts";
import type { Reading } from "./_read.ts";

type Span = Pick<Days, "from" | "to">;
type Page = Awaited<ReturnType<Reading["client"]["submissions"]>>;
type Row = Page["rows"][number];

/** What is asked of them. */
interface Asked {
  readonly form_id?: string;
  readonly limit: number;
  readonly page: number;
}

/** The most that the CRM answers at once. */
const PAGE_ROWS = 100;
/** An end in the last second of a day is the day's end. */
const SECOND_MS = 1000;

/**
 * One page of the CRM's, of the rows of the span; the total is the CRM's own count of the days, less the rows of its first
 * and last day that lie outside the span. Where the span is whole days, or the page holds all of them, nothing more is
 * asked. Throws E_UPSTREAM.
 */
export async function submissionsOf({ client, days, notes }: Reading, span: Span, asked: Asked) {
  const { first, last } = days;
  const found = await client.submissions({ first, last, ...asked });
  if (found.dropped > 0) notes.push(`${found.dropped} of the page could not be read and are left out`);
  const cut = cutDays(days, span);
  const isWhole = asked.page === 1 && found.next_page === null;
  const outside = new Map<string, Row>();
  const undated = new Set<string>();
  const leaveOut = (rows: readonly Row[]) => {
    for (const row of rows) {
      const at = moment(row.created_at);
      if (at === null) undated.add(row.id);
      else if (!within(at, span)) outside.set(row.id, row);
    }
  };
  if (cut.length > 0) leaveOut(found.rows);
  for (const day of isWhole ? [] : cut) {
    let page: number | null = 1;
    while (page !== null) {
      const more: Page = await client.submissions({
        first: day,
        last: day,
        form_id: asked.form_id,
        limit: PAGE_ROWS,
        page,
      });
      leaveOut(more.rows);
      page = more.next_page;
    }
  }
  if (undated.size > 0) notes.push(`${many(undated.size, "submission")} without a date counted in`);
  if (outside.size > 0) {
    notes.push(
      "The CRM's pages are of whole days: what was sent before or after the window is left out of them",
    );
  }
  return {
    total: found.total - outside.size,
    submissions: found.rows.filter(({ id }) => !outside.has(id)),
    next_page: found.next_page,
  };
}

/** The days of which the span does not take the whole: the first, the last, one where they are the same. */
function cutDays({ first, last, from, to }: Days, span: Span): readonly string[] {
  const begins = span.from > from ? [first] : [];
  const ends = span.to < to - SECOND_MS ? [last] : [];
  return [...new Set([...begins, ...ends])];
}
