/** How `deno task test` deals its modules to processes, and which of them took too much processor time. */
import type { Mark, Spent } from "./processor_time.ts";

/** What counts with V8's coverage looks through all that is loaded each time: in a process of its own that is little. */
const APART = ["tests/attacks/counted_readers_test.ts", "tests/attacks/counted_rules_test.ts"];
/** What works in a copy of the project, which a process makes once. */
const COPYING = ["contributing", "tasks", "copies", "launch", "alone", "missing_permission", "downloads"]
  .map((name) => `tests/e2e/${name}_test.ts`);
/**
 * How much of the rest each process gets, as parts of it: the first ones begin together and load the service as rarely as
 * can be, the small ones after them end close to each other.
 */
const SHARES = [3, 3, 2, 2, 2, 1, 1, 1, 1];
/** What a module takes that was not measured, in seconds. */
const UNKNOWN_S = 0.5;

/** The modules of each process, in the order in which they start; `seconds` is how long each module took once. */
export function dealt(all: readonly string[], seconds: Readonly<Record<string, number>>): string[][] {
  const here = (wanted: readonly string[]) => wanted.filter((path) => all.includes(path));
  const lasts = (path: string) => seconds[path] ?? UNKNOWN_S;
  const entries = SHARES.map((share) => ({ share, lasts: 0, paths: [] as string[] }));
  const rest = all.filter((path) => !APART.includes(path) && !COPYING.includes(path));
  for (const path of rest.toSorted((a, b) => lasts(b) - lasts(a))) {
    const after = (entry: typeof entries[number]) => (entry.lasts + lasts(path)) / entry.share;
    const next = entries.reduce((least, entry) => after(entry) < after(least) ? entry : least);
    next.lasts += lasts(path);
    next.paths.push(path);
  }
  return [here(COPYING), here(APART), ...entries.map(({ paths }) => paths.toSorted())]
    .filter((paths) => paths.length > 0);
}

/** Processor time that a module may take, in seconds, on a quiet machine. */
export const CPU_S_MAX = 5;

/** What a module took. */
export interface Took {
  readonly path: string;
  /** Of processor time. */
  readonly cpu_s: number;
  readonly seconds: number;
  /** How many times as long the machine took for work that is always the same; 1 where it was quiet. */
  readonly slower: number;
}

/** What each module took; ignored tests are known by the report, for no mark follows them. */
export function tookBy({ modules, marks }: Spent, report: string): Took[] {
  const ignored = new Map<string, number>();
  for (const [, path] of report.matchAll(/<testcase [^>]*classname="\.?\/?([^"]*)"[^>]*>\s*<skipped/g)) {
    ignored.set(path!, (ignored.get(path!) ?? 0) + 1);
  }
  let at = 0;
  return modules.map(({ path, tests }) => {
    const first = at;
    at = Math.min(at + tests - (ignored.get(path) ?? 0), marks.length - 1);
    const [from, to] = [marks[first]!, marks[at]!];
    return {
      path,
      cpu_s: (to.cpu_ms - from.cpu_ms) / 1000,
      seconds: (to.at_ms - from.at_ms) / 1000,
      slower: slowerAround(marks, first, at),
    };
  });
}

/** The median of what was measured between those marks, and of the nearest on either side. */
function slowerAround(marks: readonly Mark[], first: number, last: number): number {
  const measured = marks.flatMap(({ slower }, at) => slower === null ? [] : [{ at, slower }]);
  const before = measured.findLast(({ at }) => at <= first);
  const after = measured.find(({ at }) => at >= last);
  const within = measured.filter(({ at }) => at > first && at < last);
  const all = [before, ...within, after].flatMap((one) => one ? [one.slower] : []).toSorted((a, b) => a - b);
  return Math.max(1, all[all.length >> 1] ?? 1);
}

/** Whether a module took more than it may, whatever else the machine did meanwhile. */
export const isOver = ({ cpu_s, slower }: Took): boolean => cpu_s > CPU_S_MAX * slower;
