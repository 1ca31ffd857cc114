/** What Clarity leaves out of an answer is null and named, and a day that it says nothing of is a missing one. */
import assert from "node:assert/strict";
import type { Metrics } from "../../platforms/clarity/metrics.ts";
import { type Answer, HOUR, MIDNIGHT, test } from "./_behavior.ts";
import { day, keep, metrics } from "./_behavior_snapshots.ts";

const TRAFFIC = {
  metricName: "Traffic",
  information: [{ totalSessionCount: "239", totalBotSessionCount: "12", distinctUserCount: "200" }],
};
const RAGE = { metricName: "RageClickCount", information: [{ sessionsCount: "239", subTotal: "8" }] };

test("figures that a pull does not tell are named, and the answer is not complete", async (at) => {
  const cases = [
    [
      "behavior_get_heatmap_metrics",
      [TRAFFIC, RAGE],
      /does not tell dead_clicks, .*avg_scroll_depth|avg_scroll_depth.*dead/,
    ],
    ["behavior_get_session_recordings", [TRAFFIC], /does not tell pages_per_session, avg_total_time_s/],
    ["behavior_get_project_info", [RAGE], /does not tell sessions: null is not nought there/],
  ] as const;
  for (const [tool, body, says] of cases) {
    at.gw.clock.now += 4 * HOUR;
    at.clarity.inject({ kind: "answer", body });
    const found = await at.ask<Answer & { complete: boolean; notes: string[] }>(tool);
    assert.equal(found.complete, false, tool);
    assert.ok(found.notes.some((note) => says.test(note)), String(found.notes));
  }
});

test("a metric that is asked for and is not there is named", async (at) => {
  at.clarity.inject({ kind: "answer", body: [TRAFFIC] });
  const asked = { metrics: ["traffic", "rage_clicks"] };
  const found = await at.ask<Answer & { complete: boolean; notes: string[] }>("behavior_get_metrics", asked);
  assert.deepEqual([found.complete, found.notes], [false, [
    "This pull does not tell rage_clicks: null is not nought there",
  ]]);
});

test("an empty list is no project without visitors, whose metrics are there without rows", async (at) => {
  at.clarity.inject({ kind: "answer", body: [] });
  const call = { site_id: "client" };
  await at.gw.refuses("behavior_get_project_info", call, "E_UPSTREAM", /no list of metrics/, {
    door: "rest",
  });
  at.clarity.inject({
    kind: "answer",
    body: [{ ...TRAFFIC, information: [] }, { ...RAGE, information: [] }],
  });
  const found = await at.ask<Answer & { complete: boolean }>("behavior_get_project_info");
  assert.equal(found.complete, true);
});

test("sums over days of which some lack a figure are not whole, and not held against others", async (at) => {
  const none = { events: null, page_views: null, sessions_pct: null };
  for (let ago = 1; ago <= 8; ago++) {
    const lacks: Partial<Metrics> = ago === 2 ? { rage_clicks: none } : {};
    await keep(at, ago, metrics({ sessions: 10, ...lacks }));
  }
  const found = await at.ask<Answer & { complete: boolean; notes: string[]; compare: { change: unknown } }>(
    "behavior_get_historical_metrics",
    { start_date: day(4), end_date: day(1), compare: "previous_period" },
  );
  assert.deepEqual([found.complete, found.compare.change], [false, null]);
  assert.ok(found.notes.some((note) => note.endsWith("their sums lack them: rage_clicks (1 of 4 days)")));
});

test("a night whose answer does not tell how many came is a day that is missing, and not one without visitors", async (at) => {
  at.clarity.inject({ kind: "answer", body: [RAGE] }, { times: 9 });
  await at.night(MIDNIGHT + 1.5 * HOUR);
  const [snapshot] = await at.gw.store.snapshots.list("clarity", "client", "0000-00-00", "9999");
  assert.equal(snapshot?.status, "failed");
  assert.match(snapshot?.error ?? "", /cannot be read: no sessions of the day/);
});
