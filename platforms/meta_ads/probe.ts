/** The reads of an ad account, one of each, held against what their client reads (docs/upstreams/meta.md). */
import { z } from "zod";
import type { See } from "../_connector/operator.ts";
import { MetaAds } from "./client.ts";
import type { MetaContext } from "./graph.ts";
import { assertAccount } from "./links.ts";
import { ALWAYS, DEFAULT_FIELDS } from "./report.ts";
import { ACCOUNT, AD, ADSET, CAMPAIGN, PAGE } from "./rows.ts";

/** By it a row is known to be the site's. */
const OWN = z.object({ account_id: z.string() });
const pageOf = (row: z.ZodType) => PAGE.extend({ data: z.array(row) });

/** Meta writes numbers as text; both are read, and what was not counted is left out. */
const figure = z.union([z.string(), z.number()]).nullish();
const action = z.object({ action_type: z.string(), value: z.union([z.string(), z.number()]) });
const REPORT_ROW = z.object({
  ...Object.fromEntries(
    DEFAULT_FIELDS.map((name) => [name, name === "actions" ? z.array(action).nullish() : figure]),
  ),
  ...Object.fromEntries(ALWAYS.map((name) => [name, z.string()])),
  date_start: z.string(),
  date_stop: z.string(),
});

const ONE = { limit: 1 };

/** Five reads. */
export async function account(ctx: MetaContext, see: See): Promise<void> {
  assertAccount(ctx);
  const client = new MetaAds(ctx);
  await see("the ad account", z.intersection(ACCOUNT, OWN), () => client.account());
  await see("campaigns", pageOf(z.intersection(CAMPAIGN, OWN)), () => client.campaigns(ONE, null));
  await see("ad sets", pageOf(z.intersection(ADSET, OWN)), () => client.adsets(ONE, null));
  await see("ads", pageOf(z.intersection(AD, OWN)), () => client.ads(ONE));
  await see("a report", pageOf(REPORT_ROW), () => client.report({ level: "account", ...ONE }));
}
