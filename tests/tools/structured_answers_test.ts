/** What `?schemas=full` adds over MCP: the schema of each answer, and answers that clients check against it. */
import assert from "node:assert/strict";
import { Client1, Client2, Transport1, Transport2 } from "../packages/mcp_clients.ts";
import { addFormats, Ajv2020 } from "../packages/ajv.ts";
import type { Kit } from "../kit.ts";
import { test } from "./_stand_in.ts";

const INFO = { name: "test", version: "1.0.0" };
type Answer = { structuredContent?: Record<string, unknown>; content: { text: string }[]; isError?: boolean };
type Tool = { name: string; outputSchema?: { type: string } };

interface Connected extends AsyncDisposable {
  listTools(): Promise<{ tools: Tool[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

/** A client of that line, which reaches the gateway without a socket. */
async function connected(gw: Kit, line: 1 | 2, address: string): Promise<Connected> {
  const way = {
    requestInit: { headers: { Authorization: `Bearer ${gw.token()}`, host: "127.0.0.1:8000" } },
    fetch: (url: string | URL, init?: RequestInit) => gw.gateway.fetch(new Request(url, init)),
  };
  const url = new URL(`http://127.0.0.1:8000${address}`);
  const client = line === 1 ? new Client1(INFO) : new Client2(INFO, { versionNegotiation: { mode: "auto" } });
  if (line === 1) await (client as Client1).connect(new Transport1(url, way as never) as never);
  else await (client as Client2).connect(new Transport2(url, way as never));
  return Object.assign(client as unknown as Connected, { [Symbol.asyncDispose]: () => client.close() });
}

for (const line of [1, 2] as const) {
  test(`a client of line ${line} that lists output schemas finds every answer as its schema says`, async ({ kit: { gw }, draft }) => {
    await using client = await connected(
      gw,
      line,
      "/mcp?schemas=full&tools=list_sites,get_site,get_post,create_draft,update_draft,read_sheet",
    );
    const { tools } = await client.listTools();
    const schema = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema?.type]));
    assert.deepEqual(["create_draft", "read_sheet"].map((name) => schema.get(name)), ["object", undefined]);
    // The client itself throws where an answer is not as the schema says.
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      await client.callTool({ name, arguments: args }) as Answer;
    const post = { site_id: "acme", post_id: draft.id };
    const asked = [["list_sites"], ["get_site", { site_id: "acme" }], ["get_post", post]] as const;
    for (const [name, args] of asked) {
      const { structuredContent, content, isError } = await call(name, args);
      assert.ok(!isError, content[0]!.text);
      assert.deepEqual(structuredContent, JSON.parse(content[0]!.text), name);
    }
    const change = { ...post, title: "After" };
    const preview = await call("update_draft", change);
    const { confirm_token, needs_confirmation } = preview.structuredContent!;
    assert.equal(needs_confirmation, true);
    const done = await call("update_draft", { ...change, confirm: true, confirm_token });
    assert.deepEqual([done.structuredContent!["id"], done.structuredContent!["verified"]], [draft.id, true]);
    const refused = await call("get_post", { site_id: "acme", post_id: 4711 });
    assert.deepEqual([refused.isError, refused.structuredContent], [true, undefined]);
  });
}

test("elsewhere lists and answers are as short as before", async ({ kit: { gw } }) => {
  await using client = await connected(gw, 2, "/mcp");
  const { tools } = await client.listTools();
  assert.deepEqual(tools.filter(({ outputSchema }) => outputSchema !== undefined), []);
  const { structuredContent } = await client.callTool({ name: "list_sites", arguments: {} }) as Answer;
  assert.equal(structuredContent, undefined);
});

test("what says nothing is left out where a model reads the text alone: over REST, with schemas and with fields it is there", async ({ kit: { gw } }) => {
  await using client = await connected(gw, 2, "/mcp");
  await using full = await connected(gw, 2, "/mcp?schemas=full");
  const read = async (by: Connected, args: Record<string, unknown>) => {
    const { content } = await by.callTool({ name: "get_site", arguments: args }) as Answer;
    return JSON.parse(content[0]!.text);
  };
  const site = { site_id: "acme" };
  const whole = await gw.call<Record<string, unknown>>("get_site", site);
  assert.equal(whole["hosting_project"], null);
  assert.deepEqual(await read(full, site), whole);
  const { with_fields, ...told } = await read(client, site);
  assert.equal(with_fields, "credentials, created_at, updated_at");
  const aside = with_fields.split(", ");
  const left = Object.keys(whole).filter((name) => !(name in told));
  assert.ok(left.includes("hosting_project"));
  const isEmpty = (one: unknown) => one === null || Object.keys(one as object).length === 0;
  assert.ok(left.every((name) => aside.includes(name) || isEmpty(whole[name])));
  assert.deepEqual(told, Object.fromEntries(Object.entries(whole).filter(([name]) => !left.includes(name))));
  assert.deepEqual(await read(client, { ...site, fields: "hosting_project" }), { hosting_project: null });
});

test("every output schema is one of JSON Schema 2020-12, in which new keys are no break", async ({ kit: { gw } }) => {
  await using client = await connected(gw, 2, "/mcp?schemas=full");
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: true });
  addFormats.default(ajv as never);
  const { tools } = await client.listTools();
  for (const { name, outputSchema } of tools) {
    if (outputSchema === undefined) continue;
    ajv.compile(outputSchema);
    assert.ok(!JSON.stringify(outputSchema).includes('"additionalProperties":false'), name);
  }
});

test("describe_tool tells in a line what a tool answers", async ({ kit: { gw } }) => {
  const told = await gw.call<{ answers: string }>("describe_tool", { tool: "update_draft" });
  assert.equal(told.answers, "{ id: number | string, status, url }");
  const list = await gw.call<{ answers: string }>("describe_tool", { tool: "list_taxonomies" });
  assert.equal(
    list.answers,
    '{ page: number, per_page: number, total: number | null, total_pages: number | null, taxonomy: "tag" | ' +
      '"category", terms: { id: number, name, slug, count: number, parent_id: number | null, description }[] }',
  );
  const money = await gw.call<{ answers: string }>("describe_tool", { tool: "crm_compute_revenue_stats" });
  const [line, where] = money.answers.split(", where ");
  assert.match(where!, / B = \{ amount, currency \}; C = \{ collected: B \| null, .*; D = /);
  assert.ok(line!.includes("money: C | null") && !line!.includes("amount"), "what it has twice is told once");
});
