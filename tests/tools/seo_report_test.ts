/** generate_seo_report: two sections at once, each of which may be missing, and markdown for a client. */
import assert from "node:assert/strict";
import { SEEDED } from "../../sandbox/google/start.ts";
import { HEAD_KEYS } from "../../rules/data_head.ts";
import { Meter } from "../requests_kit.ts";
import { DAYS, GoogleWorld, test } from "./_google.ts";

interface Said {
  section: string;
  query: string | null;
  message: string;
}
interface Report {
  start_date: string;
  analytics: { totals: Record<string, number>; by_channel: Record<string, number | string>[] } | null;
  search: { totals: Record<string, number | null>; top_queries: Record<string, number | string>[] } | null;
  left_out: { section: string; code: string; message: string }[];
  notes: string[];
  data_quality: Said[];
  markdown: string;
}
const CALL = { site_id: "linked", ...DAYS };
/** What no client should have to read. */
const JARGON =
  /E_[A-Z]|null|undefined|NaN|sessions|keyEvents|engagementRate|impressions|\bCTR\b|@|[0-9a-f]{8}-/i;

test("generate_seo_report answers visits, channels, searches and queries, and what a client can be sent", async (at) => {
  await at.gw.store.sites.update("linked", { name: "Dach & Rinne | Wien" });
  const report = await at.both<Report>("generate_seo_report", { ...CALL, top_queries: 3 });
  assert.deepEqual(
    Object.keys(report),
    [
      ...HEAD_KEYS.slice(0, -1),
      ...["start_date", "end_date", "analytics", "search", "left_out", "data_quality", "markdown", "notes"],
    ],
  );
  const { analytics, search, left_out, markdown } = report;
  assert.deepEqual(left_out, []);
  const { totals, by_channel } = analytics!;
  assert.equal(by_channel.length, 4);
  assert.equal(by_channel.reduce((sum, one) => sum + Number(one["sessions"]), 0), totals["sessions"]);
  const visits = by_channel.map((one) => Number(one["sessions"]));
  assert.deepEqual(visits, visits.toSorted((a, b) => b - a));
  assert.deepEqual(search!.top_queries.map(({ query }) => query), [
    "roof repair",
    "gutter cleaning",
    "roofer | vienna",
  ]);
  assert.doesNotMatch(markdown, JARGON);
  assert.match(
    markdown,
    /^# Website report: Dach \\& Rinne \\\| Wien\n\n1 November 2026 to 14 November 2026 \(14 days\)\n/,
  );
  assert.ok(markdown.includes(`| Visits | ${totals["sessions"]!.toLocaleString("en-US")} |`));
  assert.match(markdown, /\| roofer \\\| vienna \| \d+ \| [\d,]+ \| \d+\.\d % \| \d+\.\d \|/);
  assert.match(markdown, /shown [\d,]+ times in Google's results and clicked [\d,]+ times \(\d+\.\d %\)/);
  assert.match(markdown, /\| Search engines \| [\d,]+ \|/);
  assert.doesNotMatch(markdown, /will still grow|Organic Search/);
  const late = await at.gw.call<Report>("generate_seo_report", { ...CALL, end_date: "2026-11-20" });
  assert.match(late.markdown, /until three days later, so these figures will still grow\.\n$/);
  assert.match(late.markdown, /Visits of the last 48 hours .* will still change\.\n/);
});

test("what each query leaves out is said of it, and in the markdown", async (at) => {
  const ask = (args: object) => at.gw.call<Report>("generate_seo_report", { ...CALL, ...args });
  const listed = await ask({});
  const clicks = listed.search!.top_queries.reduce((sum, one) => sum + Number(one["clicks"]), 0);
  const all = Number(listed.search!.totals["clicks"]);
  assert.equal(all - clicks, 3 * 14);
  const [named] = listed.data_quality;
  assert.deepEqual([named!.section, named!.query], ["search", "top_queries"]);
  const said = `brought ${clicks.toLocaleString("en-US")} of ${
    all.toLocaleString("en-US")
  } clicks. Google does not`;
  assert.ok(named!.message.includes(said) && listed.markdown.includes(said));
  assert.match(
    (await ask({ top_queries: 2 })).markdown,
    /clicks\. Others are rarer than those listed, and Google/,
  );
  const property = at.google.state.world.properties.get(SEEDED.property)!;
  const sampled = { samplingMetadatas: [{ samplesReadCount: "500", samplingSpaceSize: "9000" }] };
  const cut = { subjectToThresholding: true, dataLossFromOtherRow: true };
  property.metadata = { whole: sampled, parts: cut };
  const { data_quality, markdown } = await ask({});
  const about = data_quality.filter(({ section }) => section === "analytics");
  assert.deepEqual(about.map(({ query }) => query), ["totals", "by_channel", "by_channel"], "of every query");
  for (const { message } of data_quality) assert.ok(markdown.includes(message), message);
  assert.doesNotMatch(markdown, JARGON);
});

test("a section that is not set up or fails is left out with a note, and the report stands", async (at) => {
  const bound = await at.both<Report>("generate_seo_report", { ...CALL, site_id: "bound" });
  assert.deepEqual([bound.analytics, bound.search], [null, null]);
  assert.deepEqual(bound.left_out.map(({ section, code }) => [section, code]), [
    ["analytics", "E_ANALYTICS_NOT_LINKED"],
    ["search", "E_SEARCH_NOT_LINKED"],
  ]);
  assert.match(bound.markdown, /Figures on visits are not part of this report\./);
  assert.match(bound.markdown, /Figures on searches are not part of this report\./);
  assert.doesNotMatch(bound.markdown, JARGON);
  const faults = [
    { kind: "html", status: 502 },
    { kind: "answer", body: "<html>no JSON</html>" },
    { kind: "answer", body: { rows: [{ metricValues: [] }] } },
    { kind: "refused", status: 403, word: "PERMISSION_DENIED", message: "No rights" },
    { kind: "reset" },
    { kind: "busy", retry_after: 3600 },
  ] as const;
  for (const fault of faults) {
    at.google.inject(fault, { path: /\/analytics\//, times: 9 });
    const report = await at.gw.call<Report>("generate_seo_report", CALL);
    at.google.clearFaults();
    assert.equal(report.analytics, null, fault.kind);
    assert.ok(report.search, fault.kind);
    assert.deepEqual(report.left_out.map(({ section, code }) => [section, code]), [[
      "analytics",
      "E_UPSTREAM",
    ]]);
    assert.doesNotMatch(report.markdown, JARGON);
  }
  const property = at.google.state.world.properties.get(SEEDED.property)!;
  property.visits.length = 0;
  const empty = await at.gw.call<Report>("generate_seo_report", CALL);
  assert.deepEqual([empty.analytics!.totals["sessions"], empty.analytics!.by_channel], [0, []]);
  assert.match(empty.markdown, /No visits were counted in this time\./);
});

test("only without a connection the report is refused, and nothing is sent", async (at) => {
  const unbound = /^Site "alone" is bound to no Google account: account_user_id is not set/;
  await at.refuses("generate_seo_report", { ...CALL, site_id: "alone" }, "E_ANALYTICS_ACCOUNT_NOT_LINKED", {
    says: unbound,
  });
  await at.gw.store.accounts.disconnect(at.user, "google");
  const missing = /has no connection "google"; .*deno task admin connection start --user/;
  await at.refuses("generate_seo_report", CALL, "E_ANALYTICS_ACCOUNT_NOT_LINKED", missing);
});

test("what others wrote cannot become a mark or a link in the report", async (at) => {
  const query = "a|b\n\u202e<script>x</script> [click](https://evil.example) **x** `y` " + "long ".repeat(40);
  const searches = at.google.state.world.searchSites.get(SEEDED.search_site)!.searches;
  searches.push({ ...searches[0]!, date: "2026-11-05", query, clicks: 100_000, impressions: 200_000 });
  const { markdown, search } = await at.gw.call<Report>("generate_seo_report", CALL);
  assert.equal(search!.top_queries[0]!["query"], query);
  const line = markdown.split("\n").find((one) => one.startsWith("| a"))!;
  assert.doesNotMatch(markdown, /\u202e/, "nothing turns the line round");
  assert.match(line, /^\| a\\\|b \\<script\\>x\\<\/script\\> \\\[click\\\]\(https\\:\/\/evil/);
  assert.equal(line.match(/(?<!\\)\|/g)?.length, 6);
  assert.ok(line.length < 200);
});

Deno.test("both sections are asked at the same time: the report takes as long as its slowest request", async () => {
  const meter = new Meter();
  await using at = await GoogleWorld.open({ fetch: meter.fetch });
  await at.gw.call("generate_seo_report", CALL); // from then on its clients are loaded
  const { cost } = await meter.cost(() => at.gw.call("generate_seo_report", CALL));
  assert.equal(cost, "4 in 1");
});

test("channels beyond those that are listed are counted out loud", async (at) => {
  const property = at.google.state.world.properties.get(SEEDED.property)!;
  const visit = property.visits.find(({ date }) => date === DAYS.start_date)!;
  const own = Array.from({ length: 53 }, (_, one) => ({ ...visit, channel: `Own ${one}`, sessions: 99_999 }));
  property.visits.splice(0, Infinity, ...own);
  const { analytics, data_quality, ...report } = await at.both<Report>("generate_seo_report", CALL);
  assert.equal(analytics!.by_channel.length, 50);
  const said = "The 50 largest channels are listed, and 3 more are not.";
  assert.ok(data_quality.some(({ query, message }) => query === "by_channel" && message === said));
  assert.equal((report as unknown as { complete: boolean }).complete, false);
});
