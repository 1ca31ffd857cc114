/** `deno task bench`: the figures; `--only` runs one part, `--rounds 5` makes some quick, `--write` keeps RESULTS.md. */
import { parseArgs } from "node:util";
import { builderRows } from "./builder.ts";
import { codePageRows } from "./code_pages.ts";
import { sitePageRows } from "./code_pages_site.ts";
import { crmRows } from "./crm.ts";
import { doorTables } from "./doors.ts";
import { googleRows } from "./google.ts";
import { holdRows } from "./holds.ts";
import { oauthRows } from "./oauth.ts";
import { proxyRows } from "./proxies.ts";
import { repoRows } from "./repo.ts";
import { snapshotRows } from "./snapshots.ts";
import { lines, replaced } from "./table.ts";
import { toolRows } from "./tools.ts";
import { topicMapRows } from "./topicmap.ts";
import { upkeepRows } from "./upkeep.ts";
import { windowRows } from "./window.ts";

const ROUNDS = 25;

/** The parts by name, in the order of RESULTS.md. */
const PARTS: Readonly<Record<string, (rounds: number) => Promise<string>>> = {
  doors: doorTables,
  tools: async (rounds) => lines(await toolRows(rounds)),
  window: async (rounds) => lines(await windowRows(rounds)),
  code_pages: async () => lines([...await codePageRows(), ...await sitePageRows()]),
  repo: async () => lines(await repoRows()),
  snapshots: async () => lines(await snapshotRows()),
  builder: async (rounds) => lines(await builderRows(rounds)),
  google: async (rounds) => lines(await googleRows(rounds)),
  topicmap: async (rounds) => lines(await topicMapRows(rounds)),
  crm: async (rounds) => lines(await crmRows(rounds)),
  upkeep: async () => lines(await upkeepRows()),
  proxies: async (rounds) => lines(await proxyRows(rounds)),
  oauth: async (rounds) => lines(await oauthRows(rounds)),
  holds: async (rounds) => lines(await holdRows(rounds)),
};

const RESULTS = new URL("RESULTS.md", import.meta.url);
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

/** What to run. Throws an Error naming what there is. */
function asked(args: readonly string[]): { names: string[]; rounds: number; write: boolean } {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== "--"),
    options: {
      only: { type: "string", multiple: true },
      rounds: { type: "string" },
      write: { type: "boolean" },
    },
  });
  const rounds = Number(values.rounds ?? ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds: expected a whole number from 1 on");
  const names = values.only ?? Object.keys(PARTS);
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown === undefined) return { names, rounds, write: values.write ?? false };
  throw new Error(`No part is called "${unknown}"; there are ${Object.keys(PARTS).join(", ")}`);
}

if (import.meta.main) {
  const { names, rounds, write } = asked(Deno.args);
  for (const name of names) {
    const text = await PARTS[name]!(rounds);
    say(`${name}\n\n${text}\n`);
    if (write) await Deno.writeTextFile(RESULTS, replaced(await Deno.readTextFile(RESULTS), name, text));
  }
}
