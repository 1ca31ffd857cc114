/** `deno task bench`: the figures; `--only` runs one part, `--rounds 5` makes some quick, `--minutes 10` one long, `--write` keeps RESULTS.md. */
import { parseArgs } from "node:util";
import { approvalRows } from "./approvals.ts";
import { durableTable } from "./beside_durable.ts";
import { builderRows } from "./builder.ts";
import { bulkMemoryRows } from "./bulk_memory.ts";
import { changeSetRows } from "./change_sets.ts";
import { changeRows } from "./changes.ts";
import { consoleRows } from "./console.ts";
import { codePageRows } from "./code_pages.ts";
import { sitePageRows } from "./code_pages_site.ts";
import { crmRows } from "./crm.ts";
import { doorTables } from "./doors.ts";
import { findTextRows } from "./find_text.ts";
import { googleRows } from "./google.ts";
import { holdRows } from "./holds.ts";
import { oauthRows } from "./oauth.ts";
import { proxyRows } from "./proxies.ts";
import { repoRows } from "./repo.ts";
import { repoJobsTable } from "./repo_jobs.ts";
import { type Scale, scaleTable } from "./scale.ts";
import { snapshotRows } from "./snapshots.ts";
import { lines, replaced } from "./table.ts";
import { toolRows } from "./tools.ts";
import { topicMapRows } from "./topicmap.ts";
import { twoInstancesTable } from "./two_instances.ts";
import { upkeepRows } from "./upkeep.ts";
import { windowRows } from "./window.ts";

const ROUNDS = 25;

/** What a part is told. */
interface Told {
  readonly rounds: number;
  /** As it was asked for; a part that takes long has a number of its own. */
  readonly fewRounds: number | undefined;
  /** A commit whose gateway takes turns with the present one. */
  readonly against: string | null;
  readonly scale: Partial<Scale>;
  /** For how long "two_instances" runs; for a minute where nothing is said. */
  readonly minutes: number | undefined;
}

/** The parts by name, in the order of RESULTS.md. */
const PARTS: Readonly<Record<string, (told: Told) => Promise<string>>> = {
  doors: doorTables,
  durable: ({ fewRounds, against }) => durableTable(fewRounds, against),
  scale: ({ fewRounds, scale }) => scaleTable(fewRounds, scale),
  two_instances: ({ minutes }) => twoInstancesTable(minutes),
  tools: async ({ rounds }) => lines(await toolRows(rounds)),
  window: async ({ rounds }) => lines(await windowRows(rounds)),
  code_pages: async () => lines([...await codePageRows(), ...await sitePageRows()]),
  find_text: async () => lines(await findTextRows()),
  repo: async () => lines(await repoRows()),
  repo_jobs: ({ against }) => repoJobsTable(against),
  bulk_memory: async () => lines(await bulkMemoryRows()),
  snapshots: async () => lines(await snapshotRows()),
  builder: async ({ rounds }) => lines(await builderRows(rounds)),
  google: async ({ rounds }) => lines(await googleRows(rounds)),
  topicmap: async ({ rounds }) => lines(await topicMapRows(rounds)),
  crm: async ({ rounds }) => lines(await crmRows(rounds)),
  upkeep: async () => lines(await upkeepRows()),
  proxies: async ({ rounds }) => lines(await proxyRows(rounds)),
  oauth: async ({ rounds }) => lines(await oauthRows(rounds)),
  holds: async ({ rounds }) => lines(await holdRows(rounds)),
  changes: async () => lines(await changeRows()),
  approvals: async ({ rounds }) => lines(await approvalRows(rounds)),
  console: async ({ rounds }) => lines(await consoleRows(rounds)),
  change_sets: async ({ rounds }) => lines(await changeSetRows(rounds)),
};

const RESULTS = new URL("RESULTS.md", import.meta.url);
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

/** A whole number from 1 on. Throws an Error naming the option. */
function whole(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) {
    throw new Error(`${option}: expected a whole number from 1 on`);
  }
  return number;
}

const OPTIONS = {
  only: { type: "string", multiple: true },
  rounds: { type: "string" },
  write: { type: "boolean" },
  against: { type: "string" },
  store: { type: "string", multiple: true },
  processes: { type: "string" },
  minutes: { type: "string" },
} as const;

/** What to run: `--against` a commit is the part "durable" where no other is named. Throws an Error naming what there is. */
function asked(args: readonly string[]): { names: string[]; write: boolean; told: Told } {
  const { values } = parseArgs({ args: args.filter((arg) => arg !== "--"), options: OPTIONS });
  const { against = null, write = false, store: stores = [] } = values;
  const fewRounds = values.rounds === undefined ? undefined : whole("--rounds", values.rounds);
  const minutes = values.minutes === undefined ? undefined : whole("--minutes", values.minutes);
  const processes = values.processes?.split(",").map((one) => whole("--processes", one));
  const names = values.only ?? (against === null ? Object.keys(PARTS) : ["durable"]);
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) {
    throw new Error(`No part is called "${unknown}"; there are ${Object.keys(PARTS).join(", ")}`);
  }
  if (write && against !== null) throw new Error("--against: prints only; leave out --write");
  const scale = { stores, ...(processes === undefined ? {} : { processes }) };
  return { names, write, told: { rounds: fewRounds ?? ROUNDS, fewRounds, against, scale, minutes } };
}

if (import.meta.main) {
  const { names, write, told } = asked(Deno.args);
  for (const name of names) {
    const text = await PARTS[name]!(told);
    say(`${name}\n\n${text}\n`);
    if (write) await Deno.writeTextFile(RESULTS, replaced(await Deno.readTextFile(RESULTS), name, text));
  }
}
