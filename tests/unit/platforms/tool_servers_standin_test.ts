/** The client against the stand-ins of the sandbox: a WordPress with its plugins' servers, and the CRM's hosted one. */
import assert from "node:assert/strict";
import type { ToolServerError } from "../../../platforms/tool_servers/errors.ts";
import type { ServerRef } from "../../../platforms/tool_servers/types.ts";
import { startCrm } from "../../../sandbox/highlevel/start.ts";
import { addHostedTools } from "../../../sandbox/tool_servers/hosted.ts";
import { ToolSite } from "../../sandbox/tool_servers_kit.ts";
import { BUILDER, CRM, reach } from "./_tool_servers.ts";

const READ = { writes: false };
const WRITE = { writes: true };
const ADAPTER: ServerRef = { source: "cms", server: "mcp-adapter-default-server" };
const OLDER: ServerRef = { source: "cms", server: "elementor-mcp-server" };

const reachCms = ({ site }: ToolSite) => reach({ base_url: site.base_url }, {}, { cms: site.users.admin });

Deno.test("a site's servers are listed, and one that its plugins do not bring is absent", async () => {
  await using at = await ToolSite.open();
  using way = reachCms(at);
  const client = await way.client();
  const counts = await Promise.all(
    [BUILDER, ADAPTER, OLDER].map(async (ref) => (await client.list(ref))?.length),
  );
  assert.deepEqual(counts, [97, 3, undefined]);
  const tools = await client.list(BUILDER) ?? [];
  assert.deepEqual(tools.filter(({ fault }) => fault !== undefined), []);
  assert.equal(tools.filter(({ hints }) => hints.read_only).length, 46);
  at.servers.state.plugin.active = false;
  assert.equal(await client.list(BUILDER), null);
});

Deno.test("a widget that was added is in the page's structure, after a lost session too", async () => {
  await using at = await ToolSite.open();
  using way = reachCms(at);
  const client = await way.client();
  const page = at.servers.page({ title: "Home" });
  const parent_id = at.servers.state.pages.get(page.id)!.elements[0]!.id;
  for (const title of ["First", "Second"]) {
    const args = { post_id: page.id, parent_id, widget_type: "heading", settings: { title } };
    assert.equal((await client.call(BUILDER, "emcp-tools-add-free-widget", args, WRITE)).isError, false);
    at.servers.sessions.lose();
  }
  const shown = await client.call(BUILDER, "emcp-tools-get-page-structure", { post_id: page.id }, READ);
  assert.match(JSON.stringify(shown.structuredContent), /First.*Second/);
  assert.equal(at.servers.ran.filter(({ tool }) => tool.includes("add-free-widget")).length, 2);
});

Deno.test("40 calls at once of a process that just started are all answered, though parallel sessions are lost", async () => {
  await using at = await ToolSite.open();
  using way = reachCms(at);
  const calls = Array.from({ length: 40 }, async (_, nth) => {
    const [ref, name] = nth % 2 ? [BUILDER, "emcp-tools-list-pages"] as const : [
      ADAPTER,
      "mcp-adapter-discover-abilities",
    ] as const;
    return await (await way.client()).call(ref, name, {}, READ);
  });
  for (const { isError } of await Promise.all(calls)) assert.equal(isError, false);
});

Deno.test("what a site's server does wrong is a failure, and says of a write what is known", async () => {
  await using at = await ToolSite.open();
  using way = reachCms(at);
  const page = at.servers.page({ title: "Home" });
  const args = { post_id: page.id, settings: { hide_title: "yes" } };
  const failure = async (deadline = 15_000) => {
    const call = (await way.client({ deadline })).call(
      BUILDER,
      "emcp-tools-update-page-settings",
      args,
      WRITE,
    );
    return await call.then(() => assert.fail("it was answered"), (error: ToolServerError) => error);
  };
  for (const kind of ["html_first", "other_id", "endless", "silent", "http"] as const) {
    at.servers.inject({ kind }, { method: "tools/call" });
    const error = await failure(kind === "silent" ? 500 : undefined);
    assert.equal(error.code, "E_UPSTREAM", kind);
    assert.equal(way.writes.outcomeOf(error), "unknown", kind);
  }
  at.servers.inject({ kind: "rpc", code: -32003, message: "Tool not found", applied: false }, {
    method: "tools/call",
  });
  const gone = await failure();
  assert.deepEqual([gone.isGone, gone.outcome], [true, "none"]);
  const soft = { structuredContent: { error: "No such page" }, isError: false };
  at.servers.inject({ kind: "result", result: soft }, { method: "tools/call" });
  const answer = await (await way.client()).call(BUILDER, "emcp-tools-update-page-settings", args, WRITE);
  assert.deepEqual([answer.isError, answer.soft], [true, true]);
});

Deno.test("a wrong password is named as one, and no session is opened", async () => {
  await using at = await ToolSite.open();
  using way = reach({ base_url: at.site.base_url }, {});
  await assert.rejects((await way.client()).list(BUILDER), {
    code: "E_UPSTREAM",
    upstream: 401,
    message: /the application password of the site was not accepted/,
  });
});

Deno.test("the CRM's hosted tools are listed, read and changed, wrapped once or twice", async () => {
  await using crm = startCrm();
  const hosted = addHostedTools(crm);
  const settings = { CRM_API_BASE: crm.base_url, CRM_MCP_URL: hosted.url };
  using way = reach({ crm_location_id: crm.location_id }, settings, {
    crm: { integration_token: crm.token },
  });
  const client = await way.client();
  assert.equal((await client.list(CRM))?.length, 36);
  const [contact] = crm.state.world.contacts;
  for (const wrapped of [1, 2] as const) {
    hosted.wrapped = wrapped;
    const tags = [`wrapped-${wrapped}`];
    const added = await client.call(CRM, "contacts_add-tags", {
      path_contactId: contact!.id,
      body_tags: tags,
    }, WRITE);
    assert.equal(added.isError, false);
    const read = await client.call(CRM, "contacts_get-contact", { path_contactId: contact!.id }, READ);
    const [item] = read.content as [{ text: string }];
    const { success, data } = JSON.parse(item.text);
    assert.equal(success, true);
    assert.match(JSON.stringify(data), new RegExp(tags[0]!));
  }
  const gone = await client.call(CRM, "contacts_get-contact", { path_contactId: "nobody" }, READ);
  assert.equal(gone.isError, true);
  assert.ok(gone.status !== undefined && gone.status >= 400);
  using stranger = reach({ crm_location_id: crm.location_id }, settings, {
    crm: { integration_token: "wrong" },
  });
  const other = await stranger.client();
  assert.equal((await other.list(CRM))?.length, 36, "a list proves nothing");
  const denied = await other.call(CRM, "locations_get-location", { path_locationId: crm.location_id }, READ);
  assert.deepEqual([denied.isError, denied.status], [true, 401]);
});
