/** The figures of a group of cells, as text with the digits Meta writes. */
import type { Account, Cell, World } from "./world.ts";

/** What is summed, and what of. */
interface Summed {
  readonly world: World;
  readonly account: Account;
  readonly level: string;
  readonly cells: readonly Cell[];
  /** Whether what was done outside Meta's own apps is left out. */
  readonly on_meta_only: boolean;
}

/** Currencies whose coins Meta does not count (docs/upstreams/meta.md, "Amounts"). */
const WHOLE = "CLP COP CRC HUF IDR ISK JPY KRW PYG TWD VND".split(" ");
/** How many of what Meta counts make one unit of a currency. */
const offsetOf = (currency: string) => WHOLE.includes(currency) ? 1 : 100;

const DEVICES = ["desktop", "iphone"] as const;
const OTHER = ["1", "2"] as const;

/** The named fields of one row; what has no figure is left out, as Meta does. */
export function metricsOf(
  summed: Summed,
  fields: readonly string[],
  actions: readonly string[],
  windows: readonly string[],
): Record<string, unknown> {
  const all = { ...naming(summed), ...numbers(summed), ...lists(summed, actions, windows) };
  return Object.fromEntries(
    fields.flatMap((name) => all[name] === undefined ? [] : [[name, all[name]] as const]),
  );
}

function naming({ world, account, level, cells }: Summed): Record<string, unknown> {
  const { ad } = cells[0]!;
  const campaign = world.campaigns.find(({ id }) => id === ad["campaign_id"]);
  const adset = world.adsets.find(({ id }) => id === ad["adset_id"]);
  const [of, within] = [level === "account", level === "campaign"];
  return {
    account_id: account.id,
    account_name: account.name,
    account_currency: account.currency,
    ...(of
      ? {}
      : { campaign_id: campaign?.id, campaign_name: campaign?.["name"], objective: campaign?.["objective"] }),
    ...(of || within ? {} : { adset_id: adset?.id, adset_name: adset?.["name"] }),
    ...(level === "ad" ? { ad_id: ad.id, ad_name: ad["name"] } : {}),
  };
}

const sum = (cells: readonly Cell[], of: (cell: Cell) => number) =>
  cells.reduce((all, one) => all + of(one), 0);
const decimal = (value: number) => String(Number(value.toFixed(6)));
const rate = (part: number, whole: number) => whole === 0 ? undefined : decimal(part / whole);

function numbers({ cells, account }: Summed): Record<string, string | undefined> {
  const impressions = sum(cells, (one) => one.impressions);
  const clicks = sum(cells, (one) => one.clicks);
  const offset = offsetOf(account.currency);
  const spend = sum(cells, (one) => one.spend) / offset;
  // The same people are shown several ads on several days.
  const reach = Math.ceil(impressions / (1 + Math.log10(cells.length)));
  return {
    impressions: String(impressions),
    reach: String(reach),
    frequency: rate(impressions, reach),
    clicks: String(clicks),
    unique_clicks: String(Math.ceil(clicks * 0.9)),
    inline_link_clicks: String(sum(cells, (one) => one.inline_link_clicks)),
    spend: offset === 1 ? String(spend) : spend.toFixed(2),
    cpc: rate(spend, clicks),
    cpm: rate(spend * 1000, impressions),
    cpp: rate(spend * 1000, reach),
    ctr: rate(clicks * 100, impressions),
  };
}

type Entry = Record<string, string>;

/** A lead or a purchase as a person counts it, under every name that Meta lists it by ("Actions" of the page). */
function namesOf(type: string, count: number, on_meta_only: boolean): [string, number][] {
  if (count === 0) return [];
  if (type === "link_click") return [[type, count]];
  if (type === "purchase") {
    const names = [
      "omni_purchase",
      "purchase",
      "offsite_conversion.fb_pixel_purchase",
      "onsite_web_app_purchase",
    ];
    return on_meta_only ? [] : names.map((name) => [name, count]);
  }
  const on_forms = Math.floor(count / 3);
  const on_website = on_meta_only ? 0 : count - on_forms;
  const parts: [string, number][] = [
    ["offsite_conversion.fb_pixel_lead", on_website],
    ["onsite_conversion.lead_grouped", on_forms],
    ["lead", on_website + on_forms],
  ];
  return parts.filter(([, value]) => value > 0);
}

function lists(
  { cells, account, on_meta_only }: Summed,
  actions: readonly string[],
  windows: readonly string[],
): Record<string, Entry[] | undefined> {
  const offset = offsetOf(account.currency);
  const spend = sum(cells, (one) => one.spend);
  const counts: [string, number][] = [];
  const costs: [string, number][] = [];
  const values: [string, number][] = [];
  for (const type of ["lead", "link_click", "purchase"]) {
    const count = sum(cells, (one) => one.actions[type] ?? 0);
    const value = sum(cells, (one) => one.values[type] ?? 0);
    const names = namesOf(type, count, on_meta_only);
    counts.push(...names);
    for (const [name, of] of names) costs.push([name, spend / offset / of]);
    if (value > 0) { for (const [name] of names) values.push([name, value / offset]); }
  }
  const list = (entries: [string, number][], split: boolean) =>
    entries.length === 0
      ? undefined
      : entries.flatMap(([type, value]) => entriesOf(type, value, actions, windows, split));
  return {
    actions: list(counts, true),
    unique_actions: list(counts, true),
    action_values: list(values, false),
    cost_per_action_type: list(costs, false),
    conversions: list(counts.filter(([type]) => type !== "link_click"), true),
    outbound_clicks: list(
      counts.filter(([type]) => type === "link_click").map(([, n]) => ["outbound_click", n]),
      true,
    ),
    purchase_roas: list(
      values.filter(([type]) => type === "omni_purchase").map((
        [type, value],
      ) => [type, value / (spend / offset)]),
      false,
    ),
  };
}

/** One entry, or its parts where it is broken down further than by type. */
function entriesOf(
  type: string,
  value: number,
  actions: readonly string[],
  windows: readonly string[],
  split: boolean,
): Entry[] {
  const further = actions.filter((one) => one !== "action_type");
  const named: Entry = actions.includes("action_type") ? { action_type: type } : {};
  const first = split ? Math.floor(value * 0.6) : value;
  const parts = further.length === 0 ? [value] : split ? [first, value - first] : [value];
  return parts.map((part, at) => {
    const keys = further.map((one) => [one, (one === "action_device" ? DEVICES : OTHER)[at]!] as const);
    const shares = windows.map((one) => [one, decimal(part)] as const);
    return { ...named, ...Object.fromEntries(keys), value: decimal(part), ...Object.fromEntries(shares) };
  });
}
