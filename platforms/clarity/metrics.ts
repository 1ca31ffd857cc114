/** What a reply without dimensions, or with all its rows taken together, says of a project. */
import { sessionsBy, summed } from "./merge.ts";
import { type Block, EVENT_METRICS, type Row, TOP_LISTS } from "./reply.ts";

/** One kind of event. */
export interface Events {
  readonly events: number | null;
  readonly page_views: number | null;
  /** Of all sessions, those with the event. */
  readonly sessions_pct: number | null;
}

/** A name and how many sessions, or of pages visits, it had. */
export interface Counted {
  readonly name: string | null;
  readonly sessions: number | null;
}

export type EventName = (typeof EVENT_METRICS)[number];
export type TopName = (typeof TOP_LISTS)[number];

/** Null is what the reply did not say. */
export interface Metrics extends Readonly<Record<EventName, Events>> {
  readonly sessions: number | null;
  readonly bot_sessions: number | null;
  readonly distinct_users: number | null;
  readonly pages_per_session: number | null;
  readonly avg_total_time_s: number | null;
  readonly avg_active_time_s: number | null;
  readonly avg_scroll_depth: number | null;
  readonly top: Readonly<Record<TopName, readonly Counted[]>>;
}

const TOP_MAX = 20;

const valueOf = (row: Row, name: string): number | null => {
  const value = row[name];
  return typeof value === "number" ? value : null;
};

/** The metrics of merged blocks; rows by a dimension are taken together. */
export function metricsOf(blocks: readonly Block[], dimensions: readonly "URL"[] = []): Metrics {
  const sessions = sessionsBy(blocks, dimensions);
  const rowsOf = (name: string) => blocks.find((block) => block.name === name)?.rows ?? [];
  const row = (name: string) => summed(rowsOf(name), sessions);
  const [traffic, engagement, scroll] = [row("traffic"), row("engagement_time"), row("scroll_depth")];
  const events = EVENT_METRICS.map((name) => [name, eventsOf(row(name))] as const);
  const top = TOP_LISTS.map((name) => [name, rowsOf(name).slice(0, TOP_MAX).map(countedOf)] as const);
  return {
    sessions: valueOf(traffic, "sessions"),
    bot_sessions: valueOf(traffic, "bot_sessions"),
    distinct_users: valueOf(traffic, "distinct_users"),
    pages_per_session: valueOf(traffic, "pages_per_session"),
    avg_total_time_s: valueOf(engagement, "avg_total_time_s"),
    avg_active_time_s: valueOf(engagement, "avg_active_time_s"),
    avg_scroll_depth: valueOf(scroll, "avg_scroll_depth"),
    ...Object.fromEntries(events) as Record<EventName, Events>,
    top: Object.fromEntries(top) as Record<TopName, Counted[]>,
  };
}

/** What a row says of one kind of event. */
export function eventsOf(row: Row): Events {
  return {
    events: valueOf(row, "events"),
    page_views: valueOf(row, "page_views"),
    sessions_pct: valueOf(row, "sessions_pct"),
  };
}

function countedOf(row: Row): Counted {
  const { name } = row;
  return { name: typeof name === "string" ? name : null, sessions: valueOf(row, "sessions") };
}

/** The figures of visits as a whole, by their names in answers. */
export const VISIT_FIGURES = [
  "sessions",
  "bot_sessions",
  "distinct_users",
  "pages_per_session",
  "avg_total_time_s",
  "avg_active_time_s",
  "avg_scroll_depth",
] as const;
/** The name of a figure, or of a kind of event. */
export type FigureName = (typeof VISIT_FIGURES)[number] | EventName;

/** Which figures a reply did not tell: they are null, which is not nought. */
export const untoldOf = (metrics: Metrics): FigureName[] => [
  ...VISIT_FIGURES.filter((name) => metrics[name] === null),
  ...EVENT_METRICS.filter((name) => metrics[name].events === null),
];

/** Whether nobody came: no session, and nothing else was said either. */
export const isEmpty = ({ sessions }: Metrics, blocks: readonly Block[]): boolean =>
  sessions === 0 || blocks.every(({ rows }) => rows.length === 0);
