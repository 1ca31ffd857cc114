/** `deno task gen`: writes the generated parts of files from the manifests and the connectors; `--check` compares. */
import { envExample, permissions, withTables } from "./generate_settings.ts";
import { shapes } from "./generate_shapes.ts";
import { type Examples, toolsPage } from "./generate_tools_page.ts";
import { watchPage } from "./generate_watch_page.ts";
import { type Connectors, readConnectors } from "./connectors.ts";
import { isDeepStrictEqual } from "node:util";
import { keyOf, parseYaml } from "./documents.ts";
import { find } from "./files.ts";
import { broughtBy, type Known, readManifest } from "./manifest.ts";
import { fieldType } from "./field_schema.ts";

const union = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(" | ") || "never";

/** The text of core/model.gen.ts. */
function modelTypes({ kinds, siteFields, credentials }: Connectors): string {
  const fields = [...siteFields].map(([name, field]) => `  readonly ${name}: ${fieldType(field)};`);
  const secrets = [...credentials].map(([kind, spec]) =>
    `  ${kind}?: { ${Object.keys(spec.fields).map((name) => `${name}: string;`).join(" ")} };`
  );
  return [
    "/** Written by `deno task gen` from the connectors; not edited by hand. */\n",
    "/** What a site is. Operators' documentation names the product behind each kind. */",
    `export type PlatformKind = ${union(kinds)};\n`,
    "/** The fields of a site's record that connectors name. */",
    `export interface SiteFields {\n${fields.join("\n")}\n}\n`,
    "/** The secrets a site can hold, by kind. */",
    `export interface Credentials {\n${secrets.join("\n")}\n}`,
    "export type CredentialKind = keyof Credentials;\n",
  ].join("\n");
}

/** The text of core/errors.gen.ts. */
export function codeTable({ codes }: Connectors): string {
  const rows = [...codes].map(([name, { status, meaning }]) =>
    `  ${name}: { status: ${status}, meaning: ${JSON.stringify(meaning)} },`
  );
  const table = rows.length === 0 ? "{}" : `{\n${rows.join("\n")}\n}`;
  return [
    "/** Written by `deno task gen` from the connectors; not edited by hand. */\n",
    "/** The codes that connectors bring, beside the gateway's own. */",
    `export const CONNECTOR_CODES = ${table} as const;`,
  ].join("\n");
}

/** The text of documents.gen.json for the files below a root: a line for each. One that JSON cannot hold is left out. */
export async function documents(root: URL, known: Known): Promise<string> {
  const said = new Set<string>();
  const manifests = new Set<string>();
  for (const { url, tool } of await yamlFiles(root)) {
    const text = await Deno.readTextFile(url);
    const document = await parseYaml(text);
    add(said, text, document);
    const read = tool ? readManifest(document, known) : {};
    if ("manifest" in read) add(manifests, text, read.manifest);
  }
  const section = (name: string, lines: Iterable<string>) => `"${name}": {\n${[...lines].join(",\n")}\n}`;
  const brought = `"brought": "${broughtBy(known)}"`;
  return `{\n${section("documents", said)},\n${brought},\n${section("manifests", manifests)}\n}\n`;
}

function add(lines: Set<string>, text: string, value: unknown): void {
  const json = JSON.stringify(value) ?? "null";
  if (isDeepStrictEqual(JSON.parse(json), value)) lines.add(`"${keyOf(text)}": ${json}`);
}

/** The YAML files that boot reads below a root, and whether each is the manifest of a tool. */
export async function yamlFiles(root: URL): Promise<{ url: URL; tool: boolean }[]> {
  const manifests = await find(new URL("manifests/", root), ".yaml");
  return [
    { url: new URL("registry/catalog.yaml", root), tool: false },
    ...manifests.map(({ url, group }) => ({ url, tool: group !== "proxies" })),
  ];
}

/** Longer answers are not shown in the description of the API; docs/TOOLS.md has them. */
const EXAMPLE_CHARACTERS = 1500;

/**
 * The text of registry/examples.gen.json: the examples that the description of the API shows. What an example left out of
 * a list is not told there, and one that left keys out is none.
 */
function briefExamples(examples: Examples): string {
  const lines = Object.entries(examples).map(([tool, { args, preview, answer }]) => {
    const shown = Object.fromEntries(
      Object.entries({ preview, answer }).flatMap(([name, value]) => {
        const text = JSON.stringify(value);
        const isWhole = text !== undefined && text.length <= EXAMPLE_CHARACTERS && !text.includes('"…":');
        return isWhole ? [[name, withoutRests(value)]] : [];
      }),
    );
    return `${JSON.stringify(tool)}: ${JSON.stringify({ args: withoutRests(args), ...shown })}`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** The value without what stands for the rest of a list. */
function withoutRests(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((one) => !String(one).startsWith("… ")).map(withoutRests);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutRests(one)]));
}

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
    "registry/examples.gen.json": briefExamples(examples),
    "docs/TOOLS.md": await toolsPage(manifests, connectors, examples),
    "docs/upstreams/WATCH.md": watchPage(connectors),
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
