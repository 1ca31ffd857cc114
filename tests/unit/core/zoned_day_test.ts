/** The day of a moment in a zone, and where a day begins first. */
import assert from "node:assert/strict";
import { dayIn, dayOf, isTimeZone, LAST_ZONE, latestDay } from "../../../core/zoned_day.ts";

Deno.test("a day is that of the zone, and of one that nobody knows there is none", () => {
  const now = Date.parse("2026-11-21T11:00:00Z");
  assert.equal(dayOf(now, "Pacific/Kiritimati"), "2026-11-22");
  assert.equal(latestDay(now), "2026-11-22");
  assert.equal(latestDay(now - 3_600_001), "2026-11-21");
  assert.equal(dayOf(now, LAST_ZONE), "2026-11-20");
  assert.equal(dayIn(now, "America/New_York"), "2026-11-21");
  assert.deepEqual([dayIn(now, "Mars/Olympus"), dayIn(now, null)], [null, null]);
  assert.deepEqual([isTimeZone("Europe/Vienna"), isTimeZone("Mars/Olympus")], [true, false]);
  assert.throws(() => dayOf(now, "Mars/Olympus"), RangeError);
});
