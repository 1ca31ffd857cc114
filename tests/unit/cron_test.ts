/** The clocks: when each is called, by UTC, whatever the time zone of the machine. */
import assert from "node:assert/strict";
import { makeUp, schedule } from "../../cron.ts";

/** What registering the clocks calls, by name. */
function registeredBy(register: () => void): Map<string, { when: string; work: () => unknown }> {
  const registered = new Map<string, { when: string; work: () => unknown }>();
  const real = Object.getOwnPropertyDescriptor(Deno, "cron")!;
  const value = (name: string, when: string, work: () => unknown) =>
    void registered.set(name, { when, work });
  Object.defineProperty(Deno, "cron", { value, configurable: true });
  try {
    register();
  } finally {
    Object.defineProperty(Deno, "cron", real);
  }
  return registered;
}

const nothing = { run: () => Promise.resolve() };
const idle = { run: () => Promise.resolve(true) };

Deno.test("retention, doubts, snapshots and tool catalogues are registered once each, the snapshots' first at 01:30 UTC", async () => {
  const calls: string[] = [];
  const recurring = (name: string) => ({ run: () => Promise.resolve(void calls.push(name)) });
  const leased = (name: string) => ({ run: () => Promise.resolve(calls.push(name) > 0) });
  const clocked = {
    retention: recurring("retention"),
    doubts: recurring("doubts"),
    snapshots: leased("snapshots"),
    toolCatalogs: leased("tool catalogues"),
  };
  const registered = registeredBy(() => schedule(clocked, () => Promise.resolve()));
  assert.deepEqual(Object.fromEntries([...registered].map(([name, { when }]) => [name, when])), {
    "audit retention": "30 * * * *",
    "audit doubts": "* * * * *",
    "daily snapshots": "30 1-23 * * *",
    "tool catalogues": "* * * * *",
  });
  for (const { work } of registered.values()) await work();
  assert.deepEqual(calls, ["retention", "doubts", "snapshots", "tool catalogues"]);
});

Deno.test("nights of several gateways begin apart, within a minute, and each waits for its own", async () => {
  const waits: number[] = [];
  let [begun, isOver] = [0, false];
  const snapshots = { run: () => Promise.resolve(isOver && ++begun > 0) };
  const wait = async (ms: number) => {
    waits.push(ms);
    isOver = false;
    await Promise.resolve();
    isOver = true;
  };
  for (let gateway = 0; gateway < 40; gateway++) {
    const clocked = { retention: nothing, doubts: nothing, snapshots, toolCatalogs: idle };
    await registeredBy(() => schedule(clocked, wait)).get("daily snapshots")!.work();
  }
  assert.equal(begun, 40, "none before its wait was over");
  assert.ok(waits.every((ms) => ms >= 0 && ms < 60_000), `${waits}`);
  assert.ok(new Set(waits).size > 30, `${waits}`);
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
