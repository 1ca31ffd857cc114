/** The days of a query of Google Ads: read where they have one reading, and left to Google where they have not. */
import assert from "node:assert/strict";
import { timeOf } from "../../../platforms/google/gaql.ts";

/** Conditions on the days, and what they leave on 21 November. */
const CONDITIONS: readonly (readonly [where: string, days: string | null])[] = [
  ["segments.date BETWEEN '2026-11-01' AND '2026-11-05'", "2026-11-01..2026-11-05"],
  ["segments.date between '20261101' and \"20261105\" AND campaign.id = 7", "2026-11-01..2026-11-05"],
  [
    "campaign.id = 7 AND segments.date >= '2026-11-01' AND segments.date <= '2026-11-05'",
    "2026-11-01..2026-11-05",
  ],
  ["segments.date > '2026-10-31' AND segments.date < '2026-11-06'", "2026-11-01..2026-11-05"],
  ["segments.date >= '2026-11-01'", "2026-11-01..2026-11-21"],
  ["segments.date <= '2026-11-05'", null],
  ["segments.date = '2026-11-05'", "2026-11-05..2026-11-05"],
  ["segments.date DURING TODAY", "2026-11-21..2026-11-21"],
  ["segments.date DURING yesterday", "2026-11-20..2026-11-20"],
  ["segments.date DURING LAST_7_DAYS", "2026-11-14..2026-11-20"],
  ["segments.date DURING LAST_30_DAYS", "2026-10-22..2026-11-20"],
  ["segments.date DURING THIS_MONTH", "2026-11-01..2026-11-21"],
  ["segments.date DURING LAST_MONTH", "2026-10-01..2026-10-31"],
  ["segments.date DURING LAST_BUSINESS_WEEK", null],
  ["segments.date IN ('2026-11-01', '2026-11-05')", null],
  ["segments.date != '2026-11-05'", null],
  ["segments.date >= '2026-11-01' AND segments.date != '2026-11-05'", null],
  ["segments.date BETWEEN '2026-13-01' AND '2026-13-05'", null],
  ["campaign.name = 'segments.date = 1'", null],
];

Deno.test("a query of ads says its days where they are written in a way that has one reading", () => {
  for (const [where, days] of CONDITIONS) {
    const query = `SELECT segments.date, metrics.clicks FROM campaign WHERE ${where} ORDER BY segments.date`;
    const found = timeOf(query, "2026-11-21");
    assert.deepEqual(
      [found.days && `${found.days.from}..${found.days.to}`, found.hasMetrics],
      [days, true],
      where,
    );
  }
  const plain = timeOf(
    "SELECT campaign.name, segments.date FROM campaign ORDER BY segments.date",
    "2026-11-21",
  );
  assert.deepEqual(plain, { days: null, hasMetrics: false });
});
