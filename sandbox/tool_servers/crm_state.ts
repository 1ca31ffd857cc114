/** What the CRM's hosted tools remember beyond the location that the API shows, and what a tool that runs gets. */
import type { CrmState } from "../highlevel/api.ts";
import { Refusal } from "../highlevel/lists.ts";

/** A record of the CRM. */
export type Row = Readonly<Record<string, unknown>>;

/** Records that the API of the stand-in has no route for. */
export interface CrmRecords {
  /** Notes of an appointment. */
  readonly notes: Row[];
  readonly tasks: Row[];
  readonly orders: Row[];
  readonly transactions: Row[];
  readonly blogs: Row[];
  readonly authors: Row[];
  readonly categories: Row[];
  readonly blog_posts: Row[];
  readonly templates: Row[];
  readonly social_accounts: Row[];
  readonly social_posts: Row[];
}

/** The arguments of a call, by where they go upstream. */
export interface Given {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Row;
}

/** A tool that runs. */
export interface CrmAsked extends Given {
  readonly crm: CrmState;
  readonly records: CrmRecords;
  readonly now: () => number;
}

/** Runs one tool: what it answers is the data of its result; throws Refusal. */
export type CrmRun = (asked: CrmAsked) => unknown;

/** The record of that id. Throws Refusal. */
export function byId<T extends Row>(rows: readonly T[], id: unknown, what: string): T {
  const found = rows.find((one) => (one["id"] ?? one["_id"]) === id);
  if (found === undefined) throw new Refusal(404, `${what} with id ${id} not found`);
  return found;
}

/** Sets fields of a record where it stands. */
export function change(row: Row, fields: Row): Row {
  return Object.assign(row as Record<string, unknown>, fields);
}

let last = 0;
/** An id that none has had. */
export const newId = (what: string) => `${what}-made-${++last}`;

/** A page of rows, by the names that most routes have for it. */
export function paged(
  rows: readonly Row[],
  { limit = "20", offset = "0", skip = offset }: Given["query"],
): Row[] {
  return rows.slice(Number(skip), Number(skip) + Number(limit));
}

/** A location with a little of each. */
export function seededRecords(now: number): CrmRecords {
  const at = new Date(now).toISOString();
  return {
    notes: [{ id: "note-0", appointmentId: "event-0", body: "Asked for a morning", dateAdded: at }],
    tasks: [{ id: "task-0", contactId: "contact-0", title: "Call back", completed: false, dueDate: at }],
    orders: [{ _id: "order-0", contactId: "contact-0", status: "completed", amount: 120, createdAt: at }],
    transactions: [
      { _id: "tx-0", contactId: "contact-0", amount: 120, status: "succeeded", createdAt: at },
      { _id: "tx-1", contactId: "contact-1", amount: 80, status: "failed", createdAt: at },
    ],
    blogs: [{ _id: "blog-0", name: "News" }],
    authors: [{ _id: "author-0", name: "Front desk" }],
    categories: [{ _id: "category-0", label: "Advice", urlSlug: "advice" }],
    blog_posts: [{
      _id: "post-0",
      blogId: "blog-0",
      title: "First visit",
      urlSlug: "first-visit",
      status: "DRAFT",
    }],
    templates: [{ id: "template-0", name: "Reminder", templateType: "html", updatedAt: at }],
    social_accounts: [{ id: "account-0", platform: "facebook", name: "Harbour Dental", isExpired: false }],
    social_posts: [{
      _id: "social-0",
      accountIds: ["account-0"],
      summary: "We are open",
      status: "draft",
      createdAt: at,
    }],
  };
}
