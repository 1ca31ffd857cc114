/** Windows of the CRM's tools: whole days of the location's time zone, however they are given. */
import assert from "node:assert/strict";
import { emptyWorld, seeded } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { type Answer, type Args, CrmWorld } from "./_crm.ts";

const TOOL = "crm_compute_no_show_rate";
const LOCATION = "loc-of-windows";
const DAY_MS = 24 * 60 * 60_000;
const inZone = (timezone: string) => CrmWorld.open({ crm: { world: seeded(LOCATION, NOW, { timezone }) } });

/** The kinds of window, and the days each is asked as in New York. */
const GIVEN: readonly (readonly [Args, string, string, widened: boolean])[] = [
  [{ days: 1 }, "2026-11-21", "2026-11-21", false],
  [{ days: 30 }, "2026-10-23", "2026-11-21", false],
  [{ start_at: "2026-11-01", end_at: "2026-11-01" }, "2026-11-01", "2026-11-01", false],
  [{ start_at: "2026-11-01T09:30:00Z", end_at: "2026-11-02T01:00:00Z" }, "2026-11-01", "2026-11-01", true],
  [{ start_at: "2026-11-01T22:30:00-05:00", end_at: "2026-11-03" }, "2026-11-01", "2026-11-03", true],
  [{ start_at: "2026-11-01T10:00", end_at: "2026-11-02 11:00:00" }, "2026-11-01", "2026-11-02", true],
  [{ start_at: "1793505600000", end_at: "1793592000000" }, "2026-11-01", "2026-11-01", true],
  [{ start_at: 1793505600000, end_at: 1793592000000 }, "2026-11-01", "2026-11-01", true],
  [
    { start_at: "2026-11-10T00:00:00-05:00", end_at: "2026-11-11T23:59:59-05:00" },
    "2026-11-10",
    "2026-11-11",
    false,
  ],
  [{ start_at: "2025-11-22", end_at: "2026-11-21" }, "2025-11-22", "2026-11-21", false],
];

Deno.test("a window is answered as the whole days it touches, and a note says so where clock times were given", async () => {
  await using at = await inZone("America/New_York");
  for (const [args, first, last, widened] of GIVEN) {
    const { window, notes } = await at.both(TOOL, args);
    assert.ok(window!.start_at.startsWith(`${first}T00:00:00`), JSON.stringify([args, window]));
    assert.ok(window!.end_at.startsWith(`${last}T23:59:59.999`), JSON.stringify([args, window]));
    assert.equal(window!.days, (Date.parse(last) - Date.parse(first)) / DAY_MS + 1);
    assert.equal(
      notes.some((note) => /widened to whole days/.test(note)),
      widened,
      JSON.stringify([args, notes]),
    );
  }
});

Deno.test("days on which the clock is changed have 25 and 23 hours, and no row is lost or counted twice there", async () => {
  for (
    const [timezone, day, hours] of [
      ["America/New_York", "2026-11-01", 25],
      ["America/New_York", "2026-03-08", 23],
      ["Africa/Cairo", "2026-04-24", 23],
      ["Europe/Berlin", "2026-10-25", 25],
    ] as const
  ) {
    const world = seeded(LOCATION, NOW, { timezone, events: 0 });
    // An appointment each half hour, from the day before to the day after.
    const begin = Date.parse(`${day}T00:00:00Z`) - DAY_MS;
    world.events.push(...Array.from({ length: 6 * 24 }, (_, half) => ({
      id: `half-${half}`,
      calendarId: "cal-a",
      appointmentStatus: "showed",
      startTime: new Date(begin + half * 30 * 60_000).toISOString(),
      locationId: LOCATION,
    })));
    await using at = await CrmWorld.open({ crm: { world } });
    const { window, total } = await at.ask(TOOL, { start_at: day, end_at: day });
    assert.equal(
      Date.parse(window!.end_at) + 1 - Date.parse(window!.start_at),
      hours * 60 * 60_000,
      timezone,
    );
    assert.equal(total, hours * 2, timezone);
  }
});

const REFUSED: readonly (readonly [Args, RegExp])[] = [
  [{ start_at: "2026-11-02", end_at: "2026-11-01" }, /end_at: .*lies before start_at/],
  [{ start_at: "2026-11-02T10:00:00Z", end_at: "2026-11-02T09:00:00Z" }, /end_at: .*lies before start_at/],
  [{ start_at: "2026-11-05", end_at: "2026-11-01T10:00:00Z" }, /end_at: .*lies before start_at/],
  [
    { start_at: "2026-12-01", end_at: "2026-12-02" },
    /start_at: .*in the future.*; today is 2026-11-21 by UTC$/,
  ],
  [{ start_at: "2025-01-01", end_at: "2026-11-01" }, /end_at: the window has 670 days; at most 366/],
  [{ start_at: "2026-02-30", end_at: "2026-03-01" }, /start_at: "2026-02-30" is no day/],
  [{ start_at: "yesterday", end_at: "2026-11-01" }, /start_at: "yesterday" cannot be read; allowed are/],
  [{ start_at: "1793505600", end_at: "1793592000" }, /start_at: .*milliseconds/],
  [{ start_at: "11/01/2026", end_at: "2026-11-02" }, /start_at: .*cannot be read/],
  [{ start_at: "", end_at: "2026-11-02" }, /start_at: .*cannot be read/],
  [{ start_at: "2026-11-01" }, /end_at is required/],
  [{ end_at: "2026-11-01" }, /start_at is required/],
  [{ days: 30, start_at: "2026-11-01", end_at: "2026-11-02" }, /days: give either/],
  [{ days: 0 }, /days: expected/],
  [{ days: 366 }, /days: expected/],
  [{ days: 1.5 }, /days: expected/],
];

Deno.test("a window that is none is refused, says what is allowed, and sends nothing", async () => {
  await using at = await inZone("America/New_York");
  for (const tool of [TOOL, "crm_compute_revenue_stats", "crm_compute_pipeline_funnel"]) {
    for (const [args, words] of REFUSED) {
      await at.gw.refuses(tool, { site_id: "client", ...args }, "E_BAD_INPUT", words);
    }
  }
  assert.deepEqual(at.crm.requests, []);
});

Deno.test("a window that ends later than today says that it is not over", async () => {
  await using at = await inZone("UTC");
  const { notes } = await at.ask(TOOL, { start_at: "2026-11-20", end_at: "2026-11-25" });
  assert.ok(notes.some((note) => /ends on 2026-11-25, which is not over/.test(note)));
});

Deno.test("the CRM is asked in its own words for the same days", async () => {
  await using at = await inZone("Pacific/Auckland");
  const days = { start_at: "2026-11-01", end_at: "2026-11-03" };
  for (
    const tool of [
      "crm_compute_pipeline_funnel",
      "crm_compute_revenue_stats",
      TOOL,
      "crm_compute_form_submission_rate",
    ]
  ) {
    await at.ask<Answer>(tool, days);
  }
  await at.ask("forms_get-submissions", days);
  const query = (path: RegExp) => at.asked(path)[0]!.query as Record<string, string>;
  const midnight = Date.parse("2026-10-31T11:00:00Z");
  const [searched] = at.asked(/opportunities\/search/);
  const asked = searched!.body as { limit: number; filters: { field: string; value: object }[] };
  assert.deepEqual([asked.limit, asked.filters[0]!.field], [500, "date_added"]);
  assert.deepEqual(asked.filters[0]!.value, {
    gte: "2026-10-31T11:00:00.000Z",
    lte: "2026-11-03T10:59:59.999Z",
  });
  const { startAt, endAt } = query(/invoices/);
  assert.deepEqual([startAt, endAt], ["2026-10-01", "2026-12-04"], "a month more on each side");
  const paid = query(/payments/);
  assert.deepEqual([paid["startAt"], paid["endAt"]], ["2026-10-18", "2026-11-04"]);
  const forms = query(/forms/);
  assert.deepEqual([forms["startAt"], forms["endAt"]], ["2026-11-01", "2026-11-03"]);
  const { startTime, endTime } = query(/events/);
  assert.deepEqual([startTime, endTime], [String(midnight), String(midnight + 3 * DAY_MS - 1)]);
  const { filters } = at.asked(/contacts/)[0]!.body as { filters: { value: object }[] };
  assert.deepEqual(filters[0]!.value, { gte: "2026-10-31T11:00:00.000Z", lte: "2026-11-03T10:59:59.999Z" });
});

Deno.test("where the search by filters is closed, the older one is asked for a day more on each side", async () => {
  await using at = await inZone("Pacific/Auckland");
  at.crm.state.unruly = { search: { closed: true } };
  for (const day of ["2026-11-01", "2026-11-02"]) {
    await at.ask("crm_compute_pipeline_funnel", { start_at: day, end_at: "2026-11-03" });
  }
  const [refused, listed, again] = at.asked(/opportunities\/search/);
  assert.deepEqual([refused!.method, listed!.method, again!.method], ["POST", "GET", "GET"]);
  const { date, endDate } = listed!.query as Record<string, string>;
  assert.deepEqual([date, endDate], ["10-31-2026", "11-04-2026"]);
  assert.equal((again!.query as Record<string, string>)["date"], "11-01-2026", "it is remembered");
});

Deno.test("a location whose time zone is not told, not known or not permitted is counted by days of UTC, and a note says so", async () => {
  for (const timezone of [undefined, "Mars/Olympus"]) {
    const world = { ...seeded(LOCATION, NOW), location: { id: LOCATION, name: "Harbour", timezone } };
    await using at = await CrmWorld.open({ crm: { world: world as never } });
    const { window, notes } = await at.ask("crm_compute_sms_stats");
    assert.match(window!.start_at, /\+00:00$/);
    assert.ok(notes.some((note) => /days are those of UTC/.test(note)));
  }
  await using at = await inZone("America/New_York");
  at.crm.state.lacking.add("locations.readonly");
  const { window, notes } = await at.ask(TOOL);
  assert.match(window!.start_at, /\+00:00$/);
  assert.ok(notes.some((note) => /permission "locations.readonly"/.test(note)));
});

Deno.test("two windows are compared to the moment: what is still to come today is in neither", async () => {
  const hour = 60 * 60_000;
  const world = emptyWorld("loc-compared", "America/New_York");
  const own = { locationId: "loc-compared" };
  const edge = NOW - 14 * 24 * hour;
  const made = [NOW - 1, NOW - hour, edge, edge - 1, edge - 14 * 24 * hour, edge - 14 * 24 * hour - 1];
  world.opportunities.push(...made.map((at, index) => ({
    id: `o${index}`,
    pipelineId: "p",
    pipelineStageId: "s",
    status: "won",
    monetaryValue: 1,
    createdAt: new Date(at).toISOString(),
    ...own,
  })));
  world.calendars.push({ id: "c", name: "Room", ...own });
  world.events.push(...[NOW - hour, NOW + hour].map((at, index) => ({
    id: `e${index}`,
    calendarId: "c",
    appointmentStatus: index === 0 ? "noshow" : "confirmed",
    startTime: new Date(at).toISOString(),
    ...own,
  })));
  await using at = await CrmWorld.open({ crm: { world } });
  const found = await at.ask("crm_compute_window_compare");
  const { current, prior } = found as unknown as Record<string, Record<string, unknown>>;
  assert.deepEqual([current!["opportunities"], prior!["opportunities"]], [3, 2]);
  assert.deepEqual([current!["appointments"], current!["no_show_rate"]], [1, 1]);
  const borders = [current, prior].map((one) => {
    const { start_at, end_at } = one!["window"] as Record<string, string>;
    return [Date.parse(start_at!), Date.parse(end_at!) + 1];
  });
  assert.deepEqual(borders, [[edge, NOW], [edge - 14 * 24 * hour, edge]]);
});
