/** Dropping in two files is all that adding a tool takes, and `deno task new` writes them. */
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
    assert.deepEqual(listed, {
      name: "say_hello",
      description: "What it does.",
      input_schema: {
        type: "object",
        properties: {
          site_id: { type: "string", description: "The id of the site to work on, as list_sites gives it" },
          who: { type: "string", minLength: 1, description: "Who is greeted" },
          times: { type: "integer", minimum: 1, default: 1, description: "How often" },
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

const ROOT = new URL("../../", import.meta.url);
/** What is not part of the project, or stays where it is. */
const LEFT = new Set([".git", "data", "node_modules", "coverage"]);

async function copyOf(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (LEFT.has(name)) continue;
    if (isDirectory) await copyOf(new URL(`${name}/`, from), `${to}/${name}`);
    else await Deno.copyFile(new URL(name, from), `${to}/${name}`);
  }
}

async function deno(cwd: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, said: text(stdout) + text(stderr) };
}

Deno.test("what deno task new and deno task gen write passes check, lint, format and its own test", async () => {
  const copy = await Deno.makeTempDir();
  try {
    await copyOf(ROOT, copy);
    const made = await deno(copy, "task", "new", "greetings/say_hello");
    assert.equal(made.code, 0, made.said);
    const paths = Object.keys(scaffold("greetings/say_hello"));
    assert.equal(paths.length, 3);
    for (const path of paths) {
      assert.match(made.said, new RegExp(`wrote ${path}`));
      assert.equal(await Deno.readTextFile(`${copy}/${path}`), scaffold("greetings/say_hello")[path]);
    }
    const generated = await deno(copy, "task", "gen");
    assert.equal(generated.code, 0, generated.said);
    assert.match(await Deno.readTextFile(`${copy}/registry/shapes.gen.ts`), /"?say_hello"?: \{/);
    const sources = [...paths.filter((path) => path.endsWith(".ts")), "registry/shapes.gen.ts"];
    for (const command of [["fmt", "--check"], ["lint"], ["check", "--frozen"], ["test", "-A", "--frozen"]]) {
      const files = command[0] === "test" ? sources.slice(1, 2) : sources;
      const { code, said } = await deno(copy, ...command, ...files);
      assert.equal(code, 0, said);
    }
    const again = await deno(copy, "task", "new", "greetings/say_hello");
    assert.equal(again.code, 1);
    assert.match(again.said, /nothing was overwritten/);
  } finally {
    await Deno.remove(copy, { recursive: true });
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
