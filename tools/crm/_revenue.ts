/** Revenue: what the invoices of a window and the money that came in during it come to, each currency by itself. */
import { rounded } from "../../core/rounded.ts";
import { allOrThrow } from "../../core/async.ts";
import { dayOf, type Days, moment } from "../../platforms/highlevel/days.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import type { Invoice } from "../../platforms/highlevel/rows.ts";
import { countBy, many, sum } from "./_numbers.ts";
import { collectedOf, type KnownPayment, type Payments, paymentsOf } from "./_payments.ts";
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

/** What invoices and payments of one currency come to; the payments are null where they are not known. */
export function revenueOf(rows: readonly Known[], payments: readonly KnownPayment[] | null) {
  const invoiced = sum(rows, ({ total }) => total);
  return {
    invoices: rows.length,
    ...collectedOf(payments),
    collected_by_issue_date: sum(rows, ({ amount_paid }) => amount_paid),
    invoiced,
    outstanding: sum(rows, ({ amount_due }) => amount_due),
    average_invoice_total: quotient(invoiced, rows.length),
    top_invoices: rows.toSorted(largestFirst).slice(0, TOP).map((
      { id, number, status, total, currency, issue_date, contact },
    ) => ({
      id,
      number,
      status,
      total,
      currency,
      issue_date,
      contact_name: contact.name,
    })),
  };
}

const NOTHING = {
  collected: null,
  refunded: null,
  average_collected_per_paid_invoice: null,
  collected_by_issue_date: null,
  invoiced: null,
  outstanding: null,
  average_invoice_total: null,
  top_invoices: null,
};

const currencyOf = ({ currency }: { readonly currency: string | null }) => currency ?? "unknown";

/** What all invoices and payments come to. Sums of several currencies would mean nothing: then each has its own block. */
export function byCurrency(rows: readonly Known[], payments: readonly KnownPayment[] | null) {
  const counted = rows.filter(({ status }) => !LEFT_OUT.has(status));
  const currencies = [...new Set([...counted, ...payments ?? []].map(currencyOf))].sort();
  const by_status = countBy(rows, ({ status }) => status);
  if (currencies.length <= 1) {
    return { currency: currencies[0] ?? null, ...revenueOf(counted, payments), by_status };
  }
  const blocks = Object.fromEntries(currencies.map((name) => {
    const isOwn = (row: Known | KnownPayment) => currencyOf(row) === name;
    return [name, revenueOf(counted.filter(isOwn), payments === null ? null : payments.filter(isOwn))];
  }));
  const { payments: count } = collectedOf(payments); // of any currency, as the count of invoices
  return {
    ...{ currency: null, invoices: counted.length, ...NOTHING, payments: count },
    by_status,
    by_currency: blocks,
  };
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
  const known = days.filter((day) => day !== null);
  const isNewestFirst = known.every((day, at) => at === 0 || day <= known[at - 1]!);
  return {
    rows: found.rows.filter((_, at) => {
      const day = days[at];
      return typeof day === "string" && day >= first && day <= last;
    }),
    undated: days.length - known.length,
    complete: found.complete || (isNewestFirst && known.length > 0 && known.at(-1)! < first),
  };
}

/** Invoices of which all amounts are known; notes what is left out. */
function knownOf(rows: readonly Invoice[], { notes }: Reading): Known[] {
  const live = rows.filter((row) => row.live);
  const tests = rows.length - live.length;
  if (tests > 0) notes.push(`Left out: ${many(tests, "invoice")} of the CRM's test mode`);
  const known = live.filter(isKnown);
  const unknown = live.length - known.length;
  if (unknown > 0) {
    notes.push(`Left out: ${many(unknown, "invoice")} of which not all amounts could be read`);
  }
  return known;
}

/** The invoices issued in a window, and what was paid in it. */
export async function revenueStats(reading: Reading) {
  const [found, payments] = await allOrThrow<[Rows<Invoice>, Payments]>(
    reading.client.allInvoices(reading.days),
    paymentsOf(reading),
  );
  const { rows, undated, complete } = issuedIn(found, reading.days);
  const meaning = "sums and counts are of the newest that were read, so the true ones are higher";
  noteRows(reading, "invoices", { ...found, complete, total: found.complete ? found.total : null }, meaning);
  noteUndated(reading, "invoices", undated);
  const stats = byCurrency(knownOf(rows, reading), payments.rows);
  if ("by_currency" in stats) {
    reading.notes.push("The amounts are in several currencies, which are not added up: see by_currency");
  }
  return { ...stats, collected_reason: payments.reason, truncated: !complete };
}
