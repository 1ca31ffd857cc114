/** The clocks: when each is called, by UTC, whatever the time zone of the machine. */
import assert from "node:assert/strict";
import { schedule } from "../../cron.ts";

Deno.test("retention, doubts and snapshots are registered once each, the snapshots' first at 01:30 UTC", () => {
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
    schedule({
      retention: recurring("retention"),
      doubts: recurring("doubts"),
      snapshots: recurring("snapshots"),
    });
  } finally {
    Object.defineProperty(Deno, "cron", real);
  }
  assert.deepEqual(Object.fromEntries(registered), {
    "audit retention": "30 * * * *",
    "audit doubts": "* * * * *",
    "daily snapshots": "30 1-23 * * *",
  });
  for (const work of works) work();
  assert.deepEqual(calls, ["retention", "doubts", "snapshots"]);
});
