/** `deno task new <group>/<tool>` begins a tool with its manifest, handler and tests; `platforms/<name>` a connector. */
import { connectorFiles } from "./new_connector.ts";

const ROOT = new URL("../", import.meta.url);
const NAME = /^([a-z][a-z0-9_]*)\/([a-z][a-z0-9_-]*)$/;
const CONNECTOR = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

const manifest = (name: string) =>
  `name: ${name}
title: ${words(name)}
description: >-
  Say what the tool does, what it never does and what it answers.
listed:
  description: Say in few words when to use it, and when another; an agent chooses by this text.
tier: T0
platforms: [cms]
input:
  required: []
  properties: {}
result: { site_id: string }
`;

const handler = (name: string) =>
  `/** ${name}: say in one sentence what it does. */
import { tool } from "../../registry/tool.ts";

export default tool("${name}", (_args, ctx) => {
  return { site_id: ctx.site.id };
});
`;

const test = (name: string) =>
  `/** ${name}: what it answers, and that what it refuses sends nothing. */
import assert from "node:assert/strict";
import { gateway, site } from "../../kit.ts";

Deno.test("${name} answers for a site in scope", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const result = await gw.call("${name}", { site_id: "acme" });
  assert.deepEqual(result, { site_id: "acme" });
});

Deno.test("${name} names an argument it does not know and sends nothing", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  await gw.refuses("${name}", { site_id: "acme", no_argument: 1 }, "E_BAD_INPUT");
  assert.deepEqual(gw.requests, []);
});
`;

const words = (name: string) => {
  const text = name.replace(/[_-]/g, " ");
  return text[0]!.toUpperCase() + text.slice(1);
};

/** The files a new tool or connector begins with, by their path from the project's root. Throws on a name that cannot be one. */
export function scaffold(argument: string | undefined): Record<string, string> {
  const [, group, name] = NAME.exec(argument ?? "") ?? [];
  if (!group || !name) {
    throw new Error(
      "Name the tool as <group>/<tool>, such as posts/publish_post: small letters, digits, _ and -; or a connector as " +
        "platforms/<name>",
    );
  }
  if (group === "platforms") {
    if (CONNECTOR.test(name)) return connectorFiles(name);
    throw new Error("Name the connector as platforms/<name>: small letters and digits, words joined by _");
  }
  return {
    [`manifests/${group}/${name}.yaml`]: manifest(name),
    [`tools/${group}/${name}.ts`]: handler(name),
    [`tests/tools/${group}/${name}_test.ts`]: test(name),
  };
}

/** Where a line ends depends on how long the name is. */
async function format(paths: readonly string[]): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", ...paths], cwd: ROOT });
  const { success, stderr } = await command.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

if (import.meta.main) {
  const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  try {
    const files = Object.entries(scaffold(Deno.args[0]));
    for (const [path, text] of files) {
      const url = new URL(path, ROOT);
      await Deno.mkdir(new URL(".", url), { recursive: true });
      await Deno.writeTextFile(url, text, { createNew: true });
      say(`wrote ${path}`);
    }
    await format(files.map(([path]) => path).filter((path) => path.endsWith(".ts")));
    const page = Deno.args[0]!.startsWith("platforms/") ? "NEW_UPSTREAM" : "CONTRIBUTING";
    say(`Next: run deno task gen, then fill them in as docs/${page}.md shows`);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) say(`${error.message}; nothing was overwritten`);
    else say(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}
