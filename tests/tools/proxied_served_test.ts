/** Proxied writes at the stand-ins of real tool servers, which hold nothing: what is stored, and what is said of it. */
import assert from "node:assert/strict";
import { all, type ToolFault } from "../../sandbox/tool_servers/start.ts";
import { type Args, served } from "./_served.ts";

const ADD = "builder-mcp-add-free-widget";
const RUN = "mcp-adapter-execute-ability";
const heading = (post_id: number, parent_id: string) => ({
  site_id: "acme",
  post_id,
  parent_id,
  widget_type: "heading",
  settings: { title: "Hello" },
});

/** A draft of the builder's with one section, and that section's id. */
function draft(at: Awaited<ReturnType<typeof served>>, status = "draft") {
  const { id } = at.tools.page({ title: "Page", status });
  return { id, section: at.tools.state.pages.get(id)!.elements[0]!.id };
}

Deno.test("twelve adds to one page at once are all stored, although the site loses one of two", async () => {
  await using at = await served({ race_ms: 5 });
  const { id, section } = draft(at);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => at.gw.proven(ADD, heading(id, section))),
  );
  assert.ok(
    answers.every(({ proof }) =>
      proof.verified === null && /only what is public/.test(proof.verified_reason!)
    ),
  );
  assert.equal(all(at.tools.state.pages.get(id)!.elements).length, 13);
  const [row] = await at.gw.audit();
  assert.deepEqual([row?.outcome, row?.status], ["made", "ok"]);
});

Deno.test("an answer that goes wrong leaves the outcome unknown, stored or not, and the write is sent once", async () => {
  await using at = await served();
  const { id, section } = draft(at);
  const stored = () => all(at.tools.state.pages.get(id)!.elements).length;
  const boom = { isError: true, content: [{ type: "text" as const, text: "Boom" }] };
  const unknown = (code: string) => ({ code, outcome: "unknown" });
  const rows: readonly [fault: ToolFault, expected: Args][] = [
    [{ kind: "html_first" }, unknown("E_UPSTREAM")],
    [{ kind: "http", status: 500 }, unknown("E_UPSTREAM")],
    [{ kind: "http", status: 500, applied: false }, unknown("E_UPSTREAM")],
    [{ kind: "endless" }, unknown("E_UPSTREAM")],
    [{ kind: "endless", applied: false }, unknown("E_UPSTREAM")],
    [{ kind: "other_id" }, unknown("E_UPSTREAM")],
    [{ kind: "result", result: boom }, unknown("E_TOOL_ERROR")],
    [{ kind: "forgotten" }, {}],
    [{ kind: "lost_session" }, {}],
  ];
  for (const [fault, expected] of rows) {
    const [before, ran] = [stored(), at.tools.ran.length];
    at.tools.inject(fault, { path: "add-free-widget" });
    const { code, outcome } = await at.gw.end(ADD, heading(id, section)) as Args;
    assert.deepEqual({ code, outcome }, { code: undefined, outcome: undefined, ...expected }, fault.kind);
    const isLost = "applied" in fault && fault.applied === false;
    assert.equal(at.tools.ran.length - ran, isLost ? 0 : 1, `${fault.kind}: a write is sent once`);
    assert.equal(stored() - before, isLost || fault.kind === "forgotten" ? 0 : 1, fault.kind);
    const [row] = await at.gw.audit();
    assert.equal(row?.outcome, expected["outcome"] ?? "made", fault.kind);
  }
  for (const applied of [true, false]) {
    at.cms.inject({ kind: "reset", applied }, { body: /emcp-tools-add-free-widget/ });
    const reset = await at.gw.end(ADD, heading(id, section)) as Args;
    assert.deepEqual([reset.code, reset.outcome], ["E_UPSTREAM", "unknown"], String(reset.message));
  }
});

Deno.test("a published page is left as it is without allow_publish, whichever way it is written to", async () => {
  await using at = await served();
  const { id, section } = draft(at, "publish");
  await at.gw.refuses(ADD, heading(id, section), "E_FORBIDDEN_OP");
  const parameters = { post_id: id, parent_id: section, widget_type: "heading" };
  const run = { site_id: "acme", ability_name: "emcp-tools/add-free-widget", parameters };
  await at.gw.refuses(RUN, run, "E_FORBIDDEN_OP");
  assert.deepEqual(at.writes(), []);
  await at.gw.call(RUN, { ...run, site_id: "open" });
  const [row] = await at.gw.audit();
  assert.deepEqual(
    [at.writes().length, row?.tier, row?._published],
    [2, 3, true],
    "the runner, and what it ran",
  );
  assert.equal(at.gw.requests.filter(({ url }) => url.includes("wp-abilities")).length, 0);
});

Deno.test("what is never run never leaves: by its own name, or by that of a tool that runs it", async () => {
  await using at = await served({ fresh: true });
  const tools = ["write-file", "query", "export-content", "delete-post", "update-settings", "create-user"];
  const never = (name: string) => ({ ability_name: `emcp-tools/${name}`, parameters: { path: "a.php" } });
  for (const name of tools) {
    await at.gw.refuses(`builder-mcp-${name}`, { site_id: "open" }, "E_FORBIDDEN_OP");
    await at.gw.refuses(RUN, { site_id: "open", ...never(name) }, "E_FORBIDDEN_OP");
    const nested = { ability_name: "mcp-adapter/execute-ability", parameters: never(name) };
    await at.gw.refuses(RUN, { site_id: "open", ...nested }, "E_FORBIDDEN_OP");
  }
  assert.deepEqual(at.tools.ran, []);
});

Deno.test("a page that does not exist is said not to, whatever the site allows", async () => {
  await using at = await served({ race_ms: 0 });
  for (const site_id of ["acme", "open"]) {
    for (
      const [tool, args] of [[ADD, { parent_id: "a", widget_type: "heading" }], ["builder-mcp-remove-block", {
        path: [0],
      }]] as const
    ) {
      const says = site_id === "acme" ? /no page or post with the id 999999 can be read/ : /./;
      await at.gw.refuses(
        tool,
        { site_id, post_id: 999_999, ...args },
        site_id === "acme" ? "E_FORBIDDEN_OP" : "E_TOOL_ERROR",
        says,
      );
    }
  }
});

Deno.test("who has the page open in the editor is a warning, for saving there takes the change away", async () => {
  await using at = await served();
  const { id, section } = draft(at);
  // As the companion plugin tells it.
  let site_ops_editing: unknown = null;
  at.cms.state.fields.push(() => ({ site_ops_editing }));
  const warnings = async () => (await at.gw.proven(ADD, heading(id, section))).proof.warnings;
  assert.deepEqual(await warnings(), []);
  site_ops_editing = { by: { id: 1, name: "Ann" }, at: "2026-11-21T11:59:00" };
  assert.deepEqual(await warnings(), [
    '"Ann" has it open in the editor (last seen at 2026-11-21T11:59:00Z), and saving there would replace this change',
  ]);
});

Deno.test("a site whose plugin is off says so, and answers again once it is on", async () => {
  await using at = await served();
  draft(at);
  at.tools.state.plugin.active = false;
  await at.gw.refuses("builder-mcp-list-pages", { site_id: "acme" }, "E_UPSTREAM", /rest_no_route.*plugin/);
  at.tools.state.plugin.active = true;
  const { total } = await at.gw.call<Args>("builder-mcp-list-pages", { site_id: "acme" });
  assert.equal(total, 1);
});

Deno.test("a tag added through the hosted tools shows up in the next read and in tag hygiene, wrapped once or twice", async () => {
  await using at = await served();
  const [contact] = at.crm.state.world.contacts;
  const contactId = String(contact!.id);
  const tags = { site_id: "crm", contactId, tags: ["quite-new"] };
  await at.gw.refuses("contacts_add-tags", { ...tags, site_id: "closed" }, "E_CRM_WRITE_NOT_ALLOWED");
  assert.deepEqual(at.hosted.ran, []);
  for (const wrapped of [1, 2] as const) {
    at.hosted.wrapped = wrapped;
    assert.equal((await at.gw.proven("contacts_add-tags", tags)).proof.verified, true);
  }
  const read = await at.gw.call("contacts_get-contact", { site_id: "crm", contactId });
  assert.match(JSON.stringify(read), /quite-new/);
  const hygiene = await at.gw.call("crm_compute_tag_hygiene", { site_id: "crm", threshold: 5 });
  assert.match(JSON.stringify(hygiene), /quite-new/);
  assert.ok(at.hosted.ran.every(({ location_id }) => location_id === at.crm.location_id));
});
