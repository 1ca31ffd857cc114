/** Money that came in during a window, whatever it was paid for, and what of it went back. */
import { counted } from "../../core/one_line.ts";
import { rounded } from "../../core/rounded.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Crm } from "../../platforms/highlevel/client.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import type { Payment } from "../../platforms/highlevel/rows.ts";
import { sum } from "./_numbers.ts";
import { noteShort, noteUndated, type Reading, reasonOf } from "./_read.ts";

/** Answers that say the token may not read payments, or that the route is closed to it. */
const CLOSED: readonly number[] = [401, 403, 404];

/** A payment whose amount is known. */
export type KnownPayment = Payment & { readonly amount: number };
/** What came in; no rows where that is not known, with the reason. */
export interface Payments {
  readonly rows: readonly KnownPayment[] | null;
  readonly reason: string | null;
}
/** Payments around a window, or why the token may not read them. */
export type FoundPayments = Rows<Payment> | { readonly refused: string };

/** Whether the money came in; what was given back later came in all the same. */
const cameIn = ({ status }: Payment) => status === "succeeded" || status.includes("refund");

/** Reads the payments around a window. */
export async function readPayments(client: Crm, days: Days): Promise<FoundPayments> {
  try {
    return await client.payments(days);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || !CLOSED.includes(thrown.upstream ?? 0)) throw thrown;
    return { refused: thrown.message };
  }
}

/** The payments of a window; none, with the reason, where the token may not read them or not all could be read. */
export function paymentsIn(found: FoundPayments, { client, days, notes }: Reading): Payments {
  const unknown = (reason: string): Payments => {
    notes.lack(`collected, refunded and average_collected_per_paid_invoice are null: ${reason}`);
    return { rows: null, reason };
  };
  if ("refused" in found) return unknown(found.refused);
  if (!found.complete) {
    const of = found.total === null ? "" : ` of ${found.total}`;
    return unknown(`only ${found.rows.length}${of} payments were read, because ${reasonOf(client)}`);
  }
  noteShort(notes, "payments", found);
  const paid = found.rows.filter(cameIn);
  noteUndated(notes, "payments", paid.filter(({ at }) => at === null).length);
  const inside = paid.filter(({ at }) => within(at, days));
  const live = inside.filter((row) => row.live);
  if (live.length < inside.length) {
    notes.say(`Left out: ${counted(inside.length - live.length, "payment")} of the CRM's test mode`);
  }
  const rows = live.filter((row): row is KnownPayment => row.amount !== null);
  const unread = live.length - rows.length + found.dropped;
  if (unread > 0) notes.lack(`Left out: ${counted(unread, "payment")} that could not be read`);
  return { rows, reason: null };
}

/** What payments of one currency come to; a negative amount is money that went back. */
export function collectedOf(rows: readonly KnownPayment[] | null) {
  if (rows === null) {
    return { collected: null, refunded: null, payments: null, average_collected_per_paid_invoice: null };
  }
  const received = rows.filter(({ amount }) => amount >= 0);
  const returned = rows.filter(({ amount }) => amount < 0);
  const ofInvoices = received.filter(({ invoice }) => invoice !== null);
  const invoices = new Set(ofInvoices.map(({ invoice }) => invoice)).size;
  const total = (some: readonly KnownPayment[]) => sum(some, ({ amount }) => amount);
  return {
    collected: total(received),
    refunded: rounded(sum(received, ({ refunded }) => refunded) - total(returned)),
    payments: received.length,
    average_collected_per_paid_invoice: invoices === 0 ? null : rounded(total(ofInvoices) / invoices),
  };
}
