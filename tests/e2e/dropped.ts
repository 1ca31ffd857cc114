/** Tools dropped into a folder of their own. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { RegistryError } from "../../registry/files.ts";
import { gateway } from "../kit.ts";
import { folder } from "../folder.ts";

const HANDLER = new URL("../../registry/tool.ts", import.meta.url).href;

/** A handler module; `parts` is what `tool` is given beside the name. */
export const handler = (name: string, parts = "(args, ctx) => ({ site: ctx.site.id, ...args })") =>
  `import { tool } from "${HANDLER}";\nexport default tool("${name}", ${parts});\n`;

/** The parts of a handler that may write. */
export const PLANNED = "{ plan: () => Promise.resolve({ summary: '-', changes: [] }), run: () => null }";

/** A manifest with these lines beside what every one needs. */
export const manifest = (name: string, ...lines: string[]) =>
  [`name: ${name}`, "title: A title", "description: What it does.", ...lines].join("\n");

/** Does work over a folder with these files, which is removed. */
export async function withFiles<Result>(
  files: Record<string, string>,
  work: (root: URL) => Promise<Result>,
): Promise<Result> {
  await using place = await folder();
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(`${place.path}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${place.path}/${path}`, text);
  }
  return await work(pathToFileURL(`${place.path}/`));
}

/** What boot says to a folder with these files. */
export async function refused(files: Record<string, string>): Promise<RegistryError> {
  let refusal: unknown;
  await withFiles(files, async (root) => {
    refusal = await gateway({ roots: [root] }).then((gw) => gw[Symbol.asyncDispose](), (error) => error);
  });
  assert.ok(refusal instanceof RegistryError, `the gateway opened: ${refusal}`);
  return refusal;
}

const CONNECTOR = new URL("../../platforms/_connector/connector.ts", import.meta.url).href;
const ZOD = import.meta.resolve("zod");

/** A connector module; `parts` stand beside its name, product and scope, and after them. */
export const connectorModule = (name: string, parts: string, how: "connector" | "described" = "connector") =>
  `import { ${how}, provide } from "${CONNECTOR}";\nimport { z } from "${ZOD}";\nvoid provide; void z;\n` +
  `export default ${how}({ name: "${name}", product: "P", scope: "site", ${parts} });\n`;

/** What a connector that connects cannot do without. */
export const CONNECTS = 'origins: () => [], policy: () => "never", connect: () => ({})';
