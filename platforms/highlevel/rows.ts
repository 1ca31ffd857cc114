/** The rows the CRM answers, as far as they are used: vendor shapes in, plain rows out. */
import { z } from "zod";
import { type Kind, readsTypes } from "../../core/answer_shape.ts";
import { moment } from "./days.ts";

/** A value of any kind, read leniently; several times as fast as a schema of its own, and there are thousands of rows. */
const lenient = <T>(read: (value: unknown) => T, ...types: readonly Kind[]) =>
  readsTypes(z.unknown().optional().transform(read), ...types, "null");
const text = lenient((value) => typeof value === "string" && value !== "" ? value : null, "string");
const word = lenient(
  (value) => typeof value === "string" && value !== "" ? value.toLowerCase() : null,
  "string",
);
const DECIMAL = /^-?\d+(\.\d+)?$/;
/** Whether a row says that it is no more; the file of pages has a text there. */
const gone = lenient((value) => value === true || value === "true", "boolean", "string");
/** A sum of money, as a number or as its digits; null for anything else. */
const amount = lenient(
  (value) => {
    if (typeof value === "string" && DECIMAL.test(value.trim())) return Number(value);
    return typeof value === "number" && Number.isFinite(value) ? value : null;
  },
  "number",
  "string",
);
const at = lenient(moment, "string", "number");
const id = z.string().min(1);
const texts = z.array(z.string()).nullish().catch(null).transform((value) => value ?? []);

/** Of an opportunity only where it stands, what it is worth, when it was made and when its status changed last. */
export const OPPORTUNITY = z.object({
  id,
  pipelineId: text,
  pipelineStageId: text,
  status: word,
  monetaryValue: amount,
  createdAt: at,
  lastStatusChangeAt: at,
}).transform((row) => ({
  id: row.id,
  pipeline_id: row.pipelineId,
  stage_id: row.pipelineStageId,
  status: row.status ?? "unknown",
  value: row.monetaryValue ?? 0, // an opportunity need not be worth anything
  created_at: row.createdAt,
  changed_at: row.lastStatusChangeAt,
}));
export type Opportunity = z.output<typeof OPPORTUNITY>;

const STAGE = z.object({ id, name: text, position: z.number().nullish().catch(null) });
/** A pipeline, its stages by their position. */
export const PIPELINE = z.object({ id, name: text, stages: z.array(STAGE).nullish().catch(null) })
  .transform(({ stages, ...row }) => ({
    ...row,
    stages: (stages ?? []).map((stage, index) => ({ ...stage, position: stage.position ?? index }))
      .sort((a, b) => a.position - b.position),
  }));
export type Pipeline = z.output<typeof PIPELINE>;

export const CALENDAR = z.object({ id, name: text });

/** Some answers of the vendor's misspell the name of the status. */
export const APPOINTMENT = z.object({
  id,
  contactId: text,
  appointmentStatus: word,
  appoinmentStatus: word,
  startTime: at,
  endTime: at,
  dateAdded: at,
  deleted: gone,
}).transform((row) => ({
  id: row.id,
  contact_id: row.contactId,
  deleted: row.deleted,
  status: row.appointmentStatus ?? row.appoinmentStatus ?? "unknown",
  start_at: row.startTime,
  end_at: row.endTime,
  added_at: row.dateAdded,
}));
export type Appointment = z.output<typeof APPOINTMENT>;

export const CONVERSATION = z.object({ id, lastMessageDate: at })
  .transform((row) => ({ id: row.id, last_message_at: row.lastMessageDate }));
export type Conversation = z.output<typeof CONVERSATION>;

const META = z.object({
  callStatus: word,
  call: z.object({ status: word }).nullish().catch(null),
}).nullish().catch(null);
/** What a status says of the way of a message to its reader, and nothing of how a call ended. */
const DELIVERY = /^(delivered|opened|pending|read|scheduled|sent|undelivered|clicked|opt_out|queued)$/;
/** How a call ended that says so in its own status alone; null for a message that is none. */
const endOfCall = (type: string | null, status: string | null): string | null =>
  type?.includes("CALL") && status !== null && !DELIVERY.test(status) ? status : null;
/** A message or a call; what was said in it is not kept. */
export const MESSAGE = z.object({
  id,
  messageType: text,
  direction: word,
  contactId: text,
  conversationId: text,
  dateAdded: at,
  status: word,
  meta: META,
}).transform((row) => ({
  id: row.id,
  type: row.messageType ?? "",
  direction: row.direction,
  contact_id: row.contactId,
  conversation_id: row.conversationId ?? row.contactId,
  at: row.dateAdded,
  call_status: row.meta?.call?.status ?? row.meta?.callStatus ?? endOfCall(row.messageType, row.status),
}));
export type Message = z.output<typeof MESSAGE>;

const VALUE = z.object({ id, value: z.unknown() });
const VISIT = z.object({ medium: text, isFirst: z.boolean().nullish().catch(null) });
/** A contact; of its custom fields which are filled in, not what with; of its visits by what the first one came. */
export const CONTACT = z.object({
  id,
  contactName: text,
  firstName: text,
  lastName: text,
  firstNameLowerCase: text,
  lastNameLowerCase: text,
  email: text,
  phone: text,
  tags: texts,
  dateAdded: at,
  dateUpdated: at,
  source: text,
  attributions: z.array(VISIT).nullish().catch(null),
  attributionSource: VISIT.nullish().catch(null),
  customFields: z.array(VALUE).nullish().catch(null),
}).transform((row) => ({
  id: row.id,
  name: row.contactName ?? joined(row.firstName, row.lastName) ??
    joined(row.firstNameLowerCase, row.lastNameLowerCase),
  email: row.email,
  phone: row.phone,
  tags: row.tags,
  added_at: row.dateAdded,
  updated_at: row.dateUpdated,
  source: row.source,
  first_medium: (row.attributions?.find(({ isFirst }) => isFirst === true) ?? row.attributions?.[0] ??
    row.attributionSource)?.medium ?? null,
  filled_fields: (row.customFields ?? []).filter(({ value }) => isFilled(value)).map((field) => field.id),
}));
export type Contact = z.output<typeof CONTACT>;

const joined = (...parts: readonly (string | null)[]) =>
  parts.filter((part) => part !== null).join(" ") || null;

function isFilled(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

export const CUSTOM_FIELD = z.object({ id, name: text, fieldKey: text });
export const TAG = z.object({ id, name: z.string() });
export const WORKFLOW = z.object({
  id,
  name: text,
  status: text,
  version: z.number().nullish().catch(null).transform((value) => value ?? null),
  updatedAt: text,
}).transform(({ updatedAt, ...row }) => ({ ...row, updated_at: updatedAt }));
export type Workflow = z.output<typeof WORKFLOW>;
export const EXECUTION = z.object({ id: text, status: word, createdAt: at, executedAt: at, startedAt: at })
  .transform((row) => ({
    id: row.id,
    status: row.status ?? "unknown",
    at: row.createdAt ?? row.executedAt ?? row.startedAt,
  }));
export const CAMPAIGN = z.object({ id, name: text, status: text });
export const FUNNEL = z.object({ _id: id, name: text }).transform(({ _id, name }) => ({ id: _id, name }));
/** A page of a funnel, which may have been deleted. */
export const FUNNEL_PAGE = z.object({ _id: id, name: text, deleted: gone })
  .transform(({ _id, ...row }) => ({ id: _id, ...row }));

export const SUBMISSION = z.object({
  id,
  formId: text,
  contactId: text,
  name: text,
  email: text,
  createdAt: text,
  others: z.record(z.string(), z.unknown()).nullish().catch(null),
}).transform((row) => ({
  id: row.id,
  form_id: row.formId,
  contact_id: row.contactId,
  name: row.name,
  email: row.email,
  created_at: row.createdAt,
  fields: row.others ?? {},
}));

const PERSON = z.object({ id: text, name: text, email: text, phoneNo: text });
const NUMBER = z.union([z.string(), z.number()]).nullish().catch(null);
export const INVOICE = z.object({
  _id: id,
  status: word,
  liveMode: z.boolean().nullish().catch(null),
  invoiceNumber: NUMBER,
  currency: text,
  total: amount,
  amountPaid: amount,
  amountDue: amount,
  issueDate: text,
  dueDate: text,
  createdAt: text,
  contactDetails: PERSON.nullish().catch(null),
}).transform((row) => ({
  id: row._id,
  number: row.invoiceNumber === null || row.invoiceNumber === undefined ? null : String(row.invoiceNumber),
  status: row.status ?? "unknown",
  live: row.liveMode !== false,
  currency: row.currency?.toUpperCase() ?? null,
  total: row.total,
  amount_paid: row.amountPaid,
  amount_due: row.amountDue,
  issue_date: row.issueDate,
  due_date: row.dueDate,
  created_at: row.createdAt,
  contact: {
    id: row.contactDetails?.id ?? null,
    name: row.contactDetails?.name ?? null,
    email: row.contactDetails?.email ?? null,
    phone: row.contactDetails?.phoneNo ?? null,
  },
}));
export type Invoice = z.output<typeof INVOICE>;

/** Money that moved: what for, how much of it went back, and when it was charged. */
export const PAYMENT = z.object({
  _id: id,
  status: word,
  liveMode: z.boolean().nullish().catch(null),
  markAsTest: z.boolean().nullish().catch(null),
  currency: text,
  amount,
  amountRefunded: amount,
  entityType: word,
  entityId: text,
  entitySourceType: word,
  entitySourceId: text,
  createdAt: at,
  fulfilledAt: at,
}).transform((row) => ({
  id: row._id,
  status: row.status ?? "unknown",
  live: row.liveMode !== false && row.markAsTest !== true,
  currency: row.currency?.toUpperCase() ?? null,
  amount: row.amount,
  refunded: row.amountRefunded ?? 0,
  /** The invoice that was paid; null where it was something else. */
  invoice: row.entityType === "invoice"
    ? row.entityId ?? row._id
    : row.entitySourceType === "invoice"
    ? row.entitySourceId ?? row.entityId ?? row._id
    : null,
  at: row.fulfilledAt ?? row.createdAt,
}));
export type Payment = z.output<typeof PAYMENT>;
