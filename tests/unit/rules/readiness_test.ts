/** What a gateway says of itself where it is not ready: which check, and what to do about it. */
import assert from "node:assert/strict";
import type { JobReport } from "../../../core/model.ts";
import { isJobWrong, type Looked, problemsOf } from "../../../rules/readiness.ts";

const NOW = Date.parse("2026-11-29T04:00:00Z");
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const job = (more: Partial<JobReport> = {}): JobReport => ({
  name: "audit retention",
  running_since: null,
  began_at: null,
  done_at: null,
  failing_since: null,
  event: "audit_retention_failed",
  ...more,
});
const WELL: Looked = { isStoreWell: true, lacks: null, audit_ms: 0, jobs: [job()], now: NOW };

Deno.test("each thing that keeps calls from being carried out has its check and a sentence that says what to do", () => {
  assert.deepEqual(problemsOf(WELL), []);
  const cases: [Partial<Looked>, string, RegExp][] = [
    [
      { isStoreWell: false },
      "store",
      /^The store .*; see to its disk, the rights of its folder, or its database; /,
    ],
    [
      { audit_ms: 10_001 },
      "audit",
      /^Rows of the audit wait .* more than 10 s, so calls are refused; see to the /,
    ],
    [
      { lacks: "store" },
      "keys",
      /^The store was sealed anew under a key that ENCRYPTION_KEYS lacks here; add that key and start/,
    ],
    [
      { lacks: "secret" },
      "keys",
      /^A stored secret .* ENCRYPTION_KEYS lacks; add that key and start the gateway/,
    ],
    [
      { jobs: [job({ failing_since: ago(1) })] },
      "jobs",
      /^The job "audit retention" failed .*audit_retention_failed/,
    ],
    [
      { jobs: [job({ running_since: ago(61) })] },
      "jobs",
      /^The job "audit retention" has not ended for an hour; look/,
    ],
  ];
  for (const [what, check, says] of cases) {
    const [problem, ...more] = problemsOf({ ...WELL, ...what });
    assert.deepEqual([problem!.check, more], [check, []]);
    assert.match(problem!.message, says);
    assert.doesNotMatch(problem!.message, /\.$/);
  }
  const all = problemsOf({ isStoreWell: false, lacks: "secret", audit_ms: 60_000, jobs: [], now: NOW });
  assert.deepEqual(all.map(({ check }) => check), ["store", "audit", "keys"]);
});

Deno.test("a commit that is slow, a job that runs and a job that went well are no problem", () => {
  assert.deepEqual(problemsOf({ ...WELL, audit_ms: 10_000 }), []);
  for (const one of [job(), job({ running_since: ago(59) }), job({ done_at: ago(600) })]) {
    assert.equal(isJobWrong(one, NOW), false);
  }
});
