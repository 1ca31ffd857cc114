/** What the manifests and the catalogue say, so that boot parses none of them. */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { parseYaml } from "./documents.ts";
import { find } from "./files.ts";

/** The text of documents.gen.json for those files: a line for each, in their order. One that JSON cannot hold is left out. */
export async function documents(urls: readonly URL[]): Promise<string> {
  const lines = new Set<string>();
  for (const url of urls) {
    const text = await Deno.readTextFile(url);
    const document = await parseYaml(text);
    const json = JSON.stringify(document) ?? "null";
    if (isDeepStrictEqual(JSON.parse(json), document)) lines.add(`"${hash("sha256", text)}": ${json}`);
  }
  return `{\n${[...lines].join(",\n")}\n}\n`;
}

/** The YAML files that boot reads below a root. */
export async function yamlFiles(root: URL): Promise<URL[]> {
  const manifests = await find(new URL("manifests/", root), ".yaml");
  return [new URL("catalog.yaml", root), ...manifests.map(({ url }) => url)];
}
