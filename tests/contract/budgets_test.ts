/** What a list of tools takes of an agent's context stays within tests/golden/budgets.yaml. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { PARTS } from "../../registry/manifest.ts";
import { gateway, site } from "../kit.ts";
import { encode } from "../packages/tokens.ts";

/** What every tool that reads takes, by what its `fields` are; those with a `fields` of their own take `summary`. */
const isPart = (name: string, schema: { description?: string }) =>
  schema.description !== undefined && PARTS[name]?.description === schema.description;

interface Row {
  readonly what: string;
  readonly max_risk: 0 | 1 | 4;
  readonly sites?: readonly string[];
  readonly address: string;
  readonly tokens: number;
  readonly tools: number;
  readonly most?: number;
}

const { lists, instructions, types, purposes, found } = load(
  await Deno.readTextFile(new URL("../golden/budgets.yaml", import.meta.url)),
) as { lists: readonly Row[]; instructions: number; types: number; purposes: number; found: number };

const rpc = (method: string, params: object = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
});

Deno.test("lists of tools, and what a model is told beside them, stay within their budgets", async () => {
  const tokens = Object.fromEntries(
    lists.map(({ what, max_risk, sites = ["*"] }) => [what, { max_risk, allowed_sites: [...sites] }]),
  );
  await using gw = await gateway({ sites: [site("acme", "cms")], tokens });
  for (const row of lists) {
    const text = await (await gw.http(row.address, { ...rpc("tools/list"), as: row.what })).text();
    const { tools } = JSON.parse(text).result;
    const found = { tokens: encode(text).length, tools: tools.length };
    const fits = found.tokens <= row.tokens && found.tools >= row.tools &&
      found.tools <= (row.most ?? Infinity);
    assert.ok(fits, `${row.what}: ${JSON.stringify(found)} is not within ${JSON.stringify(row)}`);
  }
  const { result } = await (await gw.http("/mcp", rpc("initialize", { protocolVersion: "2025-11-25" })))
    .json();
  const told = encode(result.instructions).length;
  assert.ok(told <= instructions, `${told} tokens of instructions`);
});

Deno.test("all tools as types, and five that are found, stay within their budgets", async () => {
  await using gw = await gateway();
  const all = await gw.call("describe_tool", { format: "types" }) as { types: string };
  assert.ok(encode(all.types).length <= types, `${encode(all.types).length} tokens of types`);
  const groups = ["posts", "pages", "seo", "static"];
  const many = await gw.call("describe_tool", { groups }) as { purposes: string };
  const lines = many.purposes.split("\n").length;
  const told = encode(many.purposes).length;
  assert.ok(lines > 40 && told <= purposes, `${told} tokens of what ${lines} tools are for`);
  for (const query of ["change the text of a page", "figures of the month", "a file of the repository"]) {
    const told = encode(JSON.stringify(await gw.call("find_tools", { query }))).length;
    assert.ok(told <= found, `${query}: ${told} tokens of tools found`);
  }
});

Deno.test("each tool of ours says in a list what it is for, in few words", async () => {
  await using gw = await gateway();
  const brief = (await (await gw.http("/mcp", rpc("tools/list"))).json()).result.tools;
  const whole = (await (await gw.http("/mcp?schemas=full", rpc("tools/list"))).json()).result.tools;
  assert.equal(brief.length, whole.length);
  for (const [at, tool] of brief.entries()) {
    const { name, description, title, inputSchema } = whole[at];
    assert.deepEqual([tool.name, tool.title], [name, undefined]);
    assert.ok(title && tool.description.length < description.length + 40, name);
    assert.deepEqual(
      Object.keys(tool.inputSchema.properties),
      Object.entries<{ description?: string }>(inputSchema.properties).filter(([one, schema]) =>
        !isPart(one, schema)
      ).map(([one]) => one),
      `${name}: every argument is named, but those that the instructions tell of all tools that read`,
    );
    assert.deepEqual(tool.inputSchema.required ?? [], inputSchema.required ?? [], name);
  }
});
