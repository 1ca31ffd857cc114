/** The types of every handler's arguments, site and grant, from the manifests. */
import { typeText } from "./dialect.ts";
import { parseYaml } from "./documents.ts";
import { find } from "./files.ts";
import { type Known, type Manifest, readManifest } from "./manifest.ts";

/** The text of shapes.gen.ts for the manifests below a folder; throws an Error listing every manifest that cannot be read. */
export async function shapes(manifests: URL, known: Known): Promise<string> {
  const faults: string[] = [];
  const lines: string[] = [];
  for (const { group, name, url } of await find(manifests, ".yaml")) {
    if (group === "proxies") continue;
    const outcome = readManifest(await parseYaml(await Deno.readTextFile(url)), known);
    if ("faults" in outcome) {
      faults.push(...outcome.faults.map((one) => `manifests/${group}/${name}.yaml: ${one}`));
    } else lines.push(shape(outcome.manifest));
  }
  if (faults.length) throw new Error(faults.join("\n"));
  const empty = lines.length ? "" : "// deno-lint-ignore no-empty-interface\n";
  return `/** Written by \`deno task gen\` from the manifests; not edited by hand. */\n\n${empty}export interface Shapes {\n${
    lines.join("\n")
  }\n}\n`;
}

function shape(manifest: Manifest): string {
  return [
    `  ${JSON.stringify(manifest.name)}: {`,
    `    args: ${typeText(manifest.input)};`,
    `    site: "${manifest.site}";`,
    `    tier: ${manifest.tier};`,
    `    raises: ${manifest.raise.length > 0};`,
    `    publishes: "${publishes(manifest)}";`,
    "  };",
  ].join("\n");
}

/** Whether its calls hold the right to publish (guard/pipeline/flags.ts): always, only with some arguments, or never. */
function publishes({ tier, flags }: Manifest): "always" | "sometimes" | "never" {
  const found = flags.filter(({ flag }) => flag === "allow_publish" || flag === "allow_main_branch_push");
  if (tier === 4 || found.some(({ when, live }) => !when && !live)) return "always";
  return found.length > 0 ? "sometimes" : "never";
}
