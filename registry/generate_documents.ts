/** What the manifests and the catalogue say, so that boot parses and reads none of them. */
import { isDeepStrictEqual } from "node:util";
import { keyOf, parseYaml } from "./documents.ts";
import { find } from "./files.ts";
import { broughtBy, type Known, readManifest } from "./manifest.ts";

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
    { url: new URL("catalog.yaml", root), tool: false },
    ...manifests.map(({ url, group }) => ({ url, tool: group !== "proxies" })),
  ];
}
