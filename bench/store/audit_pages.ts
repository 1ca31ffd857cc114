/** How long the first page of the audit takes over a million rows, by filters: `deno run -A bench/store/audit_pages.ts [rows]`. */
import type { AuditRow } from "../../core/model.ts";
import { openStore } from "../../store/kv.ts";
import type { AuditQuery, Store } from "../../store/store.ts";

const ROWS = Number(Deno.args[0] ?? 1_000_000);
const APPENDERS = 64;
const LIMIT = 100;
const ROUNDS = 5;
const MIB = 2 ** 20;
/** All rows are of one day, by a clock that goes on with each of them. */
const BEGAN = Date.parse("2026-11-21T00:00:00.000Z");
const ROW_MS = 24 * 60 * 60 * 1000 / ROWS;
let written = 0;
const now = () => Math.floor(BEGAN + written * ROW_MS);
const iso = (ms: number) => new Date(ms).toISOString();

/**
 * A row of a busy gateway. Sites are of one half of the tokens each, so that every segment holds rows of a token and of a
 * site that have none in common; one tool of 30 fails now and then, one is denied once in 100,000 calls.
 */
function row(n: number): AuditRow {
  const id = `01BENCH${String(n).padStart(19, "0")}`;
  const token = n % 8;
  const site = (n * 7 + (n >> 3)) % 20 * 2 + token % 2;
  const tool = (n * 13 + (n >> 5)) % 30;
  const status = tool === 7 && n % 3 === 0 ? "error" : n % 100_000 === 50_000 ? "denied" : "ok";
  return {
    id,
    at: iso(now()),
    door: "mcp",
    request_id: id,
    token_id: `01BENCHTOKEN${String(token).padStart(14, "0")}`,
    token_name: `token ${token}`,
    ...token < 3 ? { client_id: `client-${token}` } : {},
    owner_user_id: token < 6 ? `person-${token}` : null,
    site_id: `site-${site}`,
    tool: `tool_number_${tool}`,
    tier: 0,
    arguments: n % 50 === 0
      ? { path: `src/pages/page-${n / 50 % 211}.astro` }
      : { per_page: 20, page: n % 50 },
    status,
    error: status === "ok" ? null : "E_UPSTREAM",
    duration_ms: n % 40,
  };
}

const TOKEN = "01BENCHTOKEN00000000000001";
const middle = iso(BEGAN + ROWS * ROW_MS / 2);
const began = iso(BEGAN);

/** What is asked, and what is to be seen by it. */
const queries: readonly (readonly [what: string, query: AuditQuery])[] = [
  ["nothing", {}],
  ["a status, nearly all rows", { status: "ok" }],
  ["a status, one row of 90", { status: "error" }],
  ["a status, ten rows", { status: "denied" }],
  ["a site, one row of 40", { site_id: "site-1" }],
  ["a tool that no row has", { tool: "none" }],
  ["a client, one row of 8", { client_id: "client-1" }],
  ["a file, one row of 10,550", { path: "src/pages/page-7.astro" }],
  ["a file and a site", { path: "src/pages/page-7.astro", site_id: "site-0" }],
  ["a person and a tool", { owner_user_id: "person-4", tool: "tool_number_3" }],
  ["a token and a site, both in every segment, no row in common", { token_id: TOKEN, site_id: "site-2" }],
  ["a tool and a status, both in every segment, no row in common", {
    tool: "tool_number_3",
    status: "error",
  }],
  ["a person and a client, no row in common", { owner_user_id: "person-4", client_id: "client-1" }],
  ["ten rows and nearly all", { status: "denied", owner_user_id: "person-2" }],
  ["a status, nearly all rows, and a tool", { status: "ok", tool: "tool_number_9" }],
  ["the older half", { to: middle }],
  ["the older half and a site", { to: middle, site_id: "site-1" }],
  ["the older half, a token and a site, no row in common", {
    to: middle,
    token_id: TOKEN,
    site_id: "site-2",
  }],
  ["before all rows", { to: began }],
  ["before all rows, and a status", { to: began, status: "ok" }],
];

const open = (path: string) =>
  openStore({
    path,
    keys: [new Uint8Array(32)],
    siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
    tokenPrefix: "bench",
    now,
  });

async function fill(store: Store): Promise<void> {
  const work = async () => {
    while (written < ROWS) await store.audit.append(row(written++));
  };
  await Promise.all(Array.from({ length: APPENDERS }, work));
}

const print = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

const folder = await Deno.makeTempDir();
const path = `${folder}/store.db`;
const first = await open(path);
let start = performance.now();
await fill(first);
await first.close();
print(
  `${ROWS} rows in ${((performance.now() - start) / 1000).toFixed(1)} s, ${
    Math.round(Deno.statSync(path).size / MIB)
  } MiB`,
);
const store = await open(path);
await store.audit.flush();
for (const [what, query] of queries) {
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < ROUNDS; round++) {
    start = performance.now();
    found = (await store.audit.list(query, { limit: LIMIT })).rows.length;
    times.push(performance.now() - start);
  }
  const [cold = 0] = times;
  const median = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  print(
    `${what.padEnd(64)} ${String(found).padStart(3)} rows  first ${cold.toFixed(1)} ms, then ${
      median.toFixed(1)
    } ms`,
  );
}
start = performance.now();
const verdict = await store.audit.verify();
print(
  `verify: ${verdict.rows} rows in ${
    ((performance.now() - start) / 1000).toFixed(1)
  } s, ${verdict.faults.length} faults`,
);
await store.close();
await Deno.remove(folder, { recursive: true });
