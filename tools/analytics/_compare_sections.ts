/** The sections of a report held against those of another range of days, each by the days that its source has counted. */
import {
  type Changes,
  changesOf,
  compared,
  type CompareWith,
  type Comparison,
  type DayRange,
  daysToCompare,
  rowChanges,
} from "../../rules/comparison.ts";
import { NOTHING_THERE } from "./_compare.ts";
import type { Days } from "./_days.ts";
import { dayIn, flagSentences, keptFrom, SEARCH_ZONE, searchCountedTo, visitsSettling } from "./_quality.ts";
import {
  type AnalyticsSection,
  type Readers,
  readSections,
  type SearchSection,
  shownAnalytics,
  shownSearch,
} from "./_sections.ts";

type AnalyticsFigures = ReturnType<typeof shownAnalytics>;
type SearchFigures = ReturnType<typeof shownSearch>;

/** What there is to compare with, of each section that both ranges have. */
export interface OtherSections {
  readonly analytics: Comparison<AnalyticsFigures> | null;
  readonly search: Comparison<SearchFigures> | null;
  /** The same as an answer shows it. */
  readonly shown: object;
}

interface Asked {
  readonly compare: CompareWith;
  readonly days: Days;
  readonly now: number;
}

const daysOf = ({ from, to }: DayRange): Days => ({ start_date: from, end_date: to });

/** Reads the other range of both sections at once, and compares. */
export async function compareSections(
  sections: { readonly analytics: AnalyticsSection | null; readonly search: SearchSection | null },
  readers: Readers,
  { compare, days, now }: Asked,
): Promise<OtherSections> {
  const asked = { from: days.start_date, to: days.end_date };
  const visits = sections.analytics &&
    daysToCompare(compare, asked, dayIn(now, sections.analytics.time_zone));
  const searches = sections.search && daysToCompare(compare, asked, searchCountedTo({}, {}, now));
  const before = await readSections(readers, {
    analytics: visits && daysOf(visits.other),
    search: searches && daysOf(searches.other),
  });
  const analytics = visits && before.analytics &&
    comparedVisits(sections.analytics!, before.analytics, visits.other, visits.notes, now);
  const search = searches && before.search &&
    comparedSearches(sections.search!, before.search, {
      asked,
      other: searches.other,
      notes: searches.notes,
      now,
    });
  const parts = [analytics, search].filter((one) => one !== null);
  const [first] = [visits?.other, searches?.other].filter((one) => one !== undefined);
  const shown = {
    period: first === undefined ? null : { ...first, time_zone: sections.analytics?.time_zone ?? null },
    complete: before.left_out.length === 0 && parts.length > 0 && parts.every(({ complete }) => complete),
    truncated: false,
    figures: { analytics: analytics?.figures ?? null, search: search?.figures ?? null },
    change: parts.some(({ change }) => change !== null)
      ? { analytics: analytics?.change ?? null, search: search?.change ?? null }
      : null,
    notes: [
      ...before.left_out.map(({ section, message }) => `The section ${section} is left out: ${message}`),
      ...(analytics?.notes ?? []).map((note) => `Visits: ${note}`),
      ...(search?.notes ?? []).map((note) => `Searches: ${note}`),
    ],
  };
  return { analytics, search, shown };
}

function comparedVisits(
  now: AnalyticsSection,
  before: AnalyticsSection,
  other: DayRange,
  notes: readonly string[],
  at: number,
): Comparison<AnalyticsFigures> {
  const { totals, by_channel } = before.flags;
  const flags = [...new Set([totals, by_channel].flatMap(flagSentences))];
  const channels = rowChanges(
    now.by_channel,
    before.by_channel,
    ({ channel }) => ({ channel }),
    ({ channel: _, ...figures }) => figures,
  );
  const changes = (own: AnalyticsFigures, then: AnalyticsFigures): Changes => ({
    totals: changesOf(own.totals, then.totals),
    by_channel: channels.changes,
  });
  const isSettled = visitsSettling(other.to, now.time_zone, at).length === 0;
  return compared(
    { whole: now.flags.totals.cut_off.length === 0 && !now.is_empty, figures: shownAnalytics(now) },
    {
      period: { ...other, time_zone: now.time_zone },
      whole: totals.cut_off.length === 0 && !before.is_empty,
      complete: flags.length === 0 && isSettled,
      truncated: false,
      figures: shownAnalytics(before),
    },
    [...notes, ...before.is_empty ? [NOTHING_THERE] : [], ...flags],
    changes,
  );
}

function comparedSearches(
  now: SearchSection,
  before: SearchSection,
  { asked, other, notes, now: at }: {
    readonly asked: DayRange;
    readonly other: DayRange;
    readonly notes: readonly string[];
    readonly now: number;
  },
): Comparison<SearchFigures> {
  const kept = keptFrom(at);
  const queries = rowChanges(
    now.top_queries,
    before.top_queries,
    ({ query }) => ({ query }),
    ({ query: _, ...figures }) => figures,
  );
  const changes = (own: SearchFigures, then: SearchFigures): Changes => ({
    totals: changesOf(own.totals, then.totals),
    top_queries: queries.changes,
  });
  const isGone = [asked, other].some(({ from }) => from < kept);
  return compared(
    { whole: asked.from >= kept && !now.is_empty, figures: shownSearch(now) },
    {
      period: { ...other, time_zone: SEARCH_ZONE },
      whole: other.from >= kept && !before.is_empty,
      complete: other.to <= searchCountedTo({}, {}, at),
      truncated: false,
      figures: shownSearch(before),
    },
    [
      ...notes,
      ...isGone ? [`Search Console keeps 16 months: nothing before about ${kept} is counted`] : [],
      ...before.is_empty ? [NOTHING_THERE] : [],
    ],
    changes,
  );
}
