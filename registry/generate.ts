/** `deno task gen`: writes what must stand in a file from the manifests and the connectors; `--check` compares. */
import { documents } from "./generate_documents.ts";
import { codeTable, modelTypes } from "./generate_model.ts";
import { envExample, permissions, withTables } from "./generate_settings.ts";
import { shapes } from "./generate_shapes.ts";
import { toolsPage } from "./generate_tools_page.ts";
import { readConnectors } from "./connectors.ts";

const ROOT = new URL("../", import.meta.url);

/** Formats as `deno fmt` does, so that a generated file passes the format check; a long union needs it twice. */
async function format(text: string): Promise<string> {
  return await formatOnce(await formatOnce(text));
}

async function formatOnce(text: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "ts", "-"],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));

/** Every generated file, by its path. A page without its documentation folder is left out. */
async function files(): Promise<Record<string, string>> {
  const connectors = await readConnectors([ROOT]);
  const manifests = new URL("manifests/", ROOT);
  const examples = JSON.parse(await read("docs/examples.gen.json"));
  return {
    "core/errors.gen.ts": await format(codeTable(connectors)),
    "core/model.gen.ts": await format(modelTypes(connectors)),
    "registry/shapes.gen.ts": await format(await shapes(manifests, connectors)),
    "registry/documents.gen.json": await documents(ROOT, connectors),
    ".env.example": envExample(connectors),
    "docs/CONFIGURATION.md": withTables(await read("docs/CONFIGURATION.md"), connectors),
    "docs/TOOLS.md": await toolsPage(manifests, connectors, examples),
    "deno.json": permissions(await read("deno.json"), connectors),
  };
}

if (import.meta.main) {
  const made = await files();
  const stale: string[] = [];
  for (const [path, text] of Object.entries(made)) {
    const stands = await read(path).catch(() => "");
    if (stands === text) continue;
    stale.push(path);
    if (!Deno.args.includes("--check")) await Deno.writeTextFile(new URL(path, ROOT), text);
  }
  if (stale.length > 0 && Deno.args.includes("--check")) {
    const said = `${stale.join(", ")}: not what the manifests and connectors make; run deno task gen\n`;
    await Deno.stderr.write(new TextEncoder().encode(said));
    Deno.exit(1);
  }
}
