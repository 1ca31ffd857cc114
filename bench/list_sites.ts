/** The read that parts are compared by: list_sites, at both doors; and contenders driven with it in turns. */
import { drive, type Figures, type Target } from "./load.ts";
import type { Server } from "./process.ts";
import { median } from "./timing.ts";

export type Door = "REST" | "MCP";
export const DOORS: readonly Door[] = ["REST", "MCP"];

/** The call of list_sites at that door of a server. */
export function listSites(door: Door, url: string, token: string): Target {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const params = { name: "list_sites", arguments: {} };
  return door === "REST" ? { url: `${url}/api/v1/tools/list_sites`, method: "POST", headers, body: "{}" } : {
    url: `${url}/mcp`,
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
}

/** The answer, for another server to repeat. Throws where it is refused. */
export async function answerTo({ url, ...init }: Target): Promise<string> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok || text.includes('"isError":true')) throw new Error(`${url}: ${text}`);
  return text;
}

/** A server that takes its turn. */
export interface Contender {
  readonly server: Pick<Server, "cpuMs" | "threadMs">;
  readonly target: Target;
}

/** One run, with the processor time that the server used for each call, in microseconds. */
export interface Run extends Figures {
  readonly cpuUs: number;
  /** What of it was on the thread that runs JavaScript; the rest is the store's threads and the collector's. */
  readonly threadUs: number;
}

/**
 * Drives contenders in turns, each once a round, `seconds` long; the first round does not count. The runs of each, in
 * the order of the rounds.
 */
export async function driveInTurn<Name extends string>(
  contenders: Readonly<Record<Name, Contender>>,
  { connections, seconds, rounds }: { connections: number; seconds: number; rounds: number },
): Promise<Record<Name, readonly Run[]>> {
  const names = Object.keys(contenders) as Name[];
  const runs = Object.fromEntries(names.map((name) => [name, [] as Run[]])) as Record<Name, Run[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const { server, target } = contenders[name];
      const before = [await server.cpuMs(), await server.threadMs()] as const;
      const figures = await drive(target, { connections, seconds: round === 0 ? 1 : seconds });
      const perCall = (ms: number) => ms * 1000 / Math.max(1, figures.requests);
      const cpuUs = perCall(await server.cpuMs() - before[0]);
      const threadUs = perCall(await server.threadMs() - before[1]);
      if (round > 0) runs[name].push({ ...figures, cpuUs, threadUs });
    }
  }
  return runs;
}

/** The run whose throughput is the median. */
export const middle = <One extends Figures>(runs: readonly One[]): One =>
  runs.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)]!;

/** The median over the rounds of how much of the other's throughput one has: what slows a round slows both. */
export const share = (one: readonly Figures[], other: readonly Figures[]): number =>
  median(one.map(({ perSecond }, round) => perSecond / other[round]!.perSecond));

/** A run as a cell: calls a second, then p50 and p99 in milliseconds, then processor time a call, in all and in JavaScript. */
export const cell = ({ perSecond, p50Ms, p99Ms, cpuUs, threadUs }: Run): string =>
  `${Math.round(perSecond).toLocaleString("en")} (${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}; ${
    cpuUs.toFixed(0)
  } / ${threadUs.toFixed(0)} µs)`;
