/** Dropping in two files is all that adding a tool takes, and `deno task new` writes them. */
import assert from "node:assert/strict";
import { scaffold } from "../../registry/new.ts";
import { gateway, site } from "../kit.ts";
import { handler, manifest, PLANNED, withFiles } from "./dropped.ts";
import { Project } from "./page.ts";

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
    assert.deepEqual(listed, {
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

/** A tool, and a connector whose name is a common word: how many files each is. */
const BEGUN = { "posts/foo": 3, "platforms/segment": 6 } as const;
/** Others of such names, and one of two words. */
const BESIDE = ["front", "buffer", "close", "box", "square", "my_letters"];

Deno.test("what deno task new and deno task gen write passes check, lint, format, the house rules and its own tests", async () => {
  await using project = await Project.make();
  const paths: string[] = [];
  for (const [name, count] of Object.entries(BEGUN)) {
    const made = await project.deno(["task", "new", name]);
    assert.equal(made.code, 0, made.stderr);
    const written = Object.keys(scaffold(name));
    assert.deepEqual(made.stdout.match(/(?<=^wrote ).*$/gm), written);
    assert.equal(written.length, count);
    paths.push(...written);
  }
  for (const other of BESIDE) {
    const files = Object.entries(scaffold(`platforms/${other}`));
    for (const [path, text] of files) await project.write(path, text);
  }
  const generated = await project.deno(["task", "gen"]);
  assert.equal(generated.code, 0, generated.stderr);
  const shapes = await project.read("registry/shapes.gen.ts");
  for (const tool of [/"?foo"?: \{/, /"?get_segment"?: \{/]) assert.match(shapes, tool);
  const own = paths.filter((path) => path.endsWith(".ts"));
  const sources = [...own, "registry/shapes.gen.ts", "core/model.gen.ts", "core/errors.gen.ts"];
  const tests = own.filter((path) => path.endsWith("_test.ts"));
  const commands = [
    ["fmt", "--check", ...sources],
    ["lint", ...sources],
    ["check", "--frozen", ...sources],
    ["test", "-A", "--no-check", "--frozen", "tests/house_test.ts", ...tests],
  ];
  for (const command of commands) {
    const { code, stdout, stderr } = await project.deno(command);
    assert.equal(code, 0, stdout + stderr);
  }
  for (const name of Object.keys(BEGUN)) {
    const again = await project.deno(["task", "new", name]);
    assert.equal(again.code, 1);
    assert.match(again.stdout, /nothing was overwritten/);
  }
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
