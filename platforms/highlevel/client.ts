/** A location of the CRM, only read: everything its analytics are made of (docs/upstreams/highlevel.md). */
import { dayAfter } from "../../core/zoned_day.ts";
import { GatewayError } from "../../core/errors.ts";
import type { z } from "zod";
import type { SiteContext } from "../_connector/connector.ts";
import { each } from "./budget.ts";
import { type Days } from "./days.ts";
import { count, type Page, Progress, type Report, type Rows, rowsOf } from "./pages.ts";
import { thoseThereAre, unreadable } from "./refusals.ts";
import { isClosedRoute, lacksPermission, refusesOne } from "./refused_what.ts";
import * as shapes from "./rows.ts";
import * as search from "./search.ts";
import { OpportunityReader } from "./opportunities.ts";
import { type CrmSettings, CrmWire } from "./wire.ts";

/** Appointments, the calendars that the CRM refused, and of which times not every calendar was read. */
export interface Appointments extends Rows<shapes.Appointment> {
  readonly unread: readonly Pick<Days, "from" | "to">[];
  /** How many calendars could not be read themselves. */
  readonly nameless: number;
  readonly left_out: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly reason: string;
  }[];
}

/** The times of parts that were not read, each once. */
const unreadTimes = (
  parts: ReturnType<typeof search.chunks>,
) => [
  ...new Map(parts.map(({ startTime, endTime }) => [startTime, { from: startTime, to: endTime + 1 }]))
    .values(),
];

/** How many days before an invoice is issued it may be made, and after. */
const INVOICE_DAYS = 31;
/** How many days a bank may take for a payment. */
const PAYMENT_DAYS = 14;
const FUNNEL_PAGES = 20;
const LIST = 100;

/** The client of the location that a site names. */
export const crmOf = (ctx: SiteContext<CrmSettings>): Crm => new Crm(new CrmWire(ctx));

/** The client. Every method throws E_UPSTREAM; where the call's requests or time are used up, what was read is incomplete. */
export class Crm extends OpportunityReader {
  /** Names those there are to a caller who named one that there is not. */
  readonly thoseThereAre = thoseThereAre;

  /** The same location with that many requests; `who` says for people what they are for, where that is not the call. */
  within(requests: number, who?: string): Crm {
    return new Crm(this.wire.within(requests, who), this.progress);
  }

  /** The same location, which reports each page that is read. */
  reporting(report: Report): Crm {
    return new Crm(this.wire, new Progress(report));
  }

  pipelines(): Promise<Rows<shapes.Pipeline>> {
    return this.list({ route: "pipelines" }, "pipelines", shapes.PIPELINE);
  }

  calendars() {
    return this.list({ route: "calendars" }, "calendars", shapes.CALENDAR);
  }

  /**
   * What begins between two moments, in every calendar or in one; the newest is read first. Of several calendars those that
   * the CRM refuses are left out. Throws E_NOT_FOUND for one that there is not.
   */
  async appointments(from: number, to: number, calendar?: string): Promise<Appointments> {
    const all = await this.calendars();
    const asked = all.rows.filter(({ id }) => calendar === undefined || id === calendar);
    if (calendar !== undefined && asked.length === 0 && all.complete) {
      throw new GatewayError(
        "E_NOT_FOUND",
        `calendar_id: the location has no calendar "${calendar}"; ${thoseThereAre(all.rows)}, and without ` +
          "calendar_id all are counted",
      );
    }
    const refusals = new Map<string, GatewayError>();
    const times = search.chunks(from, to);
    const parts = times.flatMap((part) => asked.map(({ id }) => ({ calendarId: id, ...part })));
    this.progress.expect(parts.length);
    const read = (json: unknown) => ({ ...rowsOf(json, "events", shapes.APPOINTMENT), ...search.WHOLE });
    const found = await each(parts, async (query) => {
      try {
        const page = await this.page({ route: "appointments", query }, read);
        if (page !== null) this.progress.read("appointments");
        return page;
      } catch (thrown) {
        if (!refusesOne(thrown)) throw thrown;
        refusals.set(query.calendarId, thrown);
        return { rows: [], dropped: 0, ...search.WHOLE };
      }
    });
    const [refusal] = refusals.values();
    if (refusal !== undefined && refusals.size === asked.length) throw refusal;
    const kept = found.filter((_, at) => !refusals.has(parts[at]!.calendarId));
    const rows = new Map(kept.flatMap((page) => page?.rows ?? []).map((row) => [row.id, row]));
    return {
      rows: [...rows.values()].filter(({ deleted }) => !deleted),
      total: null,
      dropped: kept.reduce((sum, page) => sum + (page?.dropped ?? 0), 0),
      complete: all.complete && found.every((page) => page !== null),
      nameless: calendar === undefined ? all.dropped : 0,
      unread: all.complete ? unreadTimes(parts.filter((_, at) => found[at] === null)) : [{ from, to }],
      left_out: asked.flatMap(({ id, name }) => {
        const reason = refusals.get(id)?.message;
        return reason === undefined ? [] : [{ id, name, reason }];
      }),
    };
  }

  /** Conversations with a message since then, the newest first, up to `most`. */
  conversations(since: number, most: number): Promise<Rows<shapes.Conversation>> {
    return this.collect("conversations", (cursor) => {
      const query = {
        limit: LIST,
        sort: "desc",
        sortBy: "last_message_date",
        startAfterDate: cursor ?? undefined,
      };
      return this.page(
        { route: "conversations", query },
        (json) => search.conversationPage(json, LIST, since),
      );
    }, most);
  }

  /** The messages of a conversation since then. */
  messages(conversation: string, since: number): Promise<Rows<shapes.Message>> {
    return this.collect("messages", (cursor) => {
      const query = { limit: LIST, lastMessageId: cursor ?? undefined };
      return this.page(
        { route: "messages", id: conversation, query },
        (json) => search.messagePage(json, since),
      );
    });
  }

  /** The location's messages of a channel between two moments, the newest first. */
  exported(channel: "Call" | "SMS", from: number, to: number): Promise<Rows<shapes.Message>> {
    const [startDate, endDate] = [new Date(from).toISOString(), new Date(to).toISOString()];
    const query = {
      channel,
      limit: search.EXPORT_LIMIT,
      sortBy: "createdAt",
      sortOrder: "desc",
      startDate,
      endDate,
    };
    return this.collect(
      "messages",
      (cursor) =>
        this.page({ route: "exported", query: { ...query, cursor: cursor ?? undefined } }, search.exportPage),
    );
  }

  /** Contacts that fit all filters, up to `most`. */
  contacts(
    filters: readonly search.Filter[],
    sort: search.Sort,
    most: number,
  ): Promise<Rows<shapes.Contact>> {
    const pageLimit = search.CONTACT_LIMIT;
    return this.collect("contacts", (cursor) => {
      const after = cursor === null ? {} : { searchAfter: JSON.parse(cursor) as unknown };
      const json = { pageLimit, filters, sort: [sort], ...after };
      return this.page({ route: "contacts", json }, (answer) => search.contactPage(answer, pageLimit));
    }, most);
  }

  /** How many contacts fit all filters; null where it could not be asked. */
  async countContacts(filters: readonly search.Filter[]): Promise<number | null> {
    const json = { pageLimit: 1, page: 1, filters };
    const counted = await this.wire.page({ route: "contacts", json }, (answer) => {
      const total = count((answer as { total?: unknown }).total);
      if (total === null) throw unreadable("no total of contacts");
      return total;
    });
    if (counted !== null) this.progress.read("contacts counted");
    return counted;
  }

  tags() {
    return this.list({ route: "tags" }, "tags", shapes.TAG);
  }

  customFields() {
    return this.list(
      { route: "custom_fields", query: { model: "contact" } },
      "customFields",
      shapes.CUSTOM_FIELD,
      "custom fields",
    );
  }

  workflows() {
    return this.list({ route: "workflows" }, "workflows", shapes.WORKFLOW);
  }

  /** What ran of a workflow, where the CRM tells it; null where it does not. */
  async executions(workflow: string): Promise<Page<z.output<typeof shapes.EXECUTION>> | null> {
    try {
      return await this.page({ route: "executions", id: workflow }, (json) => search.executionPage(json));
    } catch (thrown) {
      if (thrown instanceof GatewayError && (isClosedRoute(thrown) || lacksPermission(thrown))) return null;
      throw thrown;
    }
  }

  campaigns(status?: string) {
    return this.list({ route: "campaigns", query: { status } }, "campaigns", shapes.CAMPAIGN);
  }

  /** Funnels in the CRM's order, up to `most`. */
  funnels(most: number) {
    return this.collect("funnels", (cursor) => {
      const query = { limit: LIST, offset: cursor ?? 0 };
      return this.page(
        { route: "funnels", query },
        (json) => search.funnelPage(json, Number(cursor ?? 0), LIST),
      );
    }, most);
  }

  /** The pages of a funnel. */
  funnelPages(funnelId: string) {
    return this.collect("pages", (cursor) => {
      const query = { funnelId, limit: FUNNEL_PAGES, offset: cursor ?? 0 };
      const read = (json: unknown) => search.funnelPagesPage(json, Number(cursor ?? 0), FUNNEL_PAGES);
      return this.page({ route: "funnel_pages", query }, read);
    });
  }

  /** One page of submissions; the total is the CRM's own count. */
  async submissions(query: search.SubmissionQuery) {
    const asked = search.submissionQuery(query);
    const page = await this.wire.page(
      { route: "submissions", query: asked },
      search.submissionPage(query),
      ({ rows }) => rows.length,
    );
    if (page !== null) this.progress.read("form submissions");
    return page ?? this.exhausted();
  }

  /** One page of invoices. */
  async invoices(query: search.InvoiceQuery) {
    const page = await this.page(
      { route: "invoices", query: search.invoiceQuery(query) },
      search.invoicePage(query),
    );
    this.progress.read("invoices");
    return page ?? this.exhausted();
  }

  /**
   * All invoices around those days, the last issued first: whether the CRM keeps a range by the day of issue or of making is
   * not known, so a longer one is asked for, and rows are kept by their own date.
   */
  allInvoices({ first, last }: Days): Promise<Rows<shapes.Invoice>> {
    const range = { start_at: dayAfter(first, -INVOICE_DAYS), end_at: dayAfter(last, INVOICE_DAYS) };
    return this.collect("invoices", (cursor) => {
      const query = { ...range, limit: LIST, offset: Number(cursor ?? 0), sorted: true };
      return this.page({ route: "invoices", query: search.invoiceQuery(query) }, search.invoicePage(query));
    });
  }

  /** All payments around those days, also such as were charged some days after they were begun. */
  payments({ first, last }: Days): Promise<Rows<shapes.Payment>> {
    const range = { first: dayAfter(first, -PAYMENT_DAYS), last: dayAfter(last) };
    return this.collect("payments", (cursor) => {
      const query = { ...range, limit: LIST, offset: Number(cursor ?? 0) };
      return this.page({ route: "payments", query: search.paymentQuery(query) }, search.paymentPage(query));
    });
  }
}
