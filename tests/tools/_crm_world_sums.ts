/** Money, tags and idle contacts of a location by brute force, with nothing of tools/ and platforms/. */
import { DAY_MS, type Row } from "./_crm_dice.ts";
import type { CrmTruth } from "./_crm_world.ts";
import { quotient, wallDay } from "./_crm_world_oracle.ts";

const cents = (values: readonly unknown[]) =>
  values.reduce<number>((all, one) => all + Math.round(Number(one ?? 0) * 100), 0);
const sum = (values: readonly unknown[]) => cents(values) / 100;
const average = (values: readonly unknown[], count: number) => quotient(cents(values), 100 * count);
const isLive = (row: Row) => row["liveMode"] !== false && row["markAsTest"] !== true;
const issued = (row: Row) => String(row["issueDate"] ?? "").slice(0, 10);
const currency = (row: Row) => String(row["currency"]).toUpperCase();

/** The invoice that a payment is of, if it is of one. */
const invoiceOf = (row: Row): unknown =>
  row["entityType"] === "invoice"
    ? row["entityId"]
    : row["entitySourceType"] === "invoice"
    ? row["entitySourceId"]
    : undefined;

function figures(invoices: readonly Row[], payments: readonly Row[] | null) {
  const of = (name: string) => invoices.map((row) => row[name]);
  const ofInvoices = (payments ?? []).filter((row) => invoiceOf(row) !== undefined);
  const paid = new Set(ofInvoices.map(invoiceOf)).size;
  const known = payments !== null;
  return {
    invoices: invoices.length,
    collected: known ? sum(payments.map((row) => row["amount"])) : null,
    refunded: known ? sum(payments.map((row) => row["amountRefunded"])) : null,
    payments: known ? payments.length : null,
    average_collected_per_paid_invoice: known ? average(ofInvoices.map((row) => row["amount"]), paid) : null,
    collected_by_issue_date: sum(of("amountPaid")),
    invoiced: sum(of("total")),
    outstanding: sum(of("amountDue")),
    average_invoice_total: average(of("total"), invoices.length),
  };
}

/** The revenue of whole days: of invoices issued on them, and of what was charged on them. */
export function revenue(world: CrmTruth, first: string, last: string) {
  const live = world.invoices.filter((row) => isLive(row) && issued(row) >= first && issued(row) <= last);
  const invoices = live.filter(({ status }) => status !== "draft" && status !== "void");
  const charged = (row: Row) =>
    wallDay(Date.parse(String(row["fulfilledAt"] ?? row["createdAt"])), world.timezone ?? "UTC");
  const isHidden = world.ways.lacks.includes("payments/transactions.readonly");
  const payments = isHidden
    ? null
    : world.transactions.filter((row) =>
      isLive(row) && ["succeeded", "refunded", "partially_refunded"].includes(String(row["status"])) &&
      charged(row) >= first && charged(row) <= last
    );
  const names = [...new Set([...invoices, ...payments ?? []].map(currency))].sort();
  const by_status: Record<string, number> = {};
  for (const { status } of live) by_status[String(status)] = (by_status[String(status)] ?? 0) + 1;
  const all = figures(invoices, payments);
  const one = (name: string) => {
    const own = (rows: readonly Row[]) => rows.filter((row) => currency(row) === name);
    return figures(own(invoices), payments === null ? null : own(payments));
  };
  // The sums of several currencies are no number of any of them.
  const none = Object.fromEntries(Object.keys(all).map((name) => [name, null]));
  return {
    ...names.length > 1 ? { ...none, invoices: all.invoices, payments: all.payments } : all,
    ...names.length > 1 ? { by_currency: Object.fromEntries(names.map((name) => [name, one(name)])) } : {},
    currency: names.length === 1 ? names[0] : null,
    by_status,
  };
}

/** The invoices of whole days by their totals, the largest first and of two alike the newer one. */
export function largest(world: CrmTruth, first: string, last: string): readonly Row[] {
  return world.invoices.filter((row) =>
    isLive(row) && issued(row) >= first && issued(row) <= last && row["status"] !== "draft" &&
    row["status"] !== "void"
  ).sort((a, b) => Number(b["total"]) - Number(a["total"]) || (issued(a) < issued(b) ? 1 : -1));
}

/** Tags with fewer uses than so many, and how many have none. */
export function hygiene(world: CrmTruth, threshold: number) {
  const counted = world.tags.map(({ id, name }) => ({
    id,
    name,
    uses: world.contacts.filter(({ tags }) => tags.includes(String(name))).length,
  }));
  return {
    tags_total: world.tags.length,
    unused: counted.filter(({ uses }) => uses === 0).length,
    underused: counted.filter(({ uses }) => uses < threshold),
  };
}

/** Contacts whose record was not updated for so many days of 24 hours, the longest first. */
export function idle(world: CrmTruth, now: number, days: number, tag?: string) {
  return world.contacts.filter((row) =>
    Date.parse(String(row["dateUpdated"] ?? "")) <= now - days * DAY_MS &&
    (tag === undefined || row.tags.includes(tag))
  ).map((row) => ({
    id: row["id"],
    tags: row.tags,
    date_updated: row["dateUpdated"],
    idle_days: Math.floor((now - Date.parse(String(row["dateUpdated"]))) / DAY_MS),
  })).sort((a, b) => String(a.date_updated) < String(b.date_updated) ? -1 : 1);
}
