/** How much processor time each test module takes, and how slow the machine is meanwhile: what an entry imports its modules through. */
import process from "node:process";

/** A module of an entry. */
export interface Taken {
  readonly path: string;
  /** Its tests, ignored ones included. */
  tests: number;
}

/** A moment between two tests. */
export interface Mark {
  /** Processor time of the process so far, in milliseconds. */
  readonly cpu_ms: number;
  readonly at_ms: number;
  /** How many times as long the reference work took as on a quiet machine; null where it was not done just then. */
  readonly slower: number | null;
}

/** What an entry leaves in the file that TEST_CPU_FILE names. */
export interface Spent {
  readonly modules: readonly Taken[];
  /** Before the first test, then after each that was not ignored. */
  readonly marks: readonly Mark[];
}

/** Processor time of the reference work on a quiet machine, and how much the tests take between two of it. */
const REFERENCE_MS = 11;
const REFERENCE_EVERY_MS = 1000;

const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Work that is always the same: on a machine that is busy with other things it takes more processor time as well. */
function reference(): void {
  for (let round = 0; round < 9; round++) {
    const rows = Array.from(
      { length: 2000 },
      (_, n) => ({ id: n, name: `row ${n * round}`, tags: [n, round] }),
    );
    for (const { name } of JSON.parse(JSON.stringify(rows))) /\d+$/.exec(name);
  }
}

/** Takes marks; the reference work is no part of what it says of the tests. */
class Clock {
  #reference_ms = 0;
  #last = -Infinity;

  mark(): Mark {
    const cpu_ms = used() - this.#reference_ms;
    const mark = { cpu_ms, at_ms: performance.now() };
    if (cpu_ms - this.#last < REFERENCE_EVERY_MS) return { ...mark, slower: null };
    this.#last = cpu_ms;
    const before = used();
    reference();
    const took = used() - before;
    this.#reference_ms += took;
    return { ...mark, slower: took / REFERENCE_MS };
  }
}

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
  reference(); // the first time it is not compiled yet
  const clock = new Clock();
  const marks = [clock.mark()];
  Deno.test.afterEach(() => void marks.push(clock.mark()));
  const file = Deno.env.get("TEST_CPU_FILE");
  if (file === undefined) return;
  globalThis.addEventListener("unload", () => {
    Deno.writeTextFileSync(file, JSON.stringify({ modules, marks } satisfies Spent));
  });
}
