/** How long a page of `list_changes` takes over a million rows of the audit, by each filter and by any two of them. */
import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { changePage, type ChangeQuery } from "../guard/change_pages.ts";
import type { AuditRow } from "../core/model.ts";
import { openStore } from "../store/kv.ts";
import type { Setback, Store } from "../store/store.ts";
import { inFolder } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";

const ROWS = 1_000_000;
const APPENDERS = 64;
const DAYS = 30;
const ROUNDS = 5;
const DAY_MS = 24 * 60 * 60_000;
const BEGAN = Date.parse("2026-10-22T00:00:00.000Z");
const iso = (ms: number) => new Date(ms).toISOString();
/** One call of so many is a write that was made. */
const WRITES = 4;

let written = 0;
const now = () => Math.floor(BEGAN + written * (DAYS * DAY_MS / ROWS));

/** A row of an agency's month: 8 clients of 6 persons work with 8 tokens on 40 sites; a page is changed now and then. */
function row(n: number): AuditRow {
  const id = `01BENCH${String(n).padStart(19, "0")}`;
  const token = n % 8;
  const site = (n * 7 + (n >> 3)) % 20 * 2 + token % 2;
  const tool = (n * 13 + (n >> 5)) % 30;
  const isWrite = n % WRITES === 0;
  const thing = (n >> 4) % 997;
  return {
    id,
    at: iso(now()),
    door: "mcp",
    request_id: id,
    token_id: `01BENCHTOKEN${String(token).padStart(14, "0")}`,
    token_name: `token ${token}`,
    client_id: `client-${(n >> 2) % 8}`,
    owner_user_id: `person-${(n >> 3) % 6}`,
    site_id: `site-${site}`,
    tool: `tool_number_${tool}`,
    tier: isWrite ? 1 : 0,
    arguments: n % 3 === 0 ? { path: `src/pages/${thing}.md` } : { post_id: thing },
    status: "ok",
    error: null,
    duration_ms: n % 40,
    ...isWrite
      ? { outcome: "made", result_id: thing, changes: [{ field: "title", from: "a", to: `b ${n}` }] }
      : {},
  };
}

const setback = (row: AuditRow): Setback => ({
  tool: row.tool,
  site_id: row.site_id!,
  destination: "bench",
  of: { post_id: row.result_id },
  values: { title: "what stood there before" },
  found: null,
});

async function fill(store: Store): Promise<void> {
  const work = async () => {
    while (written < ROWS) {
      const one = row(written++);
      const beside = one.outcome === undefined ? undefined : await store.changes.begin({
        request_id: one.request_id,
        site_id: one.site_id!,
        grant: one.token_id,
        setbacks: [setback(one)],
      });
      await store.audit.append(one, beside ?? undefined);
    }
  };
  await Promise.all(Array.from({ length: APPENDERS }, work));
}

const SITE = "site-2";
const TOKEN = `01BENCHTOKEN${"0".padStart(14, "0")}`;
const day = BEGAN + (DAYS - 2) * DAY_MS;

/** What may be given; every page is of a site. */
const FILTERS: Readonly<Record<string, ChangeQuery>> = {
  date: { from: iso(day), to: iso(day + DAY_MS) },
  since: { from: iso(BEGAN + 10 * DAY_MS) },
  person: { owner_user_id: "person-2" },
  client: { client_id: "client-3" },
  tool: { tool: "tool_number_4" },
  post: { id: "500" },
  path: { path: "src/pages/501.md" },
  "own token": { token_id: TOKEN },
  "a token by name": { token_name: "token 0" },
};

/** Every query: none, one and two of them. */
function* queries(): Generator<readonly [name: string, query: ChangeQuery]> {
  const all = Object.entries(FILTERS);
  yield ["no filter", {}];
  for (const [at, [name, query]] of all.entries()) {
    yield [name, query];
    for (const [other, more] of all.slice(at + 1)) {
      if (!(name === "date" && other === "since")) yield [`${name}, ${other}`, { ...query, ...more }];
    }
  }
}

/** The rows: those of one filter, and of two the slowest. */
export function changeRows(): Promise<Line[]> {
  return inFolder(async (folder) => {
    const open = () =>
      openStore({
        path: `${folder}/store.sqlite3`,
        keys: [new Uint8Array(32)],
        siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
        tokenPrefix: "bench",
        now,
      });
    const filled = await open();
    await fill(filled);
    await filled.close();
    const store = await open();
    await store.audit.flush();
    const lines: (Line & { readonly work: number })[] = [];
    for (const [name, query] of queries()) {
      const times: number[] = [];
      let found = 0;
      const before = cpuUsage();
      for (let round = 0; round < ROUNDS; round++) {
        times.push(
          await timed(async () => {
            found = (await changePage(store, { ...query, site_id: SITE })).rows.length;
          }),
        );
      }
      const [cold = 0] = times;
      const { user, system } = cpuUsage(before);
      const work = (user + system) / 1000 / ROUNDS;
      lines.push({
        name,
        work,
        figure: ms(median(times)),
        beside: `${ms(work)} of the processors, ${ms(cold)} the first time; ${found} changes`,
        aim: "50 ms",
      });
    }
    assert.ok(lines.some(({ beside }) => beside.includes(" 10 changes")));
    await store.close();
    const pairs = lines.filter(({ name }) => name.includes(",")).sort((a, b) => b.work - a.work);
    return [...lines.filter(({ name }) => !name.includes(",")), ...pairs.slice(0, 10)];
  });
}
