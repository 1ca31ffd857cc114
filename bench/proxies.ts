/** What sites' own tools cost through the gateway: a call beside the same one sent directly, their list, their upkeep. */
import assert from "node:assert/strict";
import { Client2, Transport2 } from "../tests/packages/mcp_clients.ts";
import { inFolder } from "./gateway.ts";
import { freePort, start } from "./process.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";
import { upkeep } from "./upkeep.ts";

const LISTED_SITES = 20;
const TOOLS = 76;
const LATENCY_MS = 100;
const IN_FLIGHT = 50;
const CALLS = 20;
const LISTINGS = 100;
const TOOL = "list-templates";
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
    const { token, rows } = await upkeep(env, url, { listed: LISTED_SITES, tools: TOOLS });
    const gatewayPort = freePort();
    const at = `http://127.0.0.1:${gatewayPort}`;
    await using _gateway = await start(["main.ts"], at, "/healthz", { ...env, PORT: String(gatewayPort) });
    return [...rows, await listingRow(at, token), ...await callRows(at, token, url, Math.min(rounds, 5))];
  });
}

function environment(path: string): Record<string, string> {
  return {
    KV_PATH: path,
    MASTER_TOKEN: crypto.getRandomValues(new Uint8Array(32)).toHex(),
    ENCRYPTION_KEYS: crypto.getRandomValues(new Uint8Array(32)).toBase64(),
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
    RATE_LIMIT_TOKEN: "0",
    RATE_LIMIT_SITE: "0",
  };
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

/** The same call through the gateway and directly, by the official client, in turns. */
async function callRows(at: string, token: string, url: string, rounds: number): Promise<Line[]> {
  const through = await connected(`${at}/mcp`, token);
  const direct = await connected(`${url}/s0/${SERVER}`, token);
  const asked = {
    gateway: (n: number) =>
      through.callTool({
        name: `builder-mcp-${TOOL}`,
        arguments: { site_id: `s-${n % LISTED_SITES}` },
      }),
    direct: () => direct.callTool({ name: `emcp-tools-${TOOL}`, arguments: {} }),
  };
  const found: { gateway: Times[]; direct: Times[] } = { gateway: [], direct: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const way of ["direct", "gateway"] as const) {
      const times = await many(asked[way]);
      if (round > 0) found[way].push(times);
    }
  }
  await Promise.all([through.close(), direct.close()]);
  return (["p50", "p99"] as const).map((which) => {
    const [gateway, bare] = [found.gateway, found.direct].map((runs) =>
      median(runs.map((run) => run[which]))
    );
    return {
      name: `a proxied read, ${IN_FLIGHT} in flight, ${which}`,
      figure: `${ms(gateway! - bare!)} more, ${ms(gateway!)}`,
      beside: `${ms(bare!)}, the official client directly`,
      aim: which === "p50" ? "under 1 ms more" : "under 5 ms more",
    };
  });
}

async function connected(url: string, token: string) {
  const client = new Client2({ name: "bench", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new Transport2(new URL(url), { requestInit }));
  return client;
}

async function many(call: (n: number) => Promise<unknown>): Promise<Times> {
  const times: number[] = [];
  const one = async (n: number) => {
    for (let turn = 0; turn < CALLS; turn++) {
      times.push(
        await timed(async () => {
          const answer = await call(n) as { isError?: boolean };
          assert.ok(!answer.isError, JSON.stringify(answer));
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, n) => one(n)));
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(times.length / 2)]!, p99: times[Math.floor(times.length * 0.99)]! };
}
