/** The CRM's tools that list, the baseline a client reads, and what ping_site and diagnose_site say of a location. */
import assert from "node:assert/strict";
import { marked } from "marked";
import { seeded } from "../../sandbox/highlevel/start.ts";
import { NOW, site } from "../kit.ts";
import { type Answer, CrmWorld, test } from "./_crm.ts";

test("workflows, campaigns and funnels are told with what the CRM tells, and null for the rest", async (at) => {
  const { workflows } = await at.both("crm_list_workflows", { status: "published" });
  assert.deepEqual(workflows, [{
    id: "flow-0",
    name: "Flow 0",
    status: "published",
    version: 1,
    updated_at: new Date(NOW).toISOString(),
  }]);
  const { campaigns, delivery, note } = await at.both("crm_get_campaign_a2p_stats", { status: "draft" });
  assert.deepEqual([campaigns, delivery], [[{ id: "camp-2", name: "Autumn", status: "draft" }], null]);
  assert.match(String(note), /how messages were delivered/);
  const { funnels } = await at.both("crm_get_funnel_stats", { funnel_id: "funnel-1" }) as unknown as {
    funnels: { id: string; pages: Record<string, unknown>[] }[];
  };
  assert.deepEqual(
    funnels.map(({ id, pages }) => [id, pages.length]),
    [["funnel-1", 24]],
    "more than one page of 20, of which one was deleted",
  );
  for (const { views, opt_ins, opt_in_rate } of funnels[0]!.pages) {
    assert.deepEqual([views, opt_ins, opt_in_rate], [null, null, null]);
  }
});

test("invoices are listed by status, days and words, with the CRM's own total", async (at) => {
  const all = await at.both("crm_list_invoices", { limit: 3 });
  const rows = all["invoices"] as Record<string, unknown>[];
  assert.deepEqual([all["total"], rows.length, all["next_offset"]], [130, 3, 3]);
  assert.deepEqual(Object.keys(rows[0]!).filter((name) => name !== "test"), [
    "id",
    "number",
    "status",
    "currency",
    "total",
    "amount_paid",
    "amount_due",
    "issue_date",
    "due_date",
    "created_at",
    "contact",
    "money",
  ]);
  const { world } = at.crm.state;
  const whole = await at.ask<Answer>("crm_list_invoices", { limit: 100 });
  const tests = (whole["invoices"] as { test?: true }[]).filter(({ test }) => test).length;
  assert.ok(tests > 1);
  assert.match(whole.notes.join(), new RegExp(`^${tests} of these invoices are of the CRM's test mode`));
  const paid = world.invoices.filter(({ status }) => status === "paid").length;
  assert.equal((await at.ask("crm_list_invoices", { status: "paid", limit: 1 }))["total"], paid);
  const days = { start_at: "2026-11-01", end_at: "2026-11-10" };
  const dated = world.invoices.filter(({ issueDate }) =>
    issueDate! >= days.start_at && issueDate! <= days.end_at
  );
  assert.equal((await at.ask("crm_list_invoices", days))["total"], dated.length);
  const last = await at.ask("crm_list_invoices", { limit: 100, offset: 100 });
  assert.deepEqual([(last["invoices"] as unknown[]).length, last["next_offset"]], [30, null]);
});

interface Baseline extends Answer {
  readonly markdown: string;
  readonly suggested_file: string;
  readonly sections: readonly { readonly name: string; readonly ok: boolean }[];
}

test("the baseline is a report in markdown whose numbers are those of the tools", async (at) => {
  const { markdown, suggested_file, sections } = await at.both<Baseline>("crm_bootstrap_baseline");
  assert.equal(suggested_file, "baseline.md");
  const names = ["pipeline", "appointments", "sms", "forms", "revenue", "tags"];
  assert.deepEqual(sections.map(({ name, ok }) => [name, ok]), names.map((name) => [name, true]));
  assert.match(
    markdown,
    /^# Baseline: Harbour Dental\n\nWhat the CRM shows for 2026-10-23 to 2026-11-21 \(30 days, America\/New_York\)\./,
  );
  const { totals } = await at.ask("crm_compute_pipeline_funnel") as unknown as {
    totals: { opportunities: number };
  };
  assert.ok(markdown.includes(`${totals.opportunities} new opportunities`));
  const { total, no_show_rate } = await at.ask("crm_compute_no_show_rate");
  assert.ok(markdown.includes(`${total} appointments.`));
  assert.ok(markdown.includes(`Not shown up: ${(Number(no_show_rate) * 100).toFixed(2)} %`));
  assert.doesNotMatch(markdown, /noshow|partially\\?_paid|payment\\?_processing/, "statuses are words");
  assert.match(markdown, /not shown up \d+/);
  assert.match(markdown, /worth [\d,]+\.\d\d in all/);
  const html = await marked.parse(markdown);
  assert.equal(html.match(/<h2>/g)?.length, 7, "a section for each part, and one on how far the figures go");
  assert.ok((html.match(/<table>/g)?.length ?? 0) >= 3);
  assert.doesNotMatch(markdown, /undefined|null|NaN|\[object/);
});

Deno.test("a baseline of 43 calendars has every appointment", async () => {
  const world = seeded("loc-of-a-baseline", NOW, { events: 0, messages: 0, conversations: 0 });
  const own = { locationId: world.location.id };
  const when = new Date(NOW - 60_000).toISOString();
  for (let at = 0; at < 43; at++) {
    world.calendars.push({ id: `more-${at}`, name: `Room ${at}`, ...own });
    world.events.push({
      id: `e${at}`,
      calendarId: `more-${at}`,
      appointmentStatus: "showed",
      startTime: when,
      contactId: "c",
      ...own,
    });
  }
  await using at = await CrmWorld.open({ crm: { world } });
  const { markdown, notes } = await at.ask<Baseline>("crm_bootstrap_baseline");
  assert.ok(markdown.includes("43 appointments. By status: shown up 43."), markdown);
  assert.deepEqual(notes.filter((note) => note.includes("were read, because")), []);
});

test("a part of the baseline that cannot be read becomes a note; where none can, the call fails", async (at) => {
  at.crm.state.lacking.add("invoices.readonly");
  const { markdown, sections, notes } = await at.ask<Baseline>("crm_bootstrap_baseline");
  assert.deepEqual(sections.filter(({ ok }) => !ok).map(({ name }) => name), ["revenue"]);
  assert.match(markdown, /## Revenue\n\nThis part could not be read\./);
  assert.ok(notes.some((note) => /^Revenue: .*permission "invoices.readonly"/.test(note)), String(notes));
  at.gw.clock.now += 61_000;
  at.crm.inject({ kind: "html", status: 503 }, { times: 999 });
  await at.gw.refuses("crm_bootstrap_baseline", { site_id: "client" }, "E_UPSTREAM");
});

Deno.test("names of the CRM stay text in the baseline", async () => {
  const world = seeded("loc-names", NOW);
  const nasty =
    "Sales | <img src=x onerror=alert(1)>\n# Paid [link](https://evil.example) `code` www.evil.example a@evil.example";
  world.pipelines[0] = { ...world.pipelines[0]!, name: nasty };
  world.tags.push({ id: "nasty", name: nasty, locationId: "loc-names" });
  await using at = await CrmWorld.open({ crm: { world } });
  const { markdown } = await at.ask<Baseline>("crm_bootstrap_baseline");
  const html = await marked.parse(markdown);
  assert.doesNotMatch(html, /<img|<a |<code>|<h1>Paid/);
  assert.equal(html.match(/<h1>/g)?.length, 1);
});

interface Check {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  readonly next_step: string | null;
}

async function checks(at: CrmWorld, site_id: string): Promise<Record<string, Check>> {
  at.gw.clock.now += 10_000; // a diagnosis does not wait for its turn
  const found = await at.both<{ checks: Check[] }>("diagnose_site", { site_id });
  return Object.fromEntries(found.checks.map((check) => [check.name, check]));
}

test("ping_site asks for the location, and says what is wrong with the way there", async (at) => {
  const { latency_ms: _, ...told } = await at.ask<Record<string, unknown>>("ping_site");
  assert.deepEqual(told, {
    ok: true,
    platform: "crm",
    authenticated: true,
    location_id: at.crm.location_id,
    location: "Harbour Dental",
    timezone: "America/New_York",
  });
  const asked = at.crm.requests.length;
  await at.gw.refuses("ping_site", { site_id: "tokenless" }, "E_CRM_SITE_NOT_LINKED");
  assert.equal(at.crm.requests.length, asked);
  at.crm.state.deleted = true;
  await at.gw.refuses("ping_site", { site_id: "client" }, "E_UPSTREAM", /crm_location_id/);
});

test("diagnose_site tells of the location and of each permission that the token lacks", async (at) => {
  const fine = await checks(at, "client");
  assert.deepEqual([fine["crm_location"]!.ok, fine["crm_permissions"]!.ok], [true, true]);
  at.crm.state.lacking.add("invoices.readonly").add("conversations/message.readonly");
  const lacking = await checks(at, "client");
  assert.match(
    lacking["crm_permissions"]!.detail,
    /lacks conversations\/message.readonly, invoices.readonly/,
  );
  assert.match(lacking["crm_permissions"]!.next_step!, /Add these permissions/);
  at.crm.state.deleted = true;
  const deleted = await checks(at, "client");
  assert.deepEqual([deleted["crm_location"]!.ok, deleted["crm_permissions"]!.ok], [false, false]);
  const asked = at.crm.requests.length;
  const unlinked = await checks(at, "tokenless");
  assert.deepEqual([unlinked["crm_location"]!.ok, unlinked["crm_permissions"]!.ok], [false, null]);
  assert.equal(at.crm.requests.length, asked, "an unlinked site is not asked");
  await at.gw.store.sites.create(site("wrong", "crm", {
    crm_location_id: at.crm.location_id,
    credentials: { crm: { integration_token: "pit-wrong" } },
  }));
  at.crm.state.deleted = false;
  assert.match((await checks(at, "wrong"))["crm_location"]!.detail, /401/);
});

test("of a site of another kind diagnose_site tells of the location that it is linked to, if it is", async (at) => {
  const credentials = { crm: { integration_token: at.crm.token } };
  const crm_location_id = at.crm.location_id;
  await at.gw.store.sites.create(
    site("shop", "sitebuilder", { base_url: null, crm_location_id, credentials }),
  );
  await at.gw.store.sites.create(site("begun", "sitebuilder", { base_url: null, crm_location_id }));
  await at.gw.store.sites.create(site("bare", "sitebuilder", { base_url: null }));
  const of = async (site_id: string) => {
    const all = await checks(at, site_id);
    return [all["crm_location"]?.ok, all["crm_permissions"]?.ok];
  };
  assert.deepEqual(await of("shop"), [true, true]);
  assert.deepEqual(await of("begun"), [false, null]);
  assert.deepEqual(await of("bare"), [undefined, undefined]);
  at.crm.state.lacking.add("invoices.readonly");
  assert.match((await checks(at, "shop"))["crm_permissions"]!.detail, /lacks invoices.readonly/);
});

Deno.test("of a funnel behind those that a call looks among it is not said that there is none", async () => {
  const world = seeded("loc-of-many-funnels", NOW);
  const [one] = world.funnels;
  world.funnels.push(...Array.from({ length: 1100 }, (_, at) => ({ ...one!, _id: `many-${at}` })));
  await using at = await CrmWorld.open({ crm: { world } });
  const call = { site_id: "client", funnel_id: "many-1099" };
  const says =
    /"many-1099" is not among the first 1000 funnels of the location, and the others were not read/;
  await at.gw.refuses("crm_get_funnel_stats", call, "E_UPSTREAM", says);
  await at.ask("crm_get_funnel_stats", { funnel_id: "many-900" });
});
