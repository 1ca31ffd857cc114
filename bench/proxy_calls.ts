/** What a call of a site's own tool takes: directly, through a bare forwarder, and through the gateway. */
import assert from "node:assert/strict";
import { Client2, Transport2 } from "../tests/packages/mcp_clients.ts";
import { delay } from "../core/async.ts";
import type { Server } from "./process.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";

/** The token of the gateway reaches that many sites of the tool server. */
export const LISTED_SITES = 20;
const IN_FLIGHT = 50;
const CALLS = 20;
/** Rounds that do not count, until the runtimes have compiled what a call takes. */
const WARM_ROUNDS = 6;
const SERVER = "wp-json/mcp/emcp-tools-server";

/** Who is called. */
export interface Servers {
  readonly gateway: Server;
  readonly token: string;
  /** Of the tool server. */
  readonly url: string;
  /** The yardstick: bench/forwarder.ts. */
  readonly bare: Server;
}

/** A number of how long calls took. */
interface Times {
  readonly p50: number;
  readonly p99: number;
}

/** A call, the n-th of its round. Throws where it failed. */
type Call = (n: number) => Promise<unknown>;

/** Those who are called in turns, and whose processor time is counted. */
interface Way {
  readonly name: string;
  /** Who calls. */
  readonly by: string;
  readonly gateway: Server;
  /** The same call of a tool, directly, through the yardstick where there is one, and through the gateway. */
  calls(tool: string): { readonly direct: Call; readonly bare?: Call; readonly gateway: Call };
  close?(): Promise<unknown>;
}

/** How a tool is called again and again. */
interface Load {
  readonly name: string;
  readonly tool: string;
  run(call: Call): Promise<Times>;
  readonly aims: Readonly<Record<keyof Times, string>>;
}

const loads = (latencyMs: number): readonly Load[] => [
  {
    name: `${IN_FLIGHT} in flight, answered in ${latencyMs} ms`,
    tool: "list-templates",
    run: (call) => evenly(call, latencyMs),
    aims: { p50: "under 1 ms more", p99: "under 5 ms more" },
  },
  {
    name: `answered at once, so that ${IN_FLIGHT} wait for the processors`,
    tool: "list-pages",
    run: atOnce,
    aims: { p50: "", p99: "" },
  },
];

/** The rows: each way to call under each load. The tool server answers most tools after so many milliseconds. */
export async function callRows(servers: Servers, latencyMs: number, rounds: number): Promise<Line[]> {
  const ways = [await mcpWay(servers), restWay(servers)];
  const lines: Line[] = [];
  for (const way of ways) {
    for (const load of loads(latencyMs)) lines.push(...await rowsOf(way, load, rounds));
  }
  await Promise.all(ways.map((way) => way.close?.()));
  return lines;
}

const siteOf = (n: number) => n % LISTED_SITES;

/** By the official client, directly and through the gateway. */
async function mcpWay({ gateway, token, url }: Servers): Promise<Way> {
  const through = await connected(`${gateway.url}/mcp`, token);
  const direct = await connected(`${url}/s0/${SERVER}`, token);
  const right = (answer: unknown) =>
    assert.ok(!(answer as { isError?: boolean }).isError, JSON.stringify(answer));
  return {
    name: "a proxied read over MCP",
    by: "the official client",
    gateway,
    calls: (tool) => ({
      direct: async () => right(await direct.callTool({ name: `emcp-tools-${tool}`, arguments: {} })),
      gateway: async (n) =>
        right(
          await through.callTool({ name: `builder-mcp-${tool}`, arguments: { site_id: `s-${siteOf(n)}` } }),
        ),
    }),
    close: () => Promise.all([through.close(), direct.close()]),
  };
}

/** By plain fetch: the tool server itself, the yardstick, and the gateway's REST. */
function restWay({ gateway, token, url, bare }: Servers): Way {
  const asking = (server: string, tool: string): Call => async (n) => {
    const params = { name: `emcp-tools-${tool}`, arguments: {} };
    const question = { jsonrpc: "2.0", id: n, method: "tools/call", params };
    await posted(`${server}/s${siteOf(n)}/${SERVER}`, question, { "mcp-session-id": "bench" });
  };
  return {
    name: "the same over REST",
    by: "fetch",
    gateway,
    calls: (tool) => ({
      direct: asking(url, tool),
      bare: asking(bare.url, tool),
      gateway: async (n) => {
        const at = `${gateway.url}/api/v1/tools/builder-mcp-${tool}`;
        await posted(at, { site_id: `s-${siteOf(n)}` }, { authorization: `Bearer ${token}` });
      },
    }),
  };
}

async function posted(url: string, body: unknown, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok && JSON.parse(text).result, text);
}

/** The rows of one way to call under one load: who is called takes turns. */
async function rowsOf(way: Way, { name, tool, run, aims }: Load, rounds: number): Promise<Line[]> {
  const calls = way.calls(tool);
  const found: { direct: Times; bare?: Times; gateway: Times }[] = [];
  const cpu: number[] = [];
  for (let round = 1 - WARM_ROUNDS; round <= rounds; round++) {
    const direct = await run(calls.direct);
    const bare = calls.bare && { bare: await run(calls.bare) };
    const before = await way.gateway.cpuMs();
    const times = { direct, ...bare, gateway: await run(calls.gateway) };
    if (round < 1) continue;
    cpu.push((await way.gateway.cpuMs() - before) / (IN_FLIGHT * CALLS));
    found.push(times);
  }
  return (["p50", "p99"] as const).map((which) => {
    const middle = (of: (one: typeof found[number]) => number) => ms(median(found.map(of)));
    const more = middle((one) => one.gateway[which] - one.direct[which]);
    const beside = [
      `${middle((one) => one.direct[which])}, ${way.by} directly`,
      ...(calls.bare
        ? [`${middle((one) => one.bare![which] - one.direct[which])} more through the bare forwarder`]
        : []),
      ...(which === "p50" ? [`${ms(median(cpu))} of the gateway's processor time a call`] : []),
    ];
    return {
      name: `${way.name}, ${name}, ${which}`,
      figure: `${more} more, ${middle((one) => one.gateway[which])}`,
      beside: beside.join("; "),
      aim: aims[which],
    };
  });
}

async function connected(url: string, token: string) {
  const client = new Client2({ name: "bench", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new Transport2(new URL(url), { requestInit }));
  return client;
}

/** Calls that begin one after another, evenly, whatever became of those before: so many are in flight meanwhile. */
async function evenly(call: Call, latencyMs: number): Promise<Times> {
  return timesOf(
    await Promise.all(Array.from({ length: IN_FLIGHT * CALLS }, async (_, n) => {
      await delay(n * latencyMs / IN_FLIGHT);
      return await timed(() => call(n));
    })),
  );
}

/** So many callers, each of whom calls again as soon as it is answered. */
async function atOnce(call: Call): Promise<Times> {
  const times: number[] = [];
  await Promise.all(Array.from({ length: IN_FLIGHT }, async (_, n) => {
    for (let turn = 0; turn < CALLS; turn++) times.push(await timed(() => call(n)));
  }));
  return timesOf(times);
}

function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: median(times), p99: sorted[Math.floor(times.length * 0.99)]! };
}
