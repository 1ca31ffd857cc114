/** Two processes on one store: what was missed while none ran is made up for at once, by one of them. */
import assert from "node:assert/strict";
import type { SnapshotReport } from "../../model.ts";
import { dueAt } from "../../rules/snapshot_days.ts";
import { startClarity } from "../../sandbox/clarity/start.ts";
import { inFolder, start, until } from "./running.ts";

const SITES = 12;
const DEADLINE_MS = 20_000;

Deno.test({
  name: "of two processes that start at once one makes the day's snapshots, each once",
  ignore: Date.now() < dueAt(Date.now()), // nothing is due before 01:30 UTC
  async fn() {
    await using clarity = startClarity({ latency: 20 });
    const env = { ...clarity.env, ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1" };
    await inFolder(async (folder) => {
      {
        await using before = start(folder, env);
        for (let at = 0; at < SITES; at++) {
          const { id, token } = clarity.project(`p-${at}`);
          const credentials = { behavior: { export_token: token } };
          const site = {
            id: `s-${at}`,
            name: `Site ${at}`,
            platform: "crm",
            behavior_project_id: id,
            credentials,
          };
          await before.admin("POST", "/sites", site);
        }
        before.kill("SIGTERM");
        assert.equal((await before.ended).code, 0);
      }
      assert.equal(clarity.requests.length, 0);
      await using one = start(folder, env);
      await using two = start(folder, env);
      const report = async () => await two.admin<SnapshotReport>("GET", "/snapshots?days=1");
      await until(async () => (await report()).complete, DEADLINE_MS);
      const { runs } = await report();
      assert.deepEqual([runs.length, runs[0]!.due, runs[0]!.ok], [1, SITES, SITES]);
      assert.equal(clarity.requests.length, SITES);
      for (const process of [one, two]) process.kill("SIGTERM");
      const ended = await Promise.all([one.ended, two.ended]);
      assert.deepEqual(ended.map(({ code }) => code), [0, 0]);
      const told = ended.map(({ stdout, stderr }) => stdout + stderr).join("");
      assert.equal(told.match(/"event":"snapshots"/g)?.length, 1);
      for (const { headers } of clarity.requests) {
        assert.ok(!told.includes(headers["authorization"]!.slice("Bearer ".length)), "no token is logged");
      }
    });
  },
});
