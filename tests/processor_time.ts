/** How much processor time each test module takes: what an entry of `tests/run.ts` imports its modules through. */
import process from "node:process";

/** A module of an entry. */
export interface Taken {
  readonly path: string;
  /** Its tests, ignored ones included. */
  tests: number;
}

/** What an entry leaves in the file that TEST_CPU_FILE names. */
export interface Spent {
  readonly modules: readonly Taken[];
  /** Processor time of the process in milliseconds: before the first test, then after each that was not ignored. */
  readonly marks: readonly number[];
}

const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Imports the modules one after the other. The file is written when the process ends. */
export async function importAll(paths: readonly string[]): Promise<void> {
  const modules: Taken[] = [];
  // A trap that is undefined leaves the call as it was, so that a test's place in its file stays known.
  const test = new Proxy(Deno.test, {
    get apply() {
      modules.at(-1)!.tests++;
      return undefined;
    },
  });
  Object.assign(Deno, { test });
  for (const path of paths) {
    modules.push({ path, tests: 0 });
    await import(new URL(`../${path}`, import.meta.url).href);
  }
  const marks = [used()];
  Deno.test.afterEach(() => void marks.push(used()));
  const file = Deno.env.get("TEST_CPU_FILE");
  if (file === undefined) return;
  globalThis.addEventListener("unload", () => {
    Deno.writeTextFileSync(file, JSON.stringify({ modules, marks } satisfies Spent));
  });
}
