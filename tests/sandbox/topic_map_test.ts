/** The topic-planning stand-in: its contract is valid OpenAPI, every route keeps to it, and runs come on by the clock. */
import assert from "node:assert/strict";
import {
  endOf,
  MAP_ID,
  OTHER_WORKSPACE_ID,
  QUEUE_S,
  startTopicMap,
  STEP_S,
  STEPS,
  type TopicMapStandIn,
  WORKSPACE_ID,
} from "../../sandbox/topic_map/start.ts";
import { Validator } from "../packages/openapi.ts";
import type { Json } from "./asker.ts";
import { assertDescribed, CONTRACT, faultsOf, operationOf, OPERATIONS } from "./topic_map_openapi.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const start = () => startTopicMap({ now: () => NOON });
const W = `/v1/workspaces/${WORKSPACE_ID}`;

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

async function ask(
  at: TopicMapStandIn,
  path: string,
  { body, key = crypto.randomUUID(), token = at.bot_token }: { body?: Json; key?: string; token?: string } =
    {},
): Promise<Answer> {
  const response = await fetch(at.base_url + path, {
    headers: { authorization: `Bearer ${token}`, ...(body ? { "idempotency-key": key } : {}) },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

const refused = ({ status, body }: Answer) => [status, body.error.code];

Deno.test("the published contract is valid OpenAPI 3.1 with 17 operations", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(CONTRACT));
  assert.ok(result.valid, JSON.stringify("errors" in result ? result.errors : null));
  assert.equal(validator.version, "3.1");
  assert.equal(new Set(OPERATIONS).size, 17);
});

Deno.test("every operation of the contract is served as it is described", async () => {
  await using at = start();
  const paths = [
    "/v1/workspaces?limit=1",
    `${W}/topical-maps?pipeline_status=completed`,
    `${W}/topical-maps/${MAP_ID}`,
    `${W}/topical-maps/${MAP_ID}/knowledge-graph`,
    `${W}/content-briefs?approval_status=approved&topical_map_id=${MAP_ID}`,
    `${W}/content-audits?status=completed&source_type=pasted_text&limit=100`,
    `${W}/content-jobs?status=paused&content_type=blog_article`,
    `${W}/content-types`,
    ...at.state.briefs.map(({ id }) => `${W}/content-briefs/${id}`),
    ...at.state.audits.slice(0, 4).map(({ id }) => `${W}/content-audits/${id}?include=steps`),
    `${W}/content-audits/audit_3`,
    ...at.state.jobs.map(({ id }) => `${W}/content-jobs/${id}`),
    ...["markdown", "json"].map((format) => `${W}/content-jobs/job_completed/output?format=${format}`),
  ];
  for (const path of paths) assert.equal((await ask(at, path)).status, 200, path);
  const writes: [string, Json, number][] = [
    ["content-jobs", { keyword: "roof", content_type: "blog_article" }, 201],
    ["content-jobs/job_paused/rerun", { from_step: "qa_review" }, 202],
    ["content-audits", { source_type: "pasted_text", pasted_content: "Text" }, 201],
    ["content-audits/audit_9/rerun", { from_step: "scoring" }, 202],
    ["content-briefs/brief_approved/rerun", { from_step: "topic_research" }, 202],
  ];
  for (const [path, body, status] of writes) {
    assert.equal((await ask(at, `${W}/${path}`, { body })).status, status, path);
  }
  assertDescribed(at.requests);
  assert.deepEqual(new Set(at.requests.map(operationOf)), new Set(OPERATIONS));
});

Deno.test("refusals are those of the contract", async () => {
  await using at = start();
  const map = `${W}/topical-maps`;
  assert.deepEqual(refused(await ask(at, map, { token: "wrong" })), [401, "unauthorized"]);
  assert.deepEqual(refused(await ask(at, "/v1/workspaces/ws_none/topical-maps")), [403, "forbidden"]);
  assert.deepEqual(refused(await ask(at, `${map}/none`)), [404, "not_found"]);
  assert.deepEqual(refused(await ask(at, `${map}?limit=101`)), [400, "invalid_request"]);
  assert.deepEqual(refused(await ask(at, `${map}?cursor=x`)), [400, "invalid_request"]);
  const viewer = `/v1/workspaces/${OTHER_WORKSPACE_ID}`;
  assert.deepEqual(refused(await ask(at, `${viewer}/topical-maps/${MAP_ID}`)), [404, "not_found"]);
  const cases: [string, Json, number, string][] = [
    [`${viewer}/content-jobs`, { keyword: "x", content_type: "blog_article" }, 403, "forbidden"],
    [`${W}/content-jobs`, { keyword: "", content_type: "blog_article" }, 422, "validation_failed"],
    [`${W}/content-jobs`, { keyword: "x", content_type: "product_page" }, 422, "validation_failed"],
    [
      `${W}/content-jobs`,
      { keyword: "x", content_type: "blog_article", content_brief_id: "brief_pending" },
      409,
      "brief_not_approved",
    ],
    [`${W}/content-jobs/job_queued/rerun`, { from_step: "draft" }, 409, "invalid_state"],
    [`${W}/content-jobs/job_failed/rerun`, { from_step: "scoring" }, 422, "validation_failed"],
    [`${W}/content-audits`, { source_type: "published_url" }, 422, "validation_failed"],
    [
      `${W}/content-audits`,
      { source_type: "pasted_text", pasted_content: "x".repeat(204_801) },
      413,
      "payload_too_large",
    ],
  ];
  for (const [path, body, ...expected] of cases) {
    assert.deepEqual(refused(await ask(at, path, { body })), expected, path);
  }
  const output = await ask(at, `${W}/content-jobs/job_processing/output?format=json`);
  assert.deepEqual([...refused(output), output.body.error.current_status], [
    409,
    "output_not_ready",
    "processing",
  ]);
  assert.deepEqual(
    at.requests.flatMap(faultsOf).filter((one) => !/\?limit|body|asked/.test(one)),
    [],
    "what is answered is described",
  );
});

Deno.test("a list is paged by cursor, newest first, each item once", async () => {
  await using at = start();
  const seen: string[] = [];
  let cursor: string | null = "";
  let times = 0;
  while (cursor !== null) {
    const more: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { body } = await ask(at, `${W}/content-audits?limit=50${more}`);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
    times++;
  }
  assert.deepEqual(seen, Array.from({ length: 105 }, (_, n) => `audit_${n}`));
  assert.equal(times, 3);
});

Deno.test("a job goes through its steps by the clock, its text appears, and a rerun resets what comes after", async () => {
  await using at = start();
  const body = { keyword: "gutters", content_type: "blog_article" };
  const { body: { id } } = await ask(at, `${W}/content-jobs`, { body });
  const job = async () => (await ask(at, `${W}/content-jobs/${id}`)).body;
  const told = async () => {
    const { status, current_step, output_available } = await job();
    return [status, current_step, output_available];
  };
  assert.deepEqual(await told(), ["queued", null, false]);
  at.clock.advance(QUEUE_S);
  assert.deepEqual(await told(), ["processing", "query_fanout", false]);
  at.clock.advance(9 * STEP_S);
  assert.deepEqual(await told(), ["processing", "draft", false]);
  at.clock.advance(5 * STEP_S);
  assert.deepEqual(await told(), ["completed", null, true]);
  const before = (await job()).steps;
  at.next("job", { kind: "failed", step: "qa_review" });
  const { body: rerun } = await ask(at, `${W}/content-jobs/${id}/rerun`, {
    body: { from_step: "formatting" },
  });
  assert.deepEqual(rerun.reset_steps, STEPS.job.slice(11));
  const after = await job();
  assert.deepEqual(after.steps.slice(0, 11), before.slice(0, 11), "earlier results stay");
  assert.deepEqual(after.steps.slice(11).map(({ status }: Json) => status), [
    "pending",
    "pending",
    "pending",
  ]);
  assert.deepEqual([after.status, after.output_available], ["queued", true]);
  at.clock.advance(QUEUE_S + 2 * STEP_S);
  const failed = await job();
  assert.deepEqual([failed.status, failed.failures[0].step], ["failed", "qa_review"]);
  assert.ok(endOf(at.state.jobs.at(-1)!) <= at.clock.now());
});

Deno.test("a key is carried out once, and not taken for another request", async () => {
  await using at = start();
  const key = crypto.randomUUID();
  const body = { keyword: "gutters", content_type: "blog_article" };
  const jobs = at.state.jobs.length;
  const first = await ask(at, `${W}/content-jobs`, { body, key });
  assert.deepEqual(await ask(at, `${W}/content-jobs`, { body, key }), first);
  assert.equal(at.state.jobs.length, jobs + 1);
  const other = await ask(at, `${W}/content-jobs`, { body: { ...body, keyword: "eaves" }, key });
  assert.deepEqual(refused(other), [409, "idempotency_conflict"]);
});
