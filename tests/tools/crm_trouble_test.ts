/** What goes wrong at the CRM: foreign data, missing permissions, limits, rows that are none. */
import assert from "node:assert/strict";
import { emptyWorld, seeded } from "../../sandbox/highlevel/start.ts";
import { NOW, site } from "../kit.ts";
import { type Answer, CALLS, CrmWorld, test } from "./_crm.ts";

const TOOLS = Object.entries(CALLS);

Deno.test("data of another location is an error, not data, and nothing of it is shown", async () => {
  const world = seeded("loc-own", NOW);
  await using at = await CrmWorld.open({ crm: { world } });
  const foreign = { locationId: "loc-of-a-rival", name: "Rival secret" };
  const pages: Record<string, [RegExp, object]> = {
    "forms_get-submissions": [/submissions/, { submissions: [{ id: "s", ...foreign }], meta: { total: 1 } }],
    crm_compute_pipeline_funnel: [/search/, { opportunities: [{ id: "o", ...foreign }], meta: { total: 1 } }],
    crm_compute_no_show_rate: [/events/, { events: [{ id: "e", ...foreign }] }],
    crm_compute_sms_stats: [/messages/, {
      messages: { messages: [{ id: "m", ...foreign }], nextPage: false },
    }],
    crm_compute_tag_hygiene: [/tags/, { tags: [{ id: "t", ...foreign }] }],
    crm_compute_reactivation_candidates: [/contacts/, { contacts: [{ id: "c", ...foreign }], total: 1 }],
    crm_get_funnel_stats: [/list/, { funnels: [{ _id: "f", ...foreign }], count: 1 }],
    crm_list_workflows: [/workflows/, { workflows: [{ id: "w", ...foreign }] }],
    crm_get_campaign_a2p_stats: [/campaigns/, { campaigns: [{ id: "c", ...foreign }] }],
    crm_compute_missed_call_textback: [/export/, { messages: [{ id: "m", ...foreign }], nextCursor: null }],
    crm_list_invoices: [/invoices/, {
      invoices: [{ _id: "i", altId: "loc-of-a-rival", altType: "location", name: "Rival secret" }],
      total: 1,
    }],
    crm_compute_lead_to_book: [/contacts/, { contacts: [{ id: "c", ...foreign }], total: 1 }],
  };
  for (const [tool, [path, body]] of Object.entries(pages)) {
    at.crm.inject({ kind: "answer", body }, { path, times: 60 });
    const message = await at.gw.refuses(tool, { site_id: "client", ...CALLS[tool] }, "E_UPSTREAM");
    assert.match(message, /data of another location, of which nothing is shown/, tool);
    assert.doesNotMatch(message, /rival/i);
    at.crm.clearFaults();
    at.gw.clock.now += 61_000;
  }
  at.crm.inject({ kind: "answer", body: { location: { id: "loc-of-a-rival", timezone: "UTC" } } }, {
    path: /locations/,
    times: 9,
  });
  at.gw.clock.now += 2 * 60 * 60_000;
  await at.gw.refuses("crm_compute_no_show_rate", { site_id: "client" }, "E_UPSTREAM", /no such location/);
});

test("what a visitor typed into a form under the name of a location is data, and ends nothing", async (at) => {
  const others = { locationId: "Vienna", eventData: { altId: "from the address" } };
  const body = { submissions: [{ id: "s", contactId: "c", others }], meta: { total: 1, nextPage: null } };
  at.crm.inject({ kind: "answer", body }, { path: /submissions/ });
  const found = await at.ask("forms_get-submissions", CALLS["forms_get-submissions"]);
  assert.deepEqual((found["submissions"] as { fields: unknown }[])[0]!.fields, others);
  const foreign = { submissions: [{ id: "s", locationId: "loc-of-a-rival", others }], meta: { total: 1 } };
  at.gw.clock.now += 61_000;
  at.crm.inject({ kind: "answer", body: foreign }, { path: /submissions/, times: 2 });
  const call = { site_id: "client", ...CALLS["forms_get-submissions"] };
  await at.gw.refuses("forms_get-submissions", call, "E_UPSTREAM", /data of another location/);
});

test("amounts are read as numbers or digits; an invoice without one is listed so, and left out of sums", async (at) => {
  const row = (id: string, amounts: object) => ({
    _id: id,
    status: "paid",
    currency: "USD",
    issueDate: "2026-11-20",
    ...amounts,
  });
  const invoices = [
    row("digits", { total: "100.50", amountPaid: "100.50", amountDue: "0" }),
    row("numbers", { total: 20, amountPaid: 10, amountDue: 10 }),
    row("none", { total: "a lot", amountPaid: 5 }),
  ];
  at.crm.inject({ kind: "answer", body: { invoices, total: 3 } }, { path: /invoices/, times: 2 });
  const found = await at.ask("crm_compute_revenue_stats");
  assert.deepEqual(
    [found["invoices"], found["invoiced"], found["collected_by_issue_date"], found["outstanding"]],
    [2, 120.5, 110.5, 10],
  );
  assert.ok(found.notes.includes("Left out: 1 invoice of which not all amounts could be read"));
  const listed = await at.ask("crm_list_invoices") as unknown as { invoices: { total: number | null }[] };
  assert.deepEqual(listed.invoices.map(({ total }) => total), [100.5, 20, null]);
});

test("every request says the site's own location, and no other", async (at) => {
  for (const [tool, args] of TOOLS) await at.ask(tool, args);
  const own = at.crm.location_id;
  for (const { path, query, body } of at.crm.requests) {
    const named = { ...query as Record<string, unknown>, ...body as Record<string, unknown> };
    const [, inPath] = /^\/locations\/([^/]+)/.exec(path) ?? [];
    const told = named["locationId"] ?? named["location_id"] ?? named["altId"] ?? inPath;
    assert.ok(told === own || /^\/conversations\/[^/]+\/messages$/.test(path), `${path} is asked of ${told}`);
  }
});

Deno.test("a token without a permission is told which one, for each that there is", async () => {
  const needs: Record<string, string> = {
    "forms_get-submissions": "forms.readonly",
    crm_compute_pipeline_funnel: "opportunities.readonly",
    crm_compute_no_show_rate: "calendars/events.readonly",
    crm_compute_sms_stats: "conversations/message.readonly",
    crm_compute_tag_hygiene: "locations/tags.readonly",
    crm_compute_reactivation_candidates: "contacts.readonly",
    crm_get_funnel_stats: "funnels/funnel.readonly",
    crm_list_workflows: "workflows.readonly",
    crm_compute_window_compare: "calendars.readonly",
    crm_compute_opt_in_rate: "forms.readonly",
    crm_compute_form_submission_rate: "locations/customFields.readonly",
    crm_get_campaign_a2p_stats: "campaigns.readonly",
    crm_compute_missed_call_textback: "conversations/message.readonly",
    crm_list_invoices: "invoices.readonly",
    crm_compute_revenue_stats: "invoices.readonly",
    crm_compute_lead_to_book: "contacts.readonly",
  };
  for (const [tool, permission] of Object.entries(needs)) {
    await using at = await CrmWorld.open();
    at.crm.state.lacking.add(permission);
    const message = await at.gw.refuses(tool, { site_id: "client", ...CALLS[tool] }, "E_UPSTREAM");
    assert.ok(message.includes(`lacks the permission "${permission}"`), `${tool}: ${message}`);
    assert.ok(!message.includes(at.crm.token));
  }
});

test("a wrong token, a deleted location and a token of another location are told apart", async (at) => {
  const { crm } = at;
  await at.gw.store.sites.create(site("stranger", "crm", {
    crm_location_id: "loc-elsewhere",
    credentials: { crm: { integration_token: crm.token } },
  }));
  await at.gw.store.sites.create(site("wrong", "crm", {
    crm_location_id: crm.location_id,
    credentials: { crm: { integration_token: "pit-wrong-secret" } },
  }));
  const refusal = (site_id: string) => at.gw.refuses("crm_list_workflows", { site_id }, "E_UPSTREAM");
  assert.match(await refusal("stranger"), /403; check the site's crm_location_id/);
  const wrong = await refusal("wrong");
  assert.match(
    wrong,
    /401; check that the site's integration token is valid/,
  );
  assert.ok(!wrong.includes("pit-wrong-secret"));
  crm.state.deleted = true;
  assert.match(
    await refusal("client"),
    /400; check the site's crm_location_id: the location may be deleted/,
  );
});

test("too many requests are waited for; where the day's are used up, nothing is tried again", async (at) => {
  at.crm.inject({ kind: "busy" }, { path: /workflows/ });
  await at.ask("crm_list_workflows");
  assert.equal(at.asked(/workflows/).length, 2);
  assert.deepEqual(at.waits, [10_000], "the interval that the CRM names");
  at.gw.clock.now += 61_000;
  at.crm.clear();
  at.crm.daily_left = 0;
  const says =
    /429: Too Many Requests; the location's requests of this day are used up, so try again tomorrow/;
  await at.gw.refuses("crm_list_workflows", { site_id: "client" }, "E_UPSTREAM", says, { door: "rest" });
  assert.equal(at.crm.requests.length, 1);
});

test("an upstream that is down for a moment is asked again, one that stays down is not hammered", async (at) => {
  at.crm.inject({ kind: "html", status: 503 }, { path: /campaigns/, times: 2 });
  await at.ask("crm_get_campaign_a2p_stats");
  assert.equal(at.asked(/campaigns/).length, 3);
  at.crm.clear();
  at.crm.inject({ kind: "html", status: 503 }, { path: /workflows/, times: 99 });
  const says = /503: .*try again later/;
  await at.gw.refuses("crm_list_workflows", { site_id: "client" }, "E_UPSTREAM", says, { door: "rest" });
  assert.equal(at.asked(/workflows/).length, 3);
});

/** A location that refuses so many requests of a path so, and when each of them arrived, in milliseconds from the first. */
async function refusing(status: number, headers: Record<string, string>, times: number) {
  const asked: number[] = [];
  const at: CrmWorld = await CrmWorld.open({
    fetch: async (input, init) => {
      if (!String(input).includes("/workflows/")) return await fetch(input, init);
      asked.push(at.gw.clock.now);
      if (asked.length > times) return await fetch(input, init);
      return Response.json({ message: "Not now" }, { status, headers });
    },
  });
  return { at, asked: () => asked.map((one) => one - asked[0]!) };
}

const PAUSE = /was not asked: it asked for a pause that is longer than a call may take; try again in 90 s$/;

Deno.test("as long as an answer asks for nobody asks the location, and a call that cannot wait so long ends", async () => {
  const short = await refusing(429, { "retry-after": "25" }, 1);
  await using one = short.at;
  await one.ask("crm_list_workflows");
  assert.deepEqual(short.asked(), [0, 25_000]);
  const long = await refusing(429, { "retry-after": "90" }, 99);
  await using other = long.at;
  const call = { site_id: "client" };
  await other.gw.refuses("crm_list_workflows", call, "E_UPSTREAM", /try again in 90 s/, { door: "rest" });
  await other.gw.refuses("crm_get_campaign_a2p_stats", call, "E_UPSTREAM", PAUSE, { door: "rest" });
  assert.deepEqual(long.asked(), [0]);
});

Deno.test("an upstream that is down is asked again after a pause, or after the one that it asks for", async () => {
  for (
    const [header, expected] of [[{}, [0, 500, 2000]], [{ "retry-after": "4" }, [0, 4000, 8000]]] as const
  ) {
    const { at, asked } = await refusing(503, header, 2);
    await using one = at;
    await one.ask("crm_list_workflows");
    assert.deepEqual(asked(), expected);
  }
  const { at, asked } = await refusing(503, { "retry-after": "30" }, 99);
  await using one = at;
  const says = /503: Not now; try again in 30 s/;
  await one.gw.refuses("crm_list_workflows", { site_id: "client" }, "E_UPSTREAM", says, { door: "rest" });
  assert.deepEqual(asked(), [0], "that is longer than a call waits");
});

Deno.test("rows that cannot be read, have no date or come twice are left out of counts, and notes say so", async () => {
  const world = emptyWorld("loc-bad-rows", "UTC");
  const own = { locationId: "loc-bad-rows" };
  const day = "2026-11-20T10:00:00.000Z";
  const contact = { tags: ["form"], customFields: [], ...own };
  world.contacts.push(
    { id: "c1", dateAdded: day, dateUpdated: "2026-01-01T00:00:00Z", ...contact },
    { id: "c2", ...contact },
    { id: "c3", dateAdded: String(Date.parse(day)), ...contact },
  );
  world.calendars.push({ id: "cal", name: "Room", ...own });
  world.conversations.push({ id: "t1", lastMessageDate: Date.parse(day), ...own });
  await using at = await CrmWorld.open({ crm: { world } });
  const opportunity = { pipelineId: "p", pipelineStageId: "s", status: "open", monetaryValue: null, ...own };
  const opportunities = [
    { id: "o1", createdAt: day, ...opportunity },
    { id: "o1", createdAt: day, ...opportunity },
    { id: "o2", createdAt: String(Date.parse(day)), ...opportunity },
    { id: "o3", ...opportunity },
    { createdAt: day, ...opportunity },
    null,
  ];
  at.crm.inject({ kind: "answer", body: { opportunities, meta: { total: 3 } } }, {
    path: /opportunities\/search/,
  });
  const funnel = await at.ask("crm_compute_pipeline_funnel");
  assert.deepEqual(funnel["totals"], { opportunities: 2, value: 0, by_status: { open: 2 } });
  assert.ok(
    funnel.notes.some((note) => /2 rows of the opportunities could not be read/.test(note)),
    String(funnel.notes),
  );
  assert.ok(funnel.notes.some((note) => /1 row of the opportunities has no date/.test(note)));
  assert.ok(
    funnel.notes.some((note) =>
      /2 of the opportunities are in pipelines that the CRM does not list/.test(note)
    ),
  );

  const share = await at.ask("crm_compute_form_submission_rate");
  assert.deepEqual(
    [share["new_contacts"], share["attributed"]],
    [2, 2],
    "epoch milliseconds as text are read",
  );
  assert.ok(share.notes.some((note) => /1 row of the contacts has no date/.test(note)));
  const { contacts, notes } = await at.ask("crm_compute_reactivation_candidates");
  assert.deepEqual((contacts as { id: string }[]).map(({ id }) => id), ["c1"]);
  assert.ok(notes.some((note) => /2 without a usable date of update/.test(note)), String(notes));
});

test("a total of submissions that is missing is an error, never a row count", async (at) => {
  const [submission] = at.crm.state.world.submissions;
  at.crm.inject({ kind: "answer", body: { submissions: [submission], meta: {} } }, {
    path: /forms/,
    times: 2,
  });
  const message = await at.gw.refuses("forms_get-submissions", {
    site_id: "client",
    ...CALLS["forms_get-submissions"],
  }, "E_UPSTREAM");
  assert.match(message, /no meta.total/);
});

test("executions are counted where the CRM tells them, and null where it does not", async (at) => {
  const execution = (id: number, status: string, createdAt = "2026-11-20T10:00:00Z") => ({
    id: `x${id}`,
    status,
    createdAt,
  });
  at.crm.state.world.executions = {
    "flow-0": [
      execution(1, "success"),
      execution(2, "completed"),
      execution(3, "failed"),
      execution(4, "error"),
      execution(5, "running"),
      execution(6, "success", "2025-01-01T00:00:00Z"),
    ],
  };
  const told = await at.both("crm_get_workflow_executions", { workflow_id: "flow-0" });
  assert.deepEqual(told["groups"], { success: 2, failed: 1, error: 1 });
  assert.ok(told.notes.some((note) => /1 executions? .*none of the groups/.test(note)), String(told.notes));
  at.gw.clock.now += 61_000;
  const closed = { statusCode: 401, message: "This route is not yet supported by the IAM Service." };
  at.crm.inject({ kind: "answer", status: 401, body: closed }, { path: /executions/ });
  const untold = await at.ask<Answer>("crm_get_workflow_executions", { workflow_id: "flow-0" });
  assert.deepEqual(untold["groups"], { success: null, failed: null, error: null });
  assert.match(String(untold["note"]), /no executions/);
});
