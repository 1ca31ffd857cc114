/** What Meta does not say: why a report or a list is empty, and what a breakdown takes out of its rows. */
import { dayIn } from "../../core/zoned_day.ts";
import type { DayRange } from "../../rules/comparison.ts";
import type { Period } from "../../rules/data_head.ts";
import { unsettledSince } from "./days.ts";
import type { AccountFacts } from "./rows.ts";
import { DEFAULT_PRESET, type ReportArgs } from "./report.ts";

const HOURLY = "hourly_stats_";
/** Since August 2026 an ad account has to ask for these, or a report by them may have no rows. */
const needsOptIn = (name: string) =>
  name === "impression_device" || name === "frequency_value" || name.startsWith(HOURLY);
/** With these, what was done outside Meta's own apps is not in a report at all. */
const hidesOffMeta = (name: string) =>
  ["region", "dma", "comscore_market", "comscore_market_code"].includes(name) || name.startsWith(HOURLY);
/** With these it is there without their value, but for what was done in mobile apps. */
const ACTIONS_HIDING: ReadonlySet<string> = new Set([
  "action_device",
  "action_destination",
  "action_target_id",
  "action_carousel_card_id",
  "action_carousel_card_name",
  "action_canvas_component_name",
  "product_id",
]);

/** Whether a figure counts, or is worked out from, what people did. */
const countsActions = (name: string) =>
  ["actions", "action_values", "conversions", "conversion_values", "results", "result_rate"].includes(name) ||
  name.startsWith("cost_per_action") || name.startsWith("cost_per_conversion") || name.endsWith("_roas") ||
  name.startsWith("converted_product");

/** Notes where a breakdown leaves out what was done outside Meta's own apps: on the website, in an app, in a shop. */
export function offMetaNotes(
  { breakdowns = [], action_breakdowns = [] }: ReportArgs,
  asked: readonly string[],
): string[] {
  const fields = asked.filter(countsActions);
  if (fields.length === 0) return [];
  const hiding = breakdowns.filter(hidesOffMeta);
  if (hiding.length > 0) {
    return [
      `${fields.join(", ")}: with ${
        hiding.join(", ")
      } Meta leaves out what people did outside its own apps, such as ` +
      "leads and purchases on the website; ask without it for all of them",
    ];
  }
  const partly = [...breakdowns, ...action_breakdowns].filter((one) => ACTIONS_HIDING.has(one));
  if (partly.length === 0) return [];
  return [
    `${fields.join(", ")}: with ${
      partly.join(", ")
    } Meta counts what people did on websites without saying which, and ` +
    "leaves out what they did in mobile apps; ask without it for all of them",
  ];
}

/** Whether a report by it may be empty although ads were shown. */
export const isSilencing = (name: string): boolean => needsOptIn(name) || name === "dma";

/** What is to be known of a report's days: that Meta still changes them, that they are not over, or before the account. */
export function timeNotes(
  { from, to, time_zone }: Period,
  facts: AccountFacts | null,
  now: number,
): string[] {
  const unsettled = unsettledSince(time_zone, now);
  const today = dayIn(now, time_zone);
  const created = facts?.created ?? null;
  return [
    ...today !== null && to >= today
      ? [`The period is not over: it is ${today} in the ad account's time zone`]
      : [],
    ...to >= unsettled
      ? [
        `Figures of ${
          from >= unsettled ? "these days" : `the days since ${unsettled}`
        } are not final: Meta changes a ` +
        "day's figures for 28 days, as people convert later than they saw an ad",
      ]
      : [],
    ...created !== null && from < created
      ? [`The ad account was made on ${created}; of the days before there is nothing`]
      : [],
  ];
}

/** What is said of rows that name other days than those that were asked for. */
export function otherDays(said: DayRange, asked: DayRange): string[] {
  if (said.from === asked.from && said.to === asked.to) return [];
  return [`Meta counted ${said.from} to ${said.to}, and not the days that were asked for`];
}

/** Why a report has no rows on its first page. */
export function emptyReport(args: ReportArgs, after: string | null): string {
  const { breakdowns = [], time_range, date_preset = DEFAULT_PRESET } = args;
  if (after !== null) return "This page has no rows, and there are more pages; ask again with paging.after";
  const asking = breakdowns.filter(needsOptIn);
  if (asking.length > 0) {
    return `No rows: since 3 August 2026 Meta may answer nothing by ${
      asking.join(", ")
    } for an ad account that has ` +
      "not opted in, which its administrator does in Ads Manager; so this does not say that nothing was shown. Ask " +
      "without it for the totals";
  }
  if (breakdowns.includes("dma")) {
    return "No rows: Meta ended dma in June 2026; ask by comscore_market instead";
  }
  const time = time_range === undefined ? date_preset : `${time_range.since} to ${time_range.until}`;
  const by = breakdowns.length > 0
    ? `, or has no figures by ${breakdowns.join(", ")}; ask without breakdowns to see which`
    : "";
  return `No rows: the ad account showed no ads in this time (${time})${by}`;
}
