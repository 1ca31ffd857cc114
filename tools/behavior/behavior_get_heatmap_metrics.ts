/** behavior_get_heatmap_metrics: where clicks go wrong and how far people scroll, of all pages or of each. */
import { counted, formOf } from "../../core/one_line.ts";
import connector from "../../platforms/clarity/connector.ts";
import { eventsOf, metricsOf } from "../../platforms/clarity/metrics.ts";
import type { Block, Row } from "../../platforms/clarity/reply.ts";
import { tool } from "../../registry/tool.ts";
import { answered, untoldAmong } from "./_answer.ts";

const PAGES_MAX = 50;
const EVENTS = ["rage_clicks", "dead_clicks", "quickbacks", "excessive_scroll", "error_clicks"] as const;
const NOTE = "These are counts; a person looks at the heatmaps themselves at heatmaps_url";

export default tool("behavior_get_heatmap_metrics", async ({ num_of_days, by_url }, ctx) => {
  const client = await ctx.use(connector);
  const dimensions = by_url ? ["URL"] as const : [];
  const pulled = await client.pull({ num_of_days, dimensions });
  const all = metricsOf(pulled.blocks, dimensions);
  const pages = by_url ? pagesOf(pulled.blocks) : [];
  const left_out = Math.max(0, pages.length - PAGES_MAX);
  const notes = left_out === 0 ? [] : [
    `${counted(left_out, "more page")} ${
      formOf(left_out, "is", "are")
    } not shown; behavior_get_metrics by URL has them all, and shares this pull`,
  ];
  return await answered(client, pulled, {
    num_of_days,
    shortened: left_out > 0,
    notes,
    untold: untoldAmong([...EVENTS, "avg_scroll_depth"], pulled, all),
  }, {
    num_of_days,
    ...Object.fromEntries(EVENTS.map((name) => [name, all[name]])) as Pick<
      typeof all,
      (typeof EVENTS)[number]
    >,
    scroll_depth: all.avg_scroll_depth,
    ...(by_url ? { pages: pages.slice(0, PAGES_MAX) } : {}),
    heatmaps_url: client.link("heatmaps"),
    note: by_url
      ? `${NOTE}. A session is counted on each page it saw, so the percentages of all are averages of the pages'`
      : NOTE,
  });
});

/** The pages with most sessions, each with all that is known of it. */
function pagesOf(blocks: readonly Block[]) {
  const by = new Map(blocks.map(({ name, rows }) => [name, new Map(rows.map((row) => [row["URL"], row]))]));
  const of = (name: string, url: Row[string] | undefined): Row => by.get(name)?.get(url) ?? {};
  const known = new Set(
    ["traffic", "scroll_depth", ...EVENTS].flatMap((name) => [...by.get(name)?.keys() ?? []]),
  );
  return [...known].map((url) => ({
    url: url ?? null,
    sessions: of("traffic", url)["sessions"] ?? null,
    ...Object.fromEntries(EVENTS.map((name) => [name, eventsOf(of(name, url))])),
    scroll_depth: of("scroll_depth", url)["avg_scroll_depth"] ?? null,
  }));
}
