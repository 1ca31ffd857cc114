/** behavior_get_metrics: the figures of the last days, by up to three dimensions. */
import { GatewayError } from "../../core/errors.ts";
import connector from "../../platforms/clarity/connector.ts";
import { TOP_LISTS } from "../../platforms/clarity/reply.ts";
import { tool } from "../../registry/tool.ts";
import { answered } from "./_answer.ts";

const LISTS: ReadonlySet<string> = new Set(TOP_LISTS);

export default tool("behavior_get_metrics", {
  check({ dimensions = [], metrics = [] }) {
    const twice = dimensions.find((one, at) => dimensions.indexOf(one) !== at);
    if (twice !== undefined) {
      throw new GatewayError("E_BAD_INPUT", `dimensions: "${twice}" is given twice; name each once`);
    }
    const whole = metrics.find((one) => LISTS.has(one));
    if (whole === undefined || dimensions.length === 0) return;
    throw new GatewayError(
      "E_BAD_INPUT",
      `metrics: "${whole}" comes without dimensions only; leave dimensions out, or ask for ${whole} in another call`,
    );
  },
  async run({ num_of_days, dimensions = [], metrics, limit }, ctx) {
    const client = await ctx.use(connector);
    const pulled = await client.pull({ num_of_days, dimensions });
    const wanted: ReadonlySet<string> | null = metrics === undefined ? null : new Set(metrics);
    const shown = pulled.blocks.filter(({ name }) => wanted?.has(name) ?? true);
    const counts = shown.map(({ rows }) => rows.length);
    const rows_left_out = counts.reduce((sum, count) => sum + Math.max(0, count - limit), 0);
    const notes = rows_left_out === 0 ? [] : [
      `${rows_left_out} of the rows pulled are not shown; the same call with a higher limit shows them, and costs no pull ` +
      "within 3 hours",
    ];
    const told = new Set(pulled.blocks.map(({ name }) => name));
    const untold = (metrics ?? []).filter((name) => !told.has(name));
    return await answered(client, pulled, { num_of_days, shortened: rows_left_out > 0, notes, untold }, {
      num_of_days,
      dimensions,
      metrics: shown.map(({ name, rows }) => ({ name, rows: rows.slice(0, limit) })),
      row_count: counts.reduce((sum, count) => sum + count, 0),
      rows_left_out,
    });
  },
});
