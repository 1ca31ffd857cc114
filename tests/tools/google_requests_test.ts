/** How few requests each tool of a connected Google account takes; tests/golden/requests.yaml says. */
import { SEEDED } from "../../sandbox/google/start.ts";
import { holds, Meter } from "../requests_kit.ts";
import { DAYS, GoogleWorld } from "./_google.ts";

Deno.test("of Google's services every tool asks as little as the table says", async () => {
  const meter = new Meter();
  await using at = await GoogleWorld.open({ fetch: meter.fetch });
  const on = { site_id: "linked" };
  at.google.file(at.folder, "baseline.md", { text: "Baseline" });
  const file = at.google.file(at.folder, "a.md", { text: "Text" });
  const compare = "previous_period";
  const type = "application/vnd.google-apps.document";
  const doc = at.google.file(at.folder, "Doc", { mimeType: type, exports: { "text/markdown": "# D" } });
  const calls = {
    get_analytics_report: () => ({ ...on, ...DAYS, metrics: ["sessions"] }),
    "get_analytics_report (compared)": () => ({ ...on, ...DAYS, metrics: ["sessions"], compare }),
    get_search_analytics: () => ({ ...on, ...DAYS }),
    "get_search_analytics (compared)": () => ({ ...on, ...DAYS, compare }),
    generate_seo_report: () => ({ ...on, ...DAYS }),
    "generate_seo_report (compared)": () => ({ ...on, ...DAYS, compare }),
    read_sheet: () => ({ ...on, spreadsheet_id: SEEDED.spreadsheet, range: "Plan" }),
    get_ads_report: () => ({ ...on, query: "SELECT campaign.name FROM campaign LIMIT 1" }),
    storage_get_site_folder: () => on,
    storage_list_site_files: () => on,
    storage_save_audit: () => ({ ...on, title: "Audit", content: "Text" }),
    storage_read_file: () => ({ ...on, file_id: file.id }),
    "storage_read_file (a document)": () => ({ ...on, file_id: doc.id }),
    storage_get_baseline: () => on,
  };
  await holds("google", calls, at.gw, meter);
});
