/** Tools dropped into a folder of their own. */
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

const HANDLER = new URL("../../registry/tool.ts", import.meta.url).href;

/** A handler module; `parts` is what `tool` is given beside the name. */
export const handler = (name: string, parts = "(args, ctx) => ({ site: ctx.site.id, ...args })") =>
  `import { tool } from "${HANDLER}";\nexport default tool("${name}", ${parts});\n`;

/** The parts of a handler that may write. */
export const PLANNED = "{ plan: () => Promise.resolve({ summary: '-', changes: [] }), run: () => null }";

/** A manifest with these lines beside what every one needs. */
export const manifest = (name: string, ...lines: string[]) =>
  [`name: ${name}`, "title: A title", "description: What it does.", ...lines].join("\n");

/** Runs a test over a folder with these files, which is removed. */
export async function withFiles(
  files: Record<string, string>,
  work: (root: URL) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    await work(pathToFileURL(`${folder}/`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
