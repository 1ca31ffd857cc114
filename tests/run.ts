/** `deno task test` and `deno task matrix`: run the tests of their tier, and close with the real counts on a plain line. */
import { CPU_S_MAX, dealt, isOver, type Took, tookBy } from "./run_plan.ts";
import {
  type Combination,
  COMBINATIONS,
  Engines,
  nameOf,
  NotHere,
  type Ready,
  VARIABLE,
  wholeOn,
} from "./wordpress.ts";

const ROOT = new URL("../", import.meta.url);

/** Folders whose tests need a real component: WordPress, a database, a browser, another program. */
const REAL = ["tests/companion/", "tests/real/"];
/** What a module elsewhere imports when it shows the same of a real component too; the matrix runs that part of it. */
const MIXED = /\/tier\.ts"/;

/** What runs on every WordPress and database of the matrix; everything runs on one of them in turn. */
const CORE = [
  "tests/companion/guarded_test.ts",
  "tests/real/content_history_test.ts",
  "tests/real/find_content_test.ts",
  "tests/real/live_test.ts",
  "tests/real/site_kinds_test.ts",
  "tests/real/tools_test.ts",
  "tests/real/traps_test.ts",
];

/** More processes at a time than processors, for some tests wait for timers and for processes of their own. */
const JOBS = Math.max(2, navigator.hardwareConcurrency * 2);

/** How long each module took that takes long, in seconds; `tests/run.ts times` writes it anew. */
const TIMES = "tests/times.json";
const TIMES_MIN_S = 1;

/** Modules that may take more processor time, with the reason. */
const SLOW: Readonly<Record<string, string>> = {
  "tests/attacks/counted_readers_test.ts": "counts with V8's coverage, under which no function is compiled",
  "tests/attacks/counted_rules_test.ts": "counts with V8's coverage, under which no function is compiled",
  "tests/attacks/deployed_branch_test.ts": "tries every argument of every tool that writes to a repository",
  "tests/attacks/tls_chaos_test.ts":
    "opens a world of TLS servers for each of 24 ways in which a connection fails",
  "tests/real/console_browser_test.ts":
    "opens every page of the console in a browser, filled and empty, on a phone and on a desk",
  "tests/people/sites_pages_test.ts": "makes ten thousand sites, each with its proof",
  "tests/people/tokens_pages_test.ts": "makes ten thousand sites, each with its proof",
  "tests/tools/approved_test.ts": "changes every part of what each tool writes, between preview and write",
  "tests/tools/crm_limits_test.ts":
    "reads locations of ten thousand opportunities by each way that pages end",
  "tests/tools/crm_odd_test.ts": "counts a location of 40,000 opportunities",
  "tests/tools/crm_worlds_test.ts":
    "asks twenty made-up locations with every tool, over several windows each",
  "tests/tools/requests_test.ts": "calls every tool on four kinds of site and counts what each call sends",
  "tests/tools/static_trouble_test.ts": "writes a commit for each of 23 troubles at each of nine steps",
};
const SLOWEST_SHOWN = 10;

/** What hangs is ended after that time, and counts as failed: it must not hold up all others. */
const PROCESS_MS_MAX = 20 * 60_000;

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

interface Run extends Counts {
  /** The WordPress and the database that it stood on, with their true versions. */
  readonly label?: string;
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
  readonly took: readonly Took[];
}

// deno-lint-ignore no-control-regex
const uncoloured = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, "");
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

/** The counts of a run, from the runner's own closing line, behind all that its tests printed; null when there is none. */
function countsOf(output: string): Counts | null {
  const lines = output.matchAll(
    /^(?:ok|FAILED) \| (\d+) passed.*\| (\d+) failed(?:.*\| (\d+) ignored)?.*$/gm,
  );
  const line = [...lines].at(-1);
  if (!line) return null;
  return { passed: Number(line[1]), failed: Number(line[2]), ignored: Number(line[3] ?? 0) };
}

async function* modulesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) yield* modulesIn(`${folder}${name}/`);
    else if (/_test\.tsx?$/.test(name)) yield `${folder}${name}`;
  }
}

/** The modules of a process, what its line calls them where they are several, and what they stand on. */
interface Entry {
  readonly modules: readonly string[];
  readonly what?: string;
  ready?(): Promise<Ready>;
}

const plainly = (modules: readonly string[]): Entry => ({ modules });

/** How many commits led to this one; 0 where git does not tell. */
async function commits(): Promise<number> {
  const command = new Deno.Command("git", {
    args: ["rev-list", "--count", "HEAD"],
    cwd: ROOT,
    stderr: "null",
  });
  const { stdout } = await command.output();
  return Number(new TextDecoder().decode(stdout)) || 0;
}

/** The core on a combination. */
function coreOn(one: Combination, engines: Engines): Entry {
  return { modules: CORE, what: `the core on ${nameOf(one)}`, ready: () => engines.ready(one) };
}

/** The processes of the matrix: the core on each combination but one, everything on that one. */
async function matrixEntries(all: readonly string[], engines: Engines, skipped: string[]): Promise<Entry[]> {
  const chosen = wholeOn(Deno.env.get(VARIABLE), await commits());
  let whole = chosen;
  const ready = await engines.ready(chosen).catch(async (thrown) => {
    if (!(thrown instanceof NotHere)) throw thrown;
    skipped.push(`not run: everything on ${nameOf(chosen)}: ${thrown.message}`);
    whole = COMBINATIONS[0]!;
    return await engines.ready(whole);
  });
  say(`Everything runs on ${ready.label}, the core of it on the others (${VARIABLE}="${nameOf(whole)}")`);
  return [
    ...COMBINATIONS.filter((one) => one !== whole && one !== chosen).map((one) => coreOn(one, engines)),
    ...all.map((path): Entry => ({ modules: [path], ready: () => Promise.resolve(ready) })),
  ];
}

/** The modules of a tier, dealt to its processes; what of them cannot run here goes into `skipped`. */
async function entriesOf(tier: "test" | "matrix", engines: Engines, skipped: string[]): Promise<Entry[]> {
  const all = (await Array.fromAsync(modulesIn("tests/"))).sort();
  const isReal = (path: string) => REAL.some((folder) => path.startsWith(folder));
  if (tier === "matrix") {
    const texts = await Promise.all(all.map((path) => Deno.readTextFile(new URL(path, ROOT))));
    const real = all.filter((path, at) => isReal(path) || MIXED.test(texts[at]!));
    return await matrixEntries(real, engines, skipped);
  }
  return dealt(all.filter((path) => !isReal(path)), await times()).map(plainly);
}

/** What is known of how long modules take; what is gone or new does no harm. */
async function times(): Promise<Record<string, number>> {
  return JSON.parse(await Deno.readTextFile(new URL(TIMES, ROOT)));
}

async function runEntry({ modules, ready }: Entry, tier: string, folder: string, at: number): Promise<Run> {
  const { env = {}, label } = await ready?.() ?? {};
  const [report, times] = [`${folder}/${at}.xml`, `${folder}/${at}.json`];
  const began = performance.now();
  const late = AbortSignal.timeout(PROCESS_MS_MAX);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--quiet", "--no-check", "--lock=tests/deno.lock", "--frozen", "--reporter=dot"],
      ...[`--junit-path=${report}`, "tests/entry.ts"],
    ],
    cwd: ROOT,
    env: { ...env, TEST_TIER: tier, TEST_MODULES: JSON.stringify(modules), TEST_CPU_FILE: times },
    stdin: "null",
    signal: late,
  }).output();
  if (late.aborted) say(`Ended after ${PROCESS_MS_MAX / 60_000} minutes: ${modules.join(", ")}`);
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  const output = uncoloured(`${out}${err}`);
  const counts = countsOf(output) ?? { passed: 0, failed: 1, ignored: 0 }; // it ended before its end
  const read = (path: string) => Deno.readTextFile(path).catch(() => null);
  const [xml, spent] = [await read(report), await read(times)];
  return {
    ...counts,
    code,
    label,
    output: output.replace(/^[.,!]\n/gm, ""),
    seconds: (performance.now() - began) / 1000,
    took: spent === null ? [] : tookBy(JSON.parse(spent), xml ?? ""),
  };
}

/** Runs a whole tier and tells of each process as it ends. Answers the exit code. */
async function runTier(tier: "test" | "matrix", keepsTimes = false): Promise<number> {
  await using engines = new Engines();
  const skipped: string[] = [];
  const entries = await entriesOf(tier, engines, skipped);
  const folder = await Deno.makeTempDir();
  const runs: Run[] = [];
  const waiting = entries.map((entry, at) => async () => {
    const { modules, what = modules.length === 1 ? modules[0] : `${modules.length} modules` } = entry;
    const run = await runEntry(entry, tier, folder, at).catch((thrown) => {
      if (thrown instanceof NotHere) return void skipped.push(`not run: ${what}: ${thrown.message}`);
      throw thrown;
    });
    if (run === undefined) return;
    runs.push(run);
    if (run.code !== 0) say(run.output);
    const on = entry.what && run.label ? ` (${run.label})` : "";
    say(`${what}${on}: ${run.passed} passed, ${run.failed} failed, ${run.seconds.toFixed(1)} s`);
  });
  let slow = 0;
  try {
    await Promise.all(Array.from({ length: JOBS }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
    }));
    if (tier === "test") slow = await tooSlow(runs, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  if (keepsTimes) await keepTimes(runs);
  const sum = (what: keyof Counts) => runs.reduce((all, run) => all + run[what], 0);
  for (const line of skipped) say(line);
  const left = sum("ignored") + skipped.length;
  say(`${sum("passed")} passed, ${sum("failed") + slow} failed${left ? `, ${left} skipped` : ""}`);
  return slow > 0 || runs.some(({ code }) => code !== 0) ? 1 : 0;
}

/** Names the modules that took most. Answers how many take more than they may, also by themselves. */
async function tooSlow(runs: readonly Run[], folder: string): Promise<number> {
  const took = runs.flatMap((run) => run.took).toSorted((a, b) => b.cpu_s - a.cpu_s);
  say(`The ${SLOWEST_SHOWN} modules that took most processor time:`);
  for (const { path, cpu_s } of took.slice(0, SLOWEST_SHOWN)) say(`  ${cpu_s.toFixed(1)} s  ${path}`);
  let over = 0;
  for (const { path } of took.filter((one) => isOver(one) && !Object.hasOwn(SLOW, one.path))) {
    const alone = await runEntry(plainly([path]), "test", folder, runs.length);
    if (!alone.took.some(isOver)) continue;
    over++;
    say(
      `${path} took more than ${CPU_S_MAX} s of processor time: make it lighter, or list it in tests/run.ts`,
    );
  }
  return over;
}

async function keepTimes(runs: readonly Run[]): Promise<void> {
  const long = runs.flatMap(({ took }) => took).filter(({ seconds }) => seconds >= TIMES_MIN_S);
  const rows = long.map(({ path, seconds }) => [path, Math.round(seconds)] as const)
    .toSorted(([a], [b]) => a < b ? -1 : 1);
  await Deno.writeTextFile(new URL(TIMES, ROOT), `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

async function runPaths(paths: readonly string[]): Promise<number> {
  await using engines = new Engines();
  const named = Deno.env.get(VARIABLE);
  const { env, label } = named ? await engines.ready(wholeOn(named, 0)) : { env: {}, label: null };
  if (label !== null) say(`On ${label}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--quiet", "--no-check", "--lock=tests/deno.lock", "--frozen", ...paths],
    cwd: ROOT,
    env,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    Deno.stdout.writeSync(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  const { code } = await child.status;
  const counts = countsOf(uncoloured(output));
  const { passed, failed, ignored } = counts ?? { passed: 0, failed: 1, ignored: 0 };
  say(`${passed} passed, ${failed} failed${ignored ? `, ${ignored} skipped` : ""}`);
  return code || (counts ? 0 : 1);
}

if (import.meta.main) {
  const [first, ...rest] = Deno.args;
  if (first === "matrix" && rest.length === 0) Deno.exit(await runTier("matrix"));
  if (first === "times" && rest.length === 0) Deno.exit(await runTier("test", true));
  Deno.exit(first === undefined ? await runTier("test") : await runPaths(Deno.args));
}
