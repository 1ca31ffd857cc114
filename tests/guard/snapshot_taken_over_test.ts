/** A snapshot run whose process was killed: who goes on with it, when, and with what. */
import assert from "node:assert/strict";
import { until } from "../e2e/running.ts";
import { BehaviorWorld, linked, MIDNIGHT } from "../tools/_behavior.ts";
import { folder } from "../unit/store/kit.ts";

const MINUTE = 60_000;
/** 01:30 UTC of the tests' day, whose snapshots are of the day before. */
const DUE = MIDNIGHT + 90 * MINUTE;
const DATE = "2026-11-20";

Deno.test("a run that was killed is taken over by another instance once its lease is over, and what failed is left to its hour", async () => {
  await using place = await folder();
  const settings = { kvPath: `${place.path}/kv.sqlite3` };
  await using at = await BehaviorWorld.open({ settings });
  const ids = Array.from({ length: 9 }, (_, n) => `site-${n}`);
  await at.add(...ids.map((id) => linked(at.clarity, id)));
  await using second = await BehaviorWorld.open({ settings, standIn: at.clarity, second: true });
  const { snapshots } = second.gw.gateway;
  const runs = () => second.gw.store.snapshots.runs("clarity", DATE, DATE);
  const kept = (id: string) => second.gw.store.snapshots.list("clarity", id, DATE, DATE);
  second.gw.clock.now = DUE;
  assert.equal(await snapshots.takeOver(), false, "nothing was begun");
  at.clarity.inject({ kind: "answer", status: 503, body: "busy" }, { times: 1 });
  const { sites } = at.gw.store;
  const secret = sites.secret.bind(sites);
  const [hung, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  let begun = 0;
  sites.secret = async (...args) => {
    if (++begun < 4) return await secret(...args);
    if (begun === 7) hung.resolve(); // three are done, and each of the four at work has hung
    return await killed.promise;
  };
  const dead = at.night(DUE);
  await hung.promise;
  await until(async () => (await runs())[0]!.ok + (await runs())[0]!.failed === 3, 5000);
  const [begunRun] = await runs();
  assert.deepEqual([begunRun!.ok, begunRun!.failed, begunRun!.ended_at], [2, 1, null]);
  assert.equal(await snapshots.takeOver(), false, "it still has the lease");
  const before = at.clarity.requests.length;
  second.gw.clock.now = DUE + 2 * MINUTE;
  assert.equal(await snapshots.takeOver(), true);
  const [, taken] = await runs();
  assert.deepEqual([taken!.ok, taken!.failed, taken!.ended_at !== null], [7, 0, true]);
  assert.equal(at.clarity.requests.length - before, taken!.ok, "each project that had not been tried, once");
  const found = (await Promise.all(["client", ...ids].map((id) => kept(id)))).flat();
  assert.equal(found.length, 10);
  assert.equal(found.filter(({ status, retry }) => status === "failed" && retry).length, 1);
  assert.equal(await snapshots.takeOver(), false, "it is over");
  killed.reject(new Error("the process is gone"));
  await dead;
});
