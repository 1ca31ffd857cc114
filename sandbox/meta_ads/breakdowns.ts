/** The combinations that Meta's documentation lists; every other is refused in its words. */
import { bad } from "./answers.ts";

/** Combinations that may stand with action_type, action_target_id and action_destination too. */
const JOINABLE = [
  "",
  "age",
  "gender",
  "age,gender",
  "country",
  "region",
  "publisher_platform",
  "publisher_platform,impression_device",
  "publisher_platform,platform_position",
  "publisher_platform,platform_position,impression_device",
  "publisher_platform,device_platform",
  "publisher_platform,platform_position,device_platform",
  "product_id",
  "hourly_stats_aggregated_by_advertiser_time_zone",
  "hourly_stats_aggregated_by_audience_time_zone",
  "action_device",
  "action_device,impression_device",
  "action_device,publisher_platform",
  "action_device,publisher_platform,impression_device",
  "action_device,publisher_platform,platform_position",
  "action_device,publisher_platform,platform_position,impression_device",
];
const CARDS = ["", "impression_device", "country", "age", "gender", "age,gender"];
const OTHERS = [
  "action_reaction",
  "action_reaction,action_type",
  "app_id,skan_conversion_id",
  ...["action_carousel_card_id", "action_carousel_card_name"].flatMap((card) =>
    CARDS.flatMap((one) => [[card, one], [card, one, "action_type"]]).map((set) =>
      set.filter(Boolean).join(",")
    )
  ),
  ...["ad_format", "body", "call_to_action", "description", "image", "link_url", "title", "video"].flatMap((
    asset,
  ) => ["", "age", "gender", "age,gender"].map((one) => [`${asset}_asset`, one].filter(Boolean).join(","))),
];
const FREE = ["action_type", "action_target_id", "action_destination"];
const keyOf = (names: readonly string[]) => names.toSorted().join(",");
const KNOWN_JOINABLE = new Set(JOINABLE.map((one) => keyOf(one.split(",").filter(Boolean))));
const KNOWN = new Set(OTHERS.map((one) => keyOf(one.split(","))));
/** Alone, these are refused. */
const PARTNERED = new Set(["platform_position"]);

/** Refuses breakdowns that do not go together. */
export function assertCombinable(breakdowns: readonly string[], actions: readonly string[]): void {
  const all = [...breakdowns, ...actions];
  const joined = all.filter((one) => !FREE.includes(one));
  const alone = joined.length === 1 && !PARTNERED.has(joined[0]!);
  if (alone || KNOWN_JOINABLE.has(keyOf(joined)) || KNOWN.has(keyOf(all)) || KNOWN.has(keyOf(joined))) return;
  throw bad(`Current combination of data breakdown columns (${all.join(", ")}) is invalid`);
}

/** Refuses fields that a breakdown cannot have. */
export function unavailable(fields: readonly string[], breakdowns: readonly string[]): void {
  const hourly = breakdowns.some((one) => one.startsWith("hourly_stats_"));
  const field = fields.find((one) =>
    (hourly && (one.startsWith("video_") || one.startsWith("unique_"))) ||
    (breakdowns.includes("region") && /^video_(p\d+|avg_time)_watched_actions$/.test(one))
  );
  if (field !== undefined) throw bad(`${field} field is not supported with these breakdowns`);
}

/** Whether a report may have no rows for an ad account that has not opted in (docs/upstreams/meta.md, "Breakdowns"). */
export function needsOptIn(query: URLSearchParams): boolean {
  const asked = (query.get("breakdowns") ?? "").split(",");
  return ["impression_device", "frequency_value", "hourly_stats_aggregated_by_audience_time_zone"].some((
    one,
  ) => asked.includes(one));
}

/** Whether a report by these has nothing of what was done outside Meta's own apps. */
export const hidesOffMeta = (breakdowns: readonly string[]): boolean =>
  breakdowns.some((one) =>
    ["region", "dma", "comscore_market"].includes(one) || one.startsWith("hourly_stats_")
  );
