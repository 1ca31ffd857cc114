/** How few requests each tool takes on a real WordPress, with the companion plugin and without. */
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import type { Id } from "../../core/ids.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { bareCalls, countedSite, pluginCalls } from "../requests_calls.ts";
import { holds, Meter } from "../requests_kit.ts";
import { TEXTS, TREE } from "../tools/_pages.ts";
import { markup, stored } from "./_schema.ts";
import { onWordPress, Real } from "./_wordpress.ts";

/** A kit whose clock stands, so that nothing remembered runs out between two calls. */
async function opened(site: CmsSandbox, more: Parameters<typeof countedSite>[1]) {
  const meter = new Meter();
  const options = { realClock: false, start: Date.now(), fetch: meter.fetch };
  const at = await Real.open(site, { ...options, sites: [countedSite(site, more)] });
  return { at, meter, now: () => at.kit.gw.clock.now };
}

async function template(at: Real): Promise<Id> {
  const post = { post_type: "elementor_library", post_status: "publish", post_title: "Counted" };
  const meta = { _elementor_data: JSON.stringify(TREE), _elementor_template_type: "page" };
  return (await stored(at, { post, meta })).id;
}

onWordPress({
  async "with the companion plugin every tool takes as few requests as the table says"(site) {
    const { at, meter, now } = await opened(site, { channel: "plugin", builders: ["block", "visual"] });
    await using _ = at;
    const there = {
      template: await template(at),
      variables: TEXTS,
      entry: await markup(at, "Counted", '{"@type":"Event"}'),
    };
    await holds("plugin", pluginCalls(at.kit.gw, now, there), at.kit.gw, meter);
  },
}, { plugins: [PLUGIN, ...["peek", "elementor-standin", "schemapro-standin"].map(fixture)] });

onWordPress({
  async "without the companion plugin every tool takes as few requests as the table says"(site) {
    const { at, meter, now } = await opened(site, { channel: "rest", builders: ["block"] });
    await using _ = at;
    await holds("bare", bareCalls(at.kit.gw, now), at.kit.gw, meter);
  },
}, { plugins: [fixture("seopress-standin")] });
