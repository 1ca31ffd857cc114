/** Sites' own tools from end to end, on stand-ins of a page builder's servers and of the CRM's: listed, offered, called. */
import assert from "node:assert/strict";
import { startCrm } from "../../sandbox/highlevel/start.ts";
import { addHostedTools } from "../../sandbox/tool_servers/hosted.ts";
import { addToolServers } from "../../sandbox/tool_servers/start.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { readProxies } from "../../registry/proxies.ts";
import { sitesOf } from "../cms_kit.ts";
import { CONNECTORS } from "../connectors.ts";
import { shown } from "../guard/proxied_kit.ts";
import { gateway, NOW, site } from "../kit.ts";

const SOURCES = await readProxies([new URL("../../", import.meta.url)], CONNECTORS);
const knownOf = (source: string) => SOURCES.find((one) => one.source === source)!.known;

Deno.test("of a page builder that was just activated the known tools are offered and nothing else", async () => {
  const cms = await startWordPressStandIn({ now: () => NOW });
  const servers = addToolServers(cms, { fresh: true, atomic: true });
  const page = servers.page({ title: "Home" });
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    sites: sitesOf(cms).filter(({ id }) => id === "acme"),
  });
  try {
    await gw.gateway.toolCatalogs.run();
    const catalogs = await gw.store.toolCatalogs.list();
    assert.deepEqual(catalogs.map(({ failure }) => failure), [null, null, null]);
    const tools = await shown(gw);
    const known = knownOf("cms");
    assert.deepEqual([...tools.keys()].filter((name) => !known.has(name)), []);
    assert.ok(tools.size > 60, `${tools.size} of ${known.size} are there`);
    for (const [name, { annotations }] of tools) {
      assert.equal(annotations.readOnlyHint, !known.get(name)!.writes, name);
    }
    const ran = servers.ran.length;
    for (
      const name of [
        "builder-mcp-write-file",
        "builder-mcp-query",
        "builder-mcp-run-wp-cli",
        "builder-mcp-create-user",
        "builder-mcp-delete-page-content",
      ]
    ) {
      await gw.refuses(name, { site_id: "acme", path: "x.php", content: "<?php" }, "E_FORBIDDEN_OP");
    }
    assert.equal(servers.ran.length, ran, "nothing was run");
    for (const door of ["rest", "mcp"] as const) {
      const found = await gw.call("builder-mcp-get-page-structure", { post_id: page.id }, { door });
      assert.ok(JSON.stringify(found).includes("container"), JSON.stringify(found));
    }
    assert.deepEqual(servers.ran.slice(ran).map(({ tool }) => tool.replace(/^emcp-tools-/, "")), [
      "get-page-structure",
      "get-page-structure",
    ]);
  } finally {
    await gw[Symbol.asyncDispose]();
    await cms.stop();
  }
});

Deno.test("every tool of the CRM's hosted server is known, with bare arguments and no location", async () => {
  const crm = startCrm({ now: () => NOW });
  const hosted = addHostedTools(crm);
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    sites: [
      site("client", "crm", {
        crm_location_id: crm.location_id,
        credentials: { crm: { integration_token: crm.token } },
      }),
    ],
    settings: { upstream: { CRM_API_BASE: crm.base_url, CRM_MCP_URL: hosted.url } },
  });
  try {
    await gw.gateway.toolCatalogs.run();
    const tools = await shown(gw);
    assert.deepEqual([...tools.keys()].sort(), [...knownOf("crm").keys()].sort());
    const writes = [...tools].filter(([, { annotations }]) => annotations.readOnlyHint === false);
    assert.deepEqual([tools.size, writes.length], [36, 12]);
    const { inputSchema } = tools.get("contacts_get-contact")!;
    assert.deepEqual([inputSchema.required, Object.keys(inputSchema.properties)], [
      ["site_id", "contactId"],
      ["site_id", "contactId"],
    ]);
    for (const [name, { inputSchema }] of tools) {
      const names = Object.keys(inputSchema.properties);
      assert.ok(
        !names.some((one) => /^(path|query|body)_|^(locationId|altId|altType)$/.test(one)),
        `${name}: ${names}`,
      );
    }
    const part = (tool: string, name: string) => {
      const { description: _, ...part } = tools.get(tool)!.inputSchema.properties[name]!;
      return part;
    };
    for (const verb of ["create", "edit"]) {
      const tool = `social-media-posting_${verb}-post`;
      assert.deepEqual(part(tool, "status"), { type: "string", enum: ["draft", "scheduled"] });
      assert.deepEqual(part(tool, "type"), { type: "string", enum: ["post", "story", "reel"] });
    }
    for (const verb of ["create", "update"]) {
      assert.deepEqual(part(`blogs_${verb}-blog-post`, "status"), {
        type: "string",
        enum: ["DRAFT", "SCHEDULED"],
      });
    }
    assert.deepEqual(part("conversations_send-a-new-message", "subType"), { type: "string" });
    const listing = JSON.stringify(await gw.call("contacts_get-contacts", { limit: 1 }));
    const [, contactId] = /"id":"([^"]+)"/.exec(listing)!;
    const found = await gw.call("contacts_get-contact", { contactId });
    assert.ok(JSON.stringify(found).includes(`"id":"${contactId}"`));
    const said = await gw.refuses(
      "contacts_add-tags",
      { contactId, tags: ["x"] },
      "E_CRM_WRITE_NOT_ALLOWED",
    );
    assert.match(said, /allow_crm_write/);
  } finally {
    await gw[Symbol.asyncDispose]();
    await crm.stop();
  }
});
