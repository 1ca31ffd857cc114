/** How the CRM filters, sorts and pages what it lists. */
import type { World } from "./world.ts";

/** What makes the pages worse than asked for; the numbers that come of them must be the same. */
export interface Unruly {
  /** No page holds more rows, whatever was asked for. */
  page_max?: number;
  /** So many rows of the page before come again. */
  overlap?: number;
  /** Totals are wrong by so much. */
  total_off?: number;
  /** Messages are not exported to this token: the route is not there for it. */
  exports_closed?: boolean;
  /** Calendars that are listed, but answer 404: deleted a moment ago, or of a group that is. */
  gone_calendars?: readonly string[];
  /** Invoices are kept by the day they were made, where the file does not say by which. */
  invoices_by_creation?: boolean;
  /** How the search of opportunities by filters is worse than its page says. */
  search?: SearchWays;
}

/** Each of these was seen with some token, or is not ruled out by the vendor's page. */
export interface SearchWays {
  /** 401: closed to this kind of token (the vendor's issue #74). */
  readonly closed?: boolean;
  /** 422 for more rows than these. */
  readonly most?: number;
  /** No row says where the next page begins, as in the example of the vendor's page. */
  readonly cursorless?: boolean;
  /** Filters are ignored. */
  readonly deaf?: boolean;
  /** Nothing is found, whatever is asked. */
  readonly blind?: boolean;
}

type Query = Readonly<Record<string, string>>;

/** A refusal in the CRM's words. */
export class Refusal extends Error {
  constructor(readonly status: number, readonly words: string | readonly string[]) {
    super(String(words));
  }
}

/** A whole number of a query. */
export function number(query: Query, name: string, otherwise: number, most: number, least = 0): number {
  const value = query[name] === undefined ? otherwise : Number(query[name]);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Refusal(422, [
    `${name} must not be greater than ${most}`,
    `${name} must not be less than ${least}`,
  ]);
}

/** The rows of a page that begins at an index; those of the page before that come again stand first. */
export function page<T>(
  rows: readonly T[],
  from: number,
  limit: number,
  { page_max = Infinity, overlap = 0 }: Unruly,
) {
  const size = Math.min(limit, page_max);
  const begin = from === 0 ? 0 : Math.max(0, from - overlap);
  return { rows: rows.slice(begin, from + size), next: from + size };
}

const byText = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;
/** How many there are, as it is told. */
export const total = (rows: readonly unknown[], { total_off = 0 }: Unruly) =>
  Math.max(0, rows.length + total_off);
const days = new Map<string, string>();

/** The day of a moment in a zone, worked out once: a page is asked for a hundred times. */
function dayIn(text: string, timezone = "UTC"): string {
  const key = `${timezone} ${text}`;
  const known = days.get(key);
  if (known !== undefined) return known;
  const day = Temporal.Instant.from(text).toZonedDateTimeISO(timezone).toPlainDate().toString();
  days.set(key, day);
  return day;
}

const iso = (american: string) => american.replace(/^(\d\d)-(\d\d)-(\d{4})$/, "$3-$1-$2");
const between = (day: string, first = "", last = "9999") => day >= first && day <= last;

/** What was asked last of a list, and what fitted: its pages are asked for one after the other. */
const fitted = new WeakMap<object, { readonly asked: string; readonly rows: World["opportunities"] }>();

/** Forgets what fitted, because a row has changed. */
export const forgetFitted = (world: World) => void fitted.delete(world.opportunities);

/** Opportunities, the newest first; the cursor is the moment and the id of the last row. */
export function opportunities(world: World, query: Query, unruly: Unruly) {
  const limit = number(query, "limit", 20, 100, 1);
  const { status = "all", pipeline_id, date = "", endDate = "12-31-9999" } = query;
  for (const day of [date, endDate]) {
    if (day !== "" && !/^\d\d-\d\d-\d{4}$/.test(day)) throw new Refusal(422, ["date must be mm-dd-yyyy"]);
  }
  const asked = JSON.stringify([status, pipeline_id, date, endDate, world.opportunities.length]);
  const known = fitted.get(world.opportunities)?.asked === asked ? fitted.get(world.opportunities)! : null;
  const fitting = known?.rows ??
    world.opportunities.filter((one) =>
      (status === "all" || one.status === status) &&
      (pipeline_id === undefined || one.pipelineId === pipeline_id) &&
      between(dayIn(one.createdAt, world.location.timezone), iso(date), iso(endDate))
    ).sort((a, b) => byText(b.createdAt, a.createdAt) || byText(a.id, b.id));
  fitted.set(world.opportunities, { asked, rows: fitting });
  const { startAfter, startAfterId } = query;
  if ((startAfter === undefined) !== (startAfterId === undefined)) {
    throw new Refusal(422, ["startAfter and startAfterId belong together"]);
  }
  const before = startAfterId === undefined ? -1 : fitting.findIndex(({ id }) => id === startAfterId);
  const { rows, next } = page(fitting, before + 1, limit, unruly);
  const last = rows.at(-1);
  return {
    opportunities: rows,
    meta: {
      total: total(fitting, unruly),
      ...(last ? { startAfter: Date.parse(last.createdAt), startAfterId: last.id } : {}),
      ...(next < fitting.length
        ? { nextPageUrl: "https://crm.example/next", nextPage: 2 }
        : { nextPageUrl: "" }),
      currentPage: 1,
    },
  };
}

/** Appointments of one calendar that begin in a time, both ends included. */
export function events(world: World, query: Query, { gone_calendars = [] }: Unruly = {}) {
  const { calendarId, userId, groupId, startTime, endTime } = query;
  if (![calendarId, userId, groupId].some(Boolean)) {
    throw new Refusal(400, "Either of calendarId, userId or groupId is required");
  }
  if (![startTime, endTime].every((time) => /^\d{12,13}$/.test(time ?? ""))) {
    throw new Refusal(422, ["startTime must be in milliseconds"]);
  }
  if (gone_calendars.includes(calendarId ?? "")) throw new Refusal(404, "Calendar not found");
  return {
    events: world.events.filter((one) => {
      const at = Date.parse(one.startTime);
      return one.calendarId === calendarId && at >= Number(startTime) && at <= Number(endTime);
    }),
  };
}

/** Conversations by their newest message. */
export function conversations(world: World, query: Query, unruly: Unruly) {
  const limit = number(query, "limit", 20, 100, 1);
  const sorted = world.conversations.toSorted((a, b) => b.lastMessageDate - a.lastMessageDate);
  if (query["sort"] === "asc") sorted.reverse();
  const from = sorted.filter(({ lastMessageDate }) =>
    lastMessageDate >= Number(query["startAfterDate"] ?? Infinity)
  );
  const { rows } = page(sorted, from.length, limit, unruly);
  return { conversations: rows, total: total(sorted, unruly) };
}

const newestFirst = (a: { dateAdded: string; id: string }, b: { dateAdded: string; id: string }) =>
  Date.parse(b.dateAdded) - Date.parse(a.dateAdded) || (a.id < b.id ? -1 : 1);

/** The messages of a conversation, newest first, wrapped as the route really does. */
export function messages(world: World, conversation: string, query: Query, unruly: Unruly) {
  const all = world.messages.filter(({ conversationId }) => conversationId === conversation).sort(
    newestFirst,
  );
  if (all.length === 0) throw new Refusal(404, "Conversation not found");
  const before = all.findIndex(({ id }) => id === query["lastMessageId"]);
  const { rows, next } = page(all, before + 1, number(query, "limit", 20, 100, 1), unruly);
  return {
    messages: { lastMessageId: rows.at(-1)?.id ?? "", nextPage: next < all.length, messages: rows },
    traceId: "trace",
  };
}

const CHANNELS: Readonly<Record<string, RegExp>> = { Call: /CALL/, SMS: /SMS/, Email: /EMAIL/ };

/** The messages of the location, by channel and time. */
export function exported(world: World, query: Query, unruly: Unruly) {
  if (unruly.exports_closed) throw new Refusal(404, "Cannot GET /conversations/messages/export");
  const { channel = "", startDate = "1970-01-01", endDate = "9999-12-31", cursor } = query;
  const limit = number(query, "limit", 100, 500, 10);
  const all = world.messages.filter((one) => {
    const at = Date.parse(one.dateAdded);
    return (CHANNELS[channel] ?? /./).test(one.messageType) && at >= Date.parse(startDate) &&
      at <= Date.parse(endDate);
  }).sort(newestFirst);
  if (query["sortOrder"] === "asc") all.reverse();
  const { rows, next } = page(all, cursor === undefined ? 0 : Number(atob(cursor)), limit, unruly);
  return {
    messages: rows,
    nextCursor: next < all.length ? btoa(String(next)) : null,
    total: total(all, unruly),
  };
}

/** Form submissions of days, the last one whole. */
export function submissions(world: World, query: Query, unruly: Unruly) {
  const [limit, at] = [number(query, "limit", 20, 100, 1), number(query, "page", 1, 1e6, 1)];
  const { formId, startAt, endAt } = query;
  const fitting = world.submissions.filter((one) =>
    (formId === undefined || one.formId === formId) &&
    between(dayIn(one.createdAt, world.location.timezone), startAt, endAt)
  );
  const rows = fitting.slice((at - 1) * limit, at * limit);
  const meta = {
    total: total(fitting, unruly),
    currentPage: at,
    nextPage: at * limit < fitting.length ? at + 1 : null,
    prevPage: at > 1 ? at - 1 : null,
  };
  return { submissions: rows, meta };
}

/** Invoices by status, days of issue and a word. */
export function invoices(world: World, query: Query, unruly: Unruly) {
  const [limit, offset] = [number(query, "limit", -1, 100, 1), number(query, "offset", -1, 1e9)];
  const { status, startAt, endAt, search = "" } = query;
  const fitting = world.invoices.filter((one) =>
    (status === undefined || one.status === status) &&
    between(
      String(unruly.invoices_by_creation ? one["createdAt"] : one.issueDate ?? "").slice(0, 10),
      startAt,
      endAt,
    ) &&
    JSON.stringify(one).toLowerCase().includes(search.toLowerCase())
  );
  if (query["sortField"] === "issueDate") {
    fitting.sort((a, b) => String(b.issueDate) < String(a.issueDate) ? -1 : 1);
    if (query["sortOrder"] === "ascend") fitting.reverse();
  }
  return { invoices: page(fitting, offset, limit, unruly).rows, total: total(fitting, unruly) };
}

/** Payments by the day they were begun. */
export function transactions(world: World, query: Query, unruly: Unruly) {
  const [limit, offset] = [number(query, "limit", 10, 100, 1), number(query, "offset", 0, 1e9)];
  const { startAt, endAt } = query;
  const fitting = world.transactions.filter((one) => between(one.createdAt.slice(0, 10), startAt, endAt))
    .sort((a, b) => byText(b.createdAt, a.createdAt) || byText(a._id, b._id));
  return { data: page(fitting, offset, limit, unruly).rows, totalCount: total(fitting, unruly) };
}
