/** How far one process goes, and several on one store: each has its own port and its own load, all at once. */
import { type Gateway, inFolder, newSecrets, startGateway, THREE_SITES } from "./gateway.ts";
import { type Door, DOORS, listSites } from "./list_sites.ts";
import { drive, type Figures } from "./load.ts";
import { loadAverage } from "./process.ts";
import { table } from "./table.ts";
import { median } from "./timing.ts";

const CONNECTIONS = [8, 64] as const;
const SECONDS = 3;
const ROUNDS = 5;
const PROCESSES: readonly number[] = [1, 2];

/** What is to be measured. */
export interface Scale {
  /** Values of KV_PATH, each an empty store; a file of the bench's own where none is named. */
  readonly stores: readonly string[];
  /** How many processes share the load of a store, one number after another. */
  readonly processes: readonly number[];
}

/** Gateways on one store, and how they are ended. */
interface Fleet extends AsyncDisposable {
  readonly gateways: readonly Gateway[];
}

/** So many of them on that store; the first registers the sites and makes the token that all of them take. */
async function startFleet(store: string, count: number): Promise<Fleet> {
  const gateways: Gateway[] = [];
  const end = async () => void await Promise.all(gateways.map((one) => one[Symbol.asyncDispose]()));
  const env = { ...newSecrets(), KV_PATH: store };
  try {
    gateways.push(await startGateway(store, THREE_SITES, env));
    while (gateways.length < count) gateways.push(await startGateway(store, [], env));
  } catch (thrown) {
    await end();
    throw thrown;
  }
  return { gateways, [Symbol.asyncDispose]: end };
}

/** What some processes did together in one round. */
interface Driven {
  readonly perSecond: number;
  readonly cpuUs: number;
  /** Of the process that was slowest. */
  readonly p99Ms: number;
}

/** Drives them at once, each with its share of the connections. Throws where a request failed. */
async function driven(
  gateways: readonly Gateway[],
  token: string,
  { door, connections }: { door: Door; connections: number },
): Promise<Driven> {
  const cpu = async () => sum(await Promise.all(gateways.map((one) => one.cpuMs())));
  const load = { connections: Math.ceil(connections / gateways.length), seconds: SECONDS };
  const before = await cpu();
  const figures = await Promise.all(gateways.map(({ url }) => drive(listSites(door, url, token), load)));
  const cpuMs = await cpu() - before;
  const of = (name: keyof Figures) => figures.map((one) => one[name]);
  if (sum(of("failures")) > 0) throw new Error(`Requests failed at ${gateways.length} processes`);
  return {
    perSecond: sum(of("perSecond")),
    cpuUs: cpuMs * 1000 / sum(of("requests")),
    p99Ms: Math.max(...of("p99Ms")),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** One load on one store: each number of processes in turn, round by round; the first round does not count. */
async function inTurn(
  { gateways }: Fleet,
  processes: readonly number[],
  load: { door: Door; connections: number },
  rounds: number,
): Promise<readonly (readonly Driven[])[]> {
  const runs = processes.map((): Driven[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, count] of processes.entries()) {
      const run = await driven(gateways.slice(0, count), gateways[0]!.token, load);
      if (round > 0) runs[at]!.push(run);
    }
  }
  return runs;
}

/** What a store is called in the table: never its address, which may hold a password. */
const nameOf = (store: string) => store.includes("://") ? store.slice(0, store.indexOf(":")) : "a file";

async function rowsOf(store: string, processes: readonly number[], rounds: number): Promise<string[][]> {
  await using fleet = await startFleet(store, Math.max(...processes));
  const rows: string[][] = [];
  for (const door of DOORS) {
    for (const connections of CONNECTIONS) {
      const runs = await inTurn(fleet, processes, { door, connections }, rounds);
      const of = (at: number, name: keyof Driven) => median(runs[at]!.map((one) => one[name]));
      const first = (at: number) => runs[at]!.map((one, nth) => one.perSecond / runs[0]![nth]!.perSecond);
      rows.push(...processes.map((count, at) => [
        `${door} list_sites on ${nameOf(store)}, ${connections} connections in all`,
        String(count),
        Math.round(of(at, "perSecond")).toLocaleString("en"),
        `${of(at, "p99Ms").toFixed(1)} ms`,
        `${of(at, "cpuUs").toFixed(0)} µs`,
        at === 0 ? "" : median(first(at)).toFixed(2),
      ]));
    }
  }
  return rows;
}

/** The table of such stores and numbers of processes. Throws where wrk is missing, and where a request failed. */
export function scaleTable(
  rounds = ROUNDS,
  { stores = [], processes = PROCESSES }: Partial<Scale> = {},
): Promise<string> {
  return inFolder(async (folder) => {
    const before = loadAverage();
    const rows: string[][] = [];
    for (const store of stores.length > 0 ? stores : [`${folder}/store`]) {
      rows.push(...await rowsOf(store, processes, rounds));
    }
    const head = ["", "processes", "calls a second", "slowest p99", "processor time a call"];
    const shown = table([...head, `of ${processes[0]} process${processes[0] === 1 ? "" : "es"}`], rows);
    return `${shown}\n\nLoad of the machine before: ${before}; after: ${loadAverage()}.`;
  });
}
