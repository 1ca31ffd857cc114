/** The words of Meta's reports that the stand-in's figures need (facebook-nodejs-business-sdk 26.0.0, ads-insights.js). */

const words = (...texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.join(" ").trim().split(/\s+/));

/** Fields of a report's row: what it is about, its figures, its lists, and what its ads have no figures for. */
export const INSIGHT_FIELDS = words(
  "account_id account_name account_currency campaign_id campaign_name objective adset_id adset_name ad_id ad_name",
  "date_start date_stop",
  "impressions reach frequency spend cpm cpp clicks unique_clicks inline_link_clicks cpc ctr",
  "actions unique_actions action_values cost_per_action_type conversions outbound_clicks purchase_roas",
  "video_p25_watched_actions quality_ranking",
);

/** Breakdowns: those of the people and placements that ads were shown to, and some that no ad here has a value for. */
export const BREAKDOWNS = words(
  "country region age gender",
  "publisher_platform platform_position impression_device device_platform",
  "hourly_stats_aggregated_by_advertiser_time_zone hourly_stats_aggregated_by_audience_time_zone",
  "dma comscore_market frequency_value product_id app_id skan_conversion_id image_asset",
);

/** Breakdowns of lists of actions. */
export const ACTION_BREAKDOWNS = words(
  "action_type action_device action_reaction action_destination action_target_id action_video_type",
  "action_carousel_card_id action_carousel_card_name",
);

/** Attribution windows. */
export const WINDOWS = words("1d_view 7d_view 28d_view 1d_click 7d_click 28d_click default");

/** Named times. */
export const PRESETS = words(`
  data_maximum last_14d last_28d last_30d last_3d last_7d last_90d last_month last_quarter
  last_week_mon_sun last_week_sun_sat last_year maximum this_month this_quarter this_week_mon_today
  this_week_sun_today this_year today yesterday
`);

/** What a row is about. */
export const LEVELS = words(`account campaign adset ad`);

/** States by edge. */
export const STATES: Readonly<Record<string, ReadonlySet<string>>> = {
  campaigns: words(`ACTIVE PAUSED DELETED ARCHIVED IN_PROCESS WITH_ISSUES`),
  adsets: words(`ACTIVE PAUSED DELETED ARCHIVED IN_PROCESS WITH_ISSUES CAMPAIGN_PAUSED`),
  ads: words(`
    ACTIVE PAUSED DELETED ARCHIVED IN_PROCESS WITH_ISSUES CAMPAIGN_PAUSED ADSET_PAUSED DISAPPROVED PENDING_REVIEW
    PENDING_BILLING_INFO PREAPPROVED
  `),
};
