/** The search of opportunities by filters: what it is asked, and whether what it answers is what was asked. */
import { GatewayError } from "../../core/errors.ts";
import { count, type Page, rowsOf } from "./pages.ts";
import { OPPORTUNITY, type Opportunity } from "./rows.ts";

/** The most rows that a page may have, by the vendor's page; less where a token's search refuses so many. */
export const SEARCH_LIMITS: readonly number[] = [500, 100];
/** Pages by number end here; beyond it a page says where the next begins, or the time of its last row does. */
const PAGES_END = 10_000;
const DAY_MS = 24 * 60 * 60_000;
/** What the vendor finds is a few seconds old. */
const INDEX_MS = 5 * 60_000;

/** Which opportunities: by which moment of theirs, from when until when. */
export interface Span {
  readonly by: "created_at" | "changed_at";
  readonly from: number;
  readonly to: number;
  /** Any of these; every status where left out. */
  readonly statuses?: readonly string[];
  readonly pipeline?: string;
}

const FIELDS = { created_at: "date_added", changed_at: "last_status_change_date" } as const;

/** Where a page begins: behind a row, or by its number among those not newer than `until`. */
type Cursor = { readonly searchAfter: readonly unknown[] } | {
  readonly page: number;
  readonly until?: number;
};
const cursorOf = (text: string | null): Cursor => text === null ? { page: 1 } : JSON.parse(text) as Cursor;

/** The question of a page. */
export function searchBody({ by, from, to, statuses, pipeline }: Span, limit: number, cursor: string | null) {
  const { until = to - 1, ...begins } = cursorOf(cursor) as Cursor & { until?: number };
  const range = { gte: new Date(from).toISOString(), lte: new Date(until).toISOString() };
  const equals = (field: string, value: string) => ({ field, operator: "eq", value });
  return {
    query: "",
    limit,
    ...begins,
    filters: [
      { field: FIELDS[by], operator: "range", value: range },
      ...(pipeline === undefined ? [] : [equals("pipeline_id", pipeline)]),
      ...(statuses === undefined
        ? []
        : [{ group: "OR", filters: statuses.map((status) => equals("status", status)) }]),
    ],
    sort: [{ field: FIELDS[by], direction: "desc" }],
  };
}

/** A page of the search. */
export interface SearchPage extends Page<Opportunity> {
  /** Whether all its rows are of the span, as far as they say; a search that does not know a filter ignores it. */
  readonly fits: boolean;
  /** Whether the pages behind it can be asked for. */
  readonly goes_on: boolean;
}

/** Reads a page that was asked for with that limit and cursor. */
export const searchPage =
  (span: Span, limit: number, cursor: string | null) => (json: unknown): SearchPage => {
    const read = rowsOf(json, "opportunities", OPPORTUNITY);
    const { total, searchAfter, meta } = json as Record<string, unknown>;
    const list = (json as { opportunities: readonly unknown[] }).opportunities;
    const last = list.at(-1) as { searchAfter?: unknown } | null | undefined;
    const after = [last?.searchAfter, searchAfter].find((one) => Array.isArray(one) && one.length > 0);
    const at = cursorOf(cursor);
    const number = "page" in at ? at.page : PAGES_END;
    const all = count(total) ?? count((meta as { total?: unknown } | undefined)?.total);
    const until = oldestOf(read.rows, span);
    const next = after !== undefined
      ? { searchAfter: after }
      : (number + 1) * limit <= PAGES_END
      ? { ...at, page: number + 1 }
      : until !== null
      ? { page: 1, until }
      : null;
    return {
      ...read,
      total: "until" in at ? null : all, // which is that of the older ones alone
      next: list.length > 0 && next !== null ? JSON.stringify(next) : null,
      last: list.length < limit,
      fits: read.rows.every((row) => isOf(row, span)),
      // Behind a full last page stands one without rows, which has no row to say how to go on, and nothing to go on to.
      goes_on: list.length === 0 || after !== undefined || until !== null ||
        (all ?? Infinity) <= Math.floor(PAGES_END / limit) * limit ||
        (all === null && next !== null),
    };
  };

/** The time of the last row, from which on the older ones are asked for; null where the rows do not stand newest first. */
function oldestOf(rows: readonly Opportunity[], { by }: Span): number | null {
  const times = rows.map((row) => row[by]);
  const isNewestFirst = times.every((at, index) => at !== null && (index === 0 || at <= times[index - 1]!));
  return isNewestFirst ? times.at(-1) ?? null : null;
}

/** Whether a row is of the span, give or take a day: in which time zone the vendor reads a moment is not known. */
function isOf(row: Opportunity, { by, from, to, statuses, pipeline }: Span): boolean {
  const at = row[by];
  const inTime = at === null || (at >= from - DAY_MS && at < to + DAY_MS);
  return inTime && (statuses === undefined || statuses.includes(row.status)) &&
    (pipeline === undefined || row.pipeline_id === pipeline);
}

/** Whether rows that are known to be of the span were all found, but for those that changed just now. */
export function findsAll(
  found: readonly Opportunity[],
  known: readonly Opportunity[],
  span: Span,
  now: number,
) {
  const ids = new Set(found.map(({ id }) => id));
  const to = Math.min(span.to, now - INDEX_MS);
  return known.every((row) => {
    const at = row[span.by];
    const isIn = at !== null && at >= span.from && at < to && isOf(row, span);
    return !isIn || ids.has(row.id);
  });
}

/** Whether the search refuses what it is asked, or is closed to this token: then the other search may answer. */
export const refusesSearch = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.code === "E_UPSTREAM" &&
  [400, 401, 403, 404, 405, 422].includes(error.upstream ?? 0);

/** Whether it may take a smaller page. */
export const refusesLimit = ({ upstream }: GatewayError): boolean => upstream === 400 || upstream === 422;

/** Thrown by a page that is not what was asked for. */
export class NotAsAsked extends Error {}
