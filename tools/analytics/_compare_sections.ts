/** The sections of a report, and those of another range of days that they are held against, all read at the same time. */
import { allOrThrow } from "../../core/async.ts";
import {
  type Changes,
  changesOf,
  compared,
  type ComparedDays,
  type CompareWith,
  type Comparison,
  type DayRange,
  daysToCompare,
  rowChanges,
} from "../../rules/comparison.ts";
import { daysInEveryZone } from "./_compare.ts";
import { dayInWords, type Days, daysOf, earlierOf, inWords, lengthSentences } from "./_days.ts";
import { type Extent, extentNotes, isThere, wasThere } from "./_extent.ts";
import {
  dayAt,
  flagSentences,
  keptFrom,
  keptSentence,
  SEARCH_ZONE,
  searchCountedTo,
  visitsSettling,
} from "./_quality.ts";
import {
  type AnalyticsSection,
  type LeftOut,
  readSection,
  type SearchSection,
  shownAnalytics,
  shownSearch,
} from "./_sections.ts";

type AnalyticsFigures = ReturnType<typeof shownAnalytics>;
type SearchFigures = ReturnType<typeof shownSearch>;

/** A section beside the other time's. */
export interface Beside<Figures extends object> {
  /** Null where the other time could not be read, or nothing of it can be held against this one. */
  readonly comparison: Comparison<Figures> | null;
  /** What a client is to know of it, a sentence each; the first says what is compared, or why nothing is. */
  readonly said: readonly string[];
}

/** The other time of both sections. */
export interface OtherSections {
  readonly analytics: Beside<AnalyticsFigures> | null;
  readonly search: Beside<SearchFigures> | null;
  /** The same as an answer shows it. */
  readonly shown: object;
}

/** What reads the sections, and since when each counts within a range. */
export interface Readers {
  analytics(days: Days): Promise<AnalyticsSection>;
  search(days: Days): Promise<SearchSection>;
  visitsBegin(range: DayRange): Promise<string | null>;
  searchesBegin(range: DayRange): Promise<string | null>;
}

interface Asked {
  readonly compare: CompareWith | undefined;
  readonly asked: DayRange;
  readonly now: number;
}

/** A section of the other days, and since when it is counted in the earlier ones. */
interface Before<Section> {
  readonly days: ComparedDays;
  /** Whether days at the end of what was asked for are not counted yet, and so have no part in it. */
  readonly isCut: boolean;
  readonly section: Section;
  readonly begins: string | null;
}

/** Both sections, and those of the other days where they are wanted. */
export async function readSections(readers: Readers, { compare, asked, now }: Asked) {
  const searchDays = compare === undefined ? null : searchDaysOf(compare, asked, now);
  const visits = readers.analytics(daysOf(asked));
  // A time that is compared ends with the last day that is counted, so that both have as many.
  const searches = readers.search(daysOf(searchDays?.current ?? asked));
  const [analytics, search, visitsBefore, searchesBefore] = await allOrThrow(
    readSection("analytics", visits),
    readSection("search", searches),
    compare === undefined
      ? null
      : readSection("analytics", beforeVisits(readers, visits, compare, asked, now)),
    searchDays === null ? null : readSection("search", beforeSearches(readers, searchDays, asked)),
  );
  const sections = { analytics: analytics.read, search: search.read };
  const left_out = [...analytics.left_out, ...search.left_out];
  if (compare === undefined) return { ...sections, left_out, searched: asked, other: null };
  const lost = [...visitsBefore?.left_out ?? [], ...searchesBefore?.left_out ?? []];
  const before = { analytics: visitsBefore?.read ?? null, search: searchesBefore?.read ?? null };
  const searched = searchDays?.current ?? asked;
  return { ...sections, left_out, searched, other: othersOf(sections, before, lost, now) };
}

/** Null where none of the days is counted yet. */
function searchDaysOf(compare: CompareWith, asked: DayRange, now: number): ComparedDays | null {
  const last = searchCountedTo({}, {}, now);
  return asked.from > last ? null : daysToCompare(compare, asked, last);
}

async function beforeVisits(
  readers: Readers,
  visits: Promise<AnalyticsSection>,
  compare: CompareWith,
  asked: DayRange,
  now: number,
): Promise<Before<AnalyticsSection>> {
  const days = daysInEveryZone(compare, asked, now) ??
    daysToCompare(compare, asked, dayAt(now, (await visits).time_zone));
  const [section, begins] = await allOrThrow(
    readers.analytics(daysOf(days.other)),
    readers.visitsBegin(earlierOf(days.current, days.other)),
  );
  return { days, isCut: days.current.to < asked.to, section, begins };
}

async function beforeSearches(
  readers: Readers,
  days: ComparedDays,
  asked: DayRange,
): Promise<Before<SearchSection>> {
  const [section, begins] = await allOrThrow(
    readers.search(daysOf(days.other)),
    readers.searchesBegin(earlierOf(days.current, days.other)),
  );
  return { days, isCut: days.current.to < asked.to, section, begins };
}

interface Both {
  readonly analytics: AnalyticsSection | null;
  readonly search: SearchSection | null;
}

interface BothBefore {
  readonly analytics: Before<AnalyticsSection> | null;
  readonly search: Before<SearchSection> | null;
}

const UNREAD = "The figures of the time before could not be read, so nothing is compared.";
const NOT_YET = "The searches of these days are not counted yet, so nothing is compared.";

function othersOf(own: Both, before: BothBefore, lost: readonly LeftOut[], now: number): OtherSections {
  const areSearchesLost = lost.some(({ section }) => section === "search");
  const analytics = own.analytics &&
    (before.analytics
      ? besideVisits(own.analytics, before.analytics, now)
      : { comparison: null, said: [UNREAD] });
  const search = own.search &&
    (before.search
      ? besideSearches(own.search, before.search, now)
      : { comparison: null, said: [areSearchesLost ? UNREAD : NOT_YET] });
  const parts = { analytics: analytics?.comparison ?? null, search: search?.comparison ?? null };
  const some = Object.values(parts).filter((one) => one !== null);
  const period = some[0]?.period ?? null;
  const apart = parts.search !== null && parts.search.period.to !== period?.to ? parts.search.period : null;
  const shown = {
    period,
    complete: lost.length === 0 && some.length > 0 && some.every(({ complete }) => complete),
    truncated: false,
    figures: { analytics: parts.analytics?.figures ?? null, search: parts.search?.figures ?? null },
    change: some.some(({ change }) => change !== null)
      ? { analytics: parts.analytics?.change ?? null, search: parts.search?.change ?? null }
      : null,
    notes: [
      ...lost.filter(({ section }) => own[section] !== null)
        .map(({ section, message }) => `The section ${section} is left out: ${message}`),
      ...own.search && before.search === null && !areSearchesLost ? [`Searches: ${NOT_YET}`] : [],
      ...apart ? [`Searches: the other days are ${inWords(apart)}, Pacific time`] : [],
      ...(parts.analytics?.notes ?? []).map((note) => `Visits: ${note}`),
      ...(parts.search?.notes ?? []).map((note) => `Searches: ${note}`),
    ],
  };
  return { analytics, search, shown };
}

/** What a client sees a change from, or why none is said. */
function comparison(
  { days: { current, other }, begins, wasEmpty }: Extent,
  isCut: boolean,
  isWhole: boolean,
): string {
  const days = inWords(other);
  if (isWhole) {
    return isCut
      ? `The figures are those of ${inWords(current)}, compared with ${days}.`
      : `Compared with ${days}.`;
  }
  if (wasEmpty) return `Nothing was counted from ${days}, so there is nothing to compare with.`;
  if (begins !== null) {
    return `Nothing was counted before ${dayInWords(begins)}, so ${
      inWords(earlierOf(current, other))
    } is not complete, and nothing is compared.`;
  }
  return `The figures are not complete in both times, so nothing is compared with ${days}.`;
}

function besideVisits(
  now: AnalyticsSection,
  { days, isCut, section: before, begins }: Before<AnalyticsSection>,
  at: number,
): Beside<AnalyticsFigures> {
  const { current, other } = days;
  const extent = { days, begins, isEmpty: now.is_empty, wasEmpty: before.is_empty };
  const flags = [...new Set(Object.values(before.flags).flatMap(flagSentences))];
  const settling = visitsSettling(other.to, now.time_zone, at);
  const channels = rowChanges(
    now.by_channel,
    before.by_channel,
    ({ channel }) => ({ channel }),
    ({ channel: _, ...figures }) => figures,
  );
  const hasRows = !now.flags.by_channel.other_row && !before.flags.by_channel.other_row;
  const isOneMoney = (now.currency ?? before.currency) === (before.currency ?? now.currency);
  const isCounted = ({ flags: { totals } }: AnalyticsSection) =>
    totals.cut_off.length === 0 && !totals.thresholded;
  const result = compared(
    { whole: isCounted(now) && isThere(extent), figures: shownAnalytics(now) },
    {
      period: { ...other, time_zone: now.time_zone },
      whole: isCounted(before) && isOneMoney && wasThere(extent),
      complete: flags.length === 0 && settling.length === 0,
      truncated: false,
      figures: shownAnalytics(before),
    },
    [
      ...extentNotes(extent),
      ...isOneMoney ? [] : [`The amounts of the other period are in ${before.currency}`],
      ...flags,
      ...settling,
    ],
    (own, then): Changes => ({
      totals: changesOf(own.totals, then.totals),
      ...hasRows ? { by_channel: channels.changes } : {},
    }),
  );
  const isOpen = result.change !== null && current.to >= dayAt(at, now.time_zone);
  return {
    comparison: result,
    said: [
      comparison(extent, isCut, result.change !== null),
      ...lengthSentences(current, other),
      ...isOpen ? ["The last day is not over, so the change will still move."] : [],
      ...[...flags, ...settling].map((sentence) => `Of the time before: ${sentence}`),
    ],
  };
}

function besideSearches(
  now: SearchSection,
  { days, isCut, section: before, begins }: Before<SearchSection>,
  at: number,
): Beside<SearchFigures> {
  const { current, other } = days;
  const kept = keptFrom(at);
  const extent = { days, begins, isEmpty: now.is_empty, wasEmpty: before.is_empty };
  const queries = rowChanges(
    now.top_queries,
    before.top_queries,
    ({ query }) => ({ query }),
    ({ query: _, ...figures }) => figures,
  );
  const gone = other.from < kept ? [keptSentence(kept)] : [];
  const result = compared(
    { whole: current.from >= kept && isThere(extent), figures: shownSearch(now) },
    {
      period: { ...other, time_zone: SEARCH_ZONE },
      whole: other.from >= kept && wasThere(extent),
      complete: other.to <= searchCountedTo({}, {}, at),
      truncated: false,
      figures: shownSearch(before),
    },
    [...extentNotes(extent), ...gone],
    (own, then): Changes => ({
      totals: changesOf(own.totals, then.totals),
      top_queries: queries.changes,
    }),
  );
  return {
    comparison: result,
    said: [comparison(extent, isCut, result.change !== null), ...lengthSentences(current, other), ...gone],
  };
}
