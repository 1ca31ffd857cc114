/** The head of reports of ads: their days, their currency, whether they are all and final, and what leads on. */
import assert from "node:assert/strict";
import { OWN } from "../../sandbox/meta_ads/start.ts";
import { type Args, graph, type Report, test } from "./_meta.ts";

const TOOL = "get_social_ads_insights";

test("a report's days are those asked for, those of its rows, or the named time where the account is", async (at) => {
  at.meta.state.world.accounts[0]!.timezone_name = "Pacific/Kiritimati"; // where it is the 22nd
  const period = async (args: Args) => (await at.ask<Report>(TOOL, args))["period"];
  const none = { from: "2026-10-23", to: "2026-11-21", time_zone: null };
  assert.deepEqual(await period({}), none, "its row says it, and nobody else is asked");
  assert.equal(at.meta.requests.length, 1);
  const range = { since: "2026-10-01", until: "2026-12-31" };
  assert.deepEqual(await period({ time_range: range }), {
    from: range.since,
    to: range.until,
    time_zone: null,
  });
  const week = { from: "2026-11-16", to: "2026-11-22", time_zone: "Pacific/Kiritimati" };
  const first = { date_preset: "this_week_mon_today", time_increment: 1, limit: 2 };
  assert.deepEqual(await period(first), week, "of which this page has two days");
  assert.deepEqual(await period({}), { ...none, time_zone: "Pacific/Kiritimati" }, "known from then on");
  assert.equal(at.meta.requests.length, 5);
});

test("a report is complete when Meta changes it no more, and no page follows", async (at) => {
  const ask = (until: string, more: Args = {}) =>
    at.ask<Report>(TOOL, { time_range: { since: "2026-10-01", until }, ...more });
  const old = await ask("2026-10-22");
  assert.deepEqual([old["complete"], old.notes], [true, []]);
  const young = await ask("2026-10-24");
  assert.equal(young["complete"], false);
  assert.match(young.notes.join(), /^Figures of the days since 2026-10-2[34] are not final: Meta changes/);
  const page = await ask("2026-10-22", { time_increment: 1, limit: 20 });
  assert.deepEqual([page["complete"], page["truncated"]], [false, true]);
  const last = await ask("2026-10-22", { time_increment: 1, limit: 20, ...page["next"] as Args });
  assert.deepEqual([last.rows.length, last["complete"], last["next"]], [2, true, null]);
});

test("rows of two currencies have none together, and each keeps its own", async (at) => {
  const row = (account_currency: string) => ({
    ...{ account_id: OWN, account_currency, spend: "2", date_start: "2026-09-01", date_stop: "2026-09-30" },
  });
  at.meta.inject({ kind: "answer", body: { data: [row("EUR"), row("JPY")] } });
  const report = await at.ask<Report>(TOOL, { fields: ["spend"] });
  assert.equal(report["currency"], null);
  assert.deepEqual(report.rows.map(({ money }) => (money as Args)["spend"]), [
    { amount: "2", currency: "EUR" },
    { amount: "2", currency: "JPY" },
  ]);
});

test("a list's quota that is used up takes nothing from a report, whose days are then UTC's", async (at) => {
  const args = { date_preset: "last_7d", time_increment: 1 };
  at.meta.state.usage.ads_management.minutes = 9;
  await at.ask("list_social_ads");
  const report = await at.ask<Report>(TOOL, args);
  assert.deepEqual([report.rows.length, report["period"]], [
    7,
    { from: "2026-11-14", to: "2026-11-20", time_zone: null },
  ]);
  assert.match(
    report.notes.join(),
    /^The ad account's time zone could not be read: the period is worked out by UTC/,
  );
});

test("access that is withdrawn between two requests of a call ends it, and says what to do", async (at) => {
  at.meta.inject({ kind: "answer", body: { data: [] } });
  at.meta.inject(graph(200, { status: 403, message: "Ad account owner has NOT grant ads_read permission" }));
  const says = /does not let the connected account read ad account act_1001 .*give its person access/;
  await at.gw.fails(TOOL, { site_id: "client" }, "E_SOCIAL_ADS_AUTH", says);
});
