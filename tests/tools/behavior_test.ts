/** The behavior tools: what each answers, what is refused, and that refusals send nothing. */
import assert from "node:assert/strict";
import { rows } from "../contract/golden.ts";
import { type Answer, BehaviorWorld, CALLS, HOUR, PULLS, test } from "./_behavior.ts";

const TOOLS = Object.entries(CALLS);

interface Metric {
  readonly name: string;
  readonly rows: Readonly<Record<string, string | number | null>>[];
}
interface Metrics extends Answer {
  readonly metrics: Metric[];
  readonly row_count: number;
  readonly rows_left_out: number;
  readonly truncated: boolean;
}
interface Events {
  readonly events: number;
  readonly page_views: number;
  readonly sessions_pct: number;
}

Deno.test("every tool of the group is called here", async () => {
  const group = (await rows()).filter((row) => row.group === "behavior").map(({ name }) => name);
  assert.deepEqual(Object.keys(CALLS).toSorted(), group.toSorted());
});

for (const [tool, args] of TOOLS) {
  test(`${tool} answers alike through both doors, with project and quota, and is audited as a read`, async (at) => {
    const first = await at.ask(tool, args);
    const asked = PULLS.includes(tool) ? 1 : 0;
    assert.equal(first.project_id, "p1");
    assert.deepEqual(first.quota, {
      used_today: asked,
      limit: 10,
      left: 9 - asked,
      exhausted: false,
      resets_at: "2026-11-22T00:00:00.000Z",
      reserved: 1,
    });
    const [rest, mcp] = [await at.ask(tool, args), await at.ask(tool, args, "mcp")];
    assert.deepEqual(mcp, rest);
    assert.deepEqual(rest, asked ? { ...first, cached: true } : first);
    assert.equal(at.clarity.requests.length, asked, "one pull serves all");
    const [row] = await at.gw.audit();
    assert.deepEqual([row!.tool, row!.tier, row!.status], [tool, 0, "ok"]);
  });

  test(`${tool} refuses a site that is linked to no project, and sends nothing`, async (at) => {
    const lacking = { tokenless: /has no export token;/, nowhere: /has no behavior_project_id;/ };
    for (const [site_id, words] of Object.entries(lacking)) {
      const message = await at.refuses(tool, { ...args, site_id }, "E_BEHAVIOR_NOT_LINKED", words);
      assert.match(message, /admin site update .*--behavior-project-id <id> --behavior-token-stdin/);
    }
    assert.deepEqual(at.clarity.requests, []);
  });
}

test("a project's sessions are the same whichever tool shows them", async (at) => {
  const info = await at.ask("behavior_get_project_info");
  assert.ok(Number(info.sessions_last_24h) > 50);
  assert.equal(info.token_ok, true);
  assert.ok((info.metrics_available as string[]).includes("rage_clicks"));
  assert.match(
    String(info.dashboard_url),
    /^https:\/\/clarity\.microsoft\.com\/projects\/view\/p1\/dashboard$/,
  );
  const sessions = await at.ask("behavior_get_session_recordings");
  assert.equal((sessions.sessions as { total: number }).total, info.sessions_last_24h);
  assert.match(String(sessions.recordings_url), /\/p1\/impressions$/);
  const heat = await at.ask("behavior_get_heatmap_metrics");
  const [dead] = (await at.ask<Metrics>("behavior_get_metrics", { metrics: ["dead_clicks"] })).metrics;
  const { events, page_views, sessions_pct } = dead!.rows[0]!;
  assert.deepEqual(heat.dead_clicks, { events, page_views, sessions_pct });
  assert.equal(at.clarity.requests.length, 1, "all of one pull");
});

test("rows by dimensions carry them under their own names, and add up to the whole", async (at) => {
  const whole = await at.ask("behavior_get_project_info");
  for (const dimensions of [["Country"], ["URL"], ["Source", "Device"], ["OS", "Channel", "Campaign"]]) {
    const found = await at.ask<Metrics>("behavior_get_metrics", { dimensions });
    const traffic = found.metrics.find(({ name }) => name === "traffic")!;
    const counted = traffic.rows.map((row) => Number(row["sessions"]));
    assert.equal(counted.reduce((sum, one) => sum + one, 0), whole.sessions_last_24h, dimensions.join());
    assert.deepEqual(counted, counted.toSorted((a, b) => b - a), "most sessions first");
    for (const row of traffic.rows) {
      assert.deepEqual(Object.keys(row).slice(0, dimensions.length), dimensions.toSorted());
    }
  }
  const sent = at.clarity.requests.map(({ target }) => target.replace(/^.*numOfDays/, "numOfDays"));
  assert.ok(sent.includes("numOfDays=1&dimension1=Country%2FRegion"), sent.join("\n"));
});

test("addresses lose their query, and rows that differed in nothing else are one", async (at) => {
  const pages = await at.ask<Metrics>("behavior_get_metrics", { dimensions: ["URL"] });
  const heat = await at.ask("behavior_get_heatmap_metrics", { by_url: true });
  const recordings = await at.ask("behavior_get_session_recordings");
  const texts = JSON.stringify([pages, heat, recordings]);
  assert.ok(!/mail\.example|utm_|\?/.test(texts), "nothing of a query is shown");
  assert.equal(pages.metrics[0]!.rows.length, 4);
  assert.deepEqual((heat.pages as { url: string }[]).map(({ url }) => url).toSorted(), [
    "https://dentist.example/",
    "https://dentist.example/blog/teeth",
    "https://dentist.example/contact",
    "https://dentist.example/prices",
  ]);
  const asked = at.clarity.requests.map(({ query }) => query["dimension1"]);
  assert.deepEqual(asked, ["URL", undefined], "by page and as a whole is a pull each");
});

test("dimensions in another order are the same pull", async (at) => {
  await at.ask("behavior_get_metrics", { dimensions: ["OS", "Device"] });
  assert.equal((await at.ask("behavior_get_metrics", { dimensions: ["Device", "OS"] })).cached, true);
});

test("limit leaves rows out and says how many; a reply that is full says so", async (at) => {
  const rows = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => ({ totalSessionCount: `${count - at}`, Url: `https://a.example/${at}` }),
    );
  at.clarity.project("p1").answer = [{ metricName: "Traffic", information: rows(1000) }];
  const found = await at.ask<Metrics>("behavior_get_metrics", { dimensions: ["URL"], limit: 3 });
  assert.deepEqual(found.metrics[0]!.rows.map((row) => row["sessions"]), [1000, 999, 998]);
  assert.deepEqual([found.row_count, found.rows_left_out, found.truncated], [1000, 997, true]);
  at.clarity.project("p1").answer = [{ metricName: "Traffic", information: rows(999) }];
  const whole = await at.ask<Metrics>(
    "behavior_get_metrics",
    { num_of_days: 2, dimensions: ["URL"], limit: 1000 },
  );
  assert.deepEqual([whole.row_count, whole.rows_left_out, whole.truncated], [999, 0, false]);
});

test("rows are counted of the metrics that were asked for, shown or left out", async (at) => {
  const asked = { dimensions: ["Device"], metrics: ["traffic", "rage_clicks"] };
  for (const limit of [1000, 1]) {
    const found = await at.ask<Metrics>("behavior_get_metrics", { ...asked, limit });
    const shown = found.metrics.reduce((sum, { rows }) => sum + rows.length, 0);
    assert.ok(shown > 0);
    assert.equal(found.row_count, shown + found.rows_left_out);
  }
});

test("what cannot be asked is refused before anything is sent", async (at) => {
  const refused: [string, Record<string, unknown>, RegExp][] = [
    ["behavior_get_metrics", { num_of_days: 4 }, /num_of_days/],
    ["behavior_get_metrics", { num_of_days: 0 }, /num_of_days/],
    ["behavior_get_metrics", { num_of_days: "1" }, /num_of_days/],
    ["behavior_get_session_recordings", { num_of_days: 1.5 }, /num_of_days/],
    ["behavior_get_heatmap_metrics", { num_of_days: 4 }, /num_of_days/],
    ["behavior_get_metrics", { dimensions: ["OS", "Device", "URL", "Browser"] }, /dimensions/],
    ["behavior_get_metrics", { dimensions: ["Url"] }, /dimensions/],
    ["behavior_get_metrics", { dimensions: ["Country/Region"] }, /dimensions/],
    ["behavior_get_metrics", { dimensions: ["OS", "OS"] }, /dimensions: "OS" is given twice/],
    ["behavior_get_metrics", { metrics: ["Traffic"] }, /metrics/],
    [
      "behavior_get_metrics",
      { metrics: ["pages"], dimensions: ["OS"] },
      /metrics: "pages" comes without dimensions only/,
    ],
    ["behavior_get_metrics", { limit: 1001 }, /limit/],
    ["behavior_get_project_info", { project_id: "p2" }, /project_id: unknown argument/],
  ];
  for (const [tool, args, words] of refused) {
    await at.refuses(tool, args, "E_BAD_INPUT", words);
  }
  assert.deepEqual(at.clarity.requests, []);
  assert.equal((await at.ask("behavior_get_historical_metrics")).quota.used_today, 0);
});

test("a project without visitors answers zeros or nothing, and never fails", async (at) => {
  for (const traffic of ["none", "zeros"] as const) {
    at.clarity.project("p1").traffic = traffic;
    for (const tool of PULLS) await at.ask(tool);
    const info = await at.ask("behavior_get_project_info");
    assert.equal(info.sessions_last_24h, traffic === "none" ? null : 0);
    at.gw.clock.now += 4 * HOUR;
  }
});

test("metrics that nobody knows are shown as they are; a known one may be spelled in any way", async (at) => {
  at.clarity.project("p1").answer = [
    {
      metricName: "Dead Tap Count",
      information: [{ screensViews: "7", ratio: 2.5, at: "https://a.example/x?id=9" }],
    },
    {
      metricName: "traffic",
      information: [{ TotalSessionCount: "1,204", distantUserCount: 30, PagesPerSessionPercentage: "1.88" }],
    },
    { metricName: "ScrollDepth" },
    { metricName: "__proto__", information: [{ constructor: "1" }, null, "x"] },
  ];
  const { metrics } = await at.ask<Metrics>("behavior_get_metrics");
  assert.deepEqual(metrics, [
    { name: "dead_tap_count", rows: [{ screens_views: 7, ratio: 2.5, at: "https://a.example/x" }] },
    {
      name: "traffic",
      rows: [{ sessions: 1204, bot_sessions: null, distinct_users: 30, pages_per_session: 1.88 }],
    },
    { name: "scroll_depth", rows: [] },
    { name: "_proto_", rows: [{ constructor: 1 }] },
  ]);
});

test("a row names its country under either of the vendor's keys", async (at) => {
  const row = (key: string) => ({ [key]: "Germany", totalSessionCount: "2" });
  for (const [days, key] of ["Country", "Country/Region"].entries()) {
    at.clarity.project("p1").answer = [{ metricName: "Traffic", information: [row(key)] }];
    const found = await at.ask<Metrics>("behavior_get_metrics", {
      num_of_days: days + 1,
      dimensions: ["Country"],
    });
    assert.equal(found.metrics[0]!.rows[0]!["Country"], "Germany", key);
  }
});

Deno.test("a row names its dimension however the vendor spells it", async () => {
  const spelt = {
    "Country ": "Country",
    "country/region": "Country",
    url: "URL",
    browser: "Browser",
    Os: "OS",
  };
  for (const [key, dimension] of Object.entries(spelt)) {
    await using at = await BehaviorWorld.open();
    const row = (value: string, sessions: string) => ({ [key]: value, totalSessionCount: sessions });
    at.clarity.project("p1").answer = [
      { metricName: "Traffic", information: [row("one", "2"), row("two", "3")] },
    ];
    const { metrics } = await at.ask<Metrics>("behavior_get_metrics", { dimensions: [dimension] });
    const found = metrics[0]!.rows.map((row) => [row[dimension], row["sessions"], Object.keys(row).length]);
    assert.deepEqual(found, [["two", 3, 5], ["one", 2, 5]], key);
  }
});

test("rows that lack a dimension are not shown as if they had none of it, but for a project without visitors", async (at) => {
  const answer = (sessions: string, more = {}) => [
    { metricName: "Traffic", information: [{ totalSessionCount: sessions, ...more }] },
  ];
  const project = at.clarity.project("p1");
  project.answer = answer("500");
  const alone = await at.refuses("behavior_get_metrics", { dimensions: ["Channel"] }, "E_UPSTREAM");
  assert.equal(
    alone,
    'Clarity answered without "Channel", so its rows cannot be told apart by it; ask without that dimension',
  );
  project.answer = answer("500", { Device: "PC" });
  const beside = { dimensions: ["Channel", "Device"] };
  assert.equal(await at.refuses("behavior_get_metrics", beside, "E_UPSTREAM"), alone);
  const asked = at.clarity.requests.length;
  assert.equal(await at.refuses("behavior_get_metrics", beside, "E_UPSTREAM"), alone);
  assert.equal(at.clarity.requests.length, asked, "asking twice costs one pull of the day");
  await at.refuses("behavior_get_heatmap_metrics", { by_url: true }, "E_UPSTREAM");
  at.gw.clock.now += 3 * HOUR + 1;
  project.answer = answer("500", { Channel: null });
  const none = await at.ask<Metrics>("behavior_get_metrics", { dimensions: ["Channel"] });
  assert.equal(none.metrics[0]!.rows[0]!["Channel"], null, "what the vendor says is shown");
  project.answer = answer("0");
  await at.ask<Metrics>("behavior_get_metrics", { num_of_days: 2, dimensions: ["Channel"] });
});

test("events of pages that are made one are added, and their share weighed by sessions", async (at) => {
  const row = (Url: string, sessionsCount: string, share: number, subTotal: string) => ({
    Url,
    sessionsCount,
    sessionsWithMetricPercentage: share,
    pagesViews: "1",
    subTotal,
  });
  const depth = (Url: string, averageScrollDepth: number) => ({ Url, averageScrollDepth });
  const traffic = (Url: string, totalSessionCount: string) => ({ Url, totalSessionCount });
  const [one, two] = ["https://a.example/?a=1", "https://a.example/?a=2"];
  at.clarity.project("p1").answer = [
    { metricName: "Traffic", information: [traffic(one, "30"), traffic(two, "10")] },
    { metricName: "ScrollDepth", information: [depth(one, 20), depth(two, 60)] },
    { metricName: "RageClickCount", information: [row(one, "30", 10, "4"), row(two, "10", 50, "6")] },
  ];
  const heat = await at.ask("behavior_get_heatmap_metrics", { by_url: true });
  const rage: Events = { events: 10, page_views: 2, sessions_pct: 20 };
  assert.deepEqual([heat.rage_clicks, heat.scroll_depth], [rage, 30]);
  assert.deepEqual(
    (heat.pages as Record<string, unknown>[]).map((page) => [page.url, page.sessions, page.rage_clicks]),
    [["https://a.example/", 40, rage]],
  );
});
