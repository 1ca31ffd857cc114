/** What a call costs at the doors, beside bare servers in the same run; boot and memory. Needs wrk. */
import { inFolder, startGateway, THREE_SITES } from "./gateway.ts";
import { answerTo, listSites, middle } from "./list_sites.ts";
import { drive, type Figures, type Load, type Target } from "./load.ts";
import { emptyCache, freePort, loadAverage, type Server, start } from "./process.ts";
import { type Line, lines, ms, table } from "./table.ts";
import { median } from "./timing.ts";

const ROUNDS = 5;
const LOAD: Load = { connections: 64, seconds: 4 };
const CALLS_FOR_MEMORY = 100_000;
const JSON_TYPE = { "content-type": "application/json" };

interface Row {
  readonly name: string;
  readonly aim: number;
  readonly gateway: Figures;
  readonly hono: Figures;
  readonly serve: Figures;
}

interface Scenario {
  readonly name: string;
  /** The share of the bare Hono route's throughput that is aimed at. */
  readonly aim: number;
  readonly target: Target;
}

function scenarios(url: string, token: string): Scenario[] {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  return [
    {
      name: "REST list_sites, guarded and audited",
      aim: 0.6,
      target: listSites("REST", url, token),
    },
    {
      name: "MCP list_sites, guarded and audited",
      aim: 0.6,
      target: listSites("MCP", url, token),
    },
    { name: "REST tools list", aim: 0.9, target: { url: `${url}/api/v1/tools`, method: "GET", headers } },
    {
      name: "MCP tools/list",
      aim: 0.9,
      target: { url: `${url}/mcp`, method: "POST", headers, body: list },
    },
  ];
}

async function measure(scenario: Scenario): Promise<Row> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(file, await answerTo(scenario.target));
  const runs = { gateway: [] as Figures[], hono: [] as Figures[], serve: [] as Figures[] };
  {
    await using hono = await bare("hono", file);
    await using serve = await bare("serve", file);
    const { target } = scenario;
    for (let round = 0; round < ROUNDS; round++) {
      runs.serve.push(await drive({ ...target, url: serve.url }, LOAD));
      runs.hono.push(await drive({ ...target, url: hono.url }, LOAD));
      runs.gateway.push(await drive(target, LOAD));
    }
  }
  await Deno.remove(file);
  return {
    name: scenario.name,
    aim: scenario.aim,
    gateway: middle(runs.gateway),
    hono: middle(runs.hono),
    serve: middle(runs.serve),
  };
}

async function bare(kind: "hono" | "serve", file: string): Promise<Server> {
  const port = freePort();
  return await start(["bench/bare.ts", kind, String(port), file], `http://127.0.0.1:${port}/`, "");
}

/** Times from the start of a process to its first answer, medians of five, in milliseconds. */
interface Boots {
  readonly gateway: number;
  /** With nothing of what the runtime keeps of code that it has compiled before. */
  readonly cold: number;
  readonly hono: number;
}

async function boots(folder: string): Promise<Boots> {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "{}");
  const times = { gateway: [] as number[], cold: [] as number[], hono: [] as number[] };
  for (let round = 0; round < 5; round++) {
    await using one = await startGateway(`${folder}/boot${round}`, THREE_SITES);
    times.gateway.push(one.bootMs);
    const DENO_DIR = await emptyCache(`${folder}/cache${round}`);
    await using cold = await startGateway(`${folder}/cold${round}`, THREE_SITES, { DENO_DIR });
    times.cold.push(cold.bootMs);
    await using other = await bare("hono", file);
    times.hono.push(other.bootMs);
  }
  await Deno.remove(file);
  return { gateway: median(times.gateway), cold: median(times.cold), hono: median(times.hono) };
}

function throughput(rows: readonly Row[]): string {
  const cell = ({ perSecond, p50Ms, p99Ms }: Figures) =>
    `${Math.round(perSecond).toLocaleString("en")} (${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)})`;
  const head = ["", "gateway", "bare Hono", "bare Deno.serve", "of Hono", "of serve", "aim (of Hono)"];
  return table(
    head,
    rows.map(({ name, aim, gateway, hono, serve }) => [
      name,
      cell(gateway),
      cell(hono),
      cell(serve),
      (gateway.perSecond / hono.perSecond).toFixed(2),
      (gateway.perSecond / serve.perSecond).toFixed(2),
      String(aim),
    ]),
  );
}

/** Both tables, in some ten minutes. Throws where wrk is missing. */
export function doorTables(): Promise<string> {
  return inFolder(async (folder) => {
    const before = loadAverage();
    const boot = await boots(folder);
    await using server = await startGateway(folder, THREE_SITES);
    const idle = await server.memoryMib();
    const all = scenarios(server.url, server.token);
    let calls = 0;
    while (calls < CALLS_FOR_MEMORY) {
      const figures = await drive(all[0]!.target, LOAD);
      calls += Math.round(figures.perSecond * LOAD.seconds);
    }
    const once = await server.memoryMib();
    const rows: Row[] = [];
    for (const scenario of all) rows.push(await measure(scenario));
    const failed = rows.reduce((sum, row) => sum + row.gateway.failures, 0);
    const memory = (name: string, mib: number, aim: string): Line => ({
      name: `resident memory ${name}`,
      figure: `${mib} MiB`,
      beside: "",
      aim,
    });
    const more: Line[] = [
      {
        name: "boot to first answer, with every tool of the catalogue",
        figure: ms(boot.gateway),
        beside: `bare Hono ${ms(boot.hono)}`,
        aim: "under 400 ms",
      },
      {
        name: "the same where the runtime has compiled nothing before",
        figure: ms(boot.cold),
        beside: "",
        aim: "",
      },
      memory("before any load", idle, ""),
      memory(`after ${calls.toLocaleString("en")} calls`, once, "flat"),
      memory("after the whole bench", await server.memoryMib(), "flat"),
      { name: "failed requests", figure: String(failed), beside: "", aim: "0" },
    ];
    const load = `Load of the machine before: ${before}; after: ${loadAverage()}.`;
    return `${throughput(rows)}\n\n${lines(more)}\n\n${load}`;
  });
}
