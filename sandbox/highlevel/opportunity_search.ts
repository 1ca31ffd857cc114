/** How the CRM searches opportunities by filters, as the vendor describes it (docs/upstreams/highlevel.md, "The search of opportunities"). */
import { page, Refusal, total, type Unruly } from "./lists.ts";
import type { Opportunity, World } from "./world.ts";

interface Condition {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}
interface Group {
  readonly group: "AND" | "OR";
  readonly filters: readonly Filter[];
}
type Filter = Condition | Group;

/** The names of filters, and the fields of rows that they mean. */
const FIELDS: Readonly<Record<string, string>> = {
  date_added: "createdAt",
  last_status_change_date: "lastStatusChangeAt",
  status: "status",
  pipeline_id: "pipelineId",
};
const PAGES_END = 10_000;

function fits(row: Opportunity, filter: Filter): boolean {
  if ("group" in filter) {
    const of = (one: Filter) => fits(row, one);
    return filter.group === "OR" ? filter.filters.some(of) : filter.filters.every(of);
  }
  const { field, operator, value } = filter;
  const name = FIELDS[field];
  if (name === undefined) throw new Refusal(422, [`filters.field ${field} is not supported`]);
  const own = row[name];
  if (operator === "eq") return own === value;
  if (operator !== "range") throw new Refusal(422, [`operator ${operator} does not fit ${field}`]);
  const { gte, lte } = value as { gte: string; lte: string };
  const at = typeof own === "string" ? Date.parse(own) : NaN;
  return at >= Date.parse(gte) && at <= Date.parse(lte);
}

type Ways = NonNullable<Unruly["search"]>;

function fitting(world: World, filters: readonly Filter[], sort: readonly { field: string }[], ways: Ways) {
  const key = FIELDS[sort[0]?.field ?? "date_added"] ?? "createdAt";
  const at = (row: Opportunity) => Date.parse(String(row[key] ?? "1970-01-01"));
  return world.opportunities.filter((row) =>
    !ways.blind && (ways.deaf || filters.every((one) => fits(row, one)))
  ).sort((a, b) => at(b) - at(a) || (a.id < b.id ? -1 : 1));
}

/** Opportunities by filters, the newest first; a page by its number, or by what the row before it says. */
export function searched(world: World, body: Readonly<Record<string, unknown>>, unruly: Unruly) {
  const ways = unruly.search ?? {};
  if (ways.closed) {
    throw new Refusal(
      401,
      "This route is not yet supported by the IAM Service. Please update your IAM config.",
    );
  }
  const { limit, page: wanted, searchAfter, filters = [], sort = [] } = body as {
    limit: number;
    page?: number;
    searchAfter?: readonly unknown[];
    filters?: readonly Filter[];
    sort?: readonly { field: string }[];
  };
  const most = ways.most ?? 500;
  if (!Number.isInteger(limit) || limit < 1 || limit > most) {
    throw new Refusal(422, [`limit must not be greater than ${most}`]);
  }
  if (wanted !== undefined && searchAfter !== undefined) {
    throw new Refusal(422, ["page and searchAfter are exclusive"]);
  }
  if (wanted !== undefined && wanted * limit > PAGES_END) {
    throw new Refusal(422, ["page is beyond 10000 rows"]);
  }
  const all = fitting(world, filters, sort, ways);
  const begin = searchAfter
    ? all.findIndex(({ id }) => id === searchAfter[1]) + 1
    : ((wanted ?? 1) - 1) * limit;
  const { rows } = page(all, begin, limit, unruly);
  const shown = rows.map((row) =>
    ways.cursorless ? row : { ...row, searchAfter: [Date.parse(row.createdAt), row.id] }
  );
  return { opportunities: shown, total: total(all, unruly), aggregations: {} };
}
