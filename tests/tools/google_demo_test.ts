/** The demo's connected account: each of the ten tools can be tried on the demo's sites, renewals included. */
import assert from "node:assert/strict";
import { startDemoAccounts } from "../../sandbox/demo_accounts.ts";
import { SEEDED } from "../../sandbox/google/start.ts";
import type { Args } from "../cms_kit.ts";
import { gateway, site } from "../kit.ts";

Deno.test("on the demo's sites every tool of the connected account answers", async () => {
  const accounts = startDemoAccounts();
  const flags = { allow_storage_write: true };
  await using gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    settings: { upstream: accounts.env },
    sites: [site("demo", "cms"), site("demo-live", "cms", { flags })],
  });
  await accounts.register(gw, "http://127.0.0.1:8000");
  const post = (url: string, body: unknown) => `${url} ${JSON.stringify(body)}`;
  const guide = accounts.guide("http://gateway", post).join("\n");
  const [, report] = /generate_seo_report (\{.*\})/.exec(guide) ?? [];
  const { site_id: _, ...days } = JSON.parse(report!);
  const calls: Record<string, Args> = {
    get_analytics_report: { ...days, metrics: ["sessions"] },
    get_search_analytics: days,
    generate_seo_report: days,
    read_sheet: { spreadsheet_id: SEEDED.spreadsheet, range: "Plan" },
    get_ads_report: { query: "SELECT campaign.name FROM campaign LIMIT 1" },
    storage_get_site_folder: {},
    storage_list_site_files: {},
    storage_get_baseline: {},
  };
  for (const [tool, args] of Object.entries(calls)) {
    const answer = await gw.call<Args>(tool, { site_id: "demo", ...args });
    if (tool === "generate_seo_report") assert.deepEqual(answer["left_out"], []);
  }
  const audit = { site_id: "demo-live", title: "Audit", content: "# Audit" };
  const { id: file_id } = await gw.call<Args>("storage_save_audit", { ...audit, confirm: true });
  const read = await gw.call<Args>("storage_read_file", { site_id: "demo", file_id });
  assert.equal(read["content"], audit.content);
  await gw.refuses("storage_save_audit", { ...audit, site_id: "demo" }, "E_STORAGE_WRITE_NOT_ALLOWED");
  await accounts.stop();
});
