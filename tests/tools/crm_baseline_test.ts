/** The baseline: of days or of a month, beside another period, in which currency, and how far its figures go. */
import assert from "node:assert/strict";
import { marked } from "marked";
import { emptyWorld, seeded } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { type Answer, type Args, CrmWorld, crowded, test } from "./_crm.ts";
import { counting, truthOf } from "./_crm_seeded.ts";
import { revenue } from "./_crm_world_sums.ts";

const TOOL = "crm_bootstrap_baseline";

type Glance = Record<string, Record<string, number | null>>;
interface Baseline extends Answer {
  readonly period: { readonly from: string; readonly to: string };
  readonly complete: boolean;
  readonly truncated: boolean;
  readonly currency: string | null;
  readonly currencies: readonly string[] | null;
  readonly markdown: string;
  readonly sections: readonly { readonly name: string; readonly ok: boolean; readonly complete: boolean }[];
  readonly figures: Glance;
  readonly compare: {
    readonly period: { readonly from: string; readonly to: string };
    readonly complete: boolean;
    readonly figures: Glance;
    readonly current?: { readonly figures: Glance };
    readonly change: Record<string, Record<string, { readonly abs: number | null }>> | null;
    readonly notes: readonly string[];
  };
}

const asks = (at: CrmWorld, args: Args = {}) => at.ask<Baseline>(TOOL, args);

Deno.test("a month that is over is whole, and held against the month before it or that of last year", async () => {
  const world = seeded("loc-of-months", NOW, { timezone: "Europe/Berlin", days: 120 });
  await using at = await CrmWorld.open({ crm: { world } });
  const found = await at.both<Baseline>(TOOL, { month: "2026-10", compare: "previous_period" });
  assert.deepEqual([found.period.from, found.period.to, found.complete], ["2026-10-01", "2026-10-31", true]);
  assert.deepEqual([found.compare.period.from, found.compare.period.to], ["2026-09-01", "2026-09-30"]);
  const [october, september] = [
    { first: "2026-10-01", last: "2026-10-31" },
    { first: "2026-09-01", last: "2026-09-30" },
  ];
  const made = (month: typeof october) => counting(world, month).funnel().totals.opportunities;
  for (const [month, figures] of [[october, found.figures], [september, found.compare.figures]] as const) {
    const it = counting(world, month);
    assert.equal(figures["pipeline"]!["opportunities"], made(month));
    assert.equal(figures["appointments"]!["total"], it.visits().total);
    assert.equal(figures["forms"]!["total"], it.submissions().length);
    const money: Record<string, unknown> = revenue(truthOf(world), month.first, month.last);
    assert.equal(figures["revenue"]!["collected"], money["collected"]);
    assert.equal(figures["sms"]!["outbound"], it.sms().outbound);
  }
  const difference = made(october) - made(september);
  assert.equal(found.compare.change!["pipeline"]!["opportunities"]!.abs, difference);
  assert.match(found.markdown, /^## Compared with 2026-09-01 to 2026-09-30 \(30 days, Europe\/Berlin\)$/m);
  assert.match(found.markdown, /^> The periods have 31 and 30 days: sums are not per day\.$/m);
  const html = await marked.parse(found.markdown);
  assert.match(html, /<th>Figure<\/th>/);
  assert.doesNotMatch(found.markdown, /undefined|null|NaN|\[object/);
  at.gw.clock.now += 61_000;
  const year = await asks(at, { month: "2026-10", compare: "previous_year" });
  assert.deepEqual([year.compare.period.from, year.compare.period.to], ["2025-10-01", "2025-10-31"]);
  const nothing =
    /The other period holds nothing of Pipeline, Appointments, SMS, Forms and Revenue; it may lie before the location was used/;
  assert.equal(year.compare.change, null);
  assert.match(year.compare.notes.join(), nothing);
  assert.doesNotMatch(year.compare.notes.join(), /not all could be counted/);
});

test("won and lost are said to be of the opportunities made in that time, and not what was won or lost in it", async (at) => {
  const { markdown } = await asks(at, { month: "2026-10" });
  const [, said] = /^## Pipeline\n\n(.*)$/m.exec(markdown)!;
  assert.match(
    said!,
    /By their status now: .*\. What was won or lost in this period, whenever it was made, is another count\.$/,
  );
  const { description } = await at.gw.call<{ description: string }>("describe_tool", { tool: TOOL });
  assert.match(description, /won and lost are, by their status now, of the opportunities made in that time/);
});

test("a change of less than the whole month so far has the figures that it is of", async (at) => {
  const args = { month: "2026-11", compare: "previous_period" };
  const { figures, compare, markdown } = await at.both<Baseline>(TOOL, args);
  const of = (side: Glance) => side["appointments"]!["total"]!;
  assert.ok(of(compare.current!.figures) < of(figures), "some appointments are still to come");
  const { abs } = compare.change!["appointments"]!["total"]!;
  assert.equal(of(compare.current!.figures) - of(compare.figures), abs);
  assert.match(markdown, new RegExp(`^\\| Appointments \\| ${of(compare.current!.figures)} \\|`, "m"));
  assert.doesNotMatch(markdown, /compare\./, "a client reads it");
});

test("a month that is not over says so, and is held against as much of the month before", async (at) => {
  const { period, complete, compare, markdown, notes } = await asks(at, {
    month: "2026-11",
    compare: "previous_period",
  });
  assert.deepEqual([period.from, period.to, complete], ["2026-11-01", "2026-11-30", false]);
  assert.ok(notes.some((note) => note.startsWith("The window ends on 2026-11-30, which is not over")));
  assert.match(markdown, /^- The period ends on 2026-11-30, which was not over by then: .*change\.$/m);
  assert.equal(compare.period.from, "2026-10-01T00:00:00.000-04:00");
  assert.equal(compare.period.to, "2026-10-21T06:59:59.999-04:00", "now it is 07:00 on the 21st");
  const february = await asks(at, { month: "2024-02", compare: "previous_period" });
  assert.deepEqual([february.period.to, february.compare.period.to], ["2024-02-29", "2024-01-31"]);
});

test("a month in the future, one beside days, and one that is none are refused before anything is sent", async (at) => {
  const refuses = (args: Args, says: RegExp) =>
    at.gw.refuses(TOOL, { site_id: "client", ...args }, "E_BAD_INPUT", says);
  await refuses({ month: "2026-12" }, /month: "2026-12" lies in the future/);
  await refuses({ month: "2026-10", days: 30 }, /month: give either month or days, not both/);
  for (const month of ["2026-13", "2026-1", "October", "2026-10-01"]) await refuses({ month }, /month/);
  assert.deepEqual(at.crm.requests, []);
});

Deno.test("of a month that has begun in other zones, but not at the location, there is nothing to count", async () => {
  const start = Date.parse("2026-11-30T20:00:00Z");
  const world = emptyWorld("loc-west", "America/Los_Angeles");
  await using at = await CrmWorld.open({ start, crm: { world } });
  await at.gw.refuses(TOOL, { site_id: "client", month: "2026-12" }, "E_BAD_INPUT", /month: .*in the future/);
});

Deno.test("the report names the currency of its amounts, or each of several", async () => {
  const line = async (world: Parameters<typeof emptyWorld>[0], currencies: readonly string[]) => {
    await using at = await CrmWorld.open({ crm: { world: seeded(world, NOW, { currencies }) } });
    const { markdown, currency, currencies: named, notes } = await asks(at);
    const [, said] = /\n\n(Amounts are in .*)\.\n\n/.exec(markdown) ?? [];
    assert.ok(notes.includes(said!), String(notes));
    return [currency, named, said!.split(";")[0]];
  };
  assert.deepEqual(await line("loc-one", ["CHF"]), ["CHF", ["CHF"], "Amounts are in CHF"]);
  assert.deepEqual(await line("loc-two", ["USD", "EUR"]), [
    null,
    ["EUR", "USD"],
    "Amounts are in EUR and USD, which are not added up",
  ]);
  await using at = await CrmWorld.open({ crm: { world: emptyWorld("loc-none", "UTC") } });
  const { markdown, currencies } = await asks(at);
  assert.deepEqual(currencies, []);
  assert.match(markdown, /There are no amounts with a currency/);
});

test("a part whose access was withdrawn half-way is missing by name, and has no change", async (at) => {
  // The token may no longer read appointments once the calendars are known.
  at.crm.state.lacking.add("calendars/events.readonly");
  const { sections, complete, markdown, compare, notes } = await asks(at, { compare: "previous_period" });
  assert.deepEqual(sections.filter(({ ok }) => !ok).map(({ name }) => name), ["appointments"]);
  assert.equal(complete, false);
  assert.match(markdown, /^- Not all could be counted of Appointments: the notes there say why\.$/m);
  assert.ok(
    notes.some((note) =>
      /^Appointments: The part could not be read: .*calendars\/events.readonly/.test(note)
    ),
  );
  assert.ok(!("appointments" in compare.change!) && "pipeline" in compare.change!);
  assert.equal(compare.complete, false);
});

Deno.test("a location with 10,000 opportunities is read whole beside everything else", async () => {
  const world = seeded("loc-of-many", NOW);
  const [one] = world.opportunities;
  for (let at = 0; at < 10_000; at++) {
    world.opportunities.push({
      ...one!,
      id: `many-${at}`,
      createdAt: new Date(NOW - at * 60_000).toISOString(),
    });
  }
  await using at = await CrmWorld.open({ crm: { world } });
  const { figures, truncated } = await asks(at);
  assert.ok(figures["pipeline"]!["opportunities"]! >= 10_000);
  assert.equal(truncated, false);
  assert.ok(at.crm.requests.length <= 80, `${at.crm.requests.length} requests go out in one burst`);
  assert.deepEqual(at.waits, []);
});

Deno.test("a part that reads no further leaves the others what they need, and says whose limit it was", async () => {
  const world = { ...seeded("loc-of-limits", NOW), opportunities: crowded(6000).opportunities };
  for (const row of world.opportunities) Object.assign(row, { locationId: "loc-of-limits" });
  await using at = await CrmWorld.open({ crm: { world, unruly: { search: { closed: true } } } });
  const { sections, truncated, notes, compare } = await asks(at, { compare: "previous_period" });
  const partly = sections.filter((one) => !one.complete).map(({ name }) => name);
  assert.deepEqual([partly, truncated], [["pipeline"], true]);
  const why =
    /^Pipeline: Only \d+ of 6000 opportunities were read, because this part of a baseline asks the CRM at most 42 /;
  assert.ok(notes.some((note) => why.test(note)), String(notes));
  assert.ok(!("pipeline" in compare.change!) && "revenue" in compare.change!);
  assert.ok(compare.notes.some((note) => /^No change is said of Pipeline/.test(note)));
  assert.doesNotMatch(compare.notes.join(), /holds nothing/, "what was not read is not known to be nothing");
});

Deno.test("of a part that could not be read no change is said, and the comparison says so", async () => {
  await using at = await CrmWorld.open({ crm: { world: seeded("loc-part-fails", NOW) } });
  at.crm.inject({ kind: "html", status: 500 }, { path: /invoices/, times: 99 });
  const { compare } = await at.ask("crm_bootstrap_baseline", {
    month: "2026-10",
    compare: "previous_period",
  }) as unknown as { compare: { complete: boolean; change: object; notes: string[] } };
  assert.equal(compare.complete, false);
  assert.ok(!("revenue" in compare.change));
  assert.ok(
    compare.notes.some((note) => /^No change is said of .*Revenue/.test(note)),
    String(compare.notes),
  );
});
