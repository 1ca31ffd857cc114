/** `deno task bench`: the figures; `--only doors|code_pages|repo` runs one part, `--write` keeps it in RESULTS.md. */
import { parseArgs } from "node:util";
import { codePageRows } from "./code_pages.ts";
import { sitePageRows } from "./code_pages_site.ts";
import { doorTables } from "./doors.ts";
import { repoRows } from "./repo.ts";
import { lines, replaced } from "./table.ts";

/** The parts by name, in the order of RESULTS.md. */
const PARTS: Readonly<Record<string, () => Promise<string>>> = {
  doors: doorTables,
  code_pages: async () => lines([...await codePageRows(), ...await sitePageRows()]),
  repo: async () => lines(await repoRows()),
};

const RESULTS = new URL("RESULTS.md", import.meta.url);
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

/** What to run. Throws an Error naming what there is. */
function asked(args: readonly string[]): { names: string[]; write: boolean } {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: { only: { type: "string", multiple: true }, write: { type: "boolean" } },
  });
  const names = values.only ?? Object.keys(PARTS);
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown === undefined) return { names, write: values.write ?? false };
  throw new Error(`No part is called "${unknown}"; there are ${Object.keys(PARTS).join(", ")}`);
}

if (import.meta.main) {
  const { names, write } = asked(Deno.args);
  for (const name of names) {
    const text = await PARTS[name]!();
    say(`${name}\n\n${text}\n`);
    if (write) await Deno.writeTextFile(RESULTS, replaced(await Deno.readTextFile(RESULTS), name, text));
  }
}
