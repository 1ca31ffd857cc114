/** What sites' own tools cost through the gateway: a call beside the same one sent directly, and their list. */
import assert from "node:assert/strict";
import { Client2, Transport2 } from "../tests/packages/mcp_clients.ts";
import { delay } from "../lib/async.ts";
import { inFolder } from "./gateway.ts";
import { freePort, type Server, start } from "./process.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";
import { environment, tokenFor, withSites } from "./upkeep.ts";

const LISTED_SITES = 20;
const TOOLS = 76;
const LATENCY_MS = 150;
const IN_FLIGHT = 50;
const CALLS = 20;
const LISTINGS = 100;
/** Rounds that do not count, until the runtimes have compiled what a call takes. */
const WARM_ROUNDS = 3;
const SERVER = "wp-json/mcp/emcp-tools-server";

/** A number of how long calls took. */
interface Times {
  readonly p50: number;
  readonly p99: number;
}

/** The rows. */
export async function proxyRows(rounds: number): Promise<Line[]> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  await using _server = await start(
    ["bench/tool_server.ts", String(port), String(TOOLS), String(LATENCY_MS)],
    url,
    "/healthz",
  );
  return await inFolder(async (folder) => {
    const env = environment(`${folder}/store.sqlite3`);
    const token = await withSites(env, url, async (gateway, ids) => {
      await gateway.toolCatalogs.run();
      return await tokenFor(gateway, ids.slice(0, LISTED_SITES));
    });
    const gatewayPort = freePort();
    const at = `http://127.0.0.1:${gatewayPort}`;
    await using gateway = await start(["main.ts"], at, "/healthz", { ...env, PORT: String(gatewayPort) });
    return [await listingRow(at, token), ...await callRows(gateway, token, url, Math.min(rounds, 5))];
  });
}

/** The list over MCP, once it was asked for. */
async function listingRow(at: string, token: string): Promise<Line> {
  let text = "";
  const list = async () => {
    const response = await fetch(`${at}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    text = await response.text();
  };
  const { took: cold, longest } = await asking(`${at}/healthz`, list);
  const times: number[] = [];
  for (let n = 0; n < LISTINGS; n++) times.push(await timed(list));
  const { length } = JSON.parse(text).result.tools;
  return {
    name: `tools/list, warm: ${length} tools, ${TOOLS} of them of ${LISTED_SITES} sites`,
    figure: `${ms(median(times))}, ${Math.round(text.length / 1024)} KiB`,
    beside: `${ms(cold)} the first time in the process, which answered others within ${ms(longest)}`,
    aim: "under 5 ms",
  };
}

/** How long some work took, and how long another's request at the longest, sent again and again meanwhile. */
async function asking(url: string, work: () => Promise<void>): Promise<{ took: number; longest: number }> {
  const ask = async () => void await (await fetch(url)).text();
  await ask();
  let [longest, isDone] = [0, false];
  const others = (async () => {
    while (!isDone) longest = Math.max(longest, await timed(ask));
  })();
  const took = await timed(work);
  isDone = true;
  await others;
  return { took, longest };
}

/** A call of a tool, for the caller of that number. */
type Call = (n: number) => Promise<unknown>;

/** How a tool is called again and again. */
interface Load {
  readonly name: string;
  readonly tool: string;
  run(call: Call): Promise<Times>;
  readonly aims: Readonly<Record<keyof Times, string>>;
}

const LOADS: readonly Load[] = [
  {
    name: `a proxied read, ${IN_FLIGHT} in flight, answered in ${LATENCY_MS} ms`,
    tool: "list-templates",
    run: evenly,
    aims: { p50: "under 1 ms more", p99: "under 5 ms more" },
  },
  {
    name: `the same answered at once, so that ${IN_FLIGHT} wait for the processors`,
    tool: "list-pages",
    run: atOnce,
    aims: { p50: "", p99: "" },
  },
];

/** The same calls through the gateway and directly, by the official client, in turns. */
async function callRows(gateway: Server, token: string, url: string, rounds: number): Promise<Line[]> {
  const through = await connected(`${gateway.url}/mcp`, token);
  const direct = await connected(`${url}/s0/${SERVER}`, token);
  const lines: Line[] = [];
  for (const { name, tool, run, aims } of LOADS) {
    const asked = {
      direct: () => direct.callTool({ name: `emcp-tools-${tool}`, arguments: {} }),
      gateway: (n: number) =>
        through.callTool({ name: `builder-mcp-${tool}`, arguments: { site_id: `s-${n % LISTED_SITES}` } }),
    };
    const found: Record<keyof typeof asked, Times>[] = [];
    const cpu: number[] = [];
    for (let round = 1 - WARM_ROUNDS; round <= rounds; round++) {
      const bare = await run(asked.direct);
      const before = await gateway.cpuMs();
      const times = { direct: bare, gateway: await run(asked.gateway) };
      if (round < 1) continue;
      cpu.push((await gateway.cpuMs() - before) / (IN_FLIGHT * CALLS));
      found.push(times);
    }
    for (const which of ["p50", "p99"] as const) {
      const middle = (of: (one: typeof found[number]) => number) => median(found.map(of));
      lines.push({
        name: `${name}, ${which}`,
        figure: `${ms(middle((one) => one.gateway[which] - one.direct[which]))} more, ` +
          ms(middle((one) => one.gateway[which])),
        beside: `${ms(middle((one) => one.direct[which]))}, the official client directly` +
          (which === "p50" ? `; ${ms(median(cpu))} of the gateway's processor time a call` : ""),
        aim: aims[which],
      });
    }
  }
  await Promise.all([through.close(), direct.close()]);
  return lines;
}

async function connected(url: string, token: string) {
  const client = new Client2({ name: "bench", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new Transport2(new URL(url), { requestInit }));
  return client;
}

/** Calls that begin one after another, evenly, whatever became of those before: so many are in flight meanwhile. */
async function evenly(call: Call): Promise<Times> {
  return timesOf(
    await Promise.all(Array.from({ length: IN_FLIGHT * CALLS }, async (_, n) => {
      await delay(n * LATENCY_MS / IN_FLIGHT);
      return await one(call, n);
    })),
  );
}

/** So many callers, each of whom calls again as soon as it is answered. */
async function atOnce(call: Call): Promise<Times> {
  const times: number[] = [];
  await Promise.all(Array.from({ length: IN_FLIGHT }, async (_, n) => {
    for (let turn = 0; turn < CALLS; turn++) times.push(await one(call, n));
  }));
  return timesOf(times);
}

/** How long one call takes. */
async function one(call: Call, n: number): Promise<number> {
  return await timed(async () => {
    const answer = await call(n) as { isError?: boolean };
    assert.ok(!answer.isError, JSON.stringify(answer));
  });
}

function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: median(times), p99: sorted[Math.floor(times.length * 0.99)]! };
}
