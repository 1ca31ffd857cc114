/** Revenue: what the invoices of a window come to, each currency by itself. */
import type { Invoice } from "../../platforms/highlevel/rows.ts";
import { countBy, many, rounded, sum } from "./_numbers.ts";
import { noteRows, type Reading } from "./_read.ts";

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

/** What invoices of one currency come to. */
export function revenueOf(rows: readonly Known[]) {
  const invoiced = sum(rows, ({ total }) => total);
  const collected = sum(rows, ({ amount_paid }) => amount_paid);
  return {
    invoices: rows.length,
    collected,
    invoiced,
    outstanding: sum(rows, ({ amount_due }) => amount_due),
    average_invoice_total: quotient(invoiced, rows.length),
    average_collected_per_paid_invoice: quotient(collected, rows.filter((row) => row.amount_paid > 0).length),
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
  invoiced: null,
  outstanding: null,
  average_invoice_total: null,
  average_collected_per_paid_invoice: null,
  top_invoices: null,
};

/** What all invoices come to. Sums of several currencies would mean nothing: then each has a block of its own. */
export function byCurrency(rows: readonly Known[]) {
  const counted = rows.filter(({ status }) => !LEFT_OUT.has(status));
  const currencies = [...new Set(counted.map(({ currency }) => currency ?? "unknown"))].sort();
  const blocks = Object.fromEntries(
    currencies.map((
      name,
    ) => [name, revenueOf(counted.filter(({ currency }) => (currency ?? "unknown") === name))]),
  );
  const by_status = countBy(rows, ({ status }) => status);
  if (currencies.length > 1) {
    return { currency: null, invoices: counted.length, ...NOTHING, by_status, by_currency: blocks };
  }
  return { currency: currencies[0] ?? null, ...revenueOf(counted), by_status };
}

/** The invoices issued in a window. */
export async function revenueStats(reading: Reading) {
  const found = await reading.client.allInvoices(reading.days);
  noteRows(
    reading,
    "invoices",
    found,
    "sums and counts are of the newest that were read, so the true ones are higher",
  );
  const rows = found.rows.filter(({ live }) => live);
  const tests = found.rows.length - rows.length;
  if (tests > 0) reading.notes.push(`Left out: ${many(tests, "invoice")} of the CRM's test mode`);
  const known = rows.filter(isKnown);
  const unknown = rows.length - known.length;
  if (unknown > 0) {
    reading.notes.push(`Left out: ${many(unknown, "invoice")} of which not all amounts could be read`);
  }
  const stats = byCurrency(known);
  if ("by_currency" in stats) {
    reading.notes.push("The invoices are in several currencies, which are not added up: see by_currency");
  }
  return { ...stats, truncated: !found.complete };
}
