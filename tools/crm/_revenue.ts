/** Revenue: what the invoices of a window and the money that came in during it come to, each currency by itself. */
import { counted } from "../../core/one_line.ts";
import { dayAfter, dayOf, startOf } from "../../core/zoned_day.ts";
import { rounded } from "../../core/rounded.ts";
import { allOrThrow } from "../../core/async.ts";
import { type Days, moment } from "../../platforms/highlevel/days.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import type { Invoice } from "../../platforms/highlevel/rows.ts";
import { type Metric, readTogether } from "./_metric.ts";
import { countBy, moneyIn, sum } from "./_numbers.ts";
import {
  collectedOf,
  type FoundPayments,
  type KnownPayment,
  type Payments,
  paymentsIn,
  readPayments,
} from "./_payments.ts";
import { noteRows, noteUndated, type Reading } from "./_read.ts";

const TOP = 5;
/** Nothing is owed on these. */
const LEFT_OUT: ReadonlySet<string> = new Set(["draft", "void"]);

/** An invoice whose amounts are all known. */
type Known = Invoice & Readonly<Record<"total" | "amount_paid" | "amount_due", number>>;
const isKnown = (row: Invoice): row is Known =>
  row.total !== null && row.amount_paid !== null && row.amount_due !== null;

const quotient = (part: number, whole: number) => whole === 0 ? null : rounded(part / whole);
const dated = ({ issue_date, created_at }: Invoice) => issue_date ?? created_at ?? "";

/** The largest first; of equal ones the newer. */
function largestFirst(a: Known, b: Known): number {
  if (a.total !== b.total) return b.total - a.total;
  if (dated(a) !== dated(b)) return dated(a) < dated(b) ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

/** The amounts that are shown as money too. */
const AMOUNTS = [
  "collected",
  "refunded",
  "average_collected_per_paid_invoice",
  "collected_by_issue_date",
  "invoiced",
  "outstanding",
  "average_invoice_total",
] as const;

/** The name under which amounts stand of which the CRM tells no currency. */
const UNKNOWN = "unknown";
const currencyOf = ({ currency }: { readonly currency: string | null }) => currency ?? UNKNOWN;
const known = (currency: string | null) => currency === UNKNOWN ? null : currency;

/**
 * What invoices and payments of one currency come to; the payments are null where they are not known. The CRM's amounts are
 * decimal numbers of whole units (docs/upstreams/highlevel.md, "Amounts").
 */
function revenueOf(
  rows: readonly Known[],
  payments: readonly KnownPayment[] | null,
  currency: string | null,
) {
  const invoiced = sum(rows, ({ total }) => total);
  const amounts = {
    ...collectedOf(payments),
    collected_by_issue_date: sum(rows, ({ amount_paid }) => amount_paid),
    invoiced,
    outstanding: sum(rows, ({ amount_due }) => amount_due),
    average_invoice_total: quotient(invoiced, rows.length),
  };
  return {
    invoices: rows.length,
    ...amounts,
    money: moneyIn(amounts, AMOUNTS, known(currency)),
    top_invoices: rows.toSorted(largestFirst).slice(0, TOP).map((row) => ({
      id: row.id,
      number: row.number,
      status: row.status,
      total: row.total,
      money: moneyIn(row, ["total"], row.currency),
      currency: row.currency,
      issue_date: row.issue_date,
      contact_name: row.contact.name,
    })),
  };
}

/** What one currency comes to. */
export type CurrencyBlock = ReturnType<typeof revenueOf>;
/** What a window comes to: amounts where all are of one currency, else a block for each. */
export interface Revenue extends Nullable<Omit<CurrencyBlock, "invoices">> {
  readonly invoices: number;
  readonly currencies: readonly string[];
  readonly collected_reason: string | null;
  readonly by_status: Readonly<Record<string, number>>;
  readonly by_currency?: Readonly<Record<string, CurrencyBlock>>;
}
/** The same, each of which may not be known. */
export type Nullable<T> = { readonly [Name in keyof T]: T[Name] | null };

const NOTHING = {
  collected: null,
  refunded: null,
  average_collected_per_paid_invoice: null,
  collected_by_issue_date: null,
  invoiced: null,
  outstanding: null,
  average_invoice_total: null,
  money: null,
  top_invoices: null,
} as const;

/** What all invoices and payments come to. Sums of several currencies would mean nothing: then each has its own block. */
function byCurrency(rows: readonly Known[], { rows: payments, reason }: Payments): Revenue {
  const counted = rows.filter(({ status }) => !LEFT_OUT.has(status));
  const currencies = [...new Set([...counted, ...payments ?? []].map(currencyOf))].sort();
  const whole = {
    currencies,
    collected_reason: reason,
    by_status: countBy(rows, ({ status }) => status),
  };
  if (currencies.length <= 1) return { ...revenueOf(counted, payments, currencies[0] ?? null), ...whole };
  const blocks = currencies.map((name) => {
    const isOwn = (row: Known | KnownPayment) => currencyOf(row) === name;
    const own = payments === null ? null : payments.filter(isOwn);
    return [name, { currency: known(name), ...revenueOf(counted.filter(isOwn), own, name) }] as const;
  });
  const { payments: count } = collectedOf(payments); // of any currency, as the count of invoices
  return {
    ...NOTHING,
    invoices: counted.length,
    payments: count,
    ...whole,
    by_currency: Object.fromEntries(blocks),
  };
}

/** What does not depend on how long ago a window was: later on more is paid, and given back. */
const settled = (block: Nullable<CurrencyBlock>) => ({
  invoices: block.invoices,
  payments: block.payments,
  collected: block.collected,
  average_collected_per_paid_invoice: block.average_collected_per_paid_invoice,
  invoiced: block.invoiced,
  average_invoice_total: block.average_invoice_total,
});

/** Two sides of one currency as they are, else by their currencies, of which one that a side lacks came to nothing there. */
function alike(now: Revenue, other: Revenue): readonly [object, object] {
  const names = [...new Set([...now.currencies, ...other.currencies])];
  if (names.length <= 1) return [settled(now), settled(other)];
  const blocks = (side: Revenue) => {
    const own = (name: string) =>
      side.by_currency?.[name] ?? (side.currencies[0] === name ? side : undefined) ??
        revenueOf([], side.collected_reason === null ? [] : null, name);
    return { by_currency: Object.fromEntries(names.map((name) => [name, settled(own(name))])) };
  };
  return [blocks(now), blocks(other)];
}

/**
 * The day an invoice was issued: a date as it is written, a moment by the location's calendar; null where there is none. The
 * day it was made is another one.
 */
function issuedOn({ issue_date }: Invoice, timezone: string): string | null {
  const at = moment(issue_date);
  if (issue_date === null || at === null) return null;
  const isDate = issue_date.length === 10 || issue_date.endsWith("T00:00:00.000Z");
  return isDate ? issue_date.slice(0, 10) : dayOf(at, timezone);
}

/** Of invoices around a window those that were issued in it, and whether they are all. */
function issuedIn(found: Rows<Invoice>, { first, last, timezone }: Days) {
  const days = found.rows.map((row) => issuedOn(row, timezone));
  const dated = days.filter((day) => day !== null);
  const isNewestFirst = dated.every((day, at) => at === 0 || day <= dated[at - 1]!);
  return {
    rows: found.rows.filter((_, at) => {
      const day = days[at];
      return typeof day === "string" && day >= first && day <= last;
    }),
    undated: days.length - dated.length,
    complete: found.complete || (isNewestFirst && dated.length > 0 && dated.at(-1)! < first),
  };
}

/** Invoices of which all amounts are known; notes what is left out. */
function knownOf(rows: readonly Invoice[], { notes }: Reading): Known[] {
  const live = rows.filter((row) => row.live);
  const tests = rows.length - live.length;
  if (tests > 0) notes.say(`Left out: ${counted(tests, "invoice")} of the CRM's test mode`);
  const found = live.filter(isKnown);
  const unknown = live.length - found.length;
  if (unknown > 0) {
    notes.lack(`Left out: ${counted(unknown, "invoice")} of which not all amounts could be read`);
  }
  return found;
}

/** Invoices and payments around a window. */
interface Found {
  readonly invoices: Rows<Invoice>;
  readonly payments: FoundPayments;
}

/** The invoices issued in a window, and what was paid in it. */
export const REVENUE: Metric<Found, Revenue> = {
  async read({ client }, windows) {
    const paid = async () => {
      const found: FoundPayments[] = [];
      for (const days of windows) found.push(await readPayments(client, days));
      return found;
    };
    const issued = readTogether(windows, (days) => client.allInvoices(days));
    const [invoices, payments] = await allOrThrow<[Rows<Invoice>[], FoundPayments[]]>(issued, paid());
    return invoices.map((rows, at) => ({ invoices: rows, payments: payments[at]! }));
  },
  count(found, reading) {
    const { notes, days } = reading;
    const { rows, undated, complete } = issuedIn(found.invoices, days);
    const meaning = "sums and counts are of the newest that were read, so the true ones are higher";
    const total = found.invoices.complete ? found.invoices.total : null;
    noteRows(reading, "invoices", { ...found.invoices, complete, total }, meaning);
    noteUndated(notes, "invoices", undated);
    const figures = byCurrency(knownOf(rows, reading), paymentsIn(found.payments, reading));
    const { currencies } = figures;
    if (currencies.length > 1) {
      notes.say("The amounts are in several currencies, which are not added up: see by_currency");
    }
    if (currencies.includes(UNKNOWN)) {
      notes.say("Of some amounts the CRM tells no currency: they have no money");
    }
    const { collected, refunded } = figures;
    if (collected !== null && refunded !== null && refunded > 0) {
      notes.say(`collected is before refunds: less refunded it is ${rounded(collected - refunded)}`);
    }
    const isInDays = days.to === startOf(dayAfter(days.last), days.timezone);
    if (!isInDays) notes.say("Invoices have a day and no time: those of the last day count whole");
    const currency = currencies.length === 1 ? known(currencies[0]!) : null;
    return { figures, currency, truncated: !complete };
  },
  comparable: alike,
  unchanged:
    "Of refunded, outstanding, collected_by_issue_date and by_status no change is said: an older period had " +
    "more time to be paid and refunded",
};
