/** crm_list_invoices: invoices of a location, a page at a time. */
import { counted } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import { dayAfter, LAST_ZONE, startOf } from "../../core/zoned_day.ts";
import { tool } from "../../registry/tool.ts";
import { moneyIn } from "./_numbers.ts";
import { type Call, noteDropped, open, readUntil, timeless } from "./_read.ts";

export default tool("crm_list_invoices", {
  check({ start_at, end_at }) {
    if (start_at === undefined || end_at === undefined || start_at <= end_at) return;
    throw new GatewayError(
      "E_BAD_INPUT",
      `end_at: "${end_at}" lies before start_at "${start_at}"; turn them round`,
    );
  },
  async run({ limit = 20, offset = 0, ...rest }, ctx) {
    const call = await open(ctx);
    const { rows, total, dropped, next } = await call.client.invoices({ ...rest, limit, offset });
    noteDropped(call.notes, dropped, "invoice");
    const tests = rows.filter(({ live }) => !live).length;
    if (tests > 0) {
      call.notes.say(
        `${
          counted(tests, "of these invoices is", "of these invoices are")
        } of the CRM's test mode (test: true), and no real ` +
          "one: crm_compute_revenue_stats leaves such out",
      );
    }
    const next_offset = next !== null && Number(next) < (total ?? 0) ? Number(next) : null;
    const currencies = new Set(rows.map(({ currency }) => currency));
    return timeless(call, {
      total,
      invoices: rows.map(({ live, ...row }) => ({
        ...row,
        money: moneyIn(row, ["total", "amount_paid", "amount_due"], row.currency),
        ...live ? {} : { test: true },
      })),
      limit,
      offset,
      next_offset,
    }, {
      ...datesOf(rest, call),
      currency: currencies.size === 1 ? [...currencies][0]! : null,
      truncated: next_offset !== null,
      next: next_offset === null ? null : { offset: next_offset },
    });
  },
});

/** The days that were asked for; in which time zone the CRM reads them it does not say, so that they are over when they are everywhere. */
function datesOf({ start_at, end_at }: { readonly start_at?: string; readonly end_at?: string }, call: Call) {
  const isOpen = end_at !== undefined && startOf(dayAfter(end_at), LAST_ZONE) > readUntil(call);
  if (isOpen) call.notes.lack(`${end_at} is not over: there can be more invoices of it`);
  if (start_at === undefined || end_at === undefined) return {};
  return { period: { from: start_at, to: end_at, time_zone: null } };
}
