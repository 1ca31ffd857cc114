/** What the vendor answers of a made-up location: filters, pages and refusals as its texts have them; brackets are those of docs/upstreams/highlevel.md. */
import type { Row } from "./_crm_dice.ts";
import type { CrmTruth } from "./_crm_world.ts";

/** A refusal in the vendor's words. */
export class Refused {
  constructor(readonly status: number, readonly message: string | readonly string[]) {}
}
export const fails = (status: number, message: string | readonly string[]): never => {
  throw new Refused(status, message);
};

export interface Ask {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}
const ms = (value: unknown): number => typeof value === "number" ? value : Date.parse(String(value ?? ""));
const dayFormats = new Map<string, Intl.DateTimeFormat>();
/** The day of a moment in a zone. */
function dayIn(zone: string, at: number): string {
  let format = dayFormats.get(zone);
  if (!format) dayFormats.set(zone, format = new Intl.DateTimeFormat("en-CA", { timeZone: zone }));
  return format.format(at);
}
const asked = (world: CrmTruth) => world.ways.days === "UTC" ? "UTC" : world.timezone ?? "UTC";

/** A whole number of the query, or what holds without it. Larger ones are taken for the largest [oas: "will allow maximum"]. */
function count(query: URLSearchParams, name: string, without: number, most = Infinity): number {
  const given = query.get(name);
  if (given === null) return without;
  const value = Number(given);
  if (!Number.isInteger(value) || value < 0) fails(422, [`${name} must be a number string`]);
  return Math.min(value, most);
}

/** Whether a row is on a day between two, of which either may be missing. */
function within(world: CrmTruth, from: string | null, to: string | null, zone = asked(world)) {
  for (const day of [from, to]) {
    if (day !== null && (day.length !== 10 || day[4] !== "-")) fails(422, ["startAt must be YYYY-MM-DD"]);
  }
  return (at: unknown): boolean => {
    const moment = ms(at);
    if (Number.isNaN(moment)) return from === null && to === null;
    const day = dayIn(zone, moment);
    return (from === null || day >= from) && (to === null || day <= to);
  };
}

/** From one row on so many; where rows are written meanwhile, the last one of the page before comes again. */
function cut(
  rows: readonly Row[],
  from: number,
  size: number,
  world: CrmTruth,
): { page: Row[]; total: number } {
  const shift = world.ways.moving && from > 0 ? 1 : 0;
  return { page: rows.slice(from - shift, from - shift + size), total: rows.length + shift };
}

type Fields = Readonly<Record<string, (row: Row) => unknown>>;

/** Whether a row fits filters as the vendor's search pages describe them: all of a list, or those of a group. */
function fits(row: Row, filter: unknown, fields: Fields, world: CrmTruth): boolean {
  const { group, filters, field, operator, value } = filter as Record<string, unknown>;
  if (Array.isArray(filters)) {
    const each = (one: unknown) => fits(row, one, fields, world);
    return group === "OR" ? filters.some(each) : filters.every(each);
  }
  const read = fields[String(field)] ?? fails(422, [`filters.field ${field} is not allowed`]);
  const found = read(row);
  if (operator === "exists") return found !== null && found !== undefined;
  if (operator === "eq") {
    const either = Array.isArray(value) ? value : [value];
    return either.some((one) => Array.isArray(found) ? found.includes(one) : found === one);
  }
  if (operator !== "range") fails(422, [`filters.operator ${operator} is not allowed`]);
  const [at, bounds] = [ms(found), value as Record<string, unknown>];
  if (Number.isNaN(at)) return world.ways.undated && ["dateAdded", "date_added"].includes(String(field));
  return Object.entries(bounds).every(([name, bound]) => {
    const edge = ms(bound);
    if (Number.isNaN(edge)) fails(422, ["filters.value must be a date"]);
    return name === "gte" ? at >= edge : name === "gt" ? at > edge : name === "lte" ? at <= edge : at < edge;
  });
}

/** A search with filters, by pages up to the 10,000th row or by a cursor [page, docs]. */
function searched(rows: readonly Row[], { body }: Ask, size: string, fields: Fields, world: CrmTruth) {
  const { page, searchAfter, filters = [], sort = [] } = body;
  const limit = Number(body[size]);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    fails(422, [`${size} must not be greater than 500`]);
  }
  if (page !== undefined && searchAfter !== undefined) {
    fails(422, ["page and searchAfter exclude each other"]);
  }
  if (Number(page ?? 1) * limit > 10_000) fails(422, ["pages end at 10000 records"]);
  const [first] = sort as { field: string; direction: string }[];
  const by = first
    ? fields[first.field] ?? fails(422, [`sort.field ${first.field} is not allowed`])
    : undefined;
  const found = rows.filter((row) => (filters as unknown[]).every((one) => fits(row, one, fields, world)));
  const turn = first?.direction === "asc" ? 1 : -1;
  if (by) {
    found.sort((a, b) =>
      turn * ((ms(by(a)) || 0) - (ms(by(b)) || 0)) || (String(a["id"]) < String(b["id"]) ? -1 : 1)
    );
  }
  const last = Array.isArray(searchAfter) ? String(searchAfter.at(-1)) : null;
  const from = last === null
    ? (Math.max(1, Number(page ?? 1)) - 1) * limit
    : found.findIndex(({ id }) => id === last) + 1;
  const { page: part, total } = last === null
    ? cut(found, from, limit, world)
    : { page: found.slice(from, from + limit), total: found.length };
  const cursor = (row: Row) => [by ? ms(by(row)) || 0 : 0, row["id"]];
  return { part, total, cursor };
}

const OPPORTUNITY: Fields = {
  date_added: (row) => row["createdAt"],
  last_status_change_date: (row) => row["lastStatusChangeAt"],
  status: (row) => row["status"],
  pipeline_id: (row) => row["pipelineId"],
};

export function opportunities(ask: Ask, world: CrmTruth) {
  if (world.ways.search === "closed") {
    fails(401, "This route is not yet supported by the IAM Service. Please update your IAM config."); // [#74]
  }
  const { part, total, cursor } = searched(world.opportunities, ask, "limit", OPPORTUNITY, world);
  const beside = world.ways.cursor === "beside" && part.length > 0;
  const rows = world.ways.cursor === "row" ? part.map((row) => ({ ...row, searchAfter: cursor(row) })) : part;
  return {
    opportunities: rows,
    total,
    aggregations: {},
    ...beside ? { searchAfter: cursor(part.at(-1)!) } : {},
  };
}

/** The older search: days as mm-dd-yyyy, 100 rows at most, and a cursor whose row comes again [oas]. */
export function older({ query }: Ask, world: CrmTruth) {
  const turned = (name: string) => {
    const [month, day, year] = (query.get(name) ?? "").split("-");
    return query.has(name) ? `${year}-${month}-${day}` : null;
  };
  const dated = within(world, turned("date"), turned("endDate"));
  const [status, pipeline] = [query.get("status"), query.get("pipeline_id")];
  const rows = world.opportunities.filter((row) =>
    dated(row["createdAt"]) && (status === null || status === "all" || row["status"] === status) &&
    (pipeline === null || row["pipelineId"] === pipeline)
  ).sort((a, b) => (ms(b["createdAt"]) || 0) - (ms(a["createdAt"]) || 0));
  const limit = count(query, "limit", 20, 100);
  const after = query.get("startAfterId");
  if ((after === null) !== (query.get("startAfter") === null)) {
    fails(422, ["startAfter and startAfterId belong together"]);
  }
  const from = after === null ? 0 : Math.max(0, rows.findIndex(({ id }) => id === after));
  const page = rows.slice(from, from + limit);
  const last = page.at(-1);
  return {
    opportunities: page,
    meta: {
      total: rows.length,
      ...last ? { startAfterId: last["id"], startAfter: ms(last["createdAt"]) || 0 } : {},
      currentPage: 1,
      nextPage: null,
      prevPage: null,
    },
  };
}

export function contacts(ask: Ask, world: CrmTruth) {
  const taking = (name: "active" | "finished") => (row: Row) =>
    [...world.enrolled].filter(([, one]) => one[name].has(row["id"])).map(([id]) => id);
  const fields: Fields = {
    dateAdded: (row) => row["dateAdded"],
    dateUpdated: (row) => row["dateUpdated"],
    tags: (row) => row["tags"],
    activeWorkflows: taking("active"),
    finishedWorkflows: taking("finished"),
  };
  const { part, total, cursor } = searched(world.contacts, ask, "pageLimit", fields, world);
  return { contacts: part.map((row) => ({ ...row, searchAfter: cursor(row) })), total, traceId: "t" };
}

/** Events of one calendar that touch a time [oas]; a calendar that is gone is refused. */
export function events({ query }: Ask, world: CrmTruth) {
  const calendar = query.get("calendarId") ??
    fails(400, "Either of userId, groupId or calendarId is required");
  const [from, to] = [Number(query.get("startTime")), Number(query.get("endTime"))];
  if (!(from < to)) fails(422, ["startTime must be before endTime"]);
  if (world.ways.gone?.calendar === calendar) fails(world.ways.gone.status, "Calendar not found");
  return {
    events: world.events.filter((row) =>
      row["calendarId"] === calendar && ms(row["startTime"]) <= to && ms(row["endTime"]) >= from
    ),
  };
}

/** What a channel of the export holds. */
const CHANNELS: Readonly<Record<string, string>> = { SMS: "SMS", Call: "CALL", Email: "EMAIL" };

export function exported({ query }: Ask, world: CrmTruth) {
  if (world.ways.exports === "not found") fails(404, "Not Found");
  if (world.ways.exports === "not supported") {
    fails(401, "This route is not yet supported by the IAM Service.");
  }
  const limit = Number(query.get("limit") ?? 100);
  if (!(limit >= 10 && limit <= 500)) fails(422, ["limit must not be greater than 500"]);
  const word = CHANNELS[query.get("channel") ?? ""] ?? fails(422, ["channel must be a valid enum value"]);
  const edge = (name: string, without: number) => query.has(name) ? ms(query.get(name)) : without;
  const [from, to] = [edge("startDate", -Infinity), edge("endDate", Infinity)];
  if (Number.isNaN(from) || Number.isNaN(to)) fails(422, ["startDate must be a date string"]);
  const rows = world.messages.filter((row) => {
    const at = ms(row["dateAdded"]);
    return String(row["messageType"]).includes(word) && at >= from && at <= to;
  }).sort((a, b) => ms(b["dateAdded"]) - ms(a["dateAdded"]));
  const start = query.has("cursor") ? Number(atob(query.get("cursor")!)) : 0;
  const { page, total } = cut(rows, start, limit, world);
  const next = start + page.length;
  return { messages: page, nextCursor: next < total ? btoa(String(next)) : null, total, traceId: "t" };
}

export function conversations({ query }: Ask, world: CrmTruth) {
  const before = query.has("startAfterDate") ? Number(query.get("startAfterDate")) : Infinity;
  const rows = world.conversations.filter((row) => Number(row["lastMessageDate"]) < before)
    .sort((a, b) => Number(b["lastMessageDate"]) - Number(a["lastMessageDate"]));
  return { conversations: rows.slice(0, count(query, "limit", 20, 100)), total: rows.length };
}

/** The newest first; the list is within an object of its own name [#54]. */
export function thread({ path, query }: Ask, world: CrmTruth) {
  const id = path.split("/")[2];
  const rows = world.messages.filter((row) => row["conversationId"] === id)
    .sort((a, b) => ms(b["dateAdded"]) - ms(a["dateAdded"]));
  const after = query.get("lastMessageId");
  const from = after === null ? 0 : rows.findIndex((row) => row["id"] === after) + 1;
  const page = rows.slice(from, from + count(query, "limit", 20, 100));
  const nextPage = from + page.length < rows.length;
  return { messages: { lastMessageId: page.at(-1)?.["id"] ?? null, nextPage, messages: page }, traceId: "t" };
}

export function submissions({ query }: Ask, world: CrmTruth) {
  // Whether these days are the location's is not said either; its own pages show them so [inferred].
  const zone = world.timezone ?? "UTC";
  const month = dayIn(zone, world.now - 30 * 24 * 60 * 60_000);
  const dated = within(
    world,
    query.get("startAt") ?? month,
    query.get("endAt") ?? dayIn(zone, world.now),
    zone,
  );
  const form = query.get("formId");
  const rows = world.submissions.filter((row) =>
    dated(row["createdAt"]) && (form === null || row["formId"] === form)
  ).sort((a, b) => ms(b["createdAt"]) - ms(a["createdAt"]));
  const [page, limit] = [count(query, "page", 1), count(query, "limit", 20, 100)];
  const from = (page - 1) * limit;
  const nextPage = from + limit < rows.length ? page + 1 : null;
  const meta = { total: rows.length, currentPage: page, nextPage, prevPage: page > 1 ? page - 1 : null };
  return { submissions: rows.slice(from, from + limit), meta };
}

export function invoices({ query }: Ask, world: CrmTruth) {
  if (query.get("altType") !== "location") fails(422, ["altType must be location"]);
  const { invoices_by } = world.ways;
  const [from, to] = [query.get("startAt"), query.get("endAt")];
  const dated = within(world, from, to, invoices_by === "issueDate" ? "UTC" : asked(world));
  const status = query.get("status");
  const rows = world.invoices.filter((row) =>
    dated(row[invoices_by]) && (status === null || row["status"] === status)
  );
  const turn = query.get("sortOrder") === "ascend" ? 1 : -1;
  if (query.get("sortField") === "issueDate") {
    rows.sort((a, b) => turn * ((ms(a["issueDate"]) || 0) - (ms(b["issueDate"]) || 0)));
  }
  const { page, total } = cut(rows, count(query, "offset", 0), count(query, "limit", 10, 100), world);
  return { invoices: page, total };
}

export function transactions({ query }: Ask, world: CrmTruth) {
  if (query.get("altType") !== "location") fails(422, ["altType must be location"]);
  const dated = within(world, query.get("startAt"), query.get("endAt"));
  const rows = world.transactions.filter((row) => dated(row["createdAt"]));
  rows.sort((a, b) => ms(b["createdAt"]) - ms(a["createdAt"]));
  const { page, total } = cut(rows, count(query, "offset", 0), count(query, "limit", 10, 100), world);
  return { data: page, totalCount: total };
}

export function funnelPages({ query }: Ask, world: CrmTruth) {
  const limit = Number(query.get("limit"));
  if (!(limit >= 1 && limit <= 20)) fails(422, ["limit must not be greater than 20"]);
  const rows = world.pages.filter((row) => row["funnelId"] === query.get("funnelId"));
  return rows.slice(count(query, "offset", 0)).slice(0, limit);
}

export const funnels = ({ query }: Ask, world: CrmTruth) => ({
  funnels: world.funnels.slice(count(query, "offset", 0)).slice(0, count(query, "limit", 20)),
  count: world.funnels.length,
  traceId: "t",
});

export const campaigns = ({ query }: Ask, world: CrmTruth) => ({
  campaigns: world.campaigns.filter(({ status }) => (query.get("status") ?? status) === status),
});
