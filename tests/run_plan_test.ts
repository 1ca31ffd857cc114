/** Modules are dealt so that no process is alone at the end, and none is too slow because the machine is busy. */
import assert from "node:assert/strict";
import type { Mark } from "./processor_time.ts";
import { CPU_S_MAX, dealt, isOver, tookBy } from "./run_plan.ts";
import { COMBINATIONS, Engines, nameOf, NotHere, wholeOn } from "./wordpress.ts";

Deno.test("each module is dealt once, and the processes last as long as their share, whatever takes long", () => {
  const all = Array.from({ length: 400 }, (_, n) => `tests/${n}_test.ts`);
  const seconds = Object.fromEntries(all.slice(0, 40).map((path, n) => [path, n + 1]));
  const apart = ["tests/attacks/counted_rules_test.ts", "tests/e2e/alone_test.ts", "tests/e2e/tasks_test.ts"];
  const [copying, counted, ...rest] = dealt([...all, ...apart], seconds);
  assert.deepEqual([copying, counted], [apart.slice(1).toReversed(), [apart[0]]]);
  assert.deepEqual(rest.flat().toSorted(), all.toSorted());
  const lasts = rest.map((paths) => paths.reduce((sum, path) => sum + (seconds[path] ?? 0.5), 0));
  const [longest, shortest] = [lasts[0]!, lasts.at(-1)!];
  assert.ok(Math.abs(longest / shortest - 3) < 0.2, String(lasts));
});

/** What a process leaves that ran two modules of two tests, the second with that much processor time for each test. */
function spent(cpu_ms: number, slower: readonly (number | null)[]) {
  const cpu = [0, 100, 200, 200 + cpu_ms, 200 + 2 * cpu_ms];
  const marks = cpu.map((one, at): Mark => ({ cpu_ms: one, at_ms: 2 * one, slower: slower[at] ?? null }));
  return { modules: [{ path: "a", tests: 2 }, { path: "b", tests: 2 }], marks };
}

Deno.test("a module is over the bound by what it takes on a quiet machine", () => {
  const rows: readonly (readonly [cpu_ms: number, slower: readonly (number | null)[], over: boolean])[] = [
    [2400, [1], false],
    [2600, [1], true],
    [2600, [1, null, 1, 0.5, 1], true],
    // It is the time beside the module that counts, not that of other modules of the process.
    [2600, [3, null, 1, 1, 1], true],
    [2600, [1, null, 1.4, 1.4, 1.5], false],
    [3600, [1, null, 1.4, 1.4, 1.5], true],
    [2600, [1, null, null, 9, 1], true],
  ];
  for (const [cpu_ms, slower, over] of rows) {
    const [, took] = tookBy(spent(cpu_ms, slower), "");
    assert.deepEqual([took!.path, took!.cpu_s], ["b", cpu_ms / 500]);
    assert.equal(isOver(took!), over, `${cpu_ms} ms where the reference took ${slower}`);
  }
  assert.equal(CPU_S_MAX, 5);
});

Deno.test("tests that are ignored take no mark of those after them", () => {
  const report = '<testcase name="x" classname="./a" time="0">\n<skipped/></testcase>';
  const [a, b] = tookBy(spent(1000, [1]), report);
  assert.deepEqual([a!.cpu_s, b!.cpu_s], [0.1, 1.1]);
});

Deno.test("everything runs on each WordPress and database in turn, or on the one that is named", () => {
  const turn = Array.from({ length: COMBINATIONS.length }, (_, n) => nameOf(wholeOn(undefined, 700 + n)));
  assert.deepEqual(new Set(turn), new Set(COMBINATIONS.map(nameOf)));
  assert.equal(turn.length, 6);
  assert.deepEqual(wholeOn("", 1), COMBINATIONS[1]);
  assert.deepEqual(wholeOn("6.8 mariadb", 0), { version: "6.8", database: "mariadb" });
  assert.throws(
    () => wholeOn("7.1", 0),
    /TEST_WORDPRESS: "7\.1" is not one of 6\.5 sqlite, .*newest mariadb$/,
  );
});

Deno.test("a version that cannot be had is asked for once, and said to be lacking; the one of npm is always there", async () => {
  const asked: string[] = [];
  await using engines = new Engines((version) => {
    asked.push(version);
    return Promise.reject(new NotHere(`no packages of ${version}`));
  });
  for (let time = 0; time < 2; time++) {
    await assert.rejects(
      engines.ready({ version: "newest", database: "sqlite" }),
      /^Error: no packages of newest$/,
    );
  }
  assert.deepEqual(asked, ["newest"]);
  const { env, label } = await engines.ready({ version: "6.5", database: "sqlite" });
  assert.deepEqual([env, label], [{}, "WordPress 6.5 on SQLite"]);
});
