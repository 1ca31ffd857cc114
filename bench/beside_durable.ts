/** The gateway beside a server of the same promise (bench/durable.ts), and beside an older version of itself. */
import { type Gateway, inFolder, startGateway, THREE_SITES } from "./gateway.ts";
import {
  answerTo,
  cell,
  type Contender,
  type Door,
  DOORS,
  driveInTurn,
  listSites,
  middle,
  type Run,
  share,
} from "./list_sites.ts";
import { freePort, loadAverage, type Server, start } from "./process.ts";
import { table } from "./table.ts";

const CONNECTIONS = [1, 8, 64] as const;
const SECONDS = 3;
const ROUNDS = 5;
/** What is driven before anything counts, until what is called often is compiled. */
const WARMING = { connections: 64, seconds: SECONDS, rounds: 1 } as const;
/** The least share of the durable server's throughput, and the share that is aimed at. */
const AIM = "0.75, better 0.85";

interface Measured {
  readonly door: Door;
  readonly connections: number;
  readonly runs: Readonly<Record<string, readonly Run[]>>;
}

/** The durable server with the answer that the gateway gave, over a store of its own. */
async function durable(folder: string, answer: string, token: string): Promise<Server> {
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/answer.json`, answer);
  const port = freePort();
  const args = ["--unstable-kv", "bench/durable.ts", String(port), `${folder}/store`];
  return await start([...args, `${folder}/answer.json`, token], `http://127.0.0.1:${port}`, "/");
}

/** The project as it was at that commit, in a folder that is removed. Throws where there is no such commit. */
export async function worktree(commit: string): Promise<AsyncDisposable & { readonly root: string }> {
  const root = await Deno.makeTempDir();
  const git = async (...args: string[]) => {
    const cwd = new URL("..", import.meta.url);
    const { success, stderr } = await new Deno.Command("git", { args, cwd }).output();
    if (!success) throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr).trim()}`);
  };
  await git("worktree", "add", "--detach", `${root}/at`, commit);
  return {
    root: `${root}/at`,
    async [Symbol.asyncDispose]() {
      await git("worktree", "remove", "--force", `${root}/at`);
      await Deno.remove(root, { recursive: true });
    },
  };
}

async function measure(
  folder: string,
  rounds: number,
  gateways: Readonly<Record<string, Gateway>>,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const door of DOORS) {
    const targets = Object.entries(gateways).map(([name, server]): [string, Contender] => [
      name,
      { server, target: listSites(door, server.url, server.token) },
    ]);
    const { target } = targets[0]![1];
    const { token } = Object.values(gateways)[0]!;
    await using other = await durable(`${folder}/durable_${door}`, await answerTo(target), token);
    const contenders = Object.fromEntries([
      ...targets,
      ["durable server", { server: other, target: { ...target, url: other.url } }],
    ]);
    await driveInTurn(contenders, WARMING); // a small server is compiled sooner than a large one
    for (const connections of CONNECTIONS) {
      const runs = await driveInTurn(contenders, { connections, seconds: SECONDS, rounds });
      measured.push({ door, connections, runs });
    }
  }
  return measured;
}

function asTable(measured: readonly Measured[]): string {
  const names = Object.keys(measured[0]!.runs);
  const others = names.slice(1);
  const rows = measured.map(({ door, connections, runs }) => [
    `${door} list_sites, ${connections} ${connections === 1 ? "connection" : "connections"}`,
    ...names.map((name) => cell(middle(runs[name]!))),
    ...others.map((name) => share(runs[names[0]!]!, runs[name]!).toFixed(2)),
    AIM,
  ]);
  return table(
    ["", ...names, ...others.map((name) => `of the ${name}`), "aim (of the durable server)"],
    rows,
  );
}

/**
 * The table; where a commit is named, with the gateway of that commit as a contender of its own. Throws where wrk is
 * missing, where there is no such commit, and where a request failed.
 */
export function durableTable(rounds = ROUNDS, against: string | null = null): Promise<string> {
  return inFolder(async (folder) => {
    const before = loadAverage();
    await using tree = against === null ? null : await worktree(against);
    await using gateway = await startGateway(`${folder}/present`, THREE_SITES);
    await using older = tree && await startGateway(`${folder}/older`, THREE_SITES, {}, tree.root);
    const idle = await gateway.memoryMib();
    const gateways = { gateway, ...(older === null ? {} : { [`gateway of ${against}`]: older }) };
    const measured = await measure(folder, rounds, gateways);
    const failed = measured.flatMap(({ runs }) => Object.values(runs).flat()).filter((run) =>
      run.failures > 0
    );
    if (failed.length > 0) throw new Error("Requests failed under load");
    return [
      asTable(measured),
      "",
      `Resident memory of the gateway before any load: ${idle} MiB. Load of the machine before: ${before}; ` +
      `after: ${loadAverage()}.`,
    ].join("\n");
  });
}
