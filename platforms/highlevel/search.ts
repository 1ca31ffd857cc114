/** How the vendor's routes are asked for pages, and how its pages say what follows. */
import { dayAfter } from "../../core/zoned_day.ts";
import { z } from "zod";
import { type Days } from "./days.ts";
import { count, type Page, readRows, rowsOf } from "./pages.ts";
import { unreadable } from "./refusals.ts";
import * as shapes from "./rows.ts";

const OPPORTUNITY_LIMIT = 100;
/** The most that one page has. */
export const EXPORT_LIMIT = 500;
export const CONTACT_LIMIT = 500;

/** What a list that comes whole adds to its rows. */
export const WHOLE = { total: null, next: null, last: true } as const;

const asRecord = (json: unknown) => json as Record<string, unknown>;
/** The location itself. */
export const LOCATION = z.object({
  id: z.string(),
  name: z.string().nullish(),
  timezone: z.string().nullish(),
});

/** The location of an answer. Throws E_UPSTREAM where it is none, or another one. */
export function locationOf(json: unknown, own: string): { name: string | null; timezone: string | null } {
  const read = LOCATION.safeParse(asRecord(json)["location"]);
  if (!read.success || read.data.id !== own) throw unreadable("no such location");
  return { name: read.data.name ?? null, timezone: read.data.timezone || null };
}

const american = (day: string) => `${day.slice(5)}-${day.slice(0, 4)}`;

/** Which opportunities the older search lists: of all statuses and days where none is named. */
export interface OpportunityQuery {
  readonly days?: Days;
  readonly pipeline?: string;
  readonly status?: string;
}

/** In which time zone the vendor reads its days is not known: a day more is asked on each side. */
export function opportunityQuery(
  { days, pipeline, status = "all" }: OpportunityQuery,
  cursor: string | null,
) {
  const [startAfter, startAfterId] = cursor === null ? [] : JSON.parse(cursor) as [number, string];
  return {
    status,
    limit: OPPORTUNITY_LIMIT,
    date: days === undefined ? undefined : american(dayAfter(days.first, -1)),
    endDate: days === undefined ? undefined : american(dayAfter(days.last)),
    pipeline_id: pipeline,
    startAfter,
    startAfterId,
  };
}

/** A page of opportunities; its cursor is a moment and an id. */
export function opportunityPage(json: unknown): Page<shapes.Opportunity> {
  const read = rowsOf(json, "opportunities", shapes.OPPORTUNITY);
  const meta = asRecord(asRecord(json)["meta"] ?? {});
  const { startAfter, startAfterId, nextPage, nextPageUrl } = meta;
  const known = startAfter !== undefined && startAfter !== null && typeof startAfterId === "string";
  const found = read.rows.length + read.dropped;
  return {
    ...read,
    total: count(meta["total"]),
    next: known && found > 0 ? JSON.stringify([startAfter, startAfterId]) : null,
    last: found < OPPORTUNITY_LIMIT || (!nextPage && !nextPageUrl),
  };
}

/** A page of conversations, newest first, without those whose last message is older. */
export function conversationPage(json: unknown, limit: number, since: number): Page<shapes.Conversation> {
  const { rows, dropped } = rowsOf(json, "conversations", shapes.CONVERSATION);
  const oldest = rows.at(-1)?.last_message_at ?? null;
  const over = oldest === null || oldest < since;
  return {
    rows: rows.filter((row) => row.last_message_at === null || row.last_message_at >= since),
    dropped,
    total: count(asRecord(json)["total"]), // of all there are, older ones too
    next: over ? null : String(oldest),
    last: rows.length < limit,
  };
}

/** A page of a conversation's messages, newest first. The file shows the list flat, the route answers it wrapped. */
export function messagePage(json: unknown, since: number): Page<shapes.Message> {
  const outer = asRecord(json)["messages"];
  const inner = asRecord(Array.isArray(outer) ? json : outer ?? {});
  const read = rowsOf(inner, "messages", shapes.MESSAGE);
  const oldest = read.rows.at(-1)?.at ?? null;
  const more = inner["nextPage"] === true && typeof inner["lastMessageId"] === "string" &&
    (oldest === null || oldest >= since);
  return { ...read, total: null, next: more ? inner["lastMessageId"] as string : null, last: !more };
}

/** A page of the location's messages. */
export function exportPage(json: unknown): Page<shapes.Message> {
  const cursor = asRecord(json)["nextCursor"];
  const next = typeof cursor === "string" && cursor !== "" ? cursor : null;
  return {
    ...rowsOf(json, "messages", shapes.MESSAGE),
    total: count(asRecord(json)["total"]),
    next,
    last: next === null,
  };
}

/** One condition on contacts. */
export interface Filter {
  readonly field: "dateAdded" | "dateUpdated" | "tags" | "activeWorkflows" | "finishedWorkflows";
  readonly operator: "eq" | "range";
  readonly value: string | { readonly gte?: string; readonly lte?: string };
}
/** What contacts are sorted by. */
export interface Sort {
  readonly field: "dateAdded" | "dateUpdated";
  readonly direction: "asc" | "desc";
}

/** A page of contacts; the last row says where the next begins. */
export function contactPage(json: unknown, limit: number): Page<shapes.Contact> {
  const read = rowsOf(json, "contacts", shapes.CONTACT);
  const list = asRecord(json)["contacts"] as readonly unknown[];
  const after = (list.at(-1) as { searchAfter?: unknown } | undefined)?.searchAfter;
  return {
    ...read,
    total: count(asRecord(json)["total"]),
    next: Array.isArray(after) && after.length > 0 ? JSON.stringify(after) : null,
    last: list.length < limit,
  };
}

/** What ran of a workflow: the vendor describes no such answer, so any list of rows with a status will do. */
export function executionPage(json: unknown): Page<z.output<typeof shapes.EXECUTION>> {
  const list = asRecord(json)["executions"] ?? asRecord(json)["data"] ?? json;
  if (!Array.isArray(list)) throw unreadable("no list of executions");
  return { ...readRows(list, shapes.EXECUTION), ...WHOLE, total: count(asRecord(json)["total"]) };
}

type Named = z.output<typeof shapes.FUNNEL>;
const offsetPage = (
  read: { rows: Named[]; dropped: number },
  offset: number,
  limit: number,
  total: number | null,
) => {
  const found = read.rows.length + read.dropped;
  return { ...read, total, next: found > 0 ? String(offset + found) : null, last: found < limit };
};

/** A page of funnels. */
export function funnelPage(json: unknown, offset: number, limit: number): Page<Named> {
  return offsetPage(rowsOf(json, "funnels", shapes.FUNNEL), offset, limit, count(asRecord(json)["count"]));
}

/** Pages of a funnel: a bare list, or one under `data` or `pages`; without such as were deleted. */
export function funnelPagesPage(json: unknown, offset: number, limit: number): Page<Named> {
  const list = Array.isArray(json) ? json : asRecord(json)["data"] ?? asRecord(json)["pages"];
  if (!Array.isArray(list)) throw unreadable("no list of pages");
  const read = readRows(list, shapes.FUNNEL_PAGE);
  const there = read.rows.filter(({ deleted }) => !deleted).map(({ id, name }) => ({ id, name }));
  return { ...offsetPage(read, offset, limit, null), rows: there };
}

/** Which submissions; days as `YYYY-MM-DD`, both included. */
export interface SubmissionQuery {
  readonly first: string;
  readonly last: string;
  readonly form_id?: string;
  readonly limit: number;
  readonly page: number;
}
export const submissionQuery = ({ first, last, form_id, limit, page }: SubmissionQuery) => ({
  startAt: first,
  endAt: last,
  formId: form_id,
  limit,
  page,
});

/**
 * Reads a page of submissions; a next page that is no later one is none, as it would be asked for without an end. Throws
 * E_UPSTREAM where the CRM does not say how many there are.
 */
export const submissionPage = ({ limit, page }: SubmissionQuery) => (json: unknown) => {
  const meta = asRecord(asRecord(json)["meta"] ?? {});
  const total = count(meta["total"]);
  if (total === null) throw unreadable("no meta.total of form submissions");
  const next = count(meta["nextPage"]);
  const next_page = next !== null && next > page ? next : null;
  return {
    ...rowsOf(json, "submissions", shapes.SUBMISSION),
    total,
    next_page,
    /** Whether it is said to be the last page, though the CRM counts more than the pages up to it can hold. */
    short: next_page === null && page * limit < total,
  };
};

/** Which invoices; days as `YYYY-MM-DD`, both included. */
export interface InvoiceQuery {
  readonly status?: string;
  readonly start_at?: string;
  readonly end_at?: string;
  readonly search?: string;
  readonly limit: number;
  readonly offset: number;
  /** By the date of issue, the newest first. */
  readonly sorted?: boolean;
}
export const invoiceQuery = ({ start_at, end_at, sorted, ...rest }: InvoiceQuery) => ({
  altType: "location",
  startAt: start_at,
  endAt: end_at,
  ...(sorted ? { sortField: "issueDate", sortOrder: "descend" } : {}),
  ...rest,
});

/** Reads a page of invoices. Throws E_UPSTREAM where the CRM does not say how many there are. */
export const invoicePage = ({ offset, limit }: InvoiceQuery) => (json: unknown): Page<shapes.Invoice> => {
  const read = rowsOf(json, "invoices", shapes.INVOICE);
  const found = read.rows.length + read.dropped;
  const total = count(asRecord(json)["total"]);
  if (total === null) throw unreadable("no total of invoices");
  return { ...read, total, next: found > 0 ? String(offset + found) : null, last: found < limit };
};

/** Which payments; days as `YYYY-MM-DD`, both included. */
export interface PaymentQuery {
  readonly first: string;
  readonly last: string;
  readonly limit: number;
  readonly offset: number;
}
export const paymentQuery = ({ first, last, limit, offset }: PaymentQuery) => ({
  altType: "location",
  startAt: first,
  endAt: last,
  limit,
  offset,
});

/** Reads a page of payments. */
export const paymentPage = ({ offset, limit }: PaymentQuery) => (json: unknown): Page<shapes.Payment> => {
  const read = rowsOf(json, "data", shapes.PAYMENT);
  const found = read.rows.length + read.dropped;
  const total = count(asRecord(json)["totalCount"]);
  return { ...read, total, next: found > 0 ? String(offset + found) : null, last: found < limit };
};

const DAY_MS = 24 * 60 * 60_000;
/** The longest time that appointments are asked for at once, as public clients do (docs/upstreams/highlevel.md#routes). */
const APPOINTMENT_DAYS = 93;

/** The time in parts that are short enough, as the vendor takes them: milliseconds, the last one included; the newest first. */
export function chunks(from: number, to: number): { startTime: number; endTime: number }[] {
  const step = APPOINTMENT_DAYS * DAY_MS;
  const ends = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => to - index * step);
  return ends.map((end) => ({ startTime: Math.max(end - step, from), endTime: end - 1 }));
}
