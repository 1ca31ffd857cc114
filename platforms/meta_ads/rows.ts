/** What Meta's answers hold, read into plain values: numbers where Meta writes numbers as text. */
import { z } from "zod";
import { dayOf, isTimeZone } from "../../core/zoned_day.ts";
import type { DayRange } from "../../rules/comparison.ts";
import { unreadable } from "./refusals.ts";

const NUMBER = /^-?\d+(\.\d+)?$/;

/** A number that Meta wrote as text; what would lose digits stays text. */
function numberOf(text: string): number | string {
  const number = Number(text);
  return NUMBER.test(text) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

const text = z.string().nullish().transform((value) => value ?? null);
/** An amount in the part of the account's currency that Meta counts in (currencies.ts). */
const amount = z.union([z.number(), z.string().regex(NUMBER).transform(Number)]).nullish()
  .transform((value) => value ?? null);
/** A budget; Meta writes 0 for the kind of budget that is not used. */
const budget = amount.transform((value) => value === 0 ? null : value);
const id = z.string().min(1);

const STATUSES: Readonly<Record<number, string>> = {
  1: "ACTIVE",
  2: "DISABLED",
  3: "UNSETTLED",
  7: "PENDING_RISK_REVIEW",
  8: "PENDING_SETTLEMENT",
  9: "IN_GRACE_PERIOD",
  100: "PENDING_CLOSURE",
  101: "CLOSED",
  201: "ANY_ACTIVE",
  202: "ANY_CLOSED",
};

const listed = { id, name: text, currency: text, account_status: z.int(), amount_spent: amount };
/** The status in words behind its number. */
function labelled<T extends { account_status: number; amount_spent: number | null }>(
  { amount_spent, ...rest }: T,
) {
  return { ...rest, account_status_label: STATUSES[rest.account_status] ?? "UNKNOWN", amount_spent };
}

/** What figures of an ad account are to be read by. */
export interface AccountFacts {
  readonly currency: string | null;
  /** In which its days are; null where nobody knows it. */
  readonly time_zone: string | null;
  /** The day it was made; null where Meta does not say. */
  readonly created: string | null;
}

function factsOf(
  { currency, timezone_name, created_time }: {
    readonly currency: string | null;
    readonly timezone_name: string | null;
    readonly created_time: string | null;
  },
): AccountFacts {
  const isKnown = timezone_name !== null && isTimeZone(timezone_name);
  const made = created_time === null ? NaN : Date.parse(created_time);
  return {
    currency,
    time_zone: isKnown ? timezone_name : null,
    created: Number.isNaN(made) ? null : dayOf(made, isKnown ? timezone_name : "UTC"),
  };
}

const facts = { currency: text, timezone_name: text, created_time: text };
export const FACTS = z.object(facts).transform(factsOf);
/** An ad account in a list. */
export const LISTED_ACCOUNT = z.object(listed).transform(labelled);
/** The site's own, with what it may spend. */
export const ACCOUNT = z.object({ ...listed, spend_cap: amount, balance: amount, timezone_name: text })
  .transform(({ spend_cap, balance, timezone_name, ...rest }) => ({
    ...labelled(rest),
    spend_cap,
    balance,
    timezone: timezone_name,
  }));
const campaign = z.object({
  id,
  name: text,
  objective: text,
  status: text,
  effective_status: text,
  daily_budget: budget,
  lifetime_budget: budget,
  budget_remaining: amount,
  start_time: text,
  stop_time: text,
});
/** Where the ad sets have the budgets Meta writes 0 for what is left, as of a budget that is spent. */
export const CAMPAIGN = campaign.transform((one) =>
  one.daily_budget === null && one.lifetime_budget === null ? { ...one, budget_remaining: null } : one
);
export const ADSET = z.object({
  id,
  name: text,
  campaign_id: text,
  status: text,
  effective_status: text,
  daily_budget: budget,
  lifetime_budget: budget,
  optimization_goal: text,
  billing_event: text,
  start_time: text,
  end_time: text,
});
export const AD = z.object({
  id,
  name: text,
  status: text,
  effective_status: text,
  adset_id: text,
  campaign_id: text,
  creative: z.object({ id, name: text }).nullish().transform((value) => value ?? null),
});

/** The fields that a shape needs, as Meta is asked for them. */
export const FIELDS_OF = {
  account:
    "id,account_id,name,currency,account_status,amount_spent,spend_cap,balance,timezone_name,created_time",
  accounts: "id,name,currency,account_status,amount_spent",
  facts: `account_id,${Object.keys(facts).join(",")}`,
  campaigns: `${Object.keys(campaign.shape).join(",")},account_id`,
  adsets: `${Object.keys(ADSET.shape).join(",")},account_id`,
  ads: "id,name,status,effective_status,adset_id,campaign_id,creative{id,name},account_id",
} as const;

/** A page of rows. */
export const PAGE = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  paging: z.object({
    cursors: z.object({ after: z.string().optional() }).optional(),
    next: z.string().optional(),
  }).optional(),
});
export type Row = Readonly<Record<string, unknown>>;

/**
 * The rows of a page, and the cursor of the next one. Meta's own link to it holds the token, and is dropped here but for
 * its cursor. Throws E_UPSTREAM where there is a next page and no way to ask for it.
 */
export function pageOf(json: object): { rows: Row[]; after: string | null } {
  const { data, paging } = read(PAGE, json);
  if (paging?.next === undefined) return { rows: data, after: null };
  const after = paging.cursors?.after || URL.parse(paging.next)?.searchParams.get("after");
  if (!after) throw unreadable("there is a next page, and no cursor of it");
  return { rows: data, after };
}

/** What a shape makes of a value. Throws E_UPSTREAM naming the field that is not as it should be. */
export function read<T>(shape: z.ZodType<T>, value: unknown): T {
  const found = shape.safeParse(value);
  if (found.success) return found.data;
  const at = found.error.issues[0]?.path.map(String).join(".") || "the answer";
  throw unreadable(`${at} is not of the usual form`);
}

/** The currency that a report's row is in. */
export const currencyOf = ({ account_currency: code }: Row): string | null =>
  typeof code === "string" && code !== "" ? code : null;

/** The days that a row says it is about; null where it does not. */
export function daysOf(row: Row | undefined): DayRange | null {
  const { date_start: from, date_stop: to } = row ?? {};
  return typeof from === "string" && typeof to === "string" ? { from, to } : null;
}

/** Fields of a report that are text even where they look like a number. */
const TEXT_FIELD =
  /_(id|name|currency|time|start|end|start_time|ranking|label|setting|targeting|type|indicator)$|^(date_|labels$|location$|objective$|optimization_goal$|buying_type$|created_time$)/;
/** Of an entry of a list of actions, what is counted: the value, and the same by attribution window. */
const COUNTED = /^(value|inline|dda|default|incrementality\w*|\d+d_\w+|skan_\w+)$/;

/** A row of a report with its numbers as numbers; `breakdowns` name parts that are text. */
export function reported(row: Row, breakdowns: readonly string[]): Record<string, unknown> {
  const entries = Object.entries(row).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.map(counted)];
    const counts = typeof value === "string" && !TEXT_FIELD.test(name) && !breakdowns.includes(name);
    return [name, counts ? numberOf(value) : value];
  });
  return Object.fromEntries(entries);
}

function counted(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      typeof value === "string" && COUNTED.test(name)
        ? numberOf(value)
        : Array.isArray(value)
        ? value.map(counted)
        : value,
    ]),
  );
}
