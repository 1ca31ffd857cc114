/** `deno task test` and `deno task matrix`: run the tests of their tier, and close with the real counts on a plain line. */
import { CPU_S_MAX, dealt, isOver, type Took, tookBy } from "./run_plan.ts";

const ROOT = new URL("../", import.meta.url);

/** Folders whose tests need a real component: WordPress, a database, a browser, another program. */
const REAL = ["tests/companion/", "tests/real/"];
/** What a module elsewhere imports when it shows the same of a real component too; the matrix runs that part of it. */
const MIXED = /\/tier\.ts"/;

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
  "tests/tools/approved_test.ts": "changes every part of what each tool writes, between preview and write",
  "tests/tools/crm_odd_test.ts": "counts a location of 40,000 opportunities",
  "tests/tools/crm_worlds_test.ts":
    "asks twenty made-up locations with every tool, over several windows each",
  "tests/tools/static_trouble_test.ts": "writes a commit for each of 23 troubles at each of nine steps",
};
const SLOWEST_SHOWN = 10;

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

interface Run extends Counts {
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

/** The modules of a tier, dealt to its processes. */
async function entriesOf(tier: "test" | "matrix"): Promise<string[][]> {
  const all = (await Array.fromAsync(modulesIn("tests/"))).sort();
  const isReal = (path: string) => REAL.some((folder) => path.startsWith(folder));
  if (tier === "matrix") {
    const texts = await Promise.all(all.map((path) => Deno.readTextFile(new URL(path, ROOT))));
    return all.filter((path, at) => isReal(path) || MIXED.test(texts[at]!)).map((path) => [path]);
  }
  return dealt(all.filter((path) => !isReal(path)), await times());
}

/** What is known of how long modules take; what is gone or new does no harm. */
async function times(): Promise<Record<string, number>> {
  return JSON.parse(await Deno.readTextFile(new URL(TIMES, ROOT)));
}

async function runEntry(modules: readonly string[], tier: string, folder: string, at: number): Promise<Run> {
  const [report, times] = [`${folder}/${at}.xml`, `${folder}/${at}.json`];
  const began = performance.now();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--quiet", "--no-check", "--lock=tests/deno.lock", "--frozen", "--reporter=dot"],
      ...[`--junit-path=${report}`, "tests/entry.ts"],
    ],
    cwd: ROOT,
    env: { TEST_TIER: tier, TEST_MODULES: JSON.stringify(modules), TEST_CPU_FILE: times },
    stdin: "null",
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  const output = uncoloured(`${out}${err}`);
  const counts = countsOf(output) ?? { passed: 0, failed: 1, ignored: 0 }; // it ended before its end
  const read = (path: string) => Deno.readTextFile(path).catch(() => null);
  const [xml, spent] = [await read(report), await read(times)];
  return {
    ...counts,
    code,
    output: output.replace(/^[.,!]\n/gm, ""),
    seconds: (performance.now() - began) / 1000,
    took: spent === null ? [] : tookBy(JSON.parse(spent), xml ?? ""),
  };
}

/** Runs a whole tier and tells of each process as it ends. Answers the exit code. */
async function runTier(tier: "test" | "matrix", keepsTimes = false): Promise<number> {
  const entries = await entriesOf(tier);
  const folder = await Deno.makeTempDir();
  const runs: Run[] = [];
  const waiting = entries.map((modules, at) => async () => {
    const run = await runEntry(modules, tier, folder, at);
    runs.push(run);
    const what = modules.length === 1 ? modules[0] : `${modules.length} modules`;
    if (run.code !== 0) say(run.output);
    say(`${what}: ${run.passed} passed, ${run.failed} failed, ${run.seconds.toFixed(1)} s`);
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
  const skipped = sum("ignored") ? `, ${sum("ignored")} skipped` : "";
  say(`${sum("passed")} passed, ${sum("failed") + slow} failed${skipped}`);
  return slow > 0 || runs.some(({ code }) => code !== 0) ? 1 : 0;
}

/** Names the modules that took most. Answers how many take more than they may, also by themselves. */
async function tooSlow(runs: readonly Run[], folder: string): Promise<number> {
  const took = runs.flatMap((run) => run.took).toSorted((a, b) => b.cpu_s - a.cpu_s);
  say(`The ${SLOWEST_SHOWN} modules that took most processor time:`);
  for (const { path, cpu_s } of took.slice(0, SLOWEST_SHOWN)) say(`  ${cpu_s.toFixed(1)} s  ${path}`);
  let over = 0;
  for (const { path } of took.filter((one) => isOver(one) && !Object.hasOwn(SLOW, one.path))) {
    const alone = await runEntry([path], "test", folder, runs.length);
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
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--quiet", "--no-check", "--lock=tests/deno.lock", "--frozen", ...paths],
    cwd: ROOT,
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
