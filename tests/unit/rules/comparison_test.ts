/** Periods held against each other: which days the other one has, and what is reported as a change. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import {
  changesOf,
  checkCompare,
  compared,
  type CompareWith,
  daysToCompare,
  rowChanges,
} from "../../../rules/comparison.ts";
import { headed } from "../../../rules/data_head.ts";

const TODAY = "2026-11-21";
const NOW = Date.parse(`${TODAY}T12:00:00Z`);
const range = (text: string) => {
  const [from, to] = text.split("..") as [string, string];
  return { from, to };
};

/** What is compared, the days asked for, the other days, and a word of the note where there is one. */
const DAYS: readonly (readonly [CompareWith, asked: string, other: string, note?: string])[] = [
  ["previous_period", "2026-11-01..2026-11-07", "2026-10-25..2026-10-31"],
  ["previous_period", "2026-11-20..2026-11-20", "2026-11-19..2026-11-19"],
  ["previous_period", "2026-11-01..2026-11-21", "2026-10-11..2026-10-31", "may not be over"],
  // A month that is not over is held against as many days of the one before.
  [
    "previous_period",
    "2026-11-01..2026-11-30",
    "2026-10-02..2026-10-22",
    "Days after 2026-11-21 are not counted yet",
  ],
  [
    "previous_year",
    "2026-11-01..2026-11-30",
    "2025-11-01..2025-11-21",
    "Days after 2026-11-21 are not counted yet",
  ],
  ["previous_year", "2026-10-01..2026-10-31", "2025-10-01..2025-10-31"],
  ["previous_year", "2024-02-29..2024-02-29", "2023-02-28..2023-02-28"],
  ["previous_year", "2024-02-01..2024-02-29", "2023-02-01..2023-02-28", "have 29 and 28 days"],
  [
    range("2026-01-01..2026-01-31"),
    "2026-02-01..2026-02-28",
    "2026-01-01..2026-01-31",
    "have 28 and 31 days",
  ],
  [range("2026-10-01..2026-10-31"), "2026-10-15..2026-11-14", "2026-10-01..2026-10-31", "share days"],
];

Deno.test("the other period follows from the words, and from how much of the period has begun", () => {
  for (const [compare, asked, other, note] of DAYS) {
    const found = daysToCompare(compare, range(asked), TODAY);
    assert.deepEqual(found.other, range(other), asked);
    const said = found.notes.join(" ");
    assert.ok(note === undefined ? said === "" : said.includes(note), `${asked}: ${said}`);
  }
});

Deno.test("days of one's own are refused where nothing can be compared", () => {
  const refused = (run: () => unknown, word: string) =>
    assert.throws(run, (thrown) => thrown instanceof GatewayError && thrown.message.includes(word));
  refused(() => checkCompare(range("2026-02-02..2026-02-01"), NOW), "compare.to");
  refused(() => checkCompare(range("2026-12-01..2026-12-02"), NOW), "lies in the future");
  const same = "2026-02-01..2026-02-02";
  refused(() => daysToCompare(range(same), range(same), TODAY), "is the period itself");
  refused(
    () => daysToCompare("previous_year", range("2026-11-22..2026-11-23"), TODAY),
    "nothing is counted yet",
  );
  checkCompare(range("2026-11-22..2026-11-22"), NOW); // has begun in the first zones
  checkCompare("previous_year", NOW);
});

Deno.test("figures at the same place are reported as a change; what one side lacks is not", () => {
  const now = { visits: 30, rate: 0.5, gone: null, by: { won: 4, lost: 0, "new": 2 }, list: [1], text: "a" };
  const before = { visits: 20, rate: 0.4, gone: 3, by: { won: 0, lost: 0 }, list: [2], text: "b" };
  assert.deepEqual(changesOf(now, before), {
    visits: { abs: 10, pct: 0.5 },
    rate: { abs: 0.1, pct: 0.25 },
    gone: { abs: null, pct: null },
    by: {
      won: { abs: 4, pct: null },
      lost: { abs: 0, pct: null },
      new: { abs: null, pct: null },
    },
  });
});

Deno.test("rows are matched by what they are about, and nothing is said of one that a side does not show", () => {
  const rows = (...counts: [string, number][]) => counts.map(([key, count]) => ({ key, count }));
  const now = rows(["b", 4], ["a", 2], ["new", 1]);
  const found = rowChanges(
    now,
    rows(["a", 1], ["b", 8], ["gone", 5]),
    ({ key }) => ({ key }),
    ({ count }) => ({ count }),
  );
  assert.deepEqual(found.changes, [
    { key: "b", count: { abs: -4, pct: -0.5 } },
    { key: "a", count: { abs: 1, pct: 1 } },
  ]);
  assert.match(
    found.notes[0]!,
    /^2 of the rows are shown in both periods, 1 in this one alone and 1 in the other alone/,
  );
  assert.deepEqual(rowChanges(now, now, ({ key }) => ({ key }), ({ count }) => ({ count })).notes, []);
});

const PERIOD = { from: "2026-11-01", to: "2026-11-07", time_zone: "UTC" };

Deno.test("nothing is reported as a change where one side is not whole", () => {
  const side = (count: number, whole: boolean) => ({
    period: PERIOD,
    whole,
    complete: true,
    truncated: !whole,
    figures: { count },
  });
  assert.deepEqual(compared(side(2, true), side(1, true), []).change, { count: { abs: 1, pct: 1 } });
  for (const [now, other, word] of [[true, false, "the other one"], [false, true, "this period"]] as const) {
    const found = compared(side(2, now), side(1, other), ["A note"]);
    assert.equal(found.change, null);
    assert.equal(found.complete, other);
    assert.match(found.notes[0]!, new RegExp(word));
    assert.equal(found.notes.at(-1), "A note");
  }
});

Deno.test("a head stands around a tool's own keys, and what is cut off is never complete", () => {
  const given = { period: PERIOD, complete: true, fresh_until: null, notes: ["a", "a"] };
  const whole = headed(given, { rows: [] });
  assert.deepEqual(Object.keys(whole), [
    "period",
    "currency",
    "complete",
    "truncated",
    "next",
    "fresh_until",
    "rows",
    "notes",
  ]);
  assert.deepEqual(whole.notes, ["a"]);
  assert.equal(whole.complete, true);
  assert.equal(headed({ ...given, truncated: true }, {}).complete, false);
});
