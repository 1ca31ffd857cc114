/** How many audit rows a second become durable, in how much time of the JavaScript thread, written and kept in how many bytes: `deno run -A bench/store/audit/audit.ts`. */
import { DatabaseSync } from "node:sqlite";
import type { AuditRow } from "../../core/model.ts";
import { openStore } from "../../store/kv.ts";

const ROWS = 100_000;
const PERCENT = 100;

/** The processor time of the main thread so far, in milliseconds; Linux only. */
function threadMs(): number {
  const [, fields = ""] = Deno.readTextFileSync(`/proc/self/task/${Deno.pid}/stat`).split(") ");
  const parts = fields.split(" ");
  return (Number(parts[11]) + Number(parts[12])) * 10;
}

/** What this process has written so far, in bytes; Linux only. */
const writtenBytes = () => Number(Deno.readTextFileSync("/proc/self/io").split("wchar: ")[1]?.split("\n")[0]);

/** What the file of a store takes up, in bytes, and what of that is free for what comes next. */
function fileBytes(path: string): { kept: number; free: number } {
  using database = new DatabaseSync(path);
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const page = pragma("page_size");
  return { kept: pragma("page_count") * page, free: pragma("freelist_count") * page };
}

function row(n: number): AuditRow {
  const id = `01BENCH${String(n).padStart(19, "0")}`;
  return {
    id,
    at: new Date().toISOString(),
    door: "rest",
    request_id: id,
    token_id: "01BENCH0000000000000000000",
    token_name: "bench",
    owner_user_id: null,
    site_id: `site-${n % 20}`,
    tool: `tool_number_${n % 30}`,
    tier: 1,
    arguments: { title: `Hello ${n}`, content: "x".repeat(120) },
    status: "ok",
    error: null,
    duration_ms: 3,
  };
}

async function measure(path: string, concurrent: number, rows: number): Promise<string> {
  const store = await openStore({
    path,
    keys: [new Uint8Array(32)],
    siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
    tokenPrefix: "bench",
  });
  const times: number[] = [];
  let next = 0;
  const work = async () => {
    while (next < rows) {
      const start = performance.now();
      await store.audit.append(row(next++));
      times.push(performance.now() - start);
    }
  };
  const before = writtenBytes();
  const thread = threadMs();
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrent }, work));
  const seconds = (performance.now() - start) / 1000;
  const perRow = (threadMs() - thread) * 1000 / rows;
  await store.close();
  const written = Math.round((writtenBytes() - before) / rows);
  const { kept, free } = path === ":memory:" ? { kept: 0, free: 0 } : fileBytes(path);
  times.sort((a, b) => a - b);
  const quantile = (percent: number) => (times[Math.floor(times.length * percent / PERCENT)] ?? 0).toFixed(2);
  const kind = path === ":memory:" ? "memory" : "file";
  return [
    kind.padEnd(7),
    `${concurrent} appenders`.padEnd(15),
    `${Math.round(rows / seconds)} rows/s`.padEnd(15),
    `p50 ${quantile(50)} ms, p99 ${quantile(99)} ms`.padEnd(28),
    `${perRow.toFixed(1)} µs JavaScript a row, ${Math.round(Deno.memoryUsage().rss / 2 ** 20)} MiB`.padEnd(
      36,
    ),
    `${written} B written a row, ${Math.round((kept - free) / rows)} B kept, ${
      Math.round(free / rows)
    } B free`,
  ].join(" ");
}

const folder = await Deno.makeTempDir();
const lines: string[] = [];
for (const [concurrent, rows] of [[1, ROWS / 5], [16, ROWS], [64, ROWS], [256, ROWS]] as const) {
  lines.push(await measure(`${folder}/${concurrent}.db`, concurrent, rows));
}
lines.push(await measure(":memory:", 64, ROWS));
await Deno.remove(folder, { recursive: true });
await Deno.stdout.write(new TextEncoder().encode(`${lines.join("\n")}\n`));
