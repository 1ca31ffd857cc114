/** Two gateways on one PostgreSQL behind Caddy under load for minutes: what fails, what they hold, what is answered. */
import { startWordPressStandIn, type WordPressStandIn } from "../sandbox/wordpress_standin/start.ts";
import { addPost } from "../sandbox/wordpress_standin/state.ts";
import { type Caddy, hasCaddy, startCaddy } from "../tests/real/_caddy.ts";
import { Postgres } from "../tests/real/_postgres.ts";
import { type Gateway, inFolder, newSecrets, startGateway, THREE_SITES } from "./gateway.ts";
import { freePort, loadAverage, resident } from "./process.ts";
import { table } from "./table.ts";

const CALLERS = 8;
/** One call in so many is a write. */
const WRITE_EVERY = 50;
const WINDOW_MS = 30_000;
const MINUTES = 1;
const SITE = "stand-in";
/** Latencies are counted in steps of this many milliseconds, up to the last one. */
const STEP_MS = 0.1;
const STEPS = 100_000;

/** What stands while the load runs. */
interface Place {
  readonly gateways: readonly Gateway[];
  readonly caddy: Caddy;
  readonly cms: WordPressStandIn;
  readonly token: string;
  readonly master: string;
  /** A draft for each caller, so that no two writes are about one. */
  readonly drafts: readonly number[];
}

/** What was counted in some time. */
class Counts {
  calls = 0;
  writes = 0;
  /** Answers that were not as they should be, each with how often. */
  readonly errors = new Map<string, number>();
  readonly #steps = new Uint32Array(STEPS);

  add(ms: number, isWrite: boolean, error: string | null): void {
    this.calls++;
    if (isWrite) this.writes++;
    if (error !== null) this.errors.set(error, (this.errors.get(error) ?? 0) + 1);
    const step = Math.min(STEPS - 1, Math.floor(ms / STEP_MS));
    this.#steps[step] = this.#steps[step]! + 1;
  }

  get failures(): number {
    return this.errors.values().reduce((all, one) => all + one, 0);
  }

  /** In milliseconds. */
  percentile(share: number): number {
    let left = this.calls * share;
    const at = this.#steps.findIndex((count) => (left -= count) <= 0);
    return at * STEP_MS;
  }
}

/** One call through Caddy; null, or what was wrong with its answer. */
async function call(
  { caddy, token }: Place,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  try {
    const response = await fetch(`${caddy.url}/api/v1/tools/${tool}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(args),
    });
    const text = await response.text();
    return text.startsWith('{"ok":true') ? null : `${tool}: ${response.status} ${text.slice(0, 200)}`;
  } catch (error) {
    return `${tool}: ${error}`;
  }
}

/** One caller, until it is over: reads, and now and then a write of a title that the draft did not have. */
async function caller(place: Place, nth: number, isOver: () => boolean, counts: () => Counts): Promise<void> {
  for (let n = nth * (WRITE_EVERY / CALLERS) | 0; !isOver(); n++) {
    const isWrite = n % WRITE_EVERY === 0;
    const began = performance.now();
    const error = isWrite
      ? await call(place, "update_draft", {
        ...{ site_id: SITE, post_id: place.drafts[nth], title: `Title ${n}`, confirm: true },
      })
      : await call(place, "list_sites", {});
    counts().add(performance.now() - began, isWrite, error);
  }
}

/** A row for each half minute, the last one perhaps shorter. */
async function driven(place: Place, minutes: number): Promise<{ rows: string[][]; all: Counts[] }> {
  const rows: string[][] = [];
  const all: Counts[] = [];
  let counts = new Counts();
  let isOver = false;
  const callers = place.drafts.map((_, nth) => caller(place, nth, () => isOver, () => counts));
  const began = performance.now();
  const end = began + minutes * 60_000;
  for (let since = began; since < end;) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(WINDOW_MS, end - since)));
    const now = performance.now();
    all.push(counts);
    rows.push(await rowOf(place, counts, { since: since - began, until: now - began }));
    place.cms.clear();
    counts = new Counts();
    since = now;
  }
  isOver = true;
  await Promise.all(callers);
  all.push(counts); // what was under way at the end
  return { rows, all };
}

async function rowOf(
  { gateways, caddy }: Place,
  counts: Counts,
  { since, until }: { since: number; until: number },
): Promise<string[]> {
  const held = await Promise.all([...gateways.map((one) => one.memoryMib()), resident(caddy.pid, "VmRSS")]);
  const s = (ms: number) => (ms / 1000).toFixed(0);
  return [
    `${s(since)} to ${s(until)} s`,
    Math.round(counts.calls * 1000 / (until - since)).toLocaleString("en"),
    String(counts.writes),
    String(counts.failures),
    `${counts.percentile(0.5).toFixed(1)} / ${counts.percentile(0.99).toFixed(1)} ms`,
    held.map((mib) => `${mib}`).join(" / "),
  ];
}

/** A stand-in of WordPress as it is registered, with a draft for each of so many callers. */
export async function siteOfDrafts(callers: number) {
  const cms = await startWordPressStandIn();
  cms.state.keeps_revisions = false; // kept for every write, they would slow the stand-in down
  const { username, application_password } = cms.users.admin;
  const site = {
    ...{ id: SITE, name: SITE, platform: "cms", base_url: cms.base_url },
    credentials: { cms: { username, application_password } },
  };
  const drafts = Array.from(
    { length: callers },
    (_, n) => addPost(cms.state, { type: "post", author: 2, title: `Draft ${n}` }).id,
  );
  return { cms, site, drafts, [Symbol.asyncDispose]: () => cms.stop() };
}

/** Starts all of it, in that folder. */
async function placed(folder: string, stack: AsyncDisposableStack): Promise<Place> {
  const server = stack.use(await Postgres.start({ settings: ["fsync=on"] }));
  const { cms, site, drafts } = stack.use(await siteOfDrafts(CALLERS));
  const ports = [freePort(), freePort()];
  const secrets = newSecrets();
  const env = {
    ...secrets,
    KV_PATH: await server.database(),
    DRAIN_SECONDS: "0",
    TRUSTED_PROXIES: "127.0.0.1",
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
  };
  const gateways: Gateway[] = [];
  for (const [at, port] of ports.entries()) {
    const sites = at === 0 ? [...THREE_SITES, site] : [];
    gateways.push(stack.use(await startGateway(folder, sites, { ...env, PORT: String(port) })));
  }
  const caddy = stack.use(startCaddy(folder, ports));
  const { token } = gateways[0]!;
  const place = { gateways, caddy, cms, token, master: secrets.MASTER_TOKEN, drafts };
  for (let tries = 0; await call(place, "list_sites", {}) !== null; tries++) {
    if (tries === 500) throw new Error("Caddy did not answer");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return place;
}

/** How many calls of tools each gateway has answered, and what the audit says of itself. */
async function looked({ gateways, master }: Place): Promise<string> {
  const headers = { authorization: `Bearer ${master}` };
  const calls = await Promise.all(gateways.map(async ({ url }) => {
    const text = await (await fetch(`${url}/admin/metrics`, { headers })).text();
    const counted = text.matchAll(
      /^gateway_calls_total\{[^}]*tool="(?:list_sites|update_draft)"[^}]*\} (\d+)/gm,
    );
    return counted.reduce((all, [, count]) => all + Number(count), 0);
  }));
  const { result } = await (await fetch(`${gateways[0]!.url}/admin/api/audit/verify`, { headers })).json();
  const shares = calls.map((one) => one.toLocaleString("en")).join(" and ");
  return `The gateways answered ${shares} calls; the audit is ${result.ok ? "whole" : "NOT WHOLE"}, ` +
    `${result.rows.toLocaleString("en")} rows.`;
}

/** The table of so many minutes; without Caddy or PostgreSQL, which it needs, a line with the reason. */
export async function twoInstancesTable(minutes = MINUTES): Promise<string> {
  if (!hasCaddy) return "Not measured: Caddy is not installed (wanted: caddy).";
  return await inFolder(async (folder) => {
    await using stack = new AsyncDisposableStack();
    const place = await placed(folder, stack);
    const before = loadAverage();
    const { rows, all } = await driven(place, minutes);
    const sum = (of: (counts: Counts) => number) => all.reduce((whole, one) => whole + of(one), 0);
    const errors = all.flatMap((one) => [...one.errors]).map(([what, often]) => `- ${often} times ${what}`);
    const head = ["", "calls a second", "writes", "errors", "p50 / p99", "MiB of the gateways / of Caddy"];
    return [
      table(head, rows),
      `${sum((one) => one.calls).toLocaleString("en")} calls over ${CALLERS} connections in ${minutes} ` +
      `minutes, ${sum((one) => one.writes).toLocaleString("en")} of them writes; ${
        sum((one) => one.failures)
      } ` +
      `errors. ${await looked(place)} Load of the machine before: ${before}; after: ${loadAverage()}.`,
      ...errors.length === 0 ? [] : [errors.join("\n")],
    ].join("\n\n");
  });
}
