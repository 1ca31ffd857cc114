/** What sites' own tools cost through the gateway: a call beside the same one sent directly, their list, their upkeep. */
import assert from "node:assert/strict";
import { openGateway, readRegistry } from "../gateway.ts";
import { readSettings } from "../settings.ts";
import { Client2, Transport2 } from "../tests/packages/mcp_clients.ts";
import { inFolder } from "./gateway.ts";
import { freePort, start } from "./process.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";

const SITES = 200;
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
    const { token, rows } = await upkeep(env, url);
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

/** Registers the sites and has their tools listed, in this process, which notices how long it is held up. */
async function upkeep(env: Record<string, string>, url: string): Promise<{ token: string; rows: Line[] }> {
  const registry = await readRegistry();
  const settings = readSettings((name) => env[name], "start", registry.connectors.settings);
  const gateway = await openGateway(settings, registry, { log: () => {} });
  try {
    const credentials = { cms: { username: "admin", application_password: "aaaa bbbb cccc dddd" } };
    for (let at = 0; at < SITES; at++) {
      await gateway.store.sites.create({
        id: `s-${at}`,
        name: `Site ${at}`,
        platform: "cms",
        base_url: `${url}/s${at}`,
        credentials,
      });
    }
    const { text } = await gateway.store.tokens.create({
      name: "bench",
      env: "dev",
      allowed_sites: Array.from({ length: LISTED_SITES }, (_, at) => `s-${at}`),
      allowed_tools: ["*"],
      max_risk: 4,
      skip_write_confirm: false,
      owner_user_id: null,
    });
    const first = await held(() => gateway.toolCatalogs.run());
    const view = await held(async () => void await gateway.catalog.fresh());
    assert.ok(gateway.catalog.names().includes(`builder-mcp-${TOOL}`), "the sites' tools are offered");
    const again = await held(() => gateway.toolCatalogs.run());
    const stall = (name: string, { took, stall }: Held): Line => ({
      name,
      figure: `${ms(stall)} at the longest`,
      beside: `${ms(took)} in all`,
      aim: "under 20 ms",
    });
    return {
      token: text,
      rows: [
        stall(`event loop held up while ${SITES} sites' lists of ${TOOLS} tools are fetched`, first),
        stall("while they are made into tools", view),
        stall("while nothing is due", again),
      ],
    };
  } finally {
    await gateway.close();
  }
}

/** How long some work took, and how long it held up the event loop at the longest. */
interface Held {
  readonly took: number;
  readonly stall: number;
}

async function held(work: () => Promise<unknown>): Promise<Held> {
  let [stall, last] = [0, performance.now()];
  const tick = () => {
    const now = performance.now();
    stall = Math.max(stall, now - last - TICK_MS);
    last = now;
  };
  const timer = setInterval(tick, TICK_MS);
  try {
    const took = await timed(work);
    tick();
    return { took, stall };
  } finally {
    clearInterval(timer);
  }
}
const TICK_MS = 1;

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
  const cold = await timed(list);
  const times: number[] = [];
  for (let n = 0; n < LISTINGS; n++) times.push(await timed(list));
  const { length } = JSON.parse(text).result.tools;
  return {
    name: `tools/list, warm: ${length} tools, ${TOOLS} of them of ${LISTED_SITES} sites`,
    figure: `${ms(median(times))}, ${Math.round(text.length / 1024)} KiB`,
    beside: `${ms(cold)} the first time in the process`,
    aim: "under 5 ms",
  };
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
