/** `deno task bench`: one table, every row beside a bare server in the same run; `--write` keeps it in RESULTS.md. */
import { drive, type Figures, type Load, type Target } from "./load.ts";
import { freePort, type Server, start } from "./process.ts";

const ROUNDS = 5;
const LOAD: Load = { connections: 64, seconds: 4 };
const CALLS_FOR_MEMORY = 100_000;
const JSON_TYPE = { "content-type": "application/json" };

interface Row {
  readonly name: string;
  readonly aim: number | null;
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

const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

function scenarios(url: string, token: string): Scenario[] {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const rpc = (method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const mcp = (body: string): Target => ({ url: `${url}/mcp`, method: "POST", headers, body });
  return [
    {
      name: "REST list_sites, guarded and audited",
      aim: 0.6,
      target: { url: `${url}/api/v1/tools/list_sites`, method: "POST", headers, body: "{}" },
    },
    {
      name: "MCP list_sites, guarded and audited",
      aim: 0.6,
      target: mcp(rpc("tools/call", { name: "list_sites", arguments: {} })),
    },
    { name: "REST tools list", aim: 0.9, target: { url: `${url}/api/v1/tools`, method: "GET", headers } },
    { name: "MCP tools/list", aim: 0.9, target: mcp(rpc("tools/list", {})) },
  ];
}

/** The scenario's own answer, for the bare servers to repeat. Throws when the gateway refuses it. */
async function sample({ target }: Scenario): Promise<string> {
  const { url, ...init } = target;
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok || text.includes('"isError":true')) throw new Error(`${url}: ${text}`);
  return text;
}

const median = (runs: Figures[]) =>
  runs.sort((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)]!;

async function measure(scenario: Scenario): Promise<Row> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(file, await sample(scenario));
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
    gateway: median(runs.gateway),
    hono: median(runs.hono),
    serve: median(runs.serve),
  };
}

async function bare(kind: "hono" | "serve", file: string): Promise<Server> {
  const port = freePort();
  return await start(["bench/bare.ts", kind, String(port), file], `http://127.0.0.1:${port}/`, "");
}

interface Prepared {
  readonly server: Server;
  readonly token: string;
}

/** The gateway over a store on disk, three sites and one token in it. */
async function gateway(folder: string): Promise<Prepared> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const master = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const server = await start(["main.ts"], url, "/healthz", {
    PORT: String(port),
    KV_PATH: `${folder}/store`,
    MASTER_TOKEN: master,
    ENCRYPTION_KEYS: crypto.getRandomValues(new Uint8Array(32)).toBase64(),
    RATE_LIMIT_TOKEN: "0",
    RATE_LIMIT_SITE: "0",
  });
  const post = async (path: string, body: unknown) => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${master}` };
    const response = await fetch(`${url}/admin/api/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.result;
  };
  for (const id of ["acme", "bolt", "cove"]) {
    await post("sites", { id, name: id, platform: "cms", base_url: `https://${id}.example` });
  }
  const made = await post("tokens", {
    name: "bench",
    env: "dev",
    allowed_sites: ["*"],
    allowed_tools: ["*"],
  });
  return { server, token: made.token };
}

/** Boot times of the gateway and of a bare Hono server, medians of five. */
async function boots(folder: string): Promise<{ gateway: number; hono: number }> {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "{}");
  const times = { gateway: [] as number[], hono: [] as number[] };
  for (let round = 0; round < 5; round++) {
    await using one = (await gateway(`${folder}/boot${round}`)).server;
    times.gateway.push(one.bootMs);
    await using other = await bare("hono", file);
    times.hono.push(other.bootMs);
  }
  await Deno.remove(file);
  const middle = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]!;
  return { gateway: middle(times.gateway), hono: middle(times.hono) };
}

function table(rows: readonly Row[]): string {
  const cell = ({ perSecond, p50Ms, p99Ms }: Figures) =>
    `${Math.round(perSecond).toLocaleString("en")} (${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)})`;
  const lines = rows.map(({ name, aim, gateway, hono, serve }) =>
    [
      "",
      name,
      cell(gateway),
      cell(hono),
      cell(serve),
      (gateway.perSecond / hono.perSecond).toFixed(2),
      (gateway.perSecond / serve.perSecond).toFixed(2),
      aim === null ? "" : String(aim),
      "",
    ].join(" | ").trim()
  );
  return [
    "| | gateway | bare Hono | bare Deno.serve | of Hono | of serve | aim (of Hono) |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

async function main(): Promise<string> {
  const folder = await Deno.makeTempDir();
  const rows: Row[] = [];
  const memory: string[] = [];
  try {
    const boot = await boots(folder);
    const { server, token } = await gateway(folder);
    await using _server = server;
    const idle = await server.memoryMib();
    const all = scenarios(server.url, token);
    let calls = 0;
    while (calls < CALLS_FOR_MEMORY) {
      const figures = await drive(all[0]!.target, LOAD);
      calls += Math.round(figures.perSecond * LOAD.seconds);
    }
    const once = await server.memoryMib();
    for (const scenario of all) rows.push(await measure(scenario));
    const bad = rows.reduce((sum, row) => sum + row.gateway.failures, 0);
    memory.push(
      `| boot to first answer | ${boot.gateway.toFixed(0)} ms | bare Hono ${
        boot.hono.toFixed(0)
      } ms | aim under 400 ms |`,
      `| resident memory, idle | ${idle} MiB | | |`,
      `| resident memory after ${calls.toLocaleString("en")} calls | ${once} MiB | | flat |`,
      `| resident memory after the whole bench | ${await server.memoryMib()} MiB | | flat |`,
      `| failed requests | ${bad} | | 0 |`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return `${table(rows)}\n\n| | gateway | beside it | aim |\n| --- | --- | --- | --- |\n${
    memory.join("\n")
  }\n`;
}

if (import.meta.main) {
  const text = await main();
  say(text);
  if (Deno.args.includes("--write")) {
    const file = new URL("RESULTS.md", import.meta.url);
    const before = await Deno.readTextFile(file);
    const marks = /<!-- table -->[\s\S]*<!-- end -->/;
    await Deno.writeTextFile(file, before.replace(marks, `<!-- table -->\n${text}<!-- end -->`));
  }
}
