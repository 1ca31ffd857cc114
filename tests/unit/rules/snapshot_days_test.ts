/** Which day a snapshot is of: UTC's, on either side of 01:30 and of every clock change there is. */
import assert from "node:assert/strict";
import { dateAt, daysUpTo, dueAt, newestDate } from "../../../rules/snapshot_days.ts";

const HOUR = 60 * 60 * 1000;

Deno.test("the day before is due at 01:30 UTC, and the newest until then is the one before it", () => {
  const cases: [now: string, newest: string][] = [
    ["2026-11-21T01:29:59.999Z", "2026-11-19"],
    ["2026-11-21T01:30:00.000Z", "2026-11-20"],
    ["2026-11-21T23:59:59.999Z", "2026-11-20"],
    ["2026-11-22T00:00:00.000Z", "2026-11-20"],
    ["2028-03-01T01:30:00.000Z", "2028-02-29"],
    ["2027-01-01T01:30:00.000Z", "2026-12-31"],
  ];
  for (const [now, newest] of cases) assert.equal(newestDate(Date.parse(now)), newest, now);
});

Deno.test("over ten years of hours each day is due once, 24 hours after the one before", () => {
  const seen: string[] = [];
  let last = 0;
  for (let now = Date.UTC(2026, 0, 1, 2); now < Date.UTC(2036, 0, 1); now += HOUR) {
    const due = dueAt(now);
    assert.equal(new Date(due).toISOString().slice(11), "01:30:00.000Z");
    if (due === last) continue;
    if (last > 0) assert.equal(due - last, 24 * HOUR);
    seen.push(dateAt(due));
    last = due;
  }
  assert.equal(new Set(seen).size, seen.length);
  assert.equal(seen.length, 3652);
});

Deno.test("days up to one are counted back from it, over the end of a year", () => {
  assert.deepEqual(daysUpTo("2027-01-01", 3), ["2026-12-30", "2026-12-31", "2027-01-01"]);
});
