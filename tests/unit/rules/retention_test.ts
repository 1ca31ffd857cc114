/** What a run of retention may drop: the clock is believed for 31 days and no further. */
import assert from "node:assert/strict";
import {
  judgeRetention,
  type RetentionFacts,
  type RetentionVerdict,
  waitMessage,
} from "../../../rules/retention.ts";

const DAY = 24 * 60 * 60 * 1000;
const RUN = 31 * DAY;
/** Where the last run came to. */
const H = Date.parse("2026-03-01T02:30:00Z");
const YEARS = 730 * DAY;
const drop = (horizon: number): RetentionVerdict => ({ act: "drop", horizon });
const keep = (horizon: number | null): RetentionVerdict => ({ act: "keep", horizon });
const wait = (reason: "first" | "ahead" | "behind" | "lowered"): RetentionVerdict => ({
  act: "wait",
  reason,
});

interface Row {
  readonly name: string;
  readonly before: number;
  readonly days?: number;
  readonly last?: RetentionFacts["last"];
  readonly age: Partial<RetentionFacts["age"]>;
  readonly verdict: RetentionVerdict;
}

const FIRST = { horizon: null, days: null };
const ROWS: readonly Row[] = [
  { name: "the next day", before: H + DAY, age: { oldest: H, newest: H + DAY - 1 }, verdict: drop(H + DAY) },
  { name: "31 days later", before: H + RUN, age: { oldest: H, newest: H + RUN - 1 }, verdict: drop(H + RUN) },
  {
    name: "a row beyond 31 days",
    before: H + RUN + 1,
    age: { oldest: H, newest: H + RUN },
    verdict: wait("ahead"),
  },
  {
    name: "two years ahead",
    before: H + YEARS,
    age: { oldest: H, newest: H + 400 * DAY },
    verdict: wait("ahead"),
  },
  {
    name: "two years ahead, of a log of some days",
    before: H + YEARS,
    age: { oldest: H + 390 * DAY, newest: H + 400 * DAY },
    verdict: wait("ahead"),
  },
  {
    name: "two years ahead, all that is due is within 31 days",
    before: H + YEARS,
    age: { oldest: H, newest: H + DAY },
    verdict: drop(H + RUN),
  },
  {
    name: "two years ahead, an empty log: no horizon that a later run would go by",
    before: H + YEARS,
    age: {},
    verdict: keep(H),
  },
  {
    name: "two years ahead, a log of rows that are not due: no further than the oldest of them",
    before: H + YEARS,
    age: { oldest: H + YEARS + 5 },
    verdict: keep(H + RUN),
  },
  { name: "nothing due", before: H + DAY, age: { oldest: H + 9 * DAY }, verdict: keep(H + DAY) },
  { name: "the oldest due this instant", before: H + DAY, age: { oldest: H + DAY }, verdict: keep(H + DAY) },
  { name: "a clock that stepped back", before: H - YEARS, age: { oldest: H + DAY }, verdict: keep(H) },
  {
    name: "rows dated before what is gone",
    before: H + DAY,
    age: { oldest: H - YEARS, newest: H - YEARS },
    verdict: wait("behind"),
  },
  {
    name: "days lowered by more than 31",
    before: H + 310 * DAY,
    days: 90,
    age: { oldest: H, newest: H + 309 * DAY },
    verdict: wait("lowered"),
  },
  {
    name: "days lowered by 30",
    before: H + 30 * DAY,
    days: 370,
    age: { oldest: H, newest: H + 29 * DAY },
    verdict: drop(H + 30 * DAY),
  },
  { name: "days raised", before: H - 100 * DAY, days: 500, age: { oldest: H }, verdict: keep(H) },
  { name: "the first run, an empty log", before: H, last: FIRST, age: {}, verdict: keep(null) },
  { name: "the first run, a young log", before: H, last: FIRST, age: { oldest: H + DAY }, verdict: keep(H) },
  {
    name: "the first run, a log that was never cut and should be",
    before: H,
    last: FIRST,
    age: { oldest: H - 1, newest: H - 1 },
    verdict: wait("first"),
  },
  {
    name: "the first run, a log that an earlier version cut yesterday",
    before: H + DAY,
    last: FIRST,
    age: { oldest: H, newest: H + DAY - 1, dropped: H - 1 },
    verdict: drop(H + DAY),
  },
  {
    name: "the first run under a clock two years ahead, a log that an earlier version cut yesterday",
    before: H + YEARS,
    last: FIRST,
    age: { oldest: H, newest: H + 400 * DAY, dropped: H - 1 },
    verdict: wait("ahead"),
  },
];

for (const { name, before, days = 400, last = { horizon: H, days: 400 }, age, verdict } of ROWS) {
  Deno.test(`retention, ${name}: ${verdict.act}`, () => {
    const whole = { oldest: null, newest: null, dropped: null, ...age };
    assert.deepEqual(judgeRetention({ before, days, last, age: whole }), verdict);
  });
}

Deno.test("whatever the clock says night by night, no run drops more than 31 days and the horizon never goes back", () => {
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  for (let round = 0; round < 300; round++) {
    let horizon: number | null = null;
    let rows = Array.from({ length: 60 }, (_, n) => H + n * 10 * DAY);
    for (let night = 0; night < 40; night++) {
      const before = H + Math.floor((random() * 3 - 1) * YEARS);
      const due = rows.filter((row) => row < before);
      const age = { oldest: rows[0] ?? null, newest: due.at(-1) ?? null, dropped: null };
      const verdict = judgeRetention({ before, days: 400, last: { horizon, days: 400 }, age });
      if (verdict.act === "wait") continue;
      if (verdict.act === "drop") {
        assert.ok(horizon !== null && due.every((row) => row >= horizon! && row < horizon! + RUN));
        rows = rows.filter((row) => row >= before);
      }
      assert.ok(horizon === null || verdict.horizon! >= horizon);
      assert.ok(rows.every((row) => verdict.horizon === null || row >= verdict.horizon));
      horizon = verdict.horizon;
    }
  }
});

Deno.test("each reason to wait is told with its dates and the command", () => {
  const facts = { now: H, days: 90, last: { horizon: H, days: 400 }, oldest: H, newest: H + DAY };
  for (
    const [reason, says] of [
      ["first", /was never cut/],
      ["lowered", /AUDIT_RETENTION_DAYS was lowered from 400 to 90/],
      ["ahead", /the clock jumped .*2026-03-01T02:30:00.000Z.* or the gateway did not run for long/],
      ["behind", /dated before what was dropped already/],
    ] as const
  ) {
    const message = waitMessage(reason, facts);
    assert.match(message, says);
    assert.match(
      message,
      /rows from 2026-03-01T\S+ to 2026-03-02T\S+ would go.*deno task admin audit retain/,
    );
  }
});
