/** The clocks: when each is called, by UTC, whatever the time zone of the machine. */
import assert from "node:assert/strict";
import { makeUp, schedule } from "../../../gateway/clocks.ts";
import { registeredBy } from "../../cron_kit.ts";

const nothing = { run: () => Promise.resolve() };
const idle = { run: () => Promise.resolve(true), takeOver: () => Promise.resolve(false) };
const log = () => {};
const well = { retry: () => Promise.resolve() };

Deno.test("retention, doubts, erasures, approvals, webhooks, snapshots and tool catalogues are registered once each, the snapshots' first at 01:30 UTC", async () => {
  const calls: string[] = [];
  const recurring = (name: string) => ({ run: () => Promise.resolve(void calls.push(name)) });
  const leased = (name: string) => ({ run: () => Promise.resolve(calls.push(name) > 0) });
  const clocked = {
    retention: recurring("retention"),
    doubts: recurring("doubts"),
    counted: recurring("counted refusals"),
    erasing: recurring("erasures"),
    approvals: recurring("approvals"),
    webhooks: recurring("webhooks"),
    snapshots: {
      ...leased("snapshots"),
      takeOver: () => Promise.resolve(calls.push("snapshots taken over") > 0),
    },
    toolCatalogs: leased("tool catalogues"),
    watch: recurring("vendor watch"),
    anchoring: recurring("audit anchor"),
    jobs: { retry: recurring("failed jobs").run },
    log,
  };
  const registered = registeredBy(() => schedule(clocked, { wait: () => Promise.resolve() }));
  assert.deepEqual(Object.fromEntries([...registered].map(([name, { when }]) => [name, when])), {
    "audit retention": "30 * * * *",
    "audit doubts": "* * * * *",
    "counted refusals": "* * * * *",
    erasures: "* * * * *",
    approvals: "* * * * *",
    webhooks: "* * * * *",
    "daily snapshots": "30 1-23 * * *",
    "snapshots taken over": "*/2 * * * *",
    "audit anchor": "5 0 * * *",
    "failed jobs": "*/2 * * * *",
    "vendor watch": "0 6 * * *",
    "tool catalogues": "* * * * *",
  });
  for (const { work } of registered.values()) await work();
  assert.deepEqual(calls, [
    "retention",
    "doubts",
    "counted refusals",
    "erasures",
    "approvals",
    "webhooks",
    "snapshots",
    "snapshots taken over",
    "audit anchor",
    "failed jobs",
    "vendor watch",
    "tool catalogues",
  ]);
});

Deno.test("a job that fails past what it says itself is a line in the log, and fails nothing else", async () => {
  const fails = { run: () => Promise.reject(new Error("it could not be loaded")) };
  const logged: unknown[] = [];
  const snapshots = { ...fails, takeOver: fails.run };
  const clocked = {
    retention: fails,
    doubts: fails,
    counted: fails,
    erasing: fails,
    approvals: fails,
    webhooks: fails,
    snapshots,
    toolCatalogs: fails,
    watch: fails,
    anchoring: fails,
    jobs: { retry: fails.run },
  };
  const log = (event: Record<string, unknown>) => void logged.push(event);
  const registered = registeredBy(() => schedule({ ...clocked, log }, { wait: () => Promise.resolve() }));
  for (const { work } of registered.values()) await work();
  const cause = "Error: it could not be loaded";
  assert.deepEqual(logged, [...registered.keys()].map((job) => ({ event: "job_failed", job, cause })));
});

Deno.test("nights of several gateways begin apart, within a minute, and each waits for its own", async () => {
  const waits: number[] = [];
  let [begun, isOver] = [0, false];
  const snapshots = { ...idle, run: () => Promise.resolve(isOver && ++begun > 0) };
  const wait = async (ms: number) => {
    waits.push(ms);
    isOver = false;
    await Promise.resolve();
    isOver = true;
  };
  for (let gateway = 0; gateway < 40; gateway++) {
    const clocked = {
      retention: nothing,
      doubts: nothing,
      counted: nothing,
      erasing: nothing,
      approvals: nothing,
      webhooks: nothing,
      snapshots,
      toolCatalogs: idle,
      watch: nothing,
      anchoring: nothing,
      jobs: well,
      log,
    };
    await registeredBy(() => schedule(clocked, { wait })).get("daily snapshots")!.work();
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
