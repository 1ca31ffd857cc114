/** The CRM's tools, all of them: what every answer has, what is refused, and that refusals send nothing. */
import assert from "node:assert/strict";
import { ROUTES } from "../../platforms/highlevel/routes.ts";
import { rows } from "../contract/golden.ts";
import { type Answer, CALLS, test } from "./_crm.ts";

const TOOLS = Object.entries(CALLS);
const WINDOWLESS = [
  "crm_compute_tag_hygiene",
  "crm_get_funnel_stats",
  "crm_list_workflows",
  "crm_get_campaign_a2p_stats",
  "crm_list_invoices",
];

Deno.test("every tool of the group is called here", async () => {
  const group = (await rows()).filter((row) => row.group === "crm").map(({ name }) => name);
  assert.deepEqual(Object.keys(CALLS).toSorted(), group.toSorted());
});

for (const [tool, args] of TOOLS) {
  test(`${tool} answers alike through both doors, with location, window and notes`, async (at) => {
    const found = await at.both(tool, args);
    assert.equal(found.location_id, at.crm.location_id);
    assert.ok(Array.isArray(found.notes));
    assert.equal(found.window === null, WINDOWLESS.includes(tool), "a window where rows have one");
    const [row] = await at.gw.audit();
    assert.deepEqual([row!.tool, row!.tier, row!.status], [tool, 0, "ok"]);
    assert.ok(!JSON.stringify(found).includes(at.crm.token));
  });
}

test("a site that is linked to no location is refused before anything is sent", async (at) => {
  for (const [tool, args] of TOOLS) {
    const lacking = { tokenless: /has no integration token;/, nowhere: /has no crm_location_id;/ };
    for (const [site_id, words] of Object.entries(lacking)) {
      const message = await at.gw.refuses(tool, { site_id, ...args }, "E_CRM_SITE_NOT_LINKED", words);
      assert.match(message, /deno task admin site update/);
    }
  }
  assert.deepEqual(at.crm.requests, []);
});

test("a site of another kind that has a location is answered too", async (at) => {
  const found = await at.ask<Answer>("crm_list_workflows", { site_id: "blog" });
  assert.equal(found.location_id, at.crm.location_id);
});

test("an upstream that fails, refuses or makes no sense is E_UPSTREAM of every tool", async (at) => {
  for (const [tool, args] of TOOLS) {
    at.crm.inject({ kind: "malformed" }, { times: 60 });
    await at.gw.refuses(tool, { site_id: "client", ...args }, "E_UPSTREAM", /cannot be read/);
    at.crm.clearFaults();
    at.gw.clock.now += 60_000;
  }
});

test("an argument that is not known, or too large, is refused before anything is sent", async (at) => {
  for (const [tool, args] of TOOLS) {
    const call = { site_id: "client", ...args, locationId: "another" };
    await at.gw.refuses(tool, call, "E_BAD_INPUT", /locationId: unknown argument/);
  }
  const client = { site_id: "client" };
  const refuses = (tool: string, args: Record<string, unknown>) =>
    at.gw.refuses(tool, { ...client, ...args }, "E_BAD_INPUT");
  assert.match(await refuses("crm_compute_window_compare", { window_days: 91 }), /window_days/);
  assert.match(await refuses("crm_compute_sms_stats", { max_conversations: 501 }), /max_conversations/);
  assert.match(await refuses("crm_compute_missed_call_textback", { window_minutes: 0 }), /window_minutes/);
  assert.match(
    await refuses("crm_list_invoices", { start_at: "1762300800000" }),
    /start_at: expected a date/,
  );
  const reversed = { start_at: "2026-11-02", end_at: "2026-11-01" };
  assert.match(await refuses("crm_list_invoices", reversed), /end_at: .*before start_at/);
  assert.match(await refuses("forms_get-submissions", { start_at: "2026-11-02" }), /end_at is required/);
  assert.deepEqual(at.crm.requests, []);
});

test("an id that the location does not have is E_NOT_FOUND, and the message says where to look", async (at) => {
  const refuses = (tool: string, args: Record<string, unknown>) =>
    at.gw.refuses(tool, { site_id: "client", ...args }, "E_NOT_FOUND");
  assert.match(
    await refuses("crm_compute_pipeline_funnel", { pipeline_id: "none" }),
    /pipeline_id: .*"none"/,
  );
  assert.match(await refuses("crm_compute_no_show_rate", { calendar_id: "none" }), /calendar_id: .*"none"/);
  assert.match(
    await refuses("crm_get_funnel_stats", { funnel_id: "none" }),
    /funnel_id: .*crm_get_funnel_stats/,
  );
  assert.match(await refuses("crm_get_workflow_executions", { workflow_id: "none" }), /crm_list_workflows/);
});

Deno.test("docs/CONNECTING.md names every permission that a route needs, and no other", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/CONNECTING.md", import.meta.url));
  const own = text.slice(text.indexOf("## A location in HighLevel"));
  const named = own.slice(0, own.indexOf("2. **")).match(/`[\w/]+\.readonly`/g) ?? [];
  const needed = new Set(Object.values(ROUTES).map(({ permission }) => `\`${permission}\``));
  assert.deepEqual(named.toSorted(), [...needed].sort());
});

test("a calendar or a pipeline that there is not is refused with those there are, by id and name", async (at) => {
  const said = await at.gw.refuses(
    "crm_compute_no_show_rate",
    { site_id: "client", calendar_id: "main" },
    "E_NOT_FOUND",
  );
  const ids = at.crm.state.world.calendars.map(({ id, name }) => `"${id}" ("${name}")`).join(", ");
  assert.ok(said.includes(`there are ${ids}, and without calendar_id all are counted`), said);
  const call = { site_id: "client", pipeline_id: "Sales" };
  const says =
    /has no pipeline "Sales"; there are "pipe-sales" \("Sales"\), .*, and without pipeline_id every one is answered/;
  await at.gw.refuses("crm_compute_pipeline_funnel", call, "E_NOT_FOUND", says);
});
