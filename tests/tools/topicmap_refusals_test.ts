/** What the tools of topic planning refuse before anything is sent, and what they make of a service in trouble. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { Flag } from "../../core/model.ts";
import { MAP_ID, type TopicMapFault } from "../../sandbox/topic_map/start.ts";
import { type Args, type Refused, refusedCalls } from "../cms_kit.ts";
import { test, TopicWorld } from "./_topicmap.ts";

const MAP = { topical_map_id: MAP_ID };
const RERUN = { content_job_id: "job_failed", from_step: "draft" };
const AUDIT = { source_type: "published_url", source_url: "https://client.example/roofs" };

/** One call of each tool that goes well. */
const CALLS: Readonly<Record<string, Args>> = {
  topicmap_list_workspaces: {},
  topicmap_list_topical_maps: {},
  topicmap_get_topical_map: MAP,
  topicmap_get_knowledge_graph: MAP,
  topicmap_list_content_briefs: {},
  topicmap_get_content_brief: { content_brief_id: "brief_approved" },
  topicmap_list_content_audits: {},
  topicmap_list_workspace_audits: {},
  topicmap_get_content_audit: { content_audit_id: "audit_3" },
  topicmap_list_content_jobs: {},
  topicmap_get_content_job: { content_job_id: "job_completed" },
  topicmap_get_content_job_output: { content_job_id: "job_completed" },
  topicmap_list_content_types: {},
  topicmap_rerun_job: RERUN,
  topicmap_create_content_job: { keyword: "gutters", content_type: "blog_article" },
  topicmap_rerun_audit: { content_audit_id: "audit_3", from_step: "scoring" },
  topicmap_rerun_content_brief: { content_brief_id: "brief_failed", from_step: "topic_research" },
  topicmap_create_content_audit: AUDIT,
};
const WRITES = Object.keys(CALLS).filter((name) => /rerun|create/.test(name));

test("every tool on a site without a workspace is refused, and sends nothing", async (at) => {
  assert.equal(Object.keys(CALLS).length, 18);
  for (const [tool, args] of Object.entries(CALLS)) {
    if (tool === "topicmap_list_workspaces") continue;
    const call = { site_id: "bare", ...args, ...(WRITES.includes(tool) ? { confirm: true } : {}) };
    const says = /^Site "bare" has no topic-planning workspace; its operator can set topicmap_workspace_id/;
    await at.refuses(tool, call, "E_TOPICMAP_NOT_LINKED", says);
  }
});

Deno.test("every tool needs both settings, and sends nothing without", async () => {
  for (const name of ["TOPICMAP_BASE_URL", "TOPICMAP_BOT_TOKEN"]) {
    await using at = await TopicWorld.open({}, { [name]: null });
    for (const [tool, args] of Object.entries(CALLS)) {
      const site = tool === "topicmap_list_workspaces" ? {} : { site_id: "linked" };
      const says = new RegExp(`^Topic planning needs ${name}, which the gateway's operator has not set$`);
      await at.refuses(tool, { ...site, ...args }, "E_MISSING_SECRET", says);
    }
  }
});

Deno.test("every write needs allow_topicmap_write, confirmed or not, and the tier; nothing is sent without", async () => {
  await using at = await TopicWorld.open({ tokens: { low: { max_risk: 1 } } });
  assert.equal(WRITES.length, 5);
  const flag: Flag = "allow_topicmap_write";
  for (const tool of WRITES) {
    const call = { site_id: "closed", ...CALLS[tool] };
    const says = new RegExp(`"${tool}" needs ${flag} on site "closed"; a super-admin can set it`);
    for (const confirm of [true, false]) {
      await at.refuses(tool, { ...call, confirm }, "E_TOPICMAP_WRITE_NOT_ALLOWED", says);
    }
    const low = { says: /tier/, as: "low", audit: "risk_capped" } as const;
    await at.refuses(tool, { ...call, site_id: "linked", confirm: true }, "E_SCOPE_DENIED", low);
  }
});

test("arguments that cannot be are refused by name, and nothing is sent", async (at) => {
  const six = Array.from({ length: 6 }, (_, n) => `https://rival.example/${n}`);
  const cases: Refused = {
    topicmap_get_topical_map: [
      [{}, /topical_map_id is required/],
      [{ ...MAP, sumary: false }, /sumary.*did you mean summary/],
    ],
    topicmap_list_content_jobs: [
      [{ limit: 0 }, /limit/],
      [{ limit: 101 }, /limit/],
      [{ status: "draft" }, /status: expected one of/],
      [{ cursor: "" }, /cursor/],
    ],
    topicmap_list_content_briefs: [
      [{ topical_map_id: "a/b" }, /topical_map_id/],
    ],
    topicmap_get_content_job_output: [
      [{ content_job_id: "job_completed", format: "html" }, /format/],
    ],
    topicmap_rerun_job: [
      [{ ...RERUN, from_step: "scoring" }, /from_step: expected one of "query_fanout"/],
      [{ content_job_id: "job_failed" }, /from_step is required/],
    ],
    topicmap_rerun_audit: [
      [{ content_audit_id: "audit_3", from_step: "draft" }, /from_step: expected one of/],
    ],
    topicmap_create_content_job: [
      [{ content_type: "blog_article" }, /keyword is required/],
      [{ keyword: "  ", content_type: "blog_article" }, /keyword: must not be blank/],
      [{ keyword: "k".repeat(201), content_type: "blog_article" }, /keyword/],
      [{ keyword: "x", content_type: "blog_article", custom_variables: { a: 1 } }, /custom_variables/],
      [{ keyword: "\ud800", content_type: "blog_article" }, /keyword: holds an unpaired surrogate/],
    ],
    topicmap_create_content_audit: [
      [{ source_type: "pasted_text" }, /pasted_content is required when/],
      [{ source_type: "competitor_url" }, /source_url is required when/],
      [{ source_type: "pasted_text", pasted_content: " " }, /must not be blank/],
      [{ ...AUDIT, pasted_content: "Text" }, /pasted_content: does not go with source_type "published_url"/],
      [
        { source_type: "pasted_text", pasted_content: "Text", source_url: AUDIT.source_url },
        /source_url: does not go with source_type "pasted_text"/,
      ],
      [{ ...AUDIT, source_url: "roofs" }, /source_url: expected a whole http/],
      [{ ...AUDIT, source_url: "file:///etc/passwd" }, /source_url: expected/],
      [{ ...AUDIT, source_url: "https://u:p@client.example" }, /source_url: expected/],
      [{ ...AUDIT, competitor_urls: six }, /competitor_urls/],
      [{ ...AUDIT, competitor_urls: ["javascript:1"] }, /competitor_urls\[0\]/],
      [
        { source_type: "pasted_text", pasted_content: "ü".repeat(102_401) },
        /pasted_content: has 201 KB, and 200 KB is the most/,
        "E_PAYLOAD_TOO_LARGE",
      ],
    ],
  };
  for (const [tool, args, says, code] of refusedCalls(cases)) {
    await at.refuses(tool, { site_id: "linked", confirm: WRITES.includes(tool), ...args }, code, says);
  }
});

test("a cursor that the service does not know is named", async (at) => {
  const call = { site_id: "linked", cursor: "nonsense&limit=1" };
  const says = /^cursor: is unknown; begin without one$/;
  await at.refuses("topicmap_list_content_jobs", call, "E_BAD_INPUT", says, "reads");
  assert.deepEqual(at.service.requests[0]!.query, { limit: "50", cursor: "nonsense&limit=1" });
});

test("an id with the characters of a path never leaves", async (at) => {
  const ids = ["../maps", "a/b", "a%2fb", "a?x=1", "a#b", "", ".", "a b", "ü", "a".repeat(65), "a\n"];
  for (const [tool, args] of Object.entries(CALLS)) {
    const [name] = Object.keys(args).filter((one) => one.endsWith("_id"));
    if (name === undefined) continue;
    for (const id of ids) {
      const call = {
        site_id: "linked",
        ...args,
        [name]: id,
        ...(WRITES.includes(tool) ? { confirm: true } : {}),
      };
      await at.refuses(tool, call, "E_BAD_INPUT", new RegExp(name));
    }
  }
});

test("what is of another workspace is not found, in a list left out and said so, and never shown", async (at) => {
  const { state } = at.service;
  const foreign = (path: RegExp, body: unknown) =>
    at.service.inject({ kind: "answer", body }, { path, times: 2 });
  const map = { ...state.maps[0]!, workspace_id: "ws_other" };
  foreign(/topical-maps\/map_main$/, map);
  const call = { site_id: "linked", ...MAP };
  const says = /^"map_main" is not in the site's topic-planning workspace; the topicmap_list_ tools have/;
  await at.refuses("topicmap_get_topical_map", call, "E_NOT_FOUND", says, "reads");
  foreign(/knowledge-graph$/, { ...state.graphs[0]!, workspace_id: "ws_other" });
  await at.refuses("topicmap_get_knowledge_graph", call, "E_NOT_FOUND", says, "reads");
  foreign(/topical-maps$/, { data: [map, state.maps[0]], next_cursor: null });
  const { items, note } = await at.both<{ items: Args[]; note: string }>("topicmap_list_topical_maps", {
    site_id: "linked",
  });
  assert.deepEqual(items.map(({ workspace_id }) => workspace_id), ["ws_main"]);
  assert.match(note, /^1 of another workspace left out/);
  at.service.state.jobs[3]!.workspace_id = "ws_other";
  const rerun = { site_id: "linked", ...RERUN, confirm: true };
  await at.refuses("topicmap_rerun_job", rerun, "E_NOT_FOUND", /no such content job/, "reads");
  assert.deepEqual(at.service.writes, []);
});

test("refusals of the service keep their meaning, with the way out and without the token", async (at) => {
  const refused = (status: number, code: string, more: object = {}): TopicMapFault => ({
    kind: "refused",
    status,
    code,
    message: `Because of ${at.service.bot_token}`,
    ...more,
  });
  const cases: [TopicMapFault, Code, RegExp][] = [
    [refused(401, "unauthorized"), "E_UPSTREAM", /401: .*bot credential was rejected/],
    [refused(402, "credits_exhausted"), "E_UPSTREAM", /402: .*no credits are left/],
    [refused(403, "forbidden"), "E_UPSTREAM", /403: .*no member of the site's workspace/],
    [refused(404, "not_found"), "E_NOT_FOUND", /refused: Because of/],
    [refused(409, "invalid_state", { current_status: "queued" }), "E_BAD_INPUT", /it is "queued" now/],
    [refused(413, "payload_too_large"), "E_PAYLOAD_TOO_LARGE", /refused/],
    [refused(422, "validation_failed"), "E_BAD_INPUT", /refused/],
    [refused(409, "idempotency_conflict"), "E_INTERNAL", /key/],
    [{ kind: "busy", retry_after: 1 }, "E_UPSTREAM", /429: .*ask less often/],
    [refused(500, "not_found"), "E_UPSTREAM", /500: .*try again later/],
    [{ kind: "html", status: 404 }, "E_UPSTREAM", /404: .*check TOPICMAP_BASE_URL/],
    [{ kind: "html", status: 502 }, "E_UPSTREAM", /502: /],
    [{ kind: "malformed" }, "E_UPSTREAM", /cannot be read: it is not JSON/],
    [{ kind: "answer", body: { data: [] } }, "E_UPSTREAM", /cannot be read: id is not as the contract says/],
    [{ kind: "answer", body: [[]] }, "E_UPSTREAM", /cannot be read: the answer is not/],
    [{ kind: "partial" }, "E_UPSTREAM", /broke the connection off/],
    [{ kind: "reset" }, "E_UPSTREAM", /broke the connection off/],
    [{ kind: "redirect", to: "https://elsewhere.example/" }, "E_UPSTREAM", /redirects/],
  ];
  for (const [fault, code, says] of cases) {
    at.service.inject(fault, { times: 6 });
    const call = { site_id: "linked", content_job_id: "job_completed" };
    await at.refuses("topicmap_get_content_job", call, code, says, "reads");
    at.service.clearFaults();
  }
  const { headers } = at.service.requests[0]!;
  assert.equal(headers["authorization"], `Bearer ${at.service.bot_token}`);
  const audit = JSON.stringify(await at.gw.audit());
  assert.ok(!audit.includes(at.service.bot_token), "the audit holds no token");
});

test("another thing than was asked for is no answer", async (at) => {
  const [map] = at.service.state.maps;
  at.service.inject({ kind: "answer", body: { ...map, id: "map_other" } }, { times: 2 });
  const says = /answered another thing than "map_main"/;
  const call = { site_id: "linked", ...MAP };
  await at.refuses("topicmap_get_topical_map", call, "E_UPSTREAM", says, "reads");
});

test("a brief without its nine sections in their order is no answer", async (at) => {
  const call = { site_id: "linked", content_brief_id: "brief_approved" };
  const brief = await at.both("topicmap_get_content_brief", call);
  const whole = brief["sections"] as { key: string }[];
  const further = { key: "tone", title: "Tone", markdown: "Plain" };
  const wrong = [whole.toReversed(), whole.slice(1), [...whole, whole[0]!], [...whole.slice(1), further]];
  for (const sections of wrong) {
    at.service.inject({ kind: "answer", body: { ...brief, sections } }, { times: 2 });
    const says = /cannot be read: sections is not as the contract says/;
    await at.refuses("topicmap_get_content_brief", call, "E_UPSTREAM", says, "reads");
  }
});

test("an export of 20 MB is summarised, and refused whole with the way out", async (at) => {
  const [map] = at.service.state.maps;
  const clusters = (map as unknown as { clusters: object[] }).clusters;
  const many = {
    ...map,
    id: "map_huge",
    clusters: Array.from({ length: 45_000 }, (_, n) => clusters[1 + n % 44]),
  };
  const body = JSON.stringify(many);
  assert.ok(body.length > 20 * 1024 * 1024);
  const call = { site_id: "linked", topical_map_id: "map_huge" };
  at.service.inject({ kind: "answer", body }, { path: "map_huge", times: 4 });
  const short = await at.both<{ clusters: Args[] }>("topicmap_get_topical_map", call);
  assert.deepEqual(short.clusters.at(-1), { _truncated: true, total: 45_000, omitted: 44_980 });
  const says = /answer is over 5 MB; ask with summary: true/;
  const whole = { ...call, summary: false };
  await at.refuses("topicmap_get_topical_map", whole, "E_PAYLOAD_TOO_LARGE", says, "reads");
});

test("a new value of an enumeration is passed on", async (at) => {
  at.service.state.maps[0]!.pipeline_status = "archived";
  const found = await at.both("topicmap_get_topical_map", { site_id: "linked", ...MAP });
  assert.equal(found["pipeline_status"], "archived");
});
