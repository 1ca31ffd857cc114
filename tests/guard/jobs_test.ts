/** What the gateway does on its clocks: a run that fails ends nothing, leaves a line, and its operator sees it until one goes well. */
import assert from "node:assert/strict";
import type { Gateway } from "../../gateway/wire.ts";
import type { JobReport } from "../../core/model.ts";
import { gateway, type Kit, MASTER } from "../kit.ts";

type Name = "retention" | "doubts" | "snapshots" | "toolCatalogs";

/** Each with its lease, what its operator reads of it, and what the log calls its failures. */
const JOBS: readonly [name: Name, lease: string, called: string, event: string][] = [
  ["retention", "audit-retention", "audit retention", "audit_retention_failed"],
  ["doubts", "audit-doubts", "audit doubts", "doubts_failed"],
  ["snapshots", "snapshots", "daily snapshots", "snapshots_failed"],
  ["toolCatalogs", "tool-catalogs", "tool catalogues", "tool_catalogs_failed"],
];

interface Health {
  readonly ok: boolean;
  readonly jobs: readonly JobReport[];
}

async function health(gw: Kit): Promise<Health> {
  const headers = { authorization: `Bearer ${MASTER}` };
  return (await (await gw.http("/admin/api/health", { headers })).json()).result;
}

/** A gateway whose leases are in the test's hands. */
async function opened() {
  const world: { hold?: (name: string) => Promise<boolean> | undefined } = {};
  const gw = await gateway({
    store: (real) => {
      const hold = real.leases.hold.bind(real.leases);
      const isHeld = real.leases.isHeld.bind(real.leases);
      const leases = {
        isHeld,
        hold: (...args: Parameters<typeof hold>) => world.hold?.(args[0]) ?? hold(...args),
      };
      return { ...real, leases };
    },
  });
  return { gw, world, [Symbol.asyncDispose]: () => gw[Symbol.asyncDispose]() };
}

const run = ({ gateway }: { gateway: Gateway }, name: Name) => gateway[name].run();
const at = (ms: number) => new Date(ms).toISOString();

Deno.test("a gateway that just started has failed at nothing", async () => {
  await using opening = await opened();
  const { ok, jobs } = await health(opening.gw);
  const none = { running_since: null, began_at: null, done_at: null, failing_since: null };
  const others = ["erasures", "approvals", "webhooks"].map((one) => [one, `${one}_failed`]);
  const anchor = ["audit anchor", "audit_anchor_failed"];
  const known = [...JOBS.map(([, , called, event]) => [called, event]), ...others, anchor];
  assert.deepEqual([ok, jobs], [true, known.map(([name, event]) => ({ name, ...none, event }))]);
});

for (const [name, lease, called, event] of JOBS) {
  Deno.test(`${called} that fail go on at the next turn, and are shown until a run goes well`, async () => {
    await using opening = await opened();
    const { gw, world } = opening;
    const job = async () => (await health(gw)).jobs.find((one) => one.name === called)!;
    const first = gw.clock.now;
    await run(gw, name);
    assert.deepEqual([(await job()).done_at, (await job()).failing_since], [at(first), null]);
    world.hold = (asked) => asked === lease ? Promise.reject(new TypeError("disk I/O error")) : undefined;
    for (const minutes of [1, 2]) {
      gw.clock.now = first + minutes * 60_000;
      await run(gw, name);
    }
    assert.deepEqual([(await job()).done_at, (await job()).failing_since], [at(first), at(first + 60_000)]);
    assert.equal((await health(gw)).ok, false);
    const lines = gw.logged.filter((line) => line.event === event);
    assert.deepEqual(lines, Array(2).fill({ event, cause: "TypeError: disk I/O error" }));
    world.hold = (asked) => asked === lease ? Promise.resolve(false) : undefined;
    await run(gw, name);
    assert.equal((await health(gw)).ok, false, "another that works says nothing of this one");
    delete world.hold;
    await run(gw, name);
    assert.deepEqual([(await job()).done_at, (await job()).failing_since], [at(gw.clock.now), null]);
    assert.equal((await health(gw)).ok, true);
  });
}

Deno.test("a run that does not end is shown, and is wrong after an hour", async () => {
  await using opening = await opened();
  const { gw, world } = opening;
  const ends = Promise.withResolvers<boolean>();
  world.hold = () => ends.promise;
  const began = gw.clock.now;
  const running = run(gw, "doubts");
  const doubts = async () => (await health(gw)).jobs.find(({ name }) => name === "audit doubts")!;
  assert.deepEqual([(await doubts()).running_since, (await health(gw)).ok], [at(began), true]);
  gw.clock.now += 3_600_001;
  assert.equal((await health(gw)).ok, false);
  ends.resolve(true);
  await running;
  assert.deepEqual([(await doubts()).running_since, (await health(gw)).ok], [null, true]);
});
