/** Snapshots of a gateway whose clock was wrong for a while. */
import assert from "node:assert/strict";
import { BehaviorWorld, DAY, HOUR, MIDNIGHT, test } from "../tools/_behavior.ts";

const MINUTE = 60_000;
/** 01:30 UTC of the tests' day, whose snapshots are of the day before. */
const DUE = MIDNIGHT + 90 * MINUTE;

const kept = (at: BehaviorWorld) => at.gw.store.snapshots.list("clarity", "client", "0000-00-00", "9999");

test("what a clock pulled that was a day ahead is pulled anew on its true day, and shown to nobody before", async (at) => {
  await at.night(DUE);
  await at.night(DUE + DAY + 8 * HOUR);
  at.gw.clock.now = DUE + 8 * HOUR;
  assert.deepEqual((await kept(at)).map(({ date, late }) => [date, late]), [["2026-11-20", false], [
    "2026-11-21",
    true,
  ]]);
  at.gw.clock.now = MIDNIGHT + DAY + HOUR;
  const window = { start_date: "2026-11-20", end_date: "2026-11-21" };
  const { missing_dates } = await at.ask<{ missing_dates: string[] }>(
    "behavior_get_historical_metrics",
    window,
  );
  assert.deepEqual(missing_dates, ["2026-11-21"]);
  await at.night(DUE + DAY);
  const true_day = (await kept(at))[1]!;
  assert.deepEqual(
    [true_day.status, true_day.late, true_day.pulled_at],
    ["ok", false, "2026-11-22T01:30:00.000Z"],
  );
  await at.night(DUE + DAY + HOUR);
  assert.equal(at.clarity.requests.length, 3, "once");
});

test("a clock of another instance that is a little ahead makes nothing anew", async (at) => {
  await at.night(DUE + 4 * MINUTE);
  await at.night(DUE);
  assert.equal(at.clarity.requests.length, 1);
});
