/** What sites' own tools cost through the gateway: a call beside the same one sent directly, and their list. */
import { inFolder } from "./gateway.ts";
import { freePort, start } from "./process.ts";
import { callRows, LISTED_SITES } from "./proxy_calls.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";
import { environment, tokenFor, withSites } from "./upkeep.ts";

const TOOLS = 76;
const LATENCY_MS = 150;
const LISTINGS = 100;

/** The rows. */
export async function proxyRows(rounds: number): Promise<Line[]> {
  const [port, forwarderPort, gatewayPort] = [freePort(), freePort(), freePort()];
  const [url, forwarder, at] = [port, forwarderPort, gatewayPort].map((one) => `http://127.0.0.1:${one}`) as [
    string,
    string,
    string,
  ];
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
    await using gateway = await start(["main.ts"], at, "/healthz", { ...env, PORT: String(gatewayPort) });
    await using bare = await start(
      ["--unstable-kv", "bench/forwarder.ts", String(forwarderPort), url, `${folder}/forwarder.sqlite3`],
      forwarder,
      "/healthz",
    );
    const servers = { gateway, token, url, bare };
    return [await listingRow(at, token), ...await callRows(servers, LATENCY_MS, Math.min(rounds, 5))];
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
