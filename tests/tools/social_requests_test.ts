/** How few requests each tool of social ads takes; tests/golden/requests.yaml says. */
import { holds, Meter } from "../requests_kit.ts";
import { CALLS, MetaWorld } from "./_meta.ts";

Deno.test("of Meta every tool asks as little as the table says", async () => {
  const meter = new Meter();
  await using at = await MetaWorld.open({ fetch: meter.fetch });
  const calls = Object.entries(CALLS).map(([tool, args]) =>
    [tool, () => ({ site_id: "client", ...args })] as const
  );
  const compared = () => ({ site_id: "client", compare: "previous_period" });
  const all = { ...Object.fromEntries(calls), "get_social_ads_insights (compared)": compared };
  await holds("social", all, at.gw, meter);
});
