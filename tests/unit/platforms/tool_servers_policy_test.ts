/** What may never be sent to a tool server, or anywhere else in its name. */
import assert from "node:assert/strict";
import { egress } from "../../../guard/egress.ts";
import type { Site } from "../../../core/model.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import connector from "../../../platforms/tool_servers/connector.ts";
import { CRM, result, text, withToolServers } from "./_tool_servers.ts";
import { site } from "./_site.ts";

const CRM_URL = "https://services.leadconnectorhq.com/mcp/";
const CMS_URL = "https://acme.example/wp-json/mcp/emcp-tools-server";
const LINKED: Partial<Site> = { crm_location_id: "loc-1", credentials: ["cms", "crm"] };

const call = (args: unknown = {}, method = "tools/call") => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: { name: "t", arguments: args },
});

/** Why a request is refused; null where it may leave. */
function judged(out: Partial<Outgoing>, lender?: string, of: Partial<Site> = LINKED): string | null {
  const settings = { CRM_MCP_URL: CRM_URL };
  const ctx = { site: site(of), settings, now: 0, ...(lender === undefined ? {} : { lender }) };
  const origins = connector.origins!(ctx);
  const whole: Outgoing = { method: "POST", url: CMS_URL, effect: "read", json: call(), ...out };
  try {
    egress({ connector, origins, ctx, granted: () => false }, whole);
    return null;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

Deno.test("a known server of the site is asked about its tools, in the site's own name", () => {
  for (const server of ["emcp-tools-server", "elementor-mcp-server", "mcp-adapter-default-server"]) {
    for (const base of ["https://acme.example", "https://acme.example/blog"]) {
      for (const url of [`${base}/wp-json/mcp/${server}`, `${base}/?rest_route=/mcp/${server}`]) {
        assert.equal(judged({ url }, "wordpress", { base_url: base }), null, url);
      }
    }
  }
  const headers = { accept: "a", "mcp-session-id": "s", "mcp-protocol-version": "v" };
  assert.equal(judged({ headers, effect: "write" }, "wordpress"), null);
  for (const method of ["initialize", "notifications/initialized", "tools/list"]) {
    assert.equal(judged({ json: { jsonrpc: "2.0", id: 1, method, params: {} } }, "wordpress"), null);
  }
  assert.equal(judged({ url: CRM_URL, headers: { locationId: "loc-1" } }, "highlevel"), null);
  const crm = { platform: "crm" as const, base_url: null, ...LINKED };
  assert.equal(judged({ url: CRM_URL, headers: { locationId: "loc-1" } }, "highlevel", crm), null);
});

Deno.test("no other address is asked", () => {
  const urls = [
    "https://acme.example/wp-json/mcp/other-server",
    "https://acme.example/wp-json/mcp/emcp-tools-server/",
    "https://acme.example/wp-json/mcp/emcp-tools-server?x=1",
    "https://acme.example/wp-json/mcp/emcp-tools-server#x",
    "https://acme.example/wp-json/mcp/../wp/v2/posts",
    "https://acme.example/wp-json/wp-abilities/v1/abilities",
    "https://acme.example/wp-json/wp-abilities/v1/abilities/core/x/run",
    "https://acme.example/wp-json/wp/v2/posts",
    "https://acme.example/?rest_route=/wp/v2/posts",
    "https://acme.example/?rest_route=/mcp/emcp-tools-server&rest_route=/wp/v2/posts",
    "https://acme.example/blog/wp-json/mcp/emcp-tools-server",
    "https://evil.example/wp-json/mcp/emcp-tools-server",
    "http://acme.example/wp-json/mcp/emcp-tools-server",
    "https://services.leadconnectorhq.com/mcp",
    "https://services.leadconnectorhq.com/contacts/",
  ];
  for (const url of urls) {
    for (const lender of ["wordpress", "highlevel"]) {
      assert.match(judged({ url, headers: { locationId: "loc-1" } }, lender) ?? "sent", /was not sent/, url);
    }
  }
  assert.match(judged({}, "wordpress", { platform: "static" }) ?? "", /was not sent/);
});

Deno.test("a server gets the credential that belongs there, and no other and none", () => {
  const location = { locationId: "loc-1" };
  assert.match(judged({}, "highlevel") ?? "", /not signed with the credential/);
  assert.match(judged({}) ?? "", /not signed with the credential/);
  assert.match(judged({ url: CRM_URL, headers: location }, "wordpress") ?? "", /not signed with/);
  assert.match(judged({ url: CRM_URL, headers: location }) ?? "", /not signed with/);
});

Deno.test("nothing but a request about tools is sent, and only a call of a tool as a write", () => {
  for (const method of ["GET", "PUT", "PATCH", "HEAD", "DELETE"] as const) {
    assert.match(judged({ method }, "wordpress") ?? "", /was not sent/, method);
  }
  for (
    const json of [undefined, null, [call()], "x", {}, call({}, "resources/read"), call({}, "tools/call ")]
  ) {
    assert.match(judged({ json }, "wordpress") ?? "", /not about the tools/, JSON.stringify(json));
  }
  assert.match(judged({ json: undefined, body: JSON.stringify(call()) }, "wordpress") ?? "", /not about/);
  assert.match(judged({ json: call({}, "tools/list"), effect: "write" }, "wordpress") ?? "", /only a call/);
  for (const name of ["authorization", "cookie", "X-HTTP-Method-Override", "locationId", "host"]) {
    assert.match(judged({ headers: { [name]: "x" } }, "wordpress") ?? "", /its header/, name);
  }
});

Deno.test("no tool is run whose name destroys or publishes, by its own name or through one that runs others", () => {
  const run = (name: unknown, args: unknown = {}) =>
    judged({
      json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      effect: "write",
    }, "wordpress");
  const never = [
    "emcp-tools-delete-post",
    "emcp-tools/trash-page",
    "publishPost",
    "PURGE_cache",
    "emcp-tools-drop-table",
    "emcp-tools-run-wp-cli",
    "emcp-tools/write-file",
  ];
  const runners = ["mcp-adapter-execute-ability", "emcp-tools-call-tool"];
  for (const name of never) {
    assert.match(run(name) ?? "", /would run a tool whose name says/, name);
    for (const runner of runners) {
      for (const key of ["ability_name", "ability", "tool_name", "tool", "name"]) {
        const inner = { [key]: name, parameters: {} };
        assert.match(run(runner, inner) ?? "", /would run a tool/, `${runner} ${key}`);
        assert.match(run(runner, { name: runner, arguments: inner }) ?? "", /would run a tool/);
      }
    }
  }
  assert.match(run(undefined) ?? "", /names no tool/);
  for (const name of ["emcp-tools-create-page", "emcp-tools-remove-element", "contacts_remove-tags"]) {
    assert.equal(run(name, { title: "How to delete a post", name: "Delete" }), null, name);
  }
  const text = {
    ability_name: "emcp-tools/create-page",
    parameters: { title: "Publish", item: { name: "Delete me" } },
  };
  assert.equal(run(runners[0], text), null);
});

Deno.test("the CRM is asked in the name of the site's own location, whatever the arguments say", () => {
  const crm = (args: unknown, headers: Record<string, string> = { locationId: "loc-1" }, of = LINKED) =>
    judged({ url: CRM_URL, json: call(args), headers }, "highlevel", of);
  assert.match(crm({}, {}) ?? "", /names no location/);
  assert.match(crm({}, { locationId: "loc-2" }) ?? "", /another location/);
  assert.match(crm({}, { locationid: "loc-1" }) ?? "", /its header/);
  assert.match(crm({}, {}, { ...LINKED, crm_location_id: null }) ?? "", /names no location/);
  for (
    const name of [
      "locationId",
      "path_locationId",
      "query_location_id",
      "query_altId",
      "body_LocationID",
    ]
  ) {
    assert.equal(crm({ [name]: "loc-1" }), null);
    for (const other of ["loc-2", ["loc-1"], "", 1, null]) {
      assert.match(crm({ [name]: other }) ?? "", /another location/, name);
      assert.match(crm({ body_contact: [{ deep: { [name]: other } }] }) ?? "", /another location/, name);
    }
  }
  for (const name of ["altId", "body_altId"]) {
    assert.equal(crm({ [name]: "SM57d2", body_message: "x" }), null, "of a message it is the carrier's id");
    const named = { [name]: "loc-2", body_altType: "location" };
    assert.match(crm(named) ?? "", /another location/);
    assert.match(crm({ body_contact: [{ deep: named }] }) ?? "", /another location/);
    assert.equal(crm({ ...named, [name]: "loc-1" }), null);
  }
});

Deno.test("a call that names another location is refused before anything is sent", async () => {
  await withToolServers((sent) => result(sent, text("x")), async ({ client, sent }) => {
    await assert.rejects(
      (await client()).call(CRM, "contacts_get-contact", { path_locationId: "loc-2" }, { writes: false }),
      { code: "E_FORBIDDEN_OP", message: /names another location/ },
    );
    assert.deepEqual(sent, []);
  });
});

Deno.test("an address of the CRM's server that the operator did not set gets no token of another CRM's", async () => {
  await withToolServers((sent) => result(sent, text("x")), async ({ client, sent, upstream }) => {
    upstream.CRM_MCP_URL = CRM_URL;
    await assert.rejects(
      (await client()).call(CRM, "t", {}, { writes: false }),
      { code: "E_FORBIDDEN_OP", message: /is not where its upstream is/ },
    );
    upstream.CRM_API_BASE = "https://services.leadconnectorhq.com";
    upstream.CRM_MCP_URL = "http://127.0.0.1:9/";
    await assert.rejects((await client()).call(CRM, "t", {}, { writes: false }), { code: "E_UPSTREAM" });
    assert.deepEqual(sent, []);
  });
});
