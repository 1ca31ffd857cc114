/** What a location of the CRM holds, in the vendor's own shapes. */

type Row = Readonly<Record<string, unknown>>;

export interface Contact extends Row {
  readonly id: string;
  readonly dateAdded?: string;
  readonly dateUpdated?: string;
  readonly tags: readonly string[];
  /** Ids of workflows; never answered. */
  readonly activeWorkflows?: readonly string[];
  readonly finishedWorkflows?: readonly string[];
}
export interface Opportunity extends Row {
  readonly id: string;
  readonly pipelineId: string;
  readonly status: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** When it was last opened, won, lost or abandoned; rows that were imported may say a day before they were made. */
  readonly lastStatusChangeAt?: string;
}
export interface Event extends Row {
  readonly id: string;
  readonly calendarId: string;
  readonly startTime: string;
}
export interface Message extends Row {
  readonly id: string;
  readonly messageType: string;
  readonly conversationId: string;
  readonly dateAdded: string;
}
export interface Conversation extends Row {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly lastMessageDate: number;
}
export interface Submission extends Row {
  readonly formId: string;
  readonly createdAt: string;
}
export interface Invoice extends Row {
  readonly status: string;
  /** `YYYY-MM-DD` at the beginning. */
  readonly issueDate?: string;
}
/** Money that moved. Fields as in the vendor's file; `markAsTest` as public clients of the route read it. */
export interface Transaction extends Row {
  readonly _id: string;
  readonly status: string;
  readonly amount: number;
  readonly amountRefunded?: number;
  readonly createdAt: string;
  /** When it was charged: for a bank transfer days after it was begun. */
  readonly fulfilledAt?: string;
}
export interface Named extends Row {
  readonly id: string;
  readonly name: string;
}

/** One location. */
export interface World {
  readonly location: { readonly id: string; readonly name: string; readonly timezone?: string };
  readonly pipelines: (Named & { readonly stages: readonly Row[] })[];
  readonly opportunities: Opportunity[];
  readonly calendars: Named[];
  readonly events: Event[];
  readonly conversations: Conversation[];
  readonly messages: Message[];
  readonly contacts: Contact[];
  readonly tags: Named[];
  readonly customFields: Named[];
  readonly workflows: (Named & { readonly status: string })[];
  /** By workflow; a route that is not there where left out. */
  executions?: Readonly<Record<string, readonly Row[]>>;
  readonly campaigns: (Named & { readonly status: string })[];
  readonly funnels: (Row & { readonly _id: string })[];
  readonly pages: (Row & { readonly _id: string; readonly funnelId: string })[];
  readonly submissions: Submission[];
  readonly invoices: Invoice[];
  readonly transactions: Transaction[];
}

/** A location with nothing in it. */
export function emptyWorld(id: string, timezone?: string): World {
  return {
    location: { id, name: "Harbour Dental", ...(timezone === undefined ? {} : { timezone }) },
    pipelines: [],
    opportunities: [],
    calendars: [],
    events: [],
    conversations: [],
    messages: [],
    contacts: [],
    tags: [],
    customFields: [],
    workflows: [],
    campaigns: [],
    funnels: [],
    pages: [],
    submissions: [],
    invoices: [],
    transactions: [],
  };
}
