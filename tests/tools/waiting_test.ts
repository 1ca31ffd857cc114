/** Waiting within a call for a deployment or a content job: at once when it is over, rarely asking, and never too long. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { REPO } from "./_static.ts";
import { TOOL, world } from "./_deploy.ts";
import { TopicWorld } from "./_topicmap.ts";

const LOOK_SECONDS = LIMITS.UPSTREAM_LOOK_MS / 1000;

Deno.test("check_static_deploy waits for the end of a deployment, and answers at once when it is there", async () => {
  let passed = 0;
  let advance: (seconds: number) => void = () => {};
  await using here = await world({}, {
    delay: (ms) => {
      passed += ms / 1000;
      advance(ms / 1000);
      return Promise.resolve();
    },
  });
  const { at: { gw }, hosting } = here;
  advance = (seconds) => hosting.clock.advance(seconds);
  const { commit: commit_sha } = hosting.deploy("site", { branch: "main" });
  const ask = (wait_seconds: number) =>
    gw.call<{ status: string }>(TOOL, { site_id: "built", commit_sha, wait_seconds });
  const looks = () => hosting.requests.length;
  assert.equal((await ask(0)).status, "pending");
  assert.deepEqual([passed, looks()], [0, 1], "without wait_seconds nothing is waited for");
  assert.equal((await ask(20)).status, "building");
  assert.deepEqual(
    [passed, looks()],
    [20, 2 + 20 / LOOK_SECONDS],
    "a look at the beginning, and one each 4 s",
  );
  const { status } = await ask(40);
  assert.equal(status, "success");
  assert.ok(passed < 60, `answered ${passed} s after it began`);
  const before = [passed, looks()];
  assert.equal((await ask(40)).status, "success");
  assert.deepEqual([passed, looks()], [before[0], before[1]! + 1], "what is over is not waited for");
});

Deno.test("of what is not over the answer says how to wait on, and how long builds took lately", async () => {
  let advance: (seconds: number) => void = () => {};
  await using here = await world({}, {
    delay: (ms) => Promise.resolve(advance(ms / 1000)),
  });
  const { at: { gw }, hosting } = here;
  advance = (seconds) => hosting.clock.advance(seconds);
  const ask = (commit_sha: string, wait_seconds = 0) =>
    gw.call<{ status: string; note?: string; builds_took_seconds?: number }>(TOOL, {
      site_id: "built",
      commit_sha,
      wait_seconds,
    });
  const { commit: first } = hosting.deploy("site", { branch: "main" });
  const unknown = await ask(first);
  assert.equal("builds_took_seconds" in unknown, false);
  assert.match(
    unknown.note!,
    /^It is not over yet: call again with the same arguments and wait_seconds: 40$/,
  );
  while ((await ask(first, 40)).status !== "success");
  const looks = hosting.requests.length;
  const { commit: second } = hosting.deploy("site", { branch: "main" });
  const { note, builds_took_seconds } = await ask(second);
  assert.ok(builds_took_seconds! > 40 && builds_took_seconds! < 80, `${builds_took_seconds} s`);
  assert.match(note!, /newest builds took about \d\d s from the push to the end$/);
  assert.equal(hosting.requests.length, looks + 1, "nothing further is asked for that");
  while ((await ask(second, 40)).status !== "success");
  assert.equal("builds_took_seconds" in (await ask(second)), false);
});

Deno.test("who follows a call that waits is told of each look", async () => {
  await using here = await world({}, { delay: () => Promise.resolve() });
  const { at: { gw }, hosting } = here;
  const { commit: commit_sha } = hosting.deploy("site", { branch: "main" });
  const args = { site_id: "built", commit_sha, wait_seconds: 3 * LOOK_SECONDS };
  const params = { name: TOOL, arguments: args, _meta: { progressToken: "p" } };
  const response = await gw.http("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const events = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)));
  const told = events.slice(0, -1).map(({ params: { progress, total } }) => [progress, total]);
  assert.deepEqual(told, [1, 2, 3].map((look) => [look * LOOK_SECONDS, 3 * LOOK_SECONDS]));
  assert.equal(events.at(-1).result.isError, undefined);
});

Deno.test("check_static_deploy waits for no deployment that will not come", async () => {
  let waits = 0;
  await using here = await world({}, { delay: () => Promise.resolve(void waits++) });
  here.hosting.project("site", { repo: REPO, builds: { deployments_enabled: false } });
  const args = { site_id: "built", commit_sha: "12".repeat(20), wait_seconds: 40 };
  const found = await here.at.gw.call<{ expected: boolean }>(TOOL, args);
  assert.deepEqual([found.expected, waits], [false, 0]);
  await here.at.gw.refuses(TOOL, { ...args, wait_seconds: 41 }, "E_BAD_INPUT", /wait_seconds/);
});

Deno.test("check_static_deploy leaves the last look its time", async () => {
  let passed = 0;
  await using here = await world({}, {
    realClock: false,
    delay: (ms) => {
      passed += ms;
      here.at.gw.clock.now += 5 * ms; // each look takes long
      return Promise.resolve();
    },
  });
  here.hosting.deploy("site", { branch: "main" });
  const args = { site_id: "built", wait_seconds: 40 };
  assert.equal((await here.at.gw.call<{ status: string }>(TOOL, args)).status, "pending");
  assert.ok(
    passed * 5 <= LIMITS.CALL_DEADLINE_MS - LIMITS.UPSTREAM_DEADLINE_MS + 5 * LIMITS.UPSTREAM_LOOK_MS,
  );
});

Deno.test("topicmap_get_content_job waits until the job is over", async () => {
  let waits = 0;
  let advance: () => void = () => {};
  await using at = await TopicWorld.open({
    delay: () => {
      waits++;
      advance();
      return Promise.resolve();
    },
  });
  const { items } = await at.gw.call<{ items: { id: string; status: string }[] }>(
    "topicmap_list_content_jobs",
    {
      site_id: "linked",
    },
  );
  const { id: content_job_id } = items.find(({ status }) => status === "processing" || status === "queued")!;
  advance = () => at.service.clock.advance(waits < 2 ? 1 : 3600);
  const args = { site_id: "linked", content_job_id, wait_seconds: 40 };
  const early = await at.gw.call<{ note?: string }>("topicmap_get_content_job", { ...args, wait_seconds: 0 });
  assert.match(
    early.note!,
    /^It is not over yet: \d+ of 14 steps are done, such a job takes some minutes\. Call again with the same arg/,
  );
  at.gw.clock.now += 60_000;
  const later = await at.gw.call<{ note?: string }>("topicmap_get_content_job", { ...args, wait_seconds: 0 });
  assert.match(later.note!, /: 5 of 14 steps are done, about \d+ minutes? more at this pace\. Call/);
  const found = await at.gw.call<{ status: string; note?: string }>("topicmap_get_content_job", args);
  assert.equal(found.note, undefined);
  assert.deepEqual([["completed", "failed", "paused"].includes(found.status), waits], [true, 2]);
});
