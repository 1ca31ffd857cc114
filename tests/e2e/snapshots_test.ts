/** Two processes on one store: what was missed while none ran is made up for at once, by one of them. */
import assert from "node:assert/strict";
import type { SnapshotReport } from "../../core/model.ts";
import { dueAt } from "../../rules/snapshot_days.ts";
import { type ClarityStandIn, startClarity } from "../../sandbox/clarity/start.ts";
import { gateway } from "../kit.ts";
import { linked } from "../tools/_behavior.ts";
import { inFolder, start, until } from "./running.ts";

const SITES = 12;
const DEADLINE_MS = 20_000;

/** Puts sites into the store of that folder, each linked to a project; no process has run on it. */
async function register(folder: string, clarity: ClarityStandIn): Promise<void> {
  const sites = Array.from({ length: SITES }, (_, at) => linked(clarity, `s-${at}`, `p-${at}`));
  await using _ = await gateway({ settings: { kvPath: `${folder}/gateway.sqlite3` }, sites });
}

Deno.test({
  name: "of two processes that start at once one makes the day's snapshots, each once",
  ignore: Date.now() < dueAt(Date.now()), // nothing is due before 01:30 UTC
  async fn() {
    await using clarity = startClarity({ latency: 20 });
    const env = { ...clarity.env, ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1" };
    await inFolder(async (folder) => {
      await register(folder, clarity);
      await using one = start(folder, env);
      await using two = start(folder, env);
      const report = async () => await two.admin<SnapshotReport>("GET", "/snapshots?days=1");
      await one.admin("GET", "/snapshots?days=1"); // one that is still starting is ended by a signal at once
      // The last snapshot is kept a moment before the run that made it is.
      await until(async () => (await report()).runs.some(({ ended_at }) => ended_at !== null), DEADLINE_MS);
      const { runs, complete } = await report();
      assert.ok(complete);
      assert.deepEqual([runs.length, runs[0]!.due, runs[0]!.ok], [1, SITES, SITES]);
      assert.equal(clarity.requests.length, SITES);
      for (const process of [one, two]) process.kill("SIGTERM");
      const ended = await Promise.all([one.ended, two.ended]);
      assert.deepEqual(ended.map(({ code }) => code), [0, 0]);
      const said = ended.map(({ stdout, stderr }) => stdout + stderr).join("");
      assert.equal(said.match(/"event":"snapshots"/g)?.length, 1);
      for (const { headers } of clarity.requests) {
        assert.ok(!said.includes(headers["authorization"]!.slice("Bearer ".length)), "no token is logged");
      }
    });
  },
});

Deno.test({
  name:
    "a process that is stopped in the middle of the day's snapshots leaves the rest to the next one, at once",
  ignore: Date.now() < dueAt(Date.now()),
  async fn() {
    await using clarity = startClarity();
    const env = { ...clarity.env, ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1" };
    await inFolder(async (folder) => {
      await register(folder, clarity);
      // The first four are answered, on connections that are kept; the next four wait when the signal comes.
      clarity.inject({ kind: "hang" }, { while: () => clarity.requests.length > 4 });
      {
        await using one = start(folder, env);
        await until(() => Promise.resolve(clarity.requests.length === 8), DEADLINE_MS);
        one.kill("SIGTERM");
        const { code, stderr } = await one.ended;
        assert.equal(code, 0);
        assert.match(stderr, /"event":"snapshots_stopped".*"ok":4,"empty":0,"failed":0/);
      }
      assert.equal(clarity.requests.length, 8, "what was cut off is not sent again");
      clarity.clearFaults();
      await using two = start(folder, env);
      const report = async () => await two.admin<SnapshotReport>("GET", "/snapshots?days=1");
      // A run is counted once it is over, which is after its last day is kept.
      const isOver = ({ complete, runs }: SnapshotReport) => complete && runs.at(-1)!.ok === SITES - 4;
      await until(async () => isOver(await report()), DEADLINE_MS);
      const { runs, sites } = await report();
      assert.deepEqual(runs.map(({ due, ok }) => [due, ok]), [[SITES, 4], [SITES - 4, SITES - 4]]);
      assert.ok(sites.every(({ days }) => days[0]!.attempts === 1), "the signal is no failure of a site");
      assert.equal(clarity.requests.length, 8 + SITES - 4);
    });
  },
});
