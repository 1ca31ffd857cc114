/** Which breakdowns go together, and with which fields (docs/upstreams/meta.md, "Breakdowns"). */

const [PLATFORM, POSITION, DEVICE] = ["publisher_platform", "platform_position", "impression_device"];

/** Every other breakdown is used alone. */
const TOGETHER: readonly (readonly string[])[] = [
  ["age", "gender"],
  ["app_id", "skan_conversion_id"],
  [PLATFORM!, POSITION!],
  [PLATFORM!, DEVICE!],
  [PLATFORM!, "device_platform"],
  [PLATFORM!, POSITION!, DEVICE!],
  [PLATFORM!, POSITION!, "device_platform"],
];
/** A part of a dynamic creative; it goes with age, gender or both. */
const ASSET = /^(ad_format|body|call_to_action|description|image|link_url|title|video)_asset$/;
const PEOPLE = ["age", "gender"];

/** Kinds of actions that go with every permitted breakdown. */
const JOINABLE: ReadonlySet<string> = new Set(["action_type", "action_target_id", "action_destination"]);
/** The breakdowns that others go with; none is always fine. */
const ACTIONS_WITH: Readonly<Record<string, readonly (readonly string[])[]>> = {
  action_device: [
    [DEVICE!],
    [PLATFORM!],
    [PLATFORM!, DEVICE!],
    [PLATFORM!, POSITION!],
    [PLATFORM!, POSITION!, DEVICE!],
  ],
  action_reaction: [],
  action_carousel_card_id: [[DEVICE!], ["country"], ["age"], ["gender"], PEOPLE],
  action_carousel_card_name: [[DEVICE!], ["country"], ["age"], ["gender"], PEOPLE],
};

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(" and ");
const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one) => b.includes(one));
const listed = (sets: readonly (readonly string[])[]) => sets.map((set) => set.join(" + ")).join(", ");

/** Why these breakdowns cannot be asked for at once, a sentence that begins with the argument; null where they can. */
export function clash(breakdowns: readonly string[], actions: readonly string[]): string | null {
  if (breakdowns.length === 1 && breakdowns[0] === POSITION) {
    return `breakdowns: "${POSITION}" cannot be used alone; give "${PLATFORM}" beside it`;
  }
  const assets = breakdowns.filter((one) => ASSET.test(one));
  const rest = breakdowns.filter((one) => !ASSET.test(one));
  const creative = assets.length === 1 && rest.every((one) => PEOPLE.includes(one));
  if (breakdowns.length > 1 && !creative && !TOGETHER.some((set) => same(set, breakdowns))) {
    return `breakdowns: ${quoted(breakdowns)} do not go together; only ${listed(TOGETHER)}, and an asset ` +
      "with age, gender or both, do, and every other is used alone";
  }
  for (const action of actions) {
    const sets = ACTIONS_WITH[action];
    if (sets === undefined || breakdowns.length === 0 || sets.some((set) => same(set, breakdowns))) continue;
    const allowed = sets.length === 0 ? "no breakdowns" : listed(sets);
    return `action_breakdowns: "${action}" does not go with breakdowns ${
      quoted(breakdowns)
    }; it goes with ${allowed}`;
  }
  if (actions.includes("action_reaction")) {
    const beside = actions.filter((one) => one !== "action_reaction" && one !== "action_type");
    if (beside.length > 0) return `action_breakdowns: "action_reaction" goes with "action_type" alone`;
  }
  const special = actions.filter((one) => !JOINABLE.has(one));
  return special.length > 1
    ? `action_breakdowns: ${quoted(special)} do not go together; give one of them, beside any of ${
      [...JOINABLE].join(", ")
    }`
    : null;
}

const HOURLY = /^hourly_stats_/;
const ASSET_FIELDS: ReadonlySet<string> = new Set(
  ["impressions", "clicks", "spend", "reach", "actions", "action_values"],
);
/** What tells a row from others, whatever it is broken down by. */
const NAMING = /^(account|campaign|adset|ad)_(id|name|currency)$|^date_/;

/** Which fields a breakdown cannot have, and why. */
const UNFIT: readonly [breakdown: RegExp, field: (name: string) => boolean, why: string][] = [
  [
    HOURLY,
    (name) => /^(unique_|cost_per_unique_|video_)|^(reach|frequency|cpp)$/.test(name),
    "is not counted by the hour",
  ],
  [/^region$/, (name) => /^video_(p\d+|avg_time)_watched_actions$/.test(name), "is not counted by region"],
  [
    /^dma$/,
    (name) => /^(estimated_ad_recall_rate|video_thruplay_watched_actions)$/.test(name),
    "is not counted by market area",
  ],
  [/^frequency_value$/, (name) => name !== "reach", "is not counted by frequency, only reach is"],
  [
    ASSET,
    (name) => !ASSET_FIELDS.has(name),
    `is not counted by asset, only ${[...ASSET_FIELDS].join(", ")} are`,
  ],
];

/** Why a field cannot be in rows with these breakdowns, as the end of a sentence; null where it can. */
export function unfit(field: string, breakdowns: readonly string[]): string | null {
  if (NAMING.test(field)) return null;
  const found = UNFIT.find(([of, without]) => without(field) && breakdowns.some((one) => of.test(one)));
  return found?.[2] ?? null;
}
