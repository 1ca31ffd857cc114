/** The routes of a location that are read, each once, held against what the client reads (docs/upstreams/highlevel.md). */
import { z } from "zod";
import type { SiteContext } from "../_connector/connector.ts";
import type { See } from "../_connector/operator.ts";
import { crmOf } from "./client.ts";
import { searchBody } from "./opportunity_search.ts";
import type { RouteName } from "./routes.ts";
import * as rows from "./rows.ts";
import {
  type Filter,
  invoiceQuery,
  LOCATION,
  opportunityQuery,
  paymentQuery,
  submissionQuery,
} from "./search.ts";
import type { CrmSettings, Question } from "./wire.ts";

const DAY_MS = 86_400_000;
/** Far enough back that a location that is used has something. */
const BACK_DAYS = 30;
const ROWS = 10;

const total = z.number();
const listed = (name: string, row: z.ZodType, more: z.ZodRawShape = {}) =>
  z.object({ [name]: z.array(row), ...more });
const first = (answer: unknown, name: string): string | null => {
  const list = (answer as Readonly<Record<string, unknown>> | null)?.[name];
  const id = Array.isArray(list) ? (list[0] as { id?: unknown } | undefined)?.id : undefined;
  return typeof id === "string" ? id : null;
};

/** Each route once; the appointments of the first calendar, and the messages of the newest conversation. */
export async function location(ctx: SiteContext<CrmSettings>, see: See): Promise<void> {
  const { wire } = crmOf(ctx);
  const ask = (read: string, schema: z.ZodType, question: Question) =>
    see(read, schema, () => wire.ask(question));
  const [to, from] = [ctx.now(), ctx.now() - BACK_DAYS * DAY_MS];
  const [first_day, last_day] = [from, to].map((ms) => new Date(ms).toISOString().slice(0, 10)) as [
    string,
    string,
  ];
  const range = { first: first_day, last: last_day };

  await ask("the location", z.object({ location: LOCATION }), { route: "location" });
  await ask("pipelines", listed("pipelines", rows.PIPELINE), { route: "pipelines" });
  await ask("opportunities", listed("opportunities", rows.OPPORTUNITY, { meta: OPPORTUNITIES_META }), {
    route: "opportunities",
    query: { ...opportunityQuery({}, null), limit: ROWS },
  });
  await ask(
    "opportunities by filters",
    listed("opportunities", rows.OPPORTUNITY, { total: total.nullish() }),
    {
      route: "opportunity_search",
      json: searchBody({ by: "created_at", from, to }, ROWS, null),
    },
  );
  const calendars = await ask("calendars", listed("calendars", rows.CALENDAR), { route: "calendars" });
  const calendarId = first(calendars, "calendars");
  if (calendarId !== null) {
    const query = { calendarId, startTime: from, endTime: to };
    await ask("appointments", listed("events", rows.APPOINTMENT), { route: "appointments", query });
  }
  await messages(ask, range);
  const filters: Filter[] = [{
    field: "dateAdded",
    operator: "range",
    value: { gte: new Date(from).toISOString(), lte: new Date(to).toISOString() },
  }];
  await ask("contacts", listed("contacts", rows.CONTACT, { total }), {
    route: "contacts",
    json: { pageLimit: ROWS, filters, sort: [{ field: "dateAdded", direction: "desc" }] },
  });
  await lists(ask);
  await money(ask, range);
}

type Ask = (read: string, schema: z.ZodType, question: Question) => Promise<unknown>;
interface Range {
  readonly first: string;
  readonly last: string;
}

/** How the older search says what follows. */
const OPPORTUNITIES_META = z.object({
  total: total.nullish(),
  startAfter: z.number().nullish(),
  startAfterId: z.string().nullish(),
  nextPage: z.union([z.number(), z.string()]).nullish(),
  nextPageUrl: z.string().nullish(),
});

async function messages(ask: Ask, { first: startDate, last }: Range): Promise<void> {
  const found = await ask(
    "conversations",
    listed("conversations", rows.CONVERSATION, { total: total.nullish() }),
    {
      route: "conversations",
      query: { limit: ROWS, sort: "desc", sortBy: "last_message_date" },
    },
  );
  const id = first(found, "conversations");
  const more = { lastMessageId: z.string().nullish(), nextPage: z.boolean().nullish() };
  const flat = listed("messages", rows.MESSAGE, more);
  if (id !== null) {
    const query = { limit: ROWS };
    await ask("messages of a conversation", z.union([z.object({ messages: flat }), flat]), {
      route: "messages",
      id,
      query,
    });
  }
  const exported = { nextCursor: z.string().nullish(), total: total.nullish() };
  await ask("exported messages", listed("messages", rows.MESSAGE, exported), {
    route: "exported",
    query: { channel: "SMS", limit: ROWS, sortBy: "createdAt", sortOrder: "desc", startDate, endDate: last },
  });
}

async function lists(ask: Ask): Promise<void> {
  const whole: readonly [read: string, route: RouteName, name: string, row: z.ZodType][] = [
    ["tags", "tags", "tags", rows.TAG],
    ["workflows", "workflows", "workflows", rows.WORKFLOW],
    ["campaigns", "campaigns", "campaigns", rows.CAMPAIGN],
  ];
  for (const [read, route, name, row] of whole) await ask(read, listed(name, row), { route });
  const query = { model: "contact" };
  await ask("custom fields", listed("customFields", rows.CUSTOM_FIELD), { route: "custom_fields", query });
  await ask("funnels", listed("funnels", rows.FUNNEL, { count: total.nullish() }), {
    route: "funnels",
    query: { limit: ROWS, offset: 0 },
  });
}

async function money(ask: Ask, range: Range): Promise<void> {
  const meta = z.object({ total, nextPage: total.nullish() });
  await ask("form submissions", listed("submissions", rows.SUBMISSION, { meta }), {
    route: "submissions",
    query: submissionQuery({ ...range, limit: ROWS, page: 1 }),
  });
  await ask("invoices", listed("invoices", rows.INVOICE, { total }), {
    route: "invoices",
    query: invoiceQuery({ limit: ROWS, offset: 0 }),
  });
  await ask("payments", listed("data", rows.PAYMENT, { totalCount: total.nullish() }), {
    route: "payments",
    query: paymentQuery({ ...range, limit: ROWS, offset: 0 }),
  });
}
