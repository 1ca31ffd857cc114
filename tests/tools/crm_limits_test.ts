/** How much the CRM is asked: so much a call, so fast, and each page once within a minute. */
import assert from "node:assert/strict";
import { type CrmStandIn, seeded, startCrm } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { CALLS, CrmWorld, crowded } from "./_crm.ts";
import { folder } from "../folder.ts";

const DAY_MS = 24 * 60 * 60_000;
/** The search with large pages is closed to the token. */
const CLOSED = { search: { closed: true } };
const fresh = () => `loc${crypto.randomUUID().slice(0, 8)}`;

/** The most requests that came within any time of that length. */
function busiest({ requests }: Pick<CrmStandIn, "requests">, ms: number): number {
  const times = requests.map(({ at }) => at);
  return Math.max(...times.map((end, last) => times.slice(0, last + 1).filter((at) => at > end - ms).length));
}

Deno.test("10,000 opportunities are 20 pages", async () => {
  // Behind a last page that is full one is asked that has nothing new.
  for (const search of [{}, { cursorless: true }]) {
    await using at = await CrmWorld.open({ crm: { world: crowded(10_000), unruly: { search } } });
    const { totals, truncated } = await at.ask("crm_compute_pipeline_funnel");
    assert.deepEqual([(totals as { opportunities: number }).opportunities, truncated], [10_000, false]);
    assert.equal(at.asked(/opportunities\/search/).length, 21);
  }
});

Deno.test("more than 10,000 are read to the end, as rows say, or from the time of the last one on", async () => {
  for (const search of [{}, { cursorless: true }]) {
    for (const [count, requests] of [[10_100, 21], [23_000, 47]] as const) {
      await using at = await CrmWorld.open({ crm: { world: crowded(count), unruly: { search } } });
      const { totals, truncated, notes } = await at.ask("crm_compute_pipeline_funnel");
      assert.deepEqual([(totals as { opportunities: number }).opportunities, truncated], [count, false]);
      assert.equal(at.asked(/opportunities\/search/).length, requests, JSON.stringify([search, count]));
      assert.ok(!notes.some((note) => /CRM counts/.test(note)), String(notes));
    }
  }
});

Deno.test("where the search by filters is closed, 10,000 opportunities are 100 pages within the pace", async () => {
  await using at = await CrmWorld.open({ crm: { world: crowded(10_000), unruly: CLOSED } });
  const { totals, truncated } = await at.ask("crm_compute_pipeline_funnel");
  assert.deepEqual([(totals as { opportunities: number }).opportunities, truncated], [10_000, false]);
  assert.equal(at.asked(/opportunities\/search/).length, 101, "and one that was refused");
  assert.equal(at.crm.requests.length, 103);
  assert.ok(busiest(at.crm, 10_000) <= 80);
  assert.equal(at.waits.length > 0, true, "the 81st request waited");
});

Deno.test("beyond 120 requests the funnel answers what it read, and says what that means", async () => {
  await using at = await CrmWorld.open({ crm: { world: crowded(12_500), unruly: CLOSED } });
  const { totals, truncated, notes } = await at.ask("crm_compute_pipeline_funnel");
  assert.equal(at.crm.requests.length, 120);
  const read = (at.asked(/search/).length - 1) * 100;
  assert.deepEqual([(totals as { opportunities: number }).opportunities, truncated], [read, true]);
  const note = notes.find((one) =>
    /^Only \d+ of 12500 opportunities were read, because a call asks the CRM at most 120/.test(one)
  );
  assert.match(note ?? String(notes), /the true ones are higher/);
});

Deno.test("every other tool asks 60 times at most, the baseline 160 times, then says how much it read", async () => {
  const world = seeded(fresh(), NOW, { conversations: 90, messages: 900, contacts: 30 });
  for (let at = 0; at < 90; at++) {
    world.tags.push({ id: `more-${at}`, name: `more ${at}`, locationId: world.location.id });
  }
  for (let at = 0; at < 40; at++) {
    world.calendars.push({ id: `cal-${at}`, name: `Room ${at}`, locationId: world.location.id });
  }
  for (let at = 0; at < 99; at++) {
    world.funnels.push({ _id: `more-${at}`, name: `More ${at}`, locationId: world.location.id });
  }
  const calls = {
    crm_compute_sms_stats: [
      { max_conversations: 500 },
      /Only the newest \d+ conversations of the window were read, because a call asks/,
    ],
    crm_compute_no_show_rate: [
      { days: 365 },
      /Only \d+ appointments were read, because a call asks the CRM at most 60 times/,
    ],
    crm_get_funnel_stats: [{ limit: 100 }, /were read, because a call asks/],
    crm_bootstrap_baseline: [{}, /^Tags: \d+ of 98 tags were counted/],
  } as const;
  for (const [tool, [args, words]] of Object.entries(calls)) {
    await using at = await CrmWorld.open({ crm: { world, unruly: { exports_closed: true } } });
    const { notes } = await at.ask(tool, args);
    const most = tool === "crm_bootstrap_baseline" ? 160 : 60; // it reads what six tools do
    assert.ok(at.crm.requests.length <= most, `${tool}: ${at.crm.requests.length} requests`);
    assert.ok(notes.some((note) => words.test(note)), `${tool}: ${notes}`);
  }
  await using at = await CrmWorld.open({ crm: { world } });
  const first = await at.ask("crm_compute_tag_hygiene");
  assert.deepEqual(first["sampling"], { limit: 50, offset: 0, examined: 50, truncated: true });
  assert.equal(first["next_offset"], 50);
  const second = await at.ask("crm_compute_tag_hygiene", { offset: 50 });
  assert.deepEqual([second["next_offset"], (second["sampling"] as { examined: number }).examined], [
    null,
    48,
  ]);
});

Deno.test("a sample that was asked for is declared", async () => {
  const world = seeded(fresh(), NOW, { contacts: 1300 });
  await using at = await CrmWorld.open({ crm: { world } });
  const { sampling, notes, new_contacts } = await at.ask("crm_compute_form_submission_rate", {
    max_contacts: 100,
  });
  const { total, ...rest } = sampling as { total: number };
  assert.deepEqual(rest, { limit: 100, examined: 100, truncated: true });
  assert.ok(total > 100 && new_contacts === 100);
  assert.ok(
    notes.some((note) =>
      note.startsWith(`Only the newest 100 of ${total} contacts were read, because max_contacts is 100`)
    ),
  );
  const whole = await at.ask("crm_compute_form_submission_rate", { max_contacts: 5000 });
  assert.deepEqual(whole["sampling"], { limit: 5000, examined: total, total, truncated: false });
});

Deno.test("at most 80 requests leave in any 10 seconds, whichever call, tool or site of the location asks", async () => {
  const world = seeded(fresh(), NOW, { conversations: 55, messages: 600 });
  await using at = await CrmWorld.open({ crm: { world, unruly: { exports_closed: true } } });
  const sites = ["client", "blog"];
  for (const site_id of sites) {
    await at.ask("crm_compute_sms_stats", { site_id, max_conversations: 55 });
    await at.ask("crm_compute_tag_hygiene", { site_id });
    await at.ask("crm_bootstrap_baseline", { site_id });
  }
  assert.ok(at.crm.requests.length > 120, `${at.crm.requests.length} requests`);
  assert.ok(busiest(at.crm, 10_000) <= 80, `${busiest(at.crm, 10_000)} in 10 s`);
  assert.ok(at.crm.busiest <= 80);
  assert.deepEqual(at.crm.requests.filter(({ answer }) => answer?.status === 429), []);
});

Deno.test("two gateways on one store share the pace of a location, and each says what it could not read", async () => {
  await using place = await folder();
  const crm = startCrm({ now: () => clock(), world: crowded(20_000), unruly: CLOSED });
  let clock = () => NOW;
  const settings = { kvPath: `${place.path}/kv.db` };
  await using one = await CrmWorld.open({ standIn: crm, settings });
  await using other = await CrmWorld.open({ standIn: crm, settings, registered: true });
  clock = () => Math.max(one.gw.clock.now, other.gw.clock.now);
  const asked = async (at: CrmWorld) => {
    at.gw.clock.now = clock();
    const { totals, truncated, notes } = await at.ask("crm_compute_pipeline_funnel");
    const { opportunities } = totals as { opportunities: number };
    assert.ok(truncated && opportunities > 1000, `${opportunities} read`);
    assert.ok(notes.some((note) => note.startsWith(`Only ${opportunities} of 20000 opportunities`)));
    return at.waits.reduce((sum, ms) => sum + ms, 0);
  };
  await asked(one);
  const waited = await asked(other);
  assert.ok(waited >= 7000, `the second waited ${waited} ms for what the first had sent`);
  assert.ok(busiest(crm, 10_000) <= 80, `${busiest(crm, 10_000)} in 10 s`);
  assert.deepEqual(crm.requests.filter(({ answer }) => answer?.status === 429), []);
});

Deno.test("a location whose requests of the day are used up is not asked for a while, by any gateway", async () => {
  await using at = await CrmWorld.open({ crm: { world: seeded(fresh(), NOW) } });
  await at.ask("crm_list_workflows");
  at.crm.daily_left = 0;
  await at.gw.refuses("crm_get_campaign_a2p_stats", { site_id: "client" }, "E_UPSTREAM");
  const before = at.crm.requests.length;
  const said = await at.gw.refuses("crm_list_invoices", { site_id: "client" }, "E_UPSTREAM");
  assert.match(said, /not asked: the location's requests of this day are used up, so try again tomorrow/);
  assert.equal(at.crm.requests.length, before, "nothing was sent");
  at.gw.clock.now += 16 * 60_000;
  at.crm.daily_left = 1000;
  await at.ask("crm_list_invoices");
});

Deno.test("where the day ends while a call reads, it answers what it read", async () => {
  await using at = await CrmWorld.open({ crm: { world: crowded(3000), unruly: CLOSED } });
  at.crm.daily_left = 13;
  const { totals, truncated, notes } = await at.ask("crm_compute_pipeline_funnel");
  assert.deepEqual([(totals as { opportunities: number }).opportunities, truncated], [1000, true]);
  assert.ok(
    notes.some((note) =>
      note.startsWith("Only 1000 of 3000 opportunities were read, because the location's")
    ),
    String(notes),
  );
  assert.equal(at.crm.requests.length, 13);
});

Deno.test("where others use the location's requests up, the rest of its interval is waited for", async () => {
  await using at = await CrmWorld.open({ crm: { world: seeded(fresh(), NOW) } });
  const headers = { "x-ratelimit-remaining": "5", "x-ratelimit-interval-milliseconds": "10000" };
  at.crm.inject({ kind: "answer", body: { workflows: [] }, headers }, { path: /workflows/ });
  await at.ask("crm_list_workflows");
  // The stand-in's own headers come after those of the fault: what is left there is told by a busy window.
  assert.deepEqual(at.waits, []);
  for (let used = 0; used < 85; used++) {
    await (await fetch(`${at.crm.base_url}/campaigns/`)).body?.cancel();
  }
  const before = at.crm.requests.length;
  await at.ask("crm_get_campaign_a2p_stats");
  await at.ask("crm_compute_tag_hygiene");
  assert.ok(at.waits.some((ms) => ms >= 9_000), String(at.waits));
  at.crm.requests.slice(before).forEach(({ answer }) => assert.equal(answer?.status, 200));
  // What this test sent by itself is none of the gateway's requests.
  (at.crm.requests as unknown[]).splice(0, before);
});

Deno.test("pages that several tools need are asked once within a minute, and anew after it", async () => {
  const world = seeded(fresh(), NOW);
  await using at = await CrmWorld.open({ crm: { world } });
  await at.ask("crm_compute_form_submission_rate");
  await at.ask("crm_compute_lead_to_book");
  assert.equal(at.asked(/contacts/).length, 1);
  await at.ask("crm_compute_pipeline_funnel");
  await at.ask("crm_bootstrap_baseline");
  assert.equal(at.asked(/pipelines/).length, 1);
  const pages = at.asked(/opportunities\/search/).length;
  assert.ok(pages > 0);
  await at.ask("crm_compute_pipeline_funnel");
  assert.equal(at.asked(/opportunities\/search/).length, pages);
  at.gw.clock.now += 60_000;
  await at.ask("crm_compute_pipeline_funnel");
  assert.equal(at.asked(/opportunities\/search/).length, 2 * pages);
  assert.equal(at.asked(/^\/locations\/[^/]+$/).length, 1, "the location is known for an hour");
  at.gw.clock.now += 60 * 60_000;
  await at.ask("crm_compute_pipeline_funnel");
  assert.equal(at.asked(/^\/locations\/[^/]+$/).length, 2);
});

Deno.test("calls at the same time ask for a page once; a failure is none of the others'", async () => {
  await using at = await CrmWorld.open({ crm: { world: seeded(fresh(), NOW) } });
  await at.ask("crm_list_workflows");
  await Promise.all(Array.from({ length: 8 }, () => at.ask("crm_compute_no_show_rate")));
  assert.equal(at.asked(/calendars\/$/).length, 1);
  assert.equal(at.asked(/events/).length, 2, "a request for each calendar");
  at.gw.clock.now += DAY_MS;
  at.crm.inject({ kind: "malformed" }, { path: /campaigns/ });
  const ends = await Promise.all(
    Array.from({ length: 4 }, () => at.gw.end("crm_get_campaign_a2p_stats", { site_id: "client" })),
  );
  assert.equal(ends.filter((one) => "code" in one).length, 1, JSON.stringify(ends));
});

Deno.test("pages are kept for the site whose token read them, and forgotten with its credentials", async () => {
  await using at = await CrmWorld.open({ crm: { world: seeded(fresh(), NOW) } });
  await at.ask("crm_list_workflows");
  await at.ask("crm_list_workflows", { site_id: "blog" });
  assert.equal(at.asked(/workflows/).length, 2);
  await at.gw.store.sites.update("client", { credentials: { crm: { integration_token: "pit-new" } } });
  await at.gw.refuses("crm_list_workflows", { site_id: "client" }, "E_UPSTREAM");
});

Deno.test("forms_get-submissions asks for the submissions exactly once", async () => {
  await using at = await CrmWorld.open();
  const found = await at.ask(
    "forms_get-submissions",
    { ...CALLS["forms_get-submissions"], limit: 7, page: 2 },
  );
  assert.equal(at.asked(/forms/).length, 1);
  const { total, submissions, next_page } = found as unknown as {
    total: number;
    submissions: unknown[];
    next_page: number;
  };
  assert.ok(total > submissions.length);
  assert.deepEqual([submissions.length, found["page"], next_page], [7, 2, 3]);
});

Deno.test("where the day ends while several requests are under way, what was read is answered", async () => {
  const unruly = { exports_closed: true };
  await using at = await CrmWorld.open({ crm: { world: seeded(fresh(), NOW), unruly } });
  at.crm.daily_left = 6;
  const found = await at.ask("crm_compute_sms_stats");
  const { examined, truncated } = found["sampling"] as { examined: number; truncated: boolean };
  assert.ok(examined > 0 && examined < 5 && truncated, JSON.stringify(found));
  const why = found.notes.some((note) => /because the location's requests of the day are used up/.test(note));
  assert.ok(why, String(found.notes));
});

Deno.test("a call that has read no data when the day ends fails, and answers no zeros", async () => {
  await using at = await CrmWorld.open({ crm: { world: seeded(fresh(), NOW) } });
  at.crm.daily_left = 1; // for the location alone
  const call = { site_id: "client" };
  const said = await at.gw.refuses("crm_compute_pipeline_funnel", call, "E_UPSTREAM", { door: "rest" });
  assert.match(said, /requests of this day are used up, so try again tomorrow/);
});
