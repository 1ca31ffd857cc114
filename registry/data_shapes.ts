/** Parts of answers that tell figures, in the form that manifests write results in. */

const MONEY = { amount: "string -- in the currency's major unit", currency: "string" };
const PERIOD = { from: "string -- a day or an instant", to: "string", "time_zone~": "string" };

const EVENTS = { "events~": "integer", "page_views~": "integer", "sessions_pct~": "number -- percent" };
const EVENTS_SUM = { "events~": "integer", "page_views~": "integer" };
const BEHAVIOR_NAMED = { "name~": "string", sessions: "integer" };
const TOP_NAMED = { "name~": "string", "sessions~": "integer" };

/** A site's own analytics, and those of its advertisements. */
export const DATA_SHAPES: Readonly<Record<string, unknown>> = {
  money: MONEY,
  period: PERIOD,
  /** What every answer with figures begins with, and its notes. */
  head: {
    "period~": PERIOD,
    "currency~": "string -- of money in it",
    complete: "boolean -- false where figures of the period are still to come",
    truncated: "boolean -- whether there is more than was answered",
    "next~": { $: "arguments of the call that reads on", "*": "string | number" },
    "fresh_until~": "date-time",
    notes: ["string"],
  },
  /** The figures of another period beside those of the answer. */
  compared: { period: PERIOD, complete: "boolean", truncated: "boolean", notes: ["string"] },
  changed_row: {
    $: "Of each figure how it changed: abs, and pct in percent; what names the row as it is",
    "*": "any -- of a figure abs and pct, of a group of figures the same by name",
  },
  analytics_row: {
    $: "By the name of the dimension or metric; money has the metrics that are money",
    "money?": { "*~": MONEY },
    "*": "string | number | null",
  },
  analytics_flags: {
    sampled: "boolean",
    thresholded: "boolean",
    other_row: "boolean",
    cut_off: ["string | null"],
  },
  search_row: {
    keys: ["string -- a value for each dimension"],
    clicks: "integer",
    impressions: "integer",
    ctr: "number -- share of 1",
    "position~": "number",
  },
  seo_report_analytics: {
    totals: { "money?": { "*~": MONEY }, "*": "string | number | null" },
    by_channel: [{ channel: "string", "money?": { "*~": MONEY }, "*": "string | number | null" }],
  },
  seo_report_search: {
    totals: {
      clicks: "integer",
      impressions: "integer",
      "ctr~": "number -- share of 1",
      "position~": "number",
    },
    top_queries: [{
      query: "string",
      clicks: "integer",
      impressions: "integer",
      ctr: "number -- share of 1",
      "position~": "number",
    }],
  },
  insights_row: {
    $: "The fields and breakdowns that were asked for",
    "money?": { "*~": MONEY },
    "conversion_counts?": { "*": { count: "number", "value?": "$money", action_types: ["string"] } },
    "*": "any -- of a field its figure or text, of a list of actions action_type and value",
  },
  social_account: {
    id: "string",
    "name~": "string",
    account_status: "integer",
    "account_status_label?": "string",
    "amount_spent~": "number -- minor units of the currency",
  },
  social_row: {
    id: "string",
    "name~": "string",
    "status~": "string",
    "effective_status~": "string",
  },
  behavior_events: EVENTS,
  behavior_named: BEHAVIOR_NAMED,
  behavior_quota: {
    used_today: "integer",
    limit: "integer",
    left: "integer",
    exhausted: "boolean",
    resets_at: "date-time",
    reserved: "integer -- kept for the daily snapshot",
  },
  behavior_heat: {
    rage_clicks: EVENTS,
    dead_clicks: EVENTS,
    quickbacks: EVENTS,
    excessive_scroll: EVENTS,
    error_clicks: EVENTS,
    "scroll_depth~": "number -- percent",
  },
  behavior_pull: {
    project_id: "string",
    cached: "boolean",
    fetched_at: "date-time",
    quota: "$behavior_quota",
  },
  behavior_history: {
    totals: {
      "sessions~": "integer",
      "bot_sessions~": "integer",
      "distinct_users_sum~": "integer",
      dead_clicks: EVENTS_SUM,
      rage_clicks: EVENTS_SUM,
      excessive_scroll: EVENTS_SUM,
      quickbacks: EVENTS_SUM,
      script_errors: EVENTS_SUM,
      error_clicks: EVENTS_SUM,
    },
    averages: {
      "pages_per_session~": "number",
      "avg_total_time_s~": "number",
      "avg_active_time_s~": "number",
      "avg_scroll_depth~": "number -- percent",
      sessions_pct: { "*~": "number -- percent" },
    },
    top: {
      devices: [TOP_NAMED],
      browsers: [TOP_NAMED],
      os: [TOP_NAMED],
      countries: [TOP_NAMED],
      pages: [TOP_NAMED],
      titles: [TOP_NAMED],
      referrers: [TOP_NAMED],
    },
  },
};
