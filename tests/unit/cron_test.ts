/** The clocks: when each is called, by UTC, whatever the time zone of the machine. */
import assert from "node:assert/strict";
import { makeUp, schedule } from "../../cron.ts";

Deno.test("retention, doubts, snapshots and tool catalogues are registered once each, the snapshots' first at 01:30 UTC", () => {
  const registered = new Map<string, string>();
  const calls: string[] = [];
  const real = Object.getOwnPropertyDescriptor(Deno, "cron")!;
  const works: (() => unknown)[] = [];
  const value = (name: string, when: string, work: () => unknown) => {
    registered.set(name, when);
    works.push(work);
  };
  Object.defineProperty(Deno, "cron", { value, configurable: true });
  try {
    const recurring = (name: string) => ({ run: () => Promise.resolve(void calls.push(name)) });
    const leased = (name: string) => ({ run: () => Promise.resolve(calls.push(name) > 0) });
    schedule({
      retention: recurring("retention"),
      doubts: recurring("doubts"),
      snapshots: leased("snapshots"),
      toolCatalogs: leased("tool catalogues"),
    });
  } finally {
    Object.defineProperty(Deno, "cron", real);
  }
  assert.deepEqual(Object.fromEntries(registered), {
    "audit retention": "30 * * * *",
    "audit doubts": "* * * * *",
    "daily snapshots": "30 1-23 * * *",
    "tool catalogues": "* * * * *",
  });
  for (const work of works) work();
  assert.deepEqual(calls, ["retention", "doubts", "snapshots", "tool catalogues"]);
});

Deno.test("what was missed is made up for at once, or when the lease that a killed process left has ended", async () => {
  for (const answers of [[true], [false, true], [false, false]]) {
    const seen: string[] = [];
    const left = [...answers];
    const missed = { run: () => Promise.resolve(seen.push("run") > 0 && left.shift()!) };
    await makeUp(missed, () => Promise.resolve(void seen.push("lease ended")));
    assert.deepEqual(seen, answers[0] ? ["run"] : ["run", "lease ended", "run"]);
  }
});
