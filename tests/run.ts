/** `deno task test` and `deno task matrix`: run the tests of their tier, and close with the real counts on a plain line. */
import process from "node:process";
import type { Spent } from "./processor_time.ts";

const ROOT = new URL("../", import.meta.url);

/** Folders whose tests need a real component: WordPress, a database, a browser, another program. */
const REAL = ["tests/companion/", "tests/real/"];
/** What a module elsewhere imports when it shows the same of a real component too; the matrix runs that part of it. */
const MIXED = /\/tier\.ts"/;

/** Processes that `deno task test` deals its modules to: few, for each loads the whole service. */
const ENTRIES = 8;
/** What counts with V8's coverage looks through all that is loaded each time: in a process of its own that is little. */
const APART = ["tests/attacks/counted_readers_test.ts", "tests/attacks/counted_rules_test.ts"];
/** More processes at a time than processors, for some tests wait for timers and for processes of their own. */
const JOBS = Math.max(2, navigator.hardwareConcurrency * 2);

/** Processor time that a module may take, in milliseconds, on a machine that does the reference work in REFERENCE_MS. */
const CPU_MS_MAX = 5000;
const REFERENCE_MS = 75;
/** Modules that may take more, with the reason. */
const SLOW: Readonly<Record<string, string>> = {
  "tests/attacks/counted_readers_test.ts": "counts with V8's coverage, under which no function is compiled",
  "tests/attacks/counted_rules_test.ts": "counts with V8's coverage, under which no function is compiled",
  "tests/attacks/deployed_branch_test.ts": "tries every argument of every tool that writes to a repository",
  "tests/attacks/tls_chaos_test.ts":
    "opens a world of TLS servers for each of 24 ways in which a connection fails",
  "tests/tools/approved_test.ts": "changes every part of what each tool writes, between preview and write",
  "tests/tools/static_trouble_test.ts": "writes a commit for each of 22 troubles at each of eight steps",
};
const SLOWEST_SHOWN = 10;

/** Processor time of work that is always the same, in milliseconds: a slower machine may take longer for a module too. */
function referenceMs(): number {
  const before = process.cpuUsage();
  for (let round = 0; round < 60; round++) {
    const rows = Array.from(
      { length: 2000 },
      (_, n) => ({ id: n, name: `row ${n * round}`, tags: [n, round] }),
    );
    for (const { name } of JSON.parse(JSON.stringify(rows))) /\d+$/.exec(name);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

interface Run extends Counts {
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
  /** Milliseconds of processor time by module. */
  readonly spent: ReadonlyMap<string, number>;
}

// deno-lint-ignore no-control-regex
const uncoloured = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, "");
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

/** The counts of a run, from the runner's own closing line; null when it printed none. */
export function countsOf(output: string): Counts | null {
  const line = /^(?:ok|FAILED) \| (\d+) passed.*\| (\d+) failed(?:.*\| (\d+) ignored)?.*$/m.exec(output);
  if (!line) return null;
  return { passed: Number(line[1]), failed: Number(line[2]), ignored: Number(line[3] ?? 0) };
}

/** Processor time by module; ignored tests are told by the report, for no mark follows them. */
export function spentBy({ modules, marks }: Spent, report: string): Map<string, number> {
  const ignored = new Map<string, number>();
  for (const [, path] of report.matchAll(/<testcase [^>]*classname="\.?\/?([^"]*)"[^>]*>\s*<skipped/g)) {
    ignored.set(path!, (ignored.get(path!) ?? 0) + 1);
  }
  let at = 0;
  return new Map(modules.map(({ path, tests }) => {
    const first = at;
    at = Math.min(at + tests - (ignored.get(path) ?? 0), marks.length - 1);
    return [path, marks[at]! - marks[first]!];
  }));
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
  const entries = Array.from({ length: ENTRIES }, (): string[] => []);
  const dealt = all.filter((path) => !isReal(path) && !APART.includes(path));
  dealt.forEach((path, at) => entries[at % ENTRIES]!.push(path));
  return [APART, ...entries];
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
    spent: spentBy(spent === null ? { modules: [], marks: [0] } : JSON.parse(spent), xml ?? ""),
  };
}

/** Runs a whole tier and tells of each process as it ends. Answers the exit code. */
async function runTier(tier: "test" | "matrix"): Promise<number> {
  const entries = await entriesOf(tier);
  const atFirst = referenceMs();
  const folder = await Deno.makeTempDir();
  const runs: Run[] = [];
  const waiting = entries.map((modules, at) => async () => {
    const run = await runEntry(modules, tier, folder, at);
    runs.push(run);
    const what = modules.length === 1 ? modules[0] : `${modules.length} modules`;
    if (run.code !== 0) say(run.output);
    say(`${what}: ${run.passed} passed, ${run.failed} failed, ${run.seconds.toFixed(1)} s`);
  });
  try {
    await Promise.all(Array.from({ length: JOBS }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const slow = toldOf(runs, tier, Math.max(1, atFirst / REFERENCE_MS, referenceMs() / REFERENCE_MS));
  const sum = (what: keyof Counts) => runs.reduce((all, run) => all + run[what], 0);
  const skipped = sum("ignored") ? `, ${sum("ignored")} skipped` : "";
  say(`${sum("passed")} passed, ${sum("failed") + slow} failed${skipped}`);
  return slow > 0 || runs.some(({ code }) => code !== 0) ? 1 : 0;
}

/** Names the modules that took longest. Answers how many took more than they may on a machine that is so much slower. */
function toldOf(runs: readonly Run[], tier: "test" | "matrix", slower: number): number {
  const spent = runs.flatMap((run) => [...run.spent]).sort(([, a], [, b]) => b - a);
  say(`The ${SLOWEST_SHOWN} modules that took most processor time:`);
  for (const [path, ms] of spent.slice(0, SLOWEST_SHOWN)) say(`  ${(ms / 1000).toFixed(1)} s  ${path}`);
  if (tier === "matrix") return 0;
  const over = spent.filter(([path, ms]) => ms > CPU_MS_MAX * slower && !Object.hasOwn(SLOW, path));
  for (const [path] of over) {
    say(
      `${path} took more than ${
        CPU_MS_MAX / 1000
      } s of processor time: make it lighter, or list it in tests/run.ts`,
    );
  }
  return over.length;
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
  Deno.exit(first === undefined ? await runTier("test") : await runPaths(Deno.args));
}
