/** Where answers of the CRM differ from its OpenAPI files, each with the reason; laid over the files' schemas in tests. */
import { words } from "../words.ts";

type Json = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const number = { type: "number" };
const list = (items: Json) => ({ type: "array", items });
const object = (properties: Readonly<Record<string, Json>>, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
});

/** The answer of a route in place of what its file says. */
export const ANSWERS: Readonly<Record<string, { readonly why: string; readonly schema: Json }>> = {
  "POST /contacts/search": {
    why: "the file has no schema; these fields stand on the vendor's search page",
    schema: object({
      contacts: list(
        object({ id: text, tags: list(text), searchAfter: { type: "array" } }, ["id", "tags", "searchAfter"]),
      ),
      total: number,
    }, ["contacts", "total"]),
  },
  "GET /funnels/page": {
    why: "the file shows one page where clients read a list",
    schema: list(
      object({ _id: text, name: text, funnelId: text, stepId: text, locationId: text }, [
        "_id",
        "name",
        "funnelId",
      ]),
    ),
  },
  "GET /funnels/funnel/list": {
    why: "the file shows funnels as an object where clients read a list",
    schema: object({
      funnels: list(object({ _id: text, name: text }, ["_id"])),
      count: number,
      traceId: text,
    }, [
      "funnels",
      "count",
    ]),
  },
  "GET /workflows/{id}/executions": {
    why: "INFERRED: the files have no such route, and nobody has published an answer of it",
    schema: object({ executions: list(object({ id: text, status: text, createdAt: text })), total: number }, [
      "executions",
    ]),
  },
};

/** A change to a schema of the files, by the family and the schema's name. */
export const CHANGES: readonly {
  readonly why: string;
  readonly at: readonly [family: string, schema: string];
  change(schema: Json): Json;
}[] = [
  {
    why: "issue 54: the route wraps its messages once more",
    at: ["conversations", "GetMessagesByConversationResponseDto"],
    change: (schema) => object({ messages: schema, traceId: text }, ["messages"]),
  },
  {
    why: "issues 258 and 110: calls carry meta.call with a status and a duration",
    at: ["conversations", "MessageMeta"],
    change: () =>
      object({ callStatus: text, callDuration: text, call: object({ duration: number, status: text }) }),
  },
  {
    why: "issues 38, 212 and 214: messages have an altId, and a call's status says how it ended",
    at: ["conversations", "GetMessageResponseDto"],
    change: ({ properties, ...schema }) => ({
      ...schema,
      properties: { ...properties as Json, altId: text, status: text },
    }),
  },
  {
    why: "the next page of none is null; the file says number",
    at: ["forms", "metaSchema"],
    change: () =>
      object({
        total: number,
        currentPage: number,
        nextPage: { type: ["number", "null"] },
        prevPage: { type: ["number", "null"] },
      }, ["total"]),
  },
  {
    why: "the file types times as objects, and requires what appointments without a group or guests have not",
    at: ["calendars", "CalendarEventDTO"],
    change: ({ properties, ...schema }) => ({
      ...schema,
      properties: {
        ...properties as Json,
        startTime: text,
        endTime: text,
        dateAdded: text,
        dateUpdated: text,
      },
      required: ["id", "calendarId", "locationId", "appointmentStatus", "startTime"],
    }),
  },
  {
    why: "the file types the stages of a pipeline as lists",
    at: ["opportunities", "PipelinesResponseSchema"],
    change: ({ properties, ...schema }) => ({
      ...schema,
      properties: {
        ...properties as Json,
        stages: list(object({ id: text, name: text, position: number }, ["id"])),
      },
    }),
  },
  {
    why:
      "the file's own example of a number is a text, items are objects, and only fields in use are required",
    at: ["invoices", "GetInvoiceResponseDto"],
    change: ({ properties, ...schema }) => ({
      ...schema,
      properties: {
        ...properties as Json,
        invoiceNumber: { type: ["string", "number"] },
        invoiceItems: list({ type: "object" }),
      },
      required: words("_id status liveMode amountPaid altId altType currency total amountDue"),
    }),
  },
  {
    why:
      "the file types the status of a payment as an object; its own example, and public clients, have a word",
    at: ["payments", "TxnResponseSchema"],
    change: ({ properties, ...schema }) => ({
      ...schema,
      properties: { ...properties as Json, status: text },
    }),
  },
  {
    why: "the cursor behind the last page is null, as the file's prose says",
    at: ["conversations", "ExportMessagesResponseDto"],
    change: ({ properties, ...schema }) => ({
      ...schema,
      properties: { ...properties as Json, nextCursor: { type: ["string", "null"] } },
    }),
  },
];
