/** The head of every answer of the CRM's tools: of which time it is, in which money, and whether it is all. */
import assert from "node:assert/strict";
import { HEAD_KEYS } from "../../rules/data_head.ts";
import { emptyWorld, seeded, type World } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { type Answer, type Args, CALLS, CrmWorld, test } from "./_crm.ts";

interface Headed extends Answer {
  readonly period: { readonly from: string; readonly to: string; readonly time_zone: string | null } | null;
  readonly currency: string | null;
  readonly complete: boolean;
  readonly truncated: boolean;
  readonly next: Record<string, number> | null;
  readonly fresh_until: string | null;
}

const OVER = { start_at: "2026-11-01", end_at: "2026-11-20" };
const DAY = "2026-11-10T10:00:00.000Z";

test("every answer has the head, beside location, window and notes", async (at) => {
  for (const [tool, args] of Object.entries(CALLS)) {
    const found = await at.ask<Headed>(tool, args);
    for (const name of HEAD_KEYS) assert.ok(name in found, `${tool}: ${name}`);
    assert.equal(found.fresh_until, new Date(NOW).toISOString(), tool);
    const saysWhy = found.complete || found.next !== null || found.notes.length > 0;
    assert.ok(saysWhy, `${tool} says why it is not complete`);
    assert.equal(found.truncated && found.complete, false, tool);
    if (found.period !== null && found.window !== null) {
      assert.ok(found.window.start_at.startsWith(found.period.from.slice(0, 10)), tool);
      assert.ok(found.window.end_at.startsWith(found.period.to.slice(0, 10)), tool);
    }
  }
});

test("whole days are a period of days, clock times one of moments, and rows without a window have none", async (at) => {
  const zone = "America/New_York";
  const period = async (tool: string, args: Args = {}) => (await at.ask<Headed>(tool, args)).period;
  assert.deepEqual(await period("crm_compute_no_show_rate", OVER), {
    from: "2026-11-01",
    to: "2026-11-20",
    time_zone: zone,
  });
  assert.deepEqual(await period("forms_get-submissions", { ...OVER, start_at: "2026-11-01T10:00" }), {
    from: "2026-11-01T10:00:00.000-05:00",
    to: "2026-11-20T23:59:59.999-05:00",
    time_zone: zone,
  });
  const compared = await period("crm_compute_window_compare");
  assert.equal(Date.parse(compared!.to) + 1, NOW, "to the moment");
  assert.equal(await period("crm_list_workflows"), null);
  assert.equal(await period("crm_compute_reactivation_candidates"), null);
  assert.deepEqual(await period("crm_list_invoices", OVER), {
    from: OVER.start_at,
    to: OVER.end_at,
    time_zone: null,
  });
});

Deno.test("an answer is complete where its window is over and nothing is left out of it", async () => {
  const world = emptyWorld("loc-head", "UTC");
  const own = { locationId: "loc-head" };
  world.calendars.push({ id: "a", name: "A", ...own }, { id: "b", name: "B", ...own });
  world.events.push({ id: "e", calendarId: "a", appointmentStatus: "showed", startTime: DAY, ...own });
  const complete = async (at: CrmWorld, tool: string, args: Args = OVER) =>
    (await at.ask<Headed>(tool, args)).complete;
  await using at = await CrmWorld.open({ crm: { world } });
  for (
    const tool of ["crm_compute_no_show_rate", "crm_compute_pipeline_funnel", "crm_compute_revenue_stats"]
  ) {
    assert.equal(await complete(at, tool), true, tool);
    assert.equal(await complete(at, tool, {}), false, `${tool}, today`);
  }
  assert.equal(await complete(at, "crm_list_workflows", {}), true);
  const today = await at.ask<Headed>("crm_compute_no_show_rate");
  assert.deepEqual(today.notes, [
    "The window ends on 2026-11-21, which is not over: its numbers can still change",
  ]);
  at.gw.clock.now += 61_000;
  at.crm.state.unruly = { gone_calendars: ["b"] };
  assert.equal(await complete(at, "crm_compute_no_show_rate"), false, "a calendar is left out");
  at.gw.clock.now += 61_000;
  at.crm.state.unruly = {};
  world.events.push({ id: "undated", calendarId: "a", appointmentStatus: "showed", startTime: "", ...own });
  const undated = { events: [{ id: "undated", calendarId: "a", ...own }] };
  at.crm.inject({ kind: "answer", body: undated }, { path: /events/, times: 2 });
  assert.equal(await complete(at, "crm_compute_no_show_rate"), false, "a row has no date");
  at.gw.clock.now += 61_000;
  at.crm.state.lacking.add("payments/transactions.readonly");
  assert.equal(await complete(at, "crm_compute_revenue_stats"), false, "payments are not known");
});

test("what follows is led to by next, which is added to the same call", async (at) => {
  const pages: Record<string, Args> = {
    "forms_get-submissions": { ...CALLS["forms_get-submissions"], limit: 7 },
    crm_list_invoices: { limit: 50 },
  };
  for (const [tool, args] of Object.entries(pages)) {
    let next: Record<string, number> | null = {};
    const seen = new Set<string>();
    let total = 0;
    for (let calls = 0; next !== null; calls++) {
      assert.ok(calls < 30, tool);
      const found: Headed = await at.ask<Headed>(tool, { ...args, ...next });
      const rows = (found["submissions"] ?? found["invoices"]) as { id: string }[];
      rows.forEach(({ id }) => seen.add(id));
      total = found["total"] as number;
      assert.equal(found.truncated, found.next !== null, tool);
      next = found.next;
      at.gw.clock.now += 1000;
    }
    assert.equal(seen.size, total, tool);
  }
});

Deno.test("tags are led on by next, and the last ones are complete", async () => {
  const world: World = seeded("loc-of-tags", NOW, { contacts: 5 });
  while (world.tags.length < 70) {
    world.tags.push({
      id: `t${world.tags.length}`,
      name: `tag ${world.tags.length}`,
      locationId: "loc-of-tags",
    });
  }
  await using at = await CrmWorld.open({ crm: { world } });
  const first = await at.ask<Headed>("crm_compute_tag_hygiene");
  assert.deepEqual([first.next, first.truncated, first.complete], [{ offset: 50 }, true, false]);
  const last = await at.ask<Headed>("crm_compute_tag_hygiene", first.next!);
  assert.deepEqual([last.next, last.truncated, last.complete], [null, false, true]);
});

Deno.test("pages that an earlier call read make an answer as old as they are", async () => {
  await using at = await CrmWorld.open({ crm: { world: seeded("loc-of-pages", NOW) } });
  await at.ask("crm_list_workflows");
  at.gw.clock.now += 40_000;
  const kept = await at.ask<Headed>("crm_list_workflows");
  assert.equal(kept.fresh_until, new Date(NOW).toISOString());
  at.gw.clock.now += 40_000;
  const anew = await at.ask<Headed>("crm_list_workflows");
  assert.equal(anew.fresh_until, new Date(NOW + 80_000).toISOString());
});
