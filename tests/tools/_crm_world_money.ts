/** Invoices and payments of a made-up location, as the vendor's files and public clients show their rows. */
import { DAY_MS, type Dice, iso, type Row } from "./_crm_dice.ts";

/** In what a location writes its invoices; some in two currencies, one of which has no cents. */
const CURRENCIES = [["USD"], ["EUR", "USD"], ["JPY"], ["JPY", "USD"]] as const;
const currenciesOf = (seed: number): readonly string[] => CURRENCIES[seed % CURRENCIES.length]!;
const amountIn = (dice: Dice, currency: string, most: number) =>
  currency === "JPY" ? dice.int(0, most) * 100 : dice.int(0, most * 100) / 100;

/** Invoices: drafts, void ones, such of the test mode, and a few without a day of issue. */
export function invoicesOf(dice: Dice, seed: number, contacts: readonly Row[], altId: string): Row[] {
  return dice.times(dice.int(60, 170), (at) => {
    const issued = dice.past(80);
    const currency = dice.pick(currenciesOf(seed));
    const total = amountIn(dice, currency, 4_000);
    const status = dice.pick([
      "draft",
      "sent",
      "payment_processing",
      "paid",
      "paid",
      "void",
      "partially_paid",
    ]);
    const cents = currency === "JPY" ? 1 : 100;
    const half = Math.floor(total * cents / 2) / cents;
    const amountPaid = status === "paid" ? total : status === "partially_paid" ? half : 0;
    const day = new Intl.DateTimeFormat("en-CA", { timeZone: dice.zone }).format(issued);
    const who = dice.pick(contacts);
    const made = issued - dice.int(0, 20) * DAY_MS;
    return {
      _id: dice.id(24),
      status,
      ...dice.chance(0.1) ? {} : { liveMode: !dice.chance(0.1) },
      amountPaid,
      altId,
      altType: "location",
      name: "New Invoice",
      businessDetails: { name: "Alex" },
      invoiceNumber: dice.chance(0.5) ? `INV-${at}` : at,
      currency,
      contactDetails: { id: who["id"], name: who["contactName"], email: who["email"], phoneNo: who["phone"] },
      // A day alone [oas], or with a time behind it (inferred); none of a draft that was never issued.
      issueDate: status === "draft" && dice.chance(0.2)
        ? null
        : dice.chance(0.5)
        ? day
        : `${day}T00:00:00.000Z`,
      dueDate: day,
      invoiceItems: [],
      total,
      title: "INVOICE",
      amountDue: Math.round((total - amountPaid) * cents) / cents,
      createdAt: iso(made),
      updatedAt: iso(dice.now - 1),
      totalSummary: { subTotal: total, discount: 0 },
    };
  });
}

/** Payments: of invoices and of anything else, refunded whole or in part, failed, of the test mode, charged days later. */
export function transactionsOf(
  dice: Dice,
  seed: number,
  someone: () => string,
  merged: readonly string[],
  altId: string,
): Row[] {
  const invoices = dice.times(40, () => dice.id(24));
  const ofWhat = (): Row => {
    const kind = dice.int(0, 3);
    const [order, invoice] = [dice.id(24), dice.pick(invoices)];
    if (kind === 0) {
      return { entityType: "order", entityId: order, entitySourceType: "funnel", entitySourceId: dice.id() };
    }
    if (kind === 1) {
      return { entityType: "order", entityId: order, entitySourceType: "invoice", entitySourceId: invoice };
    }
    return { entityType: "invoice", entityId: invoice, entitySourceType: "invoice", entitySourceId: invoice };
  };
  return dice.times(dice.int(80, 230), () => {
    const made = dice.past(75);
    const currency = dice.pick(currenciesOf(seed));
    const amount = amountIn(dice, currency, 900);
    const status = dice.pick([
      "succeeded",
      "succeeded",
      "succeeded",
      "failed",
      "pending",
      "refunded",
      "partially_refunded",
    ]);
    const back = status === "refunded"
      ? amount
      : status === "partially_refunded"
      ? Math.floor(amount / 3)
      : 0;
    const charged = Math.min(made + dice.pick([0, 0, 4_000, DAY_MS, 6 * DAY_MS, 12 * DAY_MS]), dice.now - 1);
    return {
      _id: dice.id(24),
      altId,
      altType: "location",
      contactId: someone(),
      ...dice.chance(0.1) ? { mergedFromContactId: dice.pick(merged) } : {},
      contactName: "Ann",
      currency: dice.chance(0.5) ? currency : currency.toLowerCase(),
      amount,
      status,
      ...dice.chance(0.1) ? {} : { liveMode: !dice.chance(0.1) },
      ...dice.chance(0.05) ? { markAsTest: dice.chance(0.5) } : {},
      ...ofWhat(),
      ...back > 0 || dice.chance(0.3) ? { amountRefunded: back } : {},
      chargeId: `ch_${dice.id()}`,
      paymentProviderType: "stripe",
      createdAt: iso(made),
      updatedAt: iso(dice.now - 1),
      ...dice.chance(0.15) ? {} : { fulfilledAt: dice.chance(0.1) ? null : iso(charged) },
    };
  });
}
