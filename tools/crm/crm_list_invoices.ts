/** crm_list_invoices: invoices of a location, a page at a time. */
import { GatewayError } from "../../core/errors.ts";
import { tool } from "../../registry/tool.ts";
import { many } from "./_numbers.ts";
import { clientOf, timeless } from "./_read.ts";

export default tool("crm_list_invoices", {
  check({ start_at, end_at }) {
    if (start_at === undefined || end_at === undefined || start_at <= end_at) return;
    throw new GatewayError(
      "E_BAD_INPUT",
      `end_at: "${end_at}" lies before start_at "${start_at}"; turn them round`,
    );
  },
  async run({ limit = 20, offset = 0, ...rest }, ctx) {
    const client = await clientOf(ctx);
    const { rows, total, dropped, next } = await client.invoices({ ...rest, limit, offset });
    const more = next !== null && Number(next) < (total ?? 0);
    const notes = dropped > 0 ? [`${many(dropped, "invoice")} could not be read and left out`] : [];
    return timeless(client, {
      total,
      invoices: rows.map(({ live, ...row }) => live ? row : { ...row, test: true }),
      limit,
      offset,
      next_offset: more ? Number(next) : null,
    }, notes);
  },
});
