/** The days that Meta's named times mean, by the calendar of an ad account. */
import assert from "node:assert/strict";
import { spanOf } from "../../../sandbox/meta_ads/days.ts";
import { PRESETS } from "../../../sandbox/meta_ads/words.ts";
import { countedUntil, daysOfPreset, unsettledSince } from "../../../platforms/meta_ads/days.ts";

const MS = (day: string) => Date.parse(`${day}T12:00:00Z`);

Deno.test("each named time means the days that the stand-in answers for it, on every kind of day", () => {
  for (const today of ["2026-11-21", "2026-11-22", "2026-11-23", "2026-01-01", "2028-02-29", "2026-03-31"]) {
    for (const preset of PRESETS) {
      // The stand-in begins with the month, Meta with the day; of these two only the end is compared.
      const { since, until } = spanOf(new URLSearchParams({ date_preset: preset }), MS(today), "UTC");
      const { from, to } = daysOfPreset(preset, today);
      assert.equal(to, until, `${preset} on ${today}`);
      if (!preset.endsWith("maximum")) assert.equal(from, since, `${preset} on ${today}`);
    }
  }
});

Deno.test("a day is that of the ad account, and one that nobody can tell is taken for the last in the world", () => {
  const now = Date.parse("2026-11-21T11:00:00Z");
  assert.equal(unsettledSince("Europe/Berlin", now), "2026-10-24");
  assert.equal(unsettledSince(null, now), "2026-10-23");
  assert.equal(countedUntil(now), "2026-11-21T10:45:00.000Z");
});
