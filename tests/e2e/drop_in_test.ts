/** Dropping in two files is all that adding a tool takes, and what `deno task new` refuses. */
import assert from "node:assert/strict";
import { scaffold } from "../../registry/new.ts";
import { gateway, site } from "../kit.ts";
import { handler, manifest, PLANNED, withFiles } from "./dropped.ts";

const HELLO = {
  "manifests/hello/say_hello.yaml": manifest(
    "say_hello",
    "tier: T0",
    "platforms: [cms]",
    "input:",
    "  required: [who]",
    "  properties:",
    "    who: { type: string, minLength: 1, description: Who is greeted }",
    "    times: { type: integer, minimum: 1, default: 1, description: How often }",
  ),
  "tools/hello/say_hello.ts": handler("say_hello"),
  "tools/hello/_helper.ts": "export const notATool = true;\n",
};

Deno.test("two files add a tool: both doors list it and call it, and the description of the API names it", async () => {
  await withFiles(HELLO, async (root) => {
    await using gw = await gateway({ roots: [root], sites: [site("acme", "cms")] });
    const tools = (await (await gw.http("/api/v1/tools")).json()).result.tools as { name: string }[];
    const listed = tools.find((tool) => tool.name === "say_hello");
    const { input_schema } = listed as unknown as { input_schema: { properties: Record<string, unknown> } };
    const { fields, summary, ...properties } = input_schema.properties;
    const parts = { fields, summary };
    assert.deepEqual({ ...listed, input_schema: { ...input_schema, properties } }, {
      name: "say_hello",
      description: "What it does.",
      input_schema: {
        type: "object",
        properties: {
          site_id: { type: "string", description: "From list_sites" },
          who: { type: "string", description: "Who is greeted" },
          times: { type: "integer", default: 1, description: "How often" },
        },
        required: ["site_id", "who"],
        additionalProperties: false,
      },
    });
    const rpc = await gw.http("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    const mcp = ((await rpc.json()).result.tools as { name: string }[]).find((tool) =>
      tool.name === "say_hello"
    );
    assert.deepEqual(Object.keys(parts), ["fields", "summary"], "as every tool that reads");
    assert.deepEqual(
      (mcp as { inputSchema?: unknown } | undefined)?.inputSchema,
      (listed as { input_schema?: unknown }).input_schema,
    );
    const { paths } = await (await gw.http("/api/v1/openapi.json", { as: null })).json();
    assert.ok(paths["/api/v1/tools/say_hello"]?.post);
    for (const door of ["rest", "mcp"] as const) {
      const answer = await gw.call("say_hello", { site_id: "acme", who: "you" }, { door });
      assert.deepEqual(answer, { site: "acme", who: "you", times: 1 });
    }
    assert.match(
      await gw.refuses("say_hello", { site_id: "acme", whom: 1, who: "a" }, "E_BAD_INPUT"),
      /did you mean who/,
    );
    assert.deepEqual((await gw.audit()).map((row) => [row.tool, row.status]), [
      ["say_hello", "error"],
      ["say_hello", "error"],
      ["say_hello", "ok"],
      ["say_hello", "ok"],
    ]);
  });
});

Deno.test("a tool the golden catalogue does not list is fine as it is", async () => {
  await withFiles({
    "manifests/own/own_write.yaml": manifest(
      "own_write",
      "tier: T2",
      "flags: [{ flag: allow_storage_write }]",
    ),
    "tools/own/own_write.ts": handler("own_write", PLANNED),
  }, async (root) => {
    await using gw = await gateway({ roots: [root], sites: [site("acme", "cms")] });
    await gw.refuses("own_write", { site_id: "acme" }, "E_STORAGE_WRITE_NOT_ALLOWED");
  });
});

Deno.test("a name that cannot be a tool's is refused before anything is written", () => {
  for (
    const name of [
      undefined,
      "",
      "say_hello",
      "posts/",
      "posts/Say",
      "../say",
      "posts/../say",
      "a/b/c",
      "posts/1st",
    ]
  ) {
    assert.throws(() => scaffold(name), /^Error: Name the tool as <group>\/<tool>/);
  }
});

Deno.test("a name that cannot be a connector's is refused before anything is written", () => {
  for (const name of ["platforms/my-letters", "platforms/my__letters", "platforms/letters_"]) {
    assert.throws(() => scaffold(name), /^Error: Name the connector as platforms\/<name>/);
  }
});
