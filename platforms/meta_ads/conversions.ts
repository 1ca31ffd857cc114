/** One count for each conversion of a report's row: Meta lists the same one under several names (docs/upstreams/meta.md, "Actions"). */
import { DECIMALS, type Money, moneyOf } from "../../core/money.ts";
import { isFields } from "../../core/values.ts";
import { unreadable } from "./refusals.ts";

/** What happened because of the ads, counted once. */
export interface Conversion {
  readonly count: number;
  /** The entries of `actions` that it was counted from; more than one only where no entry is their sum. */
  readonly action_types: readonly string[];
  /** What it was worth, where action_values were asked for. */
  readonly value?: Money | null;
}

interface Kind {
  readonly name: string;
  /** Entries that are the whole, the one that counts every channel first. */
  readonly totals: readonly string[];
  /** Entries that are a part: of each channel the first that is there. */
  readonly channels: readonly (readonly string[])[];
}

const PIXEL = "offsite_conversion.fb_pixel_";
const MOBILE = "app_custom_event.fb_mobile_";

/** An event of the vendor's standard list, by its names on a website and in an app. */
const standard = (name: string, pixel = name, mobile = name, ...onsite: readonly string[]): Kind => ({
  name,
  totals: [`omni_${name}`, name],
  channels: [[`${PIXEL}${pixel}`], [`${MOBILE}${mobile}`], [`onsite_conversion.${name}`, ...onsite]],
});
/** An event whose entries are named by where it happened. */
const placed = (name: string): Kind => ({
  name,
  totals: [`${name}_total`],
  channels: [[`${name}_website`], [`${name}_mobile_app`], [`${name}_offline`]],
});

const KINDS: readonly Kind[] = [
  standard("purchase", "purchase", "purchase", "onsite_web_purchase"),
  {
    name: "lead",
    totals: ["omni_lead", "lead"],
    channels: [
      [`${PIXEL}lead`],
      [`${MOBILE}lead`],
      ["onsite_conversion.lead_grouped", "leadgen_grouped", "leadgen.other"],
    ],
  },
  standard("complete_registration"),
  standard("add_to_cart"),
  {
    name: "initiated_checkout",
    totals: ["omni_initiated_checkout", "initiate_checkout"],
    channels: [[`${PIXEL}initiate_checkout`], [`${MOBILE}initiated_checkout`]],
  },
  standard("view_content", "view_content", "content_view"),
  standard("search"),
  standard("add_payment_info"),
  standard("add_to_wishlist"),
  {
    name: "app_install",
    totals: ["omni_app_install", "app_install"],
    channels: [["mobile_app_install"]],
  },
  {
    name: "messaging_conversation_started",
    totals: ["onsite_conversion.messaging_conversation_started_7d"],
    channels: [],
  },
  ...[
    "contact",
    "schedule",
    "submit_application",
    "subscribe",
    "start_trial",
    "donate",
    "find_location",
    "customize_product",
  ].map(placed),
];

/**
 * The sum of each kind of action; none where Meta left the list out. Entries that are split by something else too are its
 * parts. Throws E_UPSTREAM for a list that is none, and for an entry whose value is no number: they would count as nothing.
 */
function sums(row: Readonly<Record<string, unknown>>, name: string): Map<string, number> {
  const list = row[name] ?? [];
  if (!Array.isArray(list)) throw unreadable(`${name} is not of the usual form`);
  const found = new Map<string, number>();
  for (const entry of list) {
    if (!isFields(entry)) throw unreadable(`${name} is not of the usual form`);
    const { action_type, value } = entry as { action_type?: unknown; value?: unknown };
    if (typeof action_type !== "string" || value === undefined || value === null) continue; // by some breakdowns without one
    if (typeof value !== "number") throw unreadable(`a value of ${name} is not of the usual form`);
    found.set(action_type, (found.get(action_type) ?? 0) + value);
  }
  return found;
}

function entriesOf({ totals, channels }: Kind, found: ReadonlyMap<string, number>): readonly string[] {
  const whole = totals.find((one) => found.has(one));
  if (whole !== undefined) return [whole];
  return channels.flatMap((names) => names.filter((one) => found.has(one)).slice(0, 1));
}

/**
 * The conversions of a row whose numbers are numbers, none where it has none; null where actions were not asked for, or
 * not by type. What Meta leaves out of a row is 0.
 */
export function conversionsOf(
  row: Readonly<Record<string, unknown>>,
  asked: { readonly fields: readonly string[]; readonly action_breakdowns?: readonly string[] | undefined },
  currency: string | null,
): Record<string, Conversion> | null {
  const { fields, action_breakdowns = [] } = asked;
  const byType = action_breakdowns.length === 0 || action_breakdowns.includes("action_type");
  if (!byType || !fields.includes("actions") && !fields.includes("conversions")) return null;
  const counts = new Map([...sums(row, "actions"), ...sums(row, "conversions")]);
  const worth = new Map([...sums(row, "action_values"), ...sums(row, "conversion_values")]);
  const valued = fields.includes("action_values") || fields.includes("conversion_values");
  const kinds = KINDS.flatMap((kind) => {
    const action_types = entriesOf(kind, counts);
    if (action_types.length === 0) return [];
    const sum = (of: ReadonlyMap<string, number>) =>
      action_types.reduce((all, one) => all + (of.get(one) ?? 0), 0);
    const value = valued ? { value: moneyOf(sum(worth), DECIMALS.whole, currency) } : {};
    return [[kind.name, { count: sum(counts), action_types, ...value }] as const];
  });
  return Object.fromEntries(kinds);
}
