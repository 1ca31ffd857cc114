/** The stand-in of a site's own tool servers: sessions and statuses, lists, pages that really change, and traps. */
import assert from "node:assert/strict";
import { cmsTools } from "../../sandbox/tool_servers/cms_catalogue.ts";
import { runnerOf } from "../../sandbox/tool_servers/cms_run.ts";
import { widget } from "../../sandbox/tool_servers/start.ts";
import { type Json, ToolSite } from "./tool_servers_kit.ts";

const REQUEST = { jsonrpc: "2.0", id: 7, method: "tools/list" };
const namesOf = (result: unknown) => (result as { tools: { name: string }[] }).tools.map(({ name }) => name);

Deno.test("the official client lists, calls and reads back what it wrote, also over REST", async () => {
  await using at = await ToolSite.open();
  const client = await at.official();
  assert.equal((await client.listTools()).tools.length, 97);
  const page = at.servers.page({ title: "Home" });
  const parent_id = at.servers.state.pages.get(page.id)!.elements[0]!.id;
  const settings = { title: "Open on Sundays" };
  const added = await client.callTool({
    name: "emcp-tools-add-free-widget",
    arguments: { post_id: page.id, parent_id, widget_type: "heading", settings },
  });
  assert.equal(added.isError, false);
  const shown = await client.callTool({
    name: "emcp-tools-get-page-structure",
    arguments: { post_id: page.id },
  });
  assert.match(JSON.stringify(shown.structuredContent), /Open on Sundays/);
  const rest = await fetch(`${at.site.base_url}/wp-json/wp/v2/pages/${page.id}`, {
    headers: { authorization: at.authorization("admin") },
  });
  const { status, content } = await rest.json();
  assert.equal(status, "draft");
  assert.match(content.rendered, /Open on Sundays/);
  await client.close();
});

Deno.test("refusals have the adapter's codes and statuses", async () => {
  await using at = await ToolSite.open();
  const session = await at.session();
  const asked = async (body: unknown, options: Parameters<ToolSite["send"]>[1]) => {
    const { status, body: { error, code } } = await at.send(body, options);
    return [status, error?.code ?? code];
  };
  const call = { ...REQUEST, method: "tools/call", params: { name: "emcp-tools/list-pages", arguments: {} } };
  assert.deepEqual(await asked(REQUEST, {}), [400, -32600], "no session");
  assert.deepEqual(await asked(REQUEST, { session: "gone" }), [404, -32005]);
  assert.deepEqual(await asked(call, { session }), [404, -32003], "the name of an ability");
  assert.deepEqual(await asked({ ...REQUEST, method: "nonsense" }, { session }), [404, -32601]);
  assert.deepEqual(await asked({ ...call, params: { arguments: {} } }, { session }), [200, -32602]);
  assert.deepEqual(await asked({ ...REQUEST, jsonrpc: "1.0" }, { session }), [400, -32600]);
  assert.deepEqual(await asked({ jsonrpc: "2.0", id: 7 }, { session }), [400, -32600]);
  assert.deepEqual(await asked([], { session }), [400, -32600]);
  assert.deepEqual(await asked("3", { session }), [500, "internal_server_error"]);
  const headers = { "mcp-protocol-version": "2025-03-26" };
  assert.deepEqual(await asked(REQUEST, { session, headers }), [400, -32600]);
  assert.deepEqual(await asked("", { session }), [400, -32700]);
  assert.deepEqual(await asked("{", { session }), [400, "rest_invalid_json"]);
  assert.deepEqual(await asked(REQUEST, { session, login: null }), [401, "rest_forbidden"]);
  assert.deepEqual(await asked(REQUEST, { session, server: "elementor-mcp-server" }), [404, "rest_no_route"]);
  at.servers.state.plugin.active = false;
  assert.deepEqual(await asked(REQUEST, { session }), [404, "rest_no_route"]);
});

Deno.test("a version that is unknown is answered with the newest; notifications, batches and GET as the adapter does", async () => {
  await using at = await ToolSite.open();
  const params = {
    protocolVersion: "2099-01-01",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const { body, session } = await at.send({ ...REQUEST, method: "initialize", params });
  assert.equal(body.result?.["protocolVersion"], "2025-11-25");
  const notice = await at.send({ jsonrpc: "2.0", method: "notifications/initialized" }, { session });
  assert.deepEqual([notice.status, notice.type, notice.body], [202, "application/json; charset=UTF-8", {
    text: "",
  }]);
  assert.equal((await at.send(null, { session, method: "GET" })).status, 405);
  const batch = await at.send([REQUEST, { ...REQUEST, id: 8, method: "ping" }], { session });
  assert.deepEqual((batch.body as unknown as Json[]).map(({ id }) => id), [7, 8]);
  assert.equal((await at.send(null, { session, method: "DELETE" })).status, 200);
  assert.equal((await at.send(REQUEST, { session })).status, 404);
});

Deno.test("sessions are a user's, shared by the servers; the oldest of 33 is gone, and of two made at once one", async () => {
  await using at = await ToolSite.open();
  const first = await at.session();
  const other = await at.send(REQUEST, { session: first, server: "mcp-adapter-default-server" });
  assert.equal(other.status, 200);
  assert.equal((await at.send(REQUEST, { session: first, login: "ed" })).status, 404);
  for (let n = 0; n < 32; n++) await at.session();
  assert.equal((await at.send(REQUEST, { session: first })).status, 404);
  at.servers.sessions.lose();
  const made = await Promise.all(Array.from({ length: 10 }, () => at.session()));
  const heard = await Promise.all(made.map(async (session) => (await at.send(REQUEST, { session })).status));
  assert.ok(heard.includes(404), "at least one was dead at once");
  assert.ok(heard.includes(200));
});

Deno.test("lists change inside a session: 97, 126 before the first visit of wp-admin, 110, 64 and 3", async () => {
  await using at = await ToolSite.open({ servers: ["emcp-tools-server", "elementor-mcp-server"] });
  const { ask } = await at.caller();
  const count = async () => namesOf((await ask("tools/list")).body.result).length;
  const { plugin } = at.servers.state;
  assert.equal(await count(), 97);
  plugin.fresh = true;
  assert.equal(await count(), 126);
  [plugin.fresh, plugin.atomic] = [false, true];
  assert.equal(await count(), 110);
  const old = await at.caller("elementor-mcp-server");
  assert.equal(namesOf((await old.ask("tools/list")).body.result).length, 74);
  plugin.builder = false;
  assert.equal(await count(), 64);
  plugin.compact = true;
  assert.equal(await count(), 3);
});

Deno.test("arguments are taken as WordPress takes them, and refused in its words", async () => {
  await using at = await ToolSite.open();
  const { id } = at.servers.page({ title: "Home" });
  const { call } = await at.caller();
  assert.equal((await call("get-page-structure", { post_id: ` ${id}`, nonsense: true })).done["post_id"], id);
  const refusals: [string, Json, RegExp][] = [
    [
      "get-page-structure",
      {},
      /"emcp-tools\/get-page-structure" has invalid input\. Reason: post_id is a required/,
    ],
    ["get-page-structure", { post_id: "abc" }, /input\[post_id\] is not of type integer/],
    ["create-page", { title: "A", status: "bogus" }, /input\[status\] is not one of draft and publish/],
    ["get-page-structure", { post_id: 999 }, /^Post not found\.$/],
    ["get-element-settings", { post_id: id, element_id: "none" }, /"none" not found on this page/],
  ];
  for (const [name, args, words] of refusals) {
    const { isError, says } = await call(name, args);
    assert.equal(isError, true);
    assert.match(says, words);
  }
  const subscriber = await at.caller("emcp-tools-server", "sub");
  assert.equal(
    namesOf((await subscriber.ask("tools/list")).body.result).length,
    97,
    "rights are judged per call",
  );
  for (const name of ["list-pages", "core-get-site-info"]) {
    assert.equal((await subscriber.call(name)).says, "Permission denied");
  }
});

Deno.test("elements are added, merged at the top level, moved, doubled and taken out", async () => {
  await using at = await ToolSite.open();
  const { id: post_id } = at.servers.page({ title: "Home" });
  const { call } = await at.caller();
  const done = async (name: string, args: Json) => (await call(name, { post_id, ...args })).done;
  const tree = async () =>
    (await done("export-page", {}))["json"] as { id: string; elements: { id: string }[] }[];
  const parent_id = (await tree())[0]!.id;
  const settings = { title: "One", size: { unit: "px", size: 1 }, color: "red" };
  const one = await done("add-free-widget", { parent_id, widget_type: "heading", settings });
  const two = await done("add-free-widget", { parent_id, widget_type: "button", position: 0 });
  assert.deepEqual((await tree())[0]!.elements.map(({ id }) => id), [two["element_id"], one["element_id"]]);
  await done("update-element", { element_id: one["element_id"], settings: { size: { unit: "em" } } });
  assert.deepEqual((await done("get-element-settings", { element_id: one["element_id"] }))["settings"], {
    title: "One",
    size: { unit: "em" },
    color: "red",
  });
  const shown = JSON.stringify(await done("get-page-structure", {}));
  assert.match(shown, /"settings_summary":\{"title":"One"\}/, "of the settings a few alone");
  await done("reorder-elements", { container_id: parent_id, element_ids: [one["element_id"]] });
  const section = await done("add-container", {});
  await done("move-element", {
    element_id: two["element_id"],
    target_parent_id: section["element_id"],
    position: 0,
  });
  const twin = await done("duplicate-element", { element_id: one["element_id"] });
  assert.deepEqual((await tree()).map(({ elements }) => elements.map(({ id }) => id)), [
    [one["element_id"], twin["new_element_id"]],
    [two["element_id"]],
  ]);
  await done("remove-element", { element_id: section["element_id"] });
  assert.equal((await tree()).length, 1);
});

Deno.test("successes that did not persist: parallel adds, labels, settings replaced, widgets dropped", async () => {
  await using at = await ToolSite.open();
  const { id: post_id } = at.servers.page({ title: "Home" });
  const { call } = await at.caller();
  const parent_id = at.servers.state.pages.get(post_id)!.elements[0]!.id;
  const adds = await Promise.all(
    Array.from(
      { length: 12 },
      (_, n) =>
        call("add-free-widget", { post_id, parent_id, widget_type: "heading", settings: { title: `${n}` } }),
    ),
  );
  assert.ok(adds.every(({ isError }) => isError === false));
  const stored = at.servers.state.pages.get(post_id)!.elements[0]!.elements.length;
  assert.ok(stored < 12, `${stored} of 12 were stored`);
  const { done } = await call("set-element-label", { post_id, element_id: parent_id, title: "Hero" });
  assert.equal(done["success"], true);
  assert.doesNotMatch(JSON.stringify(at.servers.state.pages.get(post_id)), /Hero/);
  await call("update-page-settings", { post_id, settings: { hide_title: "yes" } });
  await call("update-page-settings", { post_id, settings: { padding: 1 } });
  assert.deepEqual(at.servers.state.pages.get(post_id)!.settings, { padding: 1 });
  const structure = [{
    type: "container",
    children: [{ type: "heading" }, { type: "wonder" }, { type: "magic" }],
  }];
  const built = (await call("build-page", { title: "Built", structure })).done;
  const shown = await call("get-page-structure", { post_id: built["post_id"], summary: true });
  assert.equal(built["elements_created"], 4);
  assert.equal((JSON.stringify(shown.done).match(/"elType"/g) ?? []).length, 2);
  const partly = await call("batch-update", {
    post_id,
    operations: [{ element_id: "none", settings: { a: 1 } }],
  });
  assert.deepEqual([partly.isError, partly.done["success"]], [false, false]);
});

Deno.test("what publishes, publishes at once", async () => {
  await using at = await ToolSite.open();
  const { call } = await at.caller();
  const statusOf = (id: unknown) => at.site.posts.get(id as number)!.status;
  const made = (await call("create-page", { title: "A", status: "publish" })).done;
  assert.equal(statusOf(made["post_id"]), "publish");
  const due = (await call("create-post", { title: "B", status: "future" })).done;
  assert.deepEqual([due["status"], statusOf(due["post_id"])], ["future", "publish"]);
  const { id: post_id } = at.servers.page({ title: "C" });
  await call("update-page-settings", { post_id, settings: { post_status: "publish" } });
  assert.equal(statusOf(post_id), "publish");
  const { done: { template_id } } = await call("save-as-template", { post_id, title: "T" });
  assert.equal(at.servers.state.templates.get(template_id as number)!.status, "publish");
});

Deno.test("tools that run others by name run them, nested too, and what ran is known", async () => {
  await using at = await ToolSite.open({ fresh: true, compact: true });
  const { call } = await at.caller();
  const inner = { name: "emcp-tools-write-file", arguments: { path: "a.php", content: "<?php" } };
  await call("call-tool", { name: "emcp-tools-call-tool", arguments: inner });
  assert.equal(at.servers.state.files.get("a.php"), "<?php");
  assert.deepEqual(at.servers.ran.map(({ tool, by }) => [tool, by]), [
    ["emcp-tools-call-tool", null],
    ["emcp-tools-call-tool", "emcp-tools-call-tool"],
    ["emcp-tools-write-file", "emcp-tools-call-tool"],
  ]);
  const adapter = await at.caller("mcp-adapter-default-server");
  const run = {
    ability_name: "emcp-tools/create-user",
    parameters: { username: "eve", email: "e@mail.example" },
  };
  const { done } = await adapter.call("mcp-adapter-execute-ability", run);
  assert.deepEqual([done["success"], at.site.state.people.at(-1)?.username], [true, "eve"]);
  at.servers.state.plugin.public_abilities = false;
  assert.match((await adapter.call("mcp-adapter-execute-ability", run)).says, /not exposed via MCP/);
});

Deno.test("a page's own text is gone with the builder's first save, as is every copy of it", async () => {
  await using at = await ToolSite.open();
  const { call } = await at.caller();
  const content = "<!-- wp:paragraph --><p>Ours</p><!-- /wp:paragraph -->";
  const made = await call("create-post", { post_type: "page", title: "Blocks", content });
  const { post_id } = made.done as { post_id: number };
  const { structure, type } = (await call("get-page-structure", { post_id })).done;
  assert.deepEqual([structure, type], [[], ""]);
  await call("add-container", { post_id });
  assert.equal(at.site.posts.get(post_id)!.content, "");
  assert.deepEqual((await call("get-post-blocks", { post_id })).done["blocks"], []);
});

Deno.test("blocks of a post are added, changed, moved and taken out by their place", async () => {
  await using at = await ToolSite.open();
  const { call } = await at.caller();
  const block = (text: string) => `<!-- wp:paragraph --><p>${text}</p><!-- /wp:paragraph -->`;
  const made = await call("create-post", { post_type: "page", title: "Blocks", content: block("a") });
  const { post_id } = made.done as { post_id: number };
  await call("add-block", { post_id, markup: block("b") + block("c") });
  await call("move-block", { post_id, path: [2], position: { mode: "prepend" } });
  await call("update-block", { post_id, path: [1], markup: block("A") });
  await call("remove-block", { post_id, path: [2] });
  assert.deepEqual(at.site.posts.get(post_id)!.content.match(/<p>.*?<\/p>/g), ["<p>c</p>", "<p>A</p>"]);
  assert.equal(((await call("get-post-blocks", { post_id })).done["blocks"] as unknown[]).length, 2);
  const nowhere = await call("remove-block", { post_id, path: [9] });
  assert.deepEqual(
    [nowhere.isError, Object.keys(nowhere.done)],
    [false, ["error"]],
    "a failure that is no error",
  );
});

Deno.test("whatever the builder's servers list of pages can be run", () => {
  const listed = cmsTools().filter(({ server, listed }) =>
    server === "elementor-mcp-server" || ["builder", "atomic", "compact"].includes(listed)
  );
  assert.equal(listed.length, 74 + 33 + 13 + 3);
  assert.deepEqual(listed.filter(({ name }) => runnerOf(name) === undefined).map(({ name }) => name), []);
});

Deno.test("large answers are as large as the real ones", async () => {
  await using at = await ToolSite.open();
  const { call } = await at.caller();
  for (const [name, args] of [["get-global-settings", {}], ["get-container-schema", {}]] as const) {
    const { says } = await call(name, args);
    assert.ok(says.length > 70_000 && says.length < 110_000, `${name}: ${says.length}`);
  }
});

Deno.test("what was asked of a tool server can go wrong, and a write may be stored all the same", async () => {
  await using at = await ToolSite.open();
  const { call, ask, session } = await at.caller();
  const titles = () => [...at.site.posts.values()].map(({ title }) => title);
  const match = { method: "tools/call", path: "create-page" };
  const create = (title: string) => call("create-page", { title });
  at.servers.inject({ kind: "html_first" }, match);
  assert.match(String((await create("first")).body["text"]), /^<br \/>\n<b>Warning.*"isError":false/s);
  at.servers.inject({ kind: "http", applied: false }, match);
  assert.match(String((await create("second")).body["text"]), /critical error/);
  at.servers.inject({
    kind: "result",
    result: { isError: true, content: [{ type: "text", text: "Failed" }] },
  }, match);
  assert.equal((await create("third")).isError, true);
  at.servers.inject({ kind: "forgotten" }, match);
  assert.equal((await create("fourth")).isError, false);
  at.servers.inject({ kind: "other_id" }, match);
  assert.equal((await create("fifth")).body["id"], "1-of-another");
  at.servers.inject({ kind: "rpc", code: -32603, message: "Failed to execute tool" }, match);
  assert.equal((await create("sixth")).body.error?.code, -32603);
  assert.deepEqual(titles().slice(3), ["first", "third", "fifth", "sixth"]);
  at.servers.inject({ kind: "lost_session" }, { method: "tools/list" });
  assert.equal((await ask("tools/list")).body.error?.code, -32005);
  assert.equal((await at.send(REQUEST, { session })).status, 404);
});

Deno.test("a stream that never ends, and one that says nothing, end when the client goes", async () => {
  await using at = await ToolSite.open();
  const session = await at.session();
  for (const kind of ["endless", "silent"] as const) {
    at.servers.inject({ kind });
    const gone = new AbortController();
    const response = await fetch(`${at.site.base_url}/wp-json/mcp/emcp-tools-server`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: at.authorization("admin"),
        "mcp-session-id": session,
      },
      body: JSON.stringify(REQUEST),
      signal: gone.signal,
    });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    if (kind === "endless") {
      const { value } = await response.body!.getReader().read();
      assert.match(new TextDecoder().decode(value), /notifications\/message/);
    }
    gone.abort();
    await response.body?.cancel().catch(() => {});
  }
});

Deno.test("one tool's answer may never come, or its connection end, though it was carried out", async () => {
  await using at = await ToolSite.open();
  const { call } = await at.caller();
  const match = { path: "/mcp/", body: /create-page/ };
  at.site.inject({ kind: "reset", applied: true }, match);
  assert.equal((await call("list-pages")).isError, false, "another tool is not meant");
  await assert.rejects(call("create-page", { title: "Lost" }));
  assert.ok([...at.site.posts.values()].some(({ title }) => title === "Lost"));
});

Deno.test("a list can be altered as another plugin would", async () => {
  await using at = await ToolSite.open();
  const { ask } = await at.caller();
  at.servers.state.alter = (tools) => [
    ...tools,
    { name: "odd", description: "x".repeat(1_000_000), inputSchema: "no schema" as never },
  ];
  const { tools } = (await ask("tools/list")).body.result as {
    tools: { name: string; inputSchema: unknown }[];
  };
  assert.deepEqual([tools.length, tools.at(-1)?.inputSchema], [98, "no schema"]);
});

Deno.test("an adder of the older server stores its arguments as settings", async () => {
  await using at = await ToolSite.open({ servers: ["elementor-mcp-server"], atomic: true });
  const { id: post_id } = at.servers.page({ title: "Old", elements: [] });
  const { call } = await at.caller("elementor-mcp-server");
  const { done: { element_id: parent_id } } = await call("add-container", { post_id });
  await call("add-heading", { post_id, parent_id, title: "Hello" });
  await call("add-atomic-paragraph", { post_id, parent_id, content: "New" });
  const [section] = at.servers.state.pages.get(post_id)!.elements;
  assert.deepEqual(section!.elements.map(({ widgetType, settings }) => [widgetType, settings]), [
    ["heading", { title: "Hello" }],
    ["e-paragraph", { content: "New" }],
  ]);
  assert.equal(widget("heading").elType, "widget");
});
