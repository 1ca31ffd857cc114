/** Parts of answers of the CRM's tools, in the form that manifests write results in. */
import { DATA_SHAPES } from "./data_shapes.ts";

const RATE = "number -- share of 1; null where there is nothing to divide by";
const SUMS: Readonly<Record<string, string>> = Object.fromEntries([
  "collected",
  "refunded",
  "average_collected_per_paid_invoice",
  "collected_by_issue_date",
  "invoiced",
  "outstanding",
  "average_invoice_total",
].map((name) => [`${name}~`, "number"]));
const SUMS_AS_MONEY = Object.fromEntries(Object.keys(SUMS).map((name) => [name, "$money"]));
const TOTALS = { opportunities: "integer", value: "number", by_status: { "*": "integer" } };

/** Rates are shares of 1 and sums are in the currency's major unit. */
export const CRM_SHAPES: Readonly<Record<string, unknown>> = {
  crm_head: {
    ...DATA_SHAPES["head"] as Readonly<Record<string, unknown>>,
    location_id: "string",
    "window~": { "start_at~": "date-time", end_at: "date-time", days: "integer", timezone: "string" },
  },
  crm_sampling: {
    "limit~": "integer",
    examined: "integer",
    "total?": "integer",
    truncated: "boolean",
  },
  crm_workflow: {
    id: "string",
    name: "string",
    status: "string",
    "version~": "integer",
    "updated_at~": "date-time",
  },
  crm_executions: { "success~": "integer", "failed~": "integer", "error~": "integer" },
  crm_form_rate: {
    new_contacts: "integer",
    attributed: "integer",
    "rate~": RATE,
    signals: { by_tag: "integer", by_field: "integer", by_attribution: "integer", by_source: "integer" },
    with_attribution: "integer",
  },
  crm_leads: {
    new_leads: "integer",
    new_leads_booked: "integer",
    "lead_to_book_rate~": RATE,
    appointments_in_window: { total: "integer", by_status: { "*": "integer" } },
  },
  crm_textback: {
    missed_calls: "integer",
    texted_back: "integer",
    "rate~": RATE,
    "median_delay_seconds~": "number",
  },
  crm_no_show: {
    total: "integer",
    by_status: { "*": "integer" },
    "no_show_rate~": RATE,
    "no_show_rate_excluding_cancelled~": RATE,
    "no_show_rate_of_ended~": RATE,
    ended: "integer",
    unmarked: "integer",
    calendars_left_out: [{ id: "string", name: "string" }],
  },
  crm_opt_ins: { total_opt_ins: "integer", total_views: "null", opt_in_rate: "null" },
  crm_funnel: {
    pipelines: [{
      id: "string",
      name: "string",
      stages: [{
        id: "string",
        name: "string",
        position: "integer",
        count: "integer",
        reached: "integer",
        "conversion_from_previous~": RATE,
      }],
      unmapped: { $: "How many stand in a stage that is gone, by its id", "*": "integer" },
      totals: TOTALS,
    }],
    totals: TOTALS,
  },
  crm_revenue: { invoices: "integer", "payments~": "integer", ...SUMS, "money~": SUMS_AS_MONEY },
  crm_top_invoice: {
    id: "string",
    "number~": "string",
    status: "string",
    total: "number",
    money: { total: "$money" },
    currency: "string",
    "issue_date~": "string",
    "contact_name~": "string",
  },
  crm_sms: {
    outbound: "integer",
    inbound: "integer",
    "reply_rate~": "number -- inbound by outbound",
    conversations_messaged: "integer",
    conversations_replied: "integer",
    "conversation_reply_rate~": RATE,
  },
  crm_delta: { "abs~": "number", "pct~": "number -- percent" },
  crm_window_figures: {
    window: { start_at: "date-time", end_at: "date-time", days: "integer", timezone: "string" },
    "opportunities~": "integer",
    "won~": "integer",
    "lost~": "integer",
    "win_rate~": RATE,
    "appointments~": "integer",
    "no_show_rate~": RATE,
    "no_show_rate_of_ended~": RATE,
    "incomplete~": "string -- why its figures are not whole",
  },
  crm_baseline: {
    "pipeline?": { opportunities: "integer", value: "number" },
    "appointments?": { total: "integer", "no_show_rate~": RATE, "no_show_rate_of_ended~": RATE },
    "sms?": { outbound: "integer", inbound: "integer", "conversation_reply_rate~": RATE },
    "forms?": { total: "integer" },
    "revenue?": {
      "collected?~": "number",
      "invoiced?~": "number",
      "by_currency?": { "*": { "collected~": "number", invoiced: "number" } },
    },
  },
};
