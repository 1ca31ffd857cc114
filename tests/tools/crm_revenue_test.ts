/** Money of a window: what came in during it, apart from what was paid of the invoices issued in it. */
import assert from "node:assert/strict";
import { emptyWorld, type World } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { CrmWorld } from "./_crm.ts";

const TOOL = "crm_compute_revenue_stats";
const WINDOW = { start_at: "2026-11-01", end_at: "2026-11-20" };

interface Row {
  readonly id: string;
  readonly issueDate?: string;
  readonly [field: string]: unknown;
}

function world(timezone = "UTC"): World & { invoice(row: Row): void; paid(row: Row): void } {
  const made = emptyWorld(`loc${crypto.randomUUID().slice(0, 8)}`, timezone);
  const own = { altId: made.location.id, altType: "location", liveMode: true, currency: "USD" };
  return Object.assign(made, {
    invoice: ({ id, ...row }: Row) => {
      const whole = { status: "paid", total: 0, amountPaid: 0, amountDue: 0, ...own, ...row };
      made.invoices.push({ _id: id, createdAt: `${row.issueDate?.slice(0, 10)}T12:00:00.000Z`, ...whole });
    },
    paid: ({ id, at, ...row }: Row) => {
      const times = { createdAt: `${at}`, updatedAt: `${at}`, fulfilledAt: `${at}` };
      const order = { entityType: "order", entityId: `o-${id}`, entitySourceType: "funnel", amount: 0 };
      made.transactions.push({ _id: id, status: "succeeded", ...times, ...order, ...own, ...row });
    },
  });
}
const ofInvoice = (id: string) => ({ entityType: "invoice", entityId: id, entitySourceType: "invoice" });

Deno.test("two invoices of last month that are paid this month came in this month", async () => {
  const made = world();
  made.invoice({ id: "i1", issueDate: "2026-10-05", total: 8000, amountPaid: 8000 });
  made.invoice({ id: "i2", issueDate: "2026-10-20", total: 5000, amountPaid: 5000 });
  made.paid({ id: "t1", at: "2026-11-03T10:00:00.000Z", amount: 8000, ...ofInvoice("i1") });
  made.paid({ id: "t2", at: "2026-11-04T10:00:00.000Z", amount: 2000, ...ofInvoice("i2") });
  made.paid({ id: "t3", at: "2026-11-05T10:00:00.000Z", amount: 3000, ...ofInvoice("i2") });
  await using at = await CrmWorld.open({ crm: { world: made } });
  const found = await at.both(TOOL, WINDOW);
  assert.deepEqual(
    [found["collected"], found["refunded"], found["payments"], found["collected_by_issue_date"]],
    [13_000, 0, 3, 0],
  );
  assert.equal(found["average_collected_per_paid_invoice"], 6500, "two invoices, in three payments");
  assert.deepEqual([found["invoices"], found["invoiced"], found["collected_reason"]], [0, 0, null]);
});

Deno.test("refunds stand beside, averages are of invoices alone, and what did not come in does not count", async () => {
  const made = world();
  const day = "2026-11-10T10:00:00.000Z";
  made.paid({ id: "t1", at: day, amount: 100, amountRefunded: 30, ...ofInvoice("i1") });
  made.paid({ id: "t2", at: day, amount: 50, status: "refunded", amountRefunded: 50 });
  made.paid({ id: "t3", at: day, amount: -5 });
  made.paid({ id: "t4", at: day, amount: 900, status: "failed" });
  made.paid({ id: "t5", at: day, amount: 900, status: "pending" });
  made.paid({ id: "t6", at: day, amount: 900, liveMode: false });
  made.paid({ id: "t7", at: day, amount: 900, markAsTest: true });
  made.paid({ id: "t8", at: day, amount: undefined });
  // Begun before the window, charged in it; and the other way round.
  made.paid({ id: "t9", at: "2026-10-29T10:00:00.000Z", amount: 7, fulfilledAt: "2026-11-02T10:00:00.000Z" });
  made.paid({
    id: "t10",
    at: "2026-11-20T10:00:00.000Z",
    amount: 900,
    fulfilledAt: "2026-11-21T01:00:00.000Z",
  });
  await using at = await CrmWorld.open({ crm: { world: made } });
  const found = await at.ask(TOOL, WINDOW);
  assert.deepEqual([found["collected"], found["refunded"], found["payments"]], [157, 85, 3]);
  assert.equal(found["average_collected_per_paid_invoice"], 100);
  assert.ok(found.notes.includes("Left out: 2 payments of the CRM's test mode"), String(found.notes));
  assert.ok(found.notes.includes("Left out: 1 payment that could not be read"));
  assert.ok(found.notes.includes("collected is before refunds: less refunded it is 72"), String(found.notes));
});

Deno.test("without the permission what came in is null with the reason, and the rest is told", async () => {
  const made = world();
  made.invoice({ id: "i1", issueDate: "2026-11-05", total: 80, amountPaid: 60, amountDue: 20 });
  made.paid({ id: "t1", at: "2026-11-06T10:00:00.000Z", amount: 60, ...ofInvoice("i1") });
  await using at = await CrmWorld.open({ crm: { world: made } });
  at.crm.state.lacking.add("payments/transactions.readonly");
  const found = await at.both(TOOL, WINDOW);
  const money = ["collected", "refunded", "payments", "average_collected_per_paid_invoice"];
  assert.deepEqual(money.map((name) => found[name]), [null, null, null, null]);
  assert.match(String(found["collected_reason"]), /lacks the permission "payments\/transactions.readonly"/);
  assert.deepEqual(
    [found["collected_by_issue_date"], found["invoiced"], found["outstanding"], found["currency"]],
    [60, 80, 20, "USD"],
  );
  assert.ok(found.notes.some((note) => note.startsWith("collected, refunded and average_collected")));
});

Deno.test("payments that cannot all be read are not added up", async () => {
  const made = world();
  for (let at = 0; at < 7000; at++) made.paid({ id: `t${at}`, at: "2026-11-06T10:00:00.000Z", amount: 1 });
  await using at = await CrmWorld.open({ crm: { world: made } });
  const found = await at.ask(TOOL, WINDOW);
  assert.equal(found["collected"], null);
  assert.match(String(found["collected_reason"]), /only \d+ of 7000 payments were read, because a call asks/);
});

Deno.test("an invoice counts on its own date, by whichever day the CRM keeps a range", async () => {
  for (const invoices_by_creation of [false, true]) {
    const made = world("America/New_York");
    made.invoice({
      id: "drafted",
      issueDate: "2026-11-02",
      createdAt: "2026-10-10T12:00:00.000Z",
      total: 10,
    });
    made.invoice({
      id: "dated back",
      issueDate: "2026-11-20",
      createdAt: "2026-11-21T12:00:00.000Z",
      total: 20,
    });
    made.invoice({ id: "later", issueDate: "2026-11-21", createdAt: "2026-11-19T12:00:00.000Z", total: 400 });
    made.invoice({ id: "date with a time", issueDate: "2026-11-01T00:00:00.000Z", total: 40 });
    made.invoice({ id: "evening before", issueDate: "2026-11-01T03:00:00.000Z", total: 800 });
    await using at = await CrmWorld.open({ crm: { world: made, unruly: { invoices_by_creation } } });
    const found = await at.ask(TOOL, WINDOW);
    assert.deepEqual([found["invoices"], found["invoiced"]], [3, 70], String(invoices_by_creation));
  }
});

Deno.test("money in a currency in which no invoice was written has a block of its own", async () => {
  const made = world();
  made.invoice({ id: "i1", issueDate: "2026-11-05", total: 80 });
  made.paid({ id: "t1", at: new Date(NOW - 1000).toISOString(), amount: 60, currency: "eur" });
  await using at = await CrmWorld.open({ crm: { world: made } });
  const found = await at.ask(TOOL);
  assert.deepEqual([found["collected"], found["invoiced"], found["currency"]], [null, null, null]);
  const blocks = found["by_currency"] as Record<string, { collected: number; invoiced: number }>;
  const shown = Object.entries(blocks).map(([name, { collected, invoiced }]) => [name, collected, invoiced]);
  assert.deepEqual(shown, [["EUR", 60, 0], ["USD", 0, 80]]);
});

Deno.test("payments of several currencies are counted, as invoices are, and not added up", async () => {
  const made = world();
  made.invoice({ id: "i1", issueDate: "2026-11-05", total: 80 });
  for (const [id, currency] of [["t1", "eur"], ["t2", "USD"], ["t3", "USD"]] as const) {
    made.paid({ id, at: "2026-11-06T10:00:00.000Z", amount: 60, currency });
  }
  await using at = await CrmWorld.open({ crm: { world: made } });
  const found = await at.ask(TOOL, WINDOW);
  assert.deepEqual([found["invoices"], found["payments"], found["collected"]], [1, 3, null]);
});

Deno.test("an invoice without a day of issue was issued on none, whenever it was made", async () => {
  const made = world();
  made.invoice({ id: "i1", issueDate: "2026-11-05", total: 80 });
  made.invoice({ id: "i2", issueDate: undefined, createdAt: "2026-11-06T10:00:00.000Z", status: "draft" });
  await using at = await CrmWorld.open({ crm: { world: made, unruly: { invoices_by_creation: true } } });
  const found = await at.ask(TOOL, WINDOW);
  assert.deepEqual(found["by_status"], { paid: 1 });
  assert.ok(found.notes.includes("1 row of the invoices has no date and is left out"), String(found.notes));
});

Deno.test("amounts stand as money too, in whole units of their currency, each block and each invoice in its own", async () => {
  const made = world();
  made.invoice({ id: "i1", issueDate: "2026-11-05", total: 999, amountPaid: 21.5, amountDue: 977.5 });
  made.paid({ id: "t1", at: "2026-11-06T10:00:00.000Z", amount: 21.5 });
  await using at = await CrmWorld.open({ crm: { world: made } });
  const one = await at.both(TOOL, WINDOW);
  const money = one["money"] as Record<string, unknown>;
  assert.equal(one["currency"], "USD");
  assert.deepEqual(money["invoiced"], { amount: "999", currency: "USD" });
  assert.deepEqual(money["collected"], { amount: "21.50", currency: "USD" });
  assert.equal(money["average_collected_per_paid_invoice"], null);
  const [top] = one["top_invoices"] as { money: unknown }[];
  assert.deepEqual(top!.money, { total: { amount: "999", currency: "USD" } });

  at.gw.clock.now += 61_000;
  made.invoice({ id: "i2", issueDate: "2026-11-07", total: 5000, amountDue: 5000, currency: "jpy" });
  const several = await at.both(TOOL, WINDOW);
  assert.deepEqual([several["currency"], several["money"]], [null, null]);
  const blocks = several["by_currency"] as Record<
    string,
    { currency: string; money: Record<string, unknown> }
  >;
  assert.deepEqual([blocks["JPY"]!.currency, blocks["JPY"]!.money["invoiced"]], [
    "JPY",
    { amount: "5000", currency: "JPY" },
  ]);
  const listed = await at.both("crm_list_invoices");
  assert.equal(listed["currency"], null);
  const rows = listed["invoices"] as { id: string; money: Record<string, unknown> }[];
  assert.deepEqual(Object.fromEntries(rows.map(({ id, money: { amount_due } }) => [id, amount_due])), {
    i1: { amount: "977.50", currency: "USD" },
    i2: { amount: "5000", currency: "JPY" },
  });
});

Deno.test("an amount of which the CRM tells no currency is no money, and a note says so", async () => {
  const made = world();
  made.paid({ id: "t1", at: "2026-11-06T10:00:00.000Z", amount: 60 });
  await using at = await CrmWorld.open({ crm: { world: made } });
  const [paid] = made.transactions;
  at.crm.inject({ kind: "answer", body: { data: [{ ...paid, currency: "" }], totalCount: 1 } }, {
    path: /payments/,
    times: 2,
  });
  const found = await at.ask(TOOL, WINDOW);
  assert.deepEqual([found["collected"], found["currency"], found["currencies"]], [60, null, ["unknown"]]);
  assert.equal((found["money"] as Record<string, unknown>)["collected"], null);
  assert.ok(found.notes.some((note) => /CRM tells no currency/.test(note)), String(found.notes));
});
