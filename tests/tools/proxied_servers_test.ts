/** Proxied tools over the wire: what is written at sites' tool servers stands there, once, or is reported as it is. */
import assert from "node:assert/strict";
import { startCrm } from "../../sandbox/highlevel/start.ts";
import { addHostedTools } from "../../sandbox/tool_servers/hosted.ts";
import { addToolServers, container, type ToolFault, widget } from "../../sandbox/tool_servers/start.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import type { Args } from "../cms_kit.ts";
import { gateway, type Kit, site } from "../kit.ts";

/** A gateway, a site with the builder's tool server, and one page of it. */
async function open(race_ms = 2) {
  const cms = await startWordPressStandIn();
  const servers = addToolServers(cms, { race_ms });
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  const at = (id: string, flags = {}) => site(id, "cms", { base_url: cms.base_url, credentials, flags });
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    sites: [at("acme"), at("open", { allow_publish: true })],
  });
  await gw.gateway.toolCatalogs.run();
  const heading = widget("heading", { title: "One" });
  const section = container({}, [heading]);
  const { id: post_id } = servers.page({ title: "Home", elements: [section] });
  return {
    gw,
    cms,
    servers,
    ids: { post_id, heading: heading.id, section: section.id },
    elements: () => servers.state.pages.get(post_id)!.elements,
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

const add = (gw: Kit, post_id: number) => gw.end("builder-mcp-add-container", { site_id: "acme", post_id });

Deno.test("twelve adds to one page at the same time are all stored, although the site loses one of two", async () => {
  await using at = await open(5);
  const ends = await Promise.all(Array.from({ length: 12 }, () => add(at.gw, at.ids.post_id)));
  assert.ok(ends.every((end) => "value" in end && (end.beside as Args)["verified"] === true));
  assert.equal(at.elements().length, 13);
});

Deno.test("what a page's structure does not show is proven too, and what was dropped is not", async () => {
  await using at = await open();
  const { post_id, heading: element_id } = at.ids;
  const update = { site_id: "acme", post_id, element_id };
  for (const settings of [{ title_color: "red" }, { title: "long ".repeat(40) }]) {
    const { proof } = await at.gw.proven("builder-mcp-update-element", { ...update, settings });
    assert.equal(proof.verified, true);
  }
  const structure = [{ type: "container", children: [{ type: "heading" }, { type: "wonder" }] }];
  const page = { site_id: "acme", title: "Built", structure };
  const { proof } = await at.gw.proven("builder-mcp-build-page", page);
  assert.equal(proof.verified, false);
  assert.match(String(proof.warnings), /3 elements were sent and 2 are stored/);
});

Deno.test("an answer that goes wrong is reported by what stands on the page", async () => {
  await using at = await open();
  const cases: readonly [fault: ToolFault, expected: Args][] = [
    [{ kind: "html_first" }, { code: "E_UPSTREAM", outcome: "made" }],
    [{ kind: "http" }, { code: "E_UPSTREAM", outcome: "made" }],
    [{ kind: "http", applied: false }, { code: "E_UPSTREAM", outcome: "unknown" }],
    [{ kind: "other_id" }, { code: "E_UPSTREAM", outcome: "made" }],
    [{ kind: "result", result: { isError: true } }, { code: "E_TOOL_ERROR", outcome: "made" }],
    [{ kind: "forgotten" }, { verified: false }],
    [{ kind: "lost_session" }, { verified: true }],
  ];
  for (const [fault, expected] of cases) {
    const [stored, ran] = [at.elements().length, at.servers.ran.length];
    at.servers.inject(fault, { path: "add-container" });
    const end = await add(at.gw, at.ids.post_id) as Args & { beside?: Args };
    const { code, outcome, verified } = { ...end, ...end.beside };
    assert.deepEqual({ code, outcome, verified }, {
      code: undefined,
      outcome: undefined,
      verified: undefined,
      ...expected,
    });
    const written = at.servers.ran.slice(ran).filter(({ tool }) =>
      tool === "emcp-tools-add-container"
    ).length;
    const lost = "applied" in fault && fault.applied === false;
    assert.equal(written, lost ? 0 : 1, `${fault.kind}: a write is sent once`);
    assert.equal(at.elements().length - stored, lost || fault.kind === "forgotten" ? 0 : 1);
  }
});

Deno.test("what would publish, and what is held back, never leaves", async () => {
  await using at = await open();
  const live = at.servers.page({ title: "Live", status: "publish" });
  const { post_id } = at.ids;
  const page = { title: "New", status: "publish" };
  const write = { path: "a.php", content: "<?php" };
  const nested = {
    ability_name: "emcp-tools/execute-ability",
    parameters: { ability_name: "emcp-tools/write-file" },
  };
  const refused: [string, Args][] = [
    ["builder-mcp-create-page", page],
    ["builder-mcp-update-page-settings", { post_id, settings: { post_status: "publish" } }],
    ["builder-mcp-add-container", { post_id: live.id }],
    ["mcp-adapter-execute-ability", { ability_name: "emcp-tools/write-file", parameters: write }],
    ["mcp-adapter-execute-ability", { ability_name: "emcp-tools/create-page", parameters: page }],
    ["mcp-adapter-execute-ability", nested],
  ];
  for (const [tool, args] of refused) {
    await at.gw.refuses(tool, { site_id: "acme", ...args }, "E_FORBIDDEN_OP");
  }
  for (const tool of ["builder-mcp-write-file", "builder-mcp-query", "builder-mcp-export-content"]) {
    const end = await at.gw.end(tool, { site_id: "acme" });
    assert.ok("code" in end, `${tool} is not to be called`);
  }
  assert.deepEqual(at.servers.ran, []);
  const added = await at.gw.proven("builder-mcp-add-container", { site_id: "open", post_id: live.id });
  assert.equal(added.proof.verified, true, "a site may allow changes of what is published");
});

Deno.test("a site whose plugin is off says so, and answers again once it is on", async () => {
  await using at = await open();
  at.servers.state.plugin.active = false;
  const says = await at.gw.refuses("builder-mcp-list-pages", { site_id: "acme" }, "E_UPSTREAM");
  assert.match(says, /rest_no_route.*plugin/);
  at.servers.state.plugin.active = true;
  const { total } = await at.gw.call<Args>("builder-mcp-list-pages", { site_id: "acme" });
  assert.equal(total, 1);
});

Deno.test("a tag that a proxied tool adds shows in the next read and in tag hygiene, wrapped once or twice", async () => {
  await using crm = startCrm();
  const hosted = addHostedTools(crm);
  const own = {
    crm_location_id: crm.location_id,
    credentials: { crm: { integration_token: crm.token } },
  };
  await using gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    settings: { upstream: { CRM_API_BASE: crm.base_url, CRM_MCP_URL: hosted.url } },
    sites: [site("closed", "crm", own), site("crm", "crm", { ...own, flags: { allow_crm_write: true } })],
  });
  await gw.gateway.toolCatalogs.run();
  const tag = { contactId: "contact-1", tags: ["proxied"] };
  await gw.refuses("contacts_add-tags", { site_id: "closed", ...tag }, "E_CRM_WRITE_NOT_ALLOWED");
  assert.deepEqual(hosted.ran, []);
  for (const wrapped of [1, 2] as const) {
    hosted.wrapped = wrapped;
    const { proof } = await gw.proven("contacts_add-tags", { site_id: "crm", ...tag });
    assert.equal(proof.verified, true);
    const contact = await gw.call("contacts_get-contact", { site_id: "closed", contactId: "contact-1" });
    assert.match(JSON.stringify(contact), /"proxied"/);
  }
  const { underused } = await gw.call<{ underused: { name: string; uses: number }[] }>(
    "crm_compute_tag_hygiene",
    {
      site_id: "crm",
    },
  );
  assert.equal(underused.find(({ name }) => name === "proxied")?.uses, 1);
  assert.ok(hosted.ran.every(({ location_id }) => location_id === crm.location_id));
});
