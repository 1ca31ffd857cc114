/** Form submissions between two instants, of a CRM that is asked by whole days. */
import { counted } from "../../core/one_line.ts";
import { type Days, daysBetween, moment, within } from "../../platforms/highlevel/days.ts";
import { allOrThrow } from "../../core/async.ts";
import { funnelsOf, UNREPORTED } from "./_funnels.ts";
import type { Metric } from "./_metric.ts";
import { noteDropped, Notes, type Reading } from "./_read.ts";

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
export async function submissionsOf(
  { client, days, notes }: Pick<Reading, "client" | "days" | "notes">,
  span: Span,
  asked: Asked,
) {
  const { first, last } = days;
  const found = await client.submissions({ first, last, ...asked });
  noteDropped(notes, found.dropped, "row of the page", "rows of the page");
  noteEnded(notes, found);
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
      noteEnded(notes, more);
      page = more.next_page;
    }
  }
  if (undated.size > 0) notes.say(`${counted(undated.size, "submission")} without a date counted in`);
  if (outside.size > 0) {
    notes.say(
      "The CRM's pages are of whole days: what was sent before or after the window is left out of them",
    );
  }
  return {
    total: found.total - outside.size,
    submissions: found.rows.filter(({ id }) => !outside.has(id)),
    next_page: found.next_page,
    short: found.short,
  };
}

/** Notes where pages end before they hold as many as the CRM counts. */
function noteEnded(notes: Notes, { short, total }: Page): void {
  if (!short) return;
  notes.lack(
    `The CRM counts ${
      counted(total, "form submission")
    }, but names no page behind one that cannot hold the last of them`,
  );
}

/** The days of which the span does not take the whole: the first, the last, one where they are the same. */
function cutDays({ first, last, from, to }: Days, span: Span): readonly string[] {
  const begins = span.from > from ? [first] : [];
  const ends = span.to < to - SECOND_MS ? [last] : [];
  return [...new Set([...begins, ...ends])];
}

/** How many a window has, and what that lacks. */
interface Total {
  readonly total: number;
  readonly notes: Notes;
}

/** How many there are of a window. Throws E_UPSTREAM. */
async function totalOf(client: Reading["client"], days: Days): Promise<Total> {
  const whole = daysBetween(days.first, days.last, days.timezone);
  const { first, last } = days;
  const notes = new Notes();
  if (cutDays(whole, days).length === 0) {
    return { total: (await client.submissions({ first, last, limit: 1, page: 1 })).total, notes };
  }
  const asked = { limit: PAGE_ROWS, page: 1 };
  return { total: (await submissionsOf({ client, days: whole, notes }, days, asked)).total, notes };
}

async function totalsOf({ client }: Reading, windows: readonly Days[]): Promise<Total[]> {
  const totals: Total[] = [];
  for (const days of windows) totals.push(await totalOf(client, days));
  return totals;
}

/** The number; says what it lacks. */
function toldOf({ total, notes }: Total, reading: Reading): number {
  if (!notes.whole) reading.notes.addPart(notes, (sentence) => sentence);
  return total;
}

/** How many submissions a window has. */
export const SUBMISSIONS: Metric<Total, { readonly total: number }> = {
  read: totalsOf,
  count: (found, reading) => ({ figures: { total: toldOf(found, reading) }, truncated: false }),
};

const FUNNELS_MAX = 100;
/** Submissions of a window, and funnels. */
interface OptIns {
  readonly total: Total;
  readonly funnels: Awaited<ReturnType<typeof funnelsOf>>;
}
const overallOf = (total_opt_ins: number) => ({
  overall: { total_opt_ins, total_views: null, opt_in_rate: null },
});

/** The submissions of a window as opt-ins, without the rate that the CRM keeps to itself. */
export const OPT_INS: Metric<OptIns, ReturnType<typeof overallOf>> = {
  async read(reading, windows) {
    const [totals, funnels] = await allOrThrow(totalsOf(reading, windows), funnelsOf(reading, FUNNELS_MAX));
    return totals.map((total) => ({ total, funnels }));
  },
  count: ({ total, funnels: { rows, truncated } }, reading) => ({
    figures: overallOf(toldOf(total, reading)),
    beside: {
      funnels: rows.map((funnel) => ({ ...funnel, opt_ins: null, views: null, opt_in_rate: null })),
      note: UNREPORTED,
    },
    truncated,
  }),
};
