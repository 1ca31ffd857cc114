/** Two windows beside each other: won and lost by when that happened, and nothing told of what was not read whole. */
import assert from "node:assert/strict";
import { emptyWorld, random, type World } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { CrmWorld } from "./_crm.ts";

const DAY_MS = 24 * 60 * 60_000;
const TOOL = "crm_compute_window_compare";

type Side = Record<"opportunities" | "won" | "lost" | "win_rate", number | null> & {
  readonly incomplete: string | null;
};
interface Compared {
  readonly current: Side;
  readonly prior: Side;
  readonly delta: Record<string, { readonly abs: number | null; readonly pct: number | null }>;
  readonly counted_by: Record<string, string>;
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

interface Answer extends Compared {
  readonly period: { readonly from: string; readonly to: string; readonly time_zone: string };
  readonly complete: boolean;
  readonly fresh_until: string;
}

/** A business that makes so many a day, half of which are won and half lost, 0 to 30 days later. */
function steady(days: number, daily: number): World {
  const world = emptyWorld(`loc${crypto.randomUUID().slice(0, 8)}`, "UTC");
  const next = random(7);
  for (let at = 0; at < days * daily; at++) {
    const made = NOW - 1 - Math.floor((at / daily) * DAY_MS);
    const decided = made + Math.floor(next() * 30 * DAY_MS);
    const isOpen = decided >= NOW;
    world.opportunities.push({
      id: `o${at}`,
      pipelineId: "p",
      pipelineStageId: "s",
      status: isOpen ? "open" : at % 2 === 0 ? "won" : "lost",
      monetaryValue: 1,
      createdAt: new Date(made).toISOString(),
      lastStatusChangeAt: new Date(isOpen ? made : decided).toISOString(),
      locationId: world.location.id,
    });
  }
  return world;
}

/** How many became so in a time. */
const became = (world: World, status: string, from: number, to: number) =>
  world.opportunities.filter((row) => {
    const at = Date.parse(row.lastStatusChangeAt ?? "");
    return row.status === status && at >= from && at < to;
  }).length;

Deno.test("a steady business stays steady: won and lost count on the day they became so", async () => {
  const world = steady(120, 20);
  for (
    const search of [{}, { cursorless: true }, { most: 100 }, { closed: true }, { deaf: true }, {
      blind: true,
    }]
  ) {
    await using at = await CrmWorld.open({ crm: { world, unruly: { search } } });
    const { current, prior, delta, counted_by, truncated, notes } = await at.both<Compared>(TOOL);
    const [edge, start] = [NOW - 14 * DAY_MS, NOW - 28 * DAY_MS];
    const ways = JSON.stringify(search);
    assert.deepEqual(
      [current.won, current.lost, prior.won, prior.lost],
      [
        became(world, "won", edge, NOW),
        became(world, "lost", edge, NOW),
        became(world, "won", start, edge),
        became(world, "lost", start, edge),
      ],
      ways,
    );
    assert.ok(Math.abs(delta["won"]!.pct!) < 0.15, `${ways}: ${delta["won"]!.pct}`);
    assert.deepEqual([current.opportunities, prior.opportunities], [280, 280], ways);
    assert.match(counted_by["won"]!, /the day they were won/);
    assert.deepEqual([truncated, current.incomplete, notes], [false, null, []], ways);
  }
});

Deno.test("a window that was cut has no numbers, and nothing is compared with it", async () => {
  // So many a day that the requests of a call end within the prior window.
  const world = steady(40, 600);
  await using at = await CrmWorld.open({ crm: { world, unruly: { search: { closed: true } } } });
  const { current, prior, delta, truncated, notes } = await at.ask<Compared>(TOOL);
  assert.equal(current.opportunities, 8400);
  assert.deepEqual([prior.opportunities, prior.won, prior.lost, prior.win_rate], [null, null, null, null]);
  assert.match(prior.incomplete!, /^Not all opportunities could be read, because a call asks the CRM/);
  assert.ok(Object.values(delta).every(({ abs, pct }) => abs === null && pct === null));
  assert.equal(truncated, true);
  assert.ok(notes.some((note) => /a window that is not whole has no numbers/.test(note)), String(notes));
});

Deno.test("where not all that was won can be read, won is not known, and the rest is", async () => {
  const world = steady(900, 20);
  await using at = await CrmWorld.open({ crm: { world, unruly: { search: { closed: true } } } });
  const { current, prior, delta, notes } = await at.ask<Compared>(TOOL);
  assert.deepEqual([current.opportunities, prior.opportunities], [280, 280]);
  assert.deepEqual([current.won, current.lost, current.win_rate, prior.won], [null, null, null, null]);
  assert.match(current.incomplete!, /^Not all won and lost opportunities could be read/);
  assert.deepEqual(delta["won"], { abs: null, pct: null });
  assert.deepEqual(delta["opportunities"], { abs: 0, pct: 0 });
  assert.ok(notes.some((note) => /^Not all won and lost opportunities could be read/.test(note)));
});

Deno.test("a reopened one is not won, one decided before it was made is, one without a day is noted", async () => {
  const world = emptyWorld("loc-odd", "UTC");
  const day = (ago: number) => new Date(NOW - ago * DAY_MS).toISOString();
  const row = (id: string, status: string, made: number, changed: number | null) => ({
    id,
    pipelineId: "p",
    status,
    createdAt: day(made),
    ...(changed === null ? {} : { lastStatusChangeAt: day(changed) }),
    locationId: "loc-odd",
  });
  world.opportunities.push(
    row("reopened", "open", 60, 2),
    row("imported", "won", 1, 20),
    row("old", "won", 400, 3),
    row("undated", "lost", 5, null),
  );
  for (const closed of [false, true]) {
    await using at = await CrmWorld.open({ crm: { world, unruly: { search: { closed } } } });
    const { current, prior, notes } = await at.ask<Compared>(TOOL);
    assert.deepEqual([current.won, prior.won, current.lost], [1, 1, 0]);
    if (closed) assert.ok(notes.some((note) => /does not say when the status changed/.test(note)));
  }
});

Deno.test("both windows end where the CRM was read, also where pages of a moment ago are taken", async () => {
  await using at = await CrmWorld.open({ crm: { world: steady(90, 2) } });
  await at.ask(TOOL);
  at.gw.clock.now += 20_000;
  const { notes, complete, period, fresh_until, current } = await at.ask<Answer>(TOOL);
  assert.deepEqual([notes, complete], [[], true]);
  assert.equal(new Date(Date.parse(period.to) + 1).toISOString(), fresh_until);
  assert.equal(fresh_until, new Date(NOW).toISOString());
  assert.equal(current.opportunities, 28);
});

Deno.test("a month is held against the month before it, as far as it has come", async () => {
  const world = steady(120, 3);
  await using at = await CrmWorld.open({ crm: { world } });
  const start = (day: string) => Date.parse(`${day}T00:00:00Z`);
  const won = (from: number, to: number) => became(world, "won", from, to);
  const over = await at.both<Answer>(TOOL, { month: "2026-10" });
  assert.deepEqual(over.period, { from: "2026-10-01", to: "2026-10-31", time_zone: "UTC" });
  assert.deepEqual([over.current.won, over.prior.won], [
    won(start("2026-10-01"), start("2026-11-01")),
    won(start("2026-09-01"), start("2026-10-01")),
  ]);
  assert.equal(over.delta["won"]!.abs, over.current.won! - over.prior.won!);
  assert.deepEqual([over.complete, over.notes], [true, [
    "The periods have 31 and 30 days: sums are not per day",
  ]]);
  const open = await at.ask<Answer>(TOOL, { month: "2026-11" });
  const past = NOW - start("2026-11-01");
  assert.deepEqual([open.current.won, open.prior.won], [
    won(start("2026-11-01"), NOW),
    won(start("2026-10-01"), start("2026-10-01") + past),
  ]);
  assert.deepEqual([open.complete, open.period.to], [false, "2026-11-30"], "the month goes on");
  assert.match(open.notes.join(), /Compared is what both periods hold until/);
  const refuses = (args: object, says: RegExp) =>
    at.gw.refuses(TOOL, { site_id: "client", ...args }, "E_BAD_INPUT", says);
  const { length } = at.crm.requests;
  await refuses({ month: "2026-10", window_days: 30 }, /month: give either month or window_days, not both/);
  await refuses({ month: "2026-12" }, /month: "2026-12" lies in the future/);
  assert.equal(at.crm.requests.length, length, "nothing was sent");
});
