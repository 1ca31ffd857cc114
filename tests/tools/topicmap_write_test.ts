/** The five writes of topic planning: previewed, bound to what was shown, sent once, compared, and never in a wrong state. */
import assert from "node:assert/strict";
import { MAP_ID, STEPS } from "../../sandbox/topic_map/start.ts";
import { type Args, DOORS, type RefusedRow } from "../cms_kit.ts";
import { test, TopicWorld } from "./_topicmap.ts";

const LINKED = { site_id: "linked" };
const NEW_JOB = { ...LINKED, keyword: "gutters", content_type: "blog_article" };
const NEW_AUDIT = { ...LINKED, source_type: "published_url", source_url: "https://client.example/roofs" };
const SPENDS = "It spends credits of the topic-planning service";

/** A rerun of each, what of it can be rerun, and what then is reset. */
const RERUNS = [
  {
    tool: "topicmap_rerun_job",
    field: "content_job_id",
    id: "job_failed",
    from: "draft",
    running: "job_processing",
    steps: STEPS.job,
    path: "content-jobs",
    states: "completed, failed or paused",
  },
  {
    tool: "topicmap_rerun_audit",
    field: "content_audit_id",
    id: "audit_2",
    from: "scoring",
    running: "audit_1",
    steps: STEPS.audit,
    path: "content-audits",
    states: "completed or failed",
  },
  {
    tool: "topicmap_rerun_content_brief",
    field: "content_brief_id",
    id: "brief_approved",
    from: "topic_research",
    running: "brief_processing",
    steps: STEPS.brief,
    path: "content-briefs",
    states: "completed or failed",
  },
] as const;
const resetOf = ({ steps, from }: typeof RERUNS[number]) =>
  (steps as readonly string[]).slice((steps as readonly string[]).indexOf(from));

for (const door of DOORS) {
  test(`through ${door} each is rerun from a step, and the answer is compared`, async (at) => {
    for (const one of RERUNS) {
      const { tool, field, id, from, path } = one;
      const { done, proof, row } = await at.write(door, tool, { ...LINKED, [field]: id, from_step: from });
      const { id: made, status, from_step, reset_steps } = done;
      assert.deepEqual([made, status, from_step, reset_steps], [id, "queued", from, resetOf(one)]);
      assert.deepEqual([proof.verified, proof.warnings], [true, []], tool);
      assert.deepEqual([row.tier, row.result_id, row.site_id], [2, id, "linked"]);
      const sent = at.service.writes.at(-1)!;
      assert.equal(sent.path, `/v1/workspaces/ws_main/${path}/${id}/rerun`);
      assert.deepEqual(sent.body, { from_step: from });
      assert.match(sent.headers["idempotency-key"] ?? "", /^[0-9a-f-]{36}$/);
    }
    const keys = at.service.writes.map(({ headers }) => headers["idempotency-key"]);
    assert.equal(new Set(keys).size, 3, "each call has a key of its own");
  });

  test(`through ${door} a job is made from an approved brief, read once more and compared`, async (at) => {
    const job = {
      ...NEW_JOB,
      content_type: "product_page",
      content_brief_id: "brief_approved",
      topical_map_id: MAP_ID,
      depth: "standard",
      tone: "neutral",
      language: "de-AT",
      custom_variables: { manufacturer: "Acme", product_name: "Gutter" },
    };
    const { done, proof, row } = await at.write(door, "topicmap_create_content_job", job);
    const { site_id: _, ...body } = job;
    assert.deepEqual(at.service.writes.map((one) => one.body), [body]);
    assert.deepEqual([done["content_job_id"], done["status"]], ["job_new_1", "queued"]);
    assert.deepEqual([proof.verified, proof.warnings], [true, []]);
    assert.deepEqual([row.tier, row.result_id], [2, "job_new_1"]);
    assert.deepEqual(row.made, [{ what: "content job", id: "job_new_1", name: "gutters" }]);
    const args = { ...LINKED, content_job_id: "job_new_1" };
    const read = await at.gw.call<Args>("topicmap_get_content_job", args);
    assert.deepEqual([read["keyword"], read["language"]], ["gutters", "de-AT"]);
  });

  test(`through ${door} audits are made of addresses and of text`, async (at) => {
    const plain = await at.write(door, "topicmap_create_content_audit", NEW_AUDIT);
    assert.deepEqual([plain.done["content_audit_id"], plain.done["status"]], ["audit_new_1", "queued"]);
    assert.deepEqual([plain.proof.verified, plain.row.result_id], [true, "audit_new_1"]);
    const text = {
      ...LINKED,
      source_type: "pasted_text",
      pasted_content: "Ein Dach über dem Kopf",
      target_keyword: "dach",
      competitor_urls: ["https://rival.example/1", "http://10.0.0.1/"],
    };
    const { proof } = await at.write(door, "topicmap_create_content_audit", text);
    const { site_id: _, ...body } = text;
    assert.deepEqual(at.service.writes.at(-1)!.body, body);
    assert.deepEqual([proof.verified, proof.verified_reason], [
      null,
      "The topic-planning service does not show pasted_content, target_keyword, competitor_urls",
    ]);
    const hosts = new Set(at.gw.requests.map(({ url }) => new URL(url).origin));
    assert.deepEqual([...hosts], [at.service.base_url], "no address in it is asked");
  });
}

test("a preview names what is reset, what it costs, and that a brief loses its approval", async (at) => {
  for (const one of RERUNS) {
    const { tool, field, id, from } = one;
    const shown = await at.preview(tool, { ...LINKED, [field]: id, from_step: from });
    assert.match(
      shown.summary,
      new RegExp(`^Rerun the .* of linked from ${from}: ${resetOf(one).length} of`),
    );
    assert.deepEqual(
      shown.changes.filter(({ field }) => field.startsWith("steps.")).map(({ field, to }) => [field, to]),
      resetOf(one).map((name) => [`steps.${name}`, "pending"]),
    );
    assert.ok(shown.warnings.includes(SPENDS));
    assert.match(shown.revision ?? "", /^rev_/);
  }
  const brief = { ...LINKED, content_brief_id: "brief_approved", from_step: "brief_generation" };
  const shown = await at.preview("topicmap_rerun_content_brief", brief);
  assert.deepEqual(shown.changes[1], { field: "approval_status", from: "approved", to: "pending" });
  assert.match(shown.warnings[1] ?? "", /approval is taken back/);
  const job = { ...NEW_JOB, content_brief_id: "brief_approved", topical_map_id: MAP_ID };
  const made = await at.preview("topicmap_create_content_job", job);
  assert.equal(
    made.summary,
    'Have a Blog article on "gutters" written for linked from the brief "Brief approved" in the map "Roofing"',
  );
  const audit = await at.preview("topicmap_create_content_audit", NEW_AUDIT);
  assert.deepEqual([audit.warnings, audit.revision], [[SPENDS], null]);
  assert.deepEqual(at.service.writes, []);
});

test("what is running is not rerun: the state and those allowed are named, and reads alone are sent", async (at) => {
  for (const { tool, field, running, from, states } of RERUNS) {
    for (
      const [id, status] of [[running, "processing"], [
        running.replace(/processing|_1/, (part) => part === "_1" ? "_0" : "queued"),
        "queued",
      ]] as const
    ) {
      const call = { ...LINKED, [field]: id, from_step: from, confirm: true };
      const says = new RegExp(
        `^${field}: the \\w+ "${id}" is "${status}", and only one that is ${states} can be rerun`,
      );
      await at.refuses(tool, call, "E_BAD_INPUT", says, "reads");
    }
  }
  assert.deepEqual(at.service.writes, []);
});

test("a paused job can be rerun, a queued one again only once it is over", async (at) => {
  const call = { ...LINKED, content_job_id: "job_paused", from_step: "qa_review" };
  await at.write("rest", "topicmap_rerun_job", call);
  const says = /"job_paused" is "queued"/;
  await at.refuses("topicmap_rerun_job", { ...call, confirm: true }, "E_BAD_INPUT", says, "reads");
  at.gw.clock.now += 60_000;
  await at.write("mcp", "topicmap_rerun_job", call);
});

test("a job from what is not there, not approved or not complete is refused after reads alone", async (at) => {
  const cases: readonly RefusedRow[] = [
    [{ content_type: "poem" }, /content_type: there is no "poem"; there are blog_article, product_page/],
    [{ depth: "abyss" }, /depth: "blog_article" has no "abyss"; it has standard, deep/],
    [{ tone: "loud" }, /tone: "blog_article" has no "loud"/],
    [
      { content_type: "product_page", custom_variables: { manufacturer: " " } },
      /custom_variables: "product_page" also needs product_name \(Product name\), manufacturer \(Manufacturer\)/,
    ],
    [{ content_brief_id: "brief_pending" }, /content_brief_id: the brief "brief_pending" is "pending"/],
    [{ content_brief_id: "brief_rejected" }, /is "rejected", and only an approved one/],
    [{ content_brief_id: "brief_none" }, /no such content brief/, "E_NOT_FOUND"],
    [{ topical_map_id: "map_none" }, /no such topical map/, "E_NOT_FOUND"],
  ];
  for (const [more, says, code = "E_BAD_INPUT"] of cases) {
    for (const confirm of [true, false]) {
      const call = { ...NEW_JOB, ...more, confirm };
      await at.refuses("topicmap_create_content_job", call, code, says, "reads");
    }
  }
  assert.deepEqual(at.service.writes, []);
});

test("content types are kept for ten minutes for checking, and asked anew for the list", async (at) => {
  const asked = () => at.service.requests.filter(({ path }) => path.endsWith("/content-types")).length;
  await at.preview("topicmap_create_content_job", NEW_JOB);
  assert.equal(asked(), 1);
  at.gw.clock.now += 600_001;
  await at.preview("topicmap_create_content_job", NEW_JOB);
  assert.equal(asked(), 2);
  await at.both("topicmap_list_content_types", LINKED);
  assert.equal(asked(), 4);
});

for (const door of DOORS) {
  test(`through ${door} what changed since its preview is not written over`, async (at) => {
    const confirmed = async (tool: string, args: Args) => {
      const { confirm_token } = await at.preview(tool, args);
      return { ...args, confirm: true, confirm_token };
    };
    const stale = async (tool: string, call: Args, part: RegExp) => {
      await at.gw.refuses(tool, call, "E_STALE_PREVIEW", part, { door });
      assert.deepEqual(at.service.writes, [], "nothing is written");
    };
    const [, , , failed] = at.service.state.jobs;
    const rerun = { ...LINKED, content_job_id: "job_failed", from_step: "draft" };
    const job = await confirmed("topicmap_rerun_job", rerun);
    failed!.run = { ...failed!.run, ending: { kind: "paused", step: "formatting" } };
    await stale("topicmap_rerun_job", job, /"status", "steps.draft"/);
    const approved = at.service.state.briefs[3]!;
    const brief = await confirmed(
      "topicmap_rerun_content_brief",
      { ...LINKED, content_brief_id: approved.id, from_step: "topic_research" },
    );
    approved.approval_status = "rejected";
    await stale("topicmap_rerun_content_brief", brief, /"approval_status"/);
    approved.approval_status = "approved";
    const made = await confirmed("topicmap_create_content_job", {
      ...NEW_JOB,
      content_brief_id: approved.id,
    });
    approved.updated_at = new Date(at.gw.clock.now).toISOString();
    await stale("topicmap_create_content_job", made, /"content_brief_id"/);
    approved.approval_status = "pending";
    await at.gw.refuses("topicmap_create_content_job", made, "E_BAD_INPUT", /is "pending"/, { door });
    assert.deepEqual(at.service.writes, []);
  });

  test(`through ${door} fifty equal confirmed calls at once are one write`, async (at) => {
    for (
      const [tool, args] of [
        ["topicmap_create_content_job", NEW_JOB],
        ["topicmap_create_content_audit", NEW_AUDIT],
        ["topicmap_rerun_job", { ...LINKED, content_job_id: "job_failed", from_step: "draft" }],
      ] as const
    ) {
      const before = at.service.writes.length;
      const { confirm_token } = await at.preview(tool, args);
      const call = { ...args, confirm: true, confirm_token };
      const all = await Promise.all(
        Array.from({ length: 50 }, () => at.gw.call<Args>(tool, call, { door })),
      );
      assert.equal(all.filter(({ replayed }) => replayed !== true).length, 1, tool);
      assert.equal(at.service.writes.length, before + 1, tool);
    }
  });
}

Deno.test("a token of another call, or of a site that was linked anew, sends nothing", async () => {
  await using at = await TopicWorld.open({ tokens: { other: {} } });
  for (
    const [tool, args] of [
      ["topicmap_create_content_job", NEW_JOB],
      ["topicmap_create_content_audit", NEW_AUDIT],
      ...RERUNS.map(({ tool, field, id, from }) =>
        [tool, { ...LINKED, [field]: id, from_step: from }] as const
      ),
    ] as const
  ) {
    const { confirm_token } = await at.preview(tool, args);
    const call = { ...args, confirm: true, confirm_token };
    const says = async (given: Args, wanted: RegExp, as?: string) =>
      await at.refuses(tool, given, "E_CONFIRM_INVALID", { says: wanted, ...(as ? { as } : {}) });
    await says({ ...call, confirm_token: `cft_${"A".repeat(22)}` }, /unknown/);
    await says(call, /belongs to another token/, "other");
    await says({ ...call, site_id: "files" }, /of a preview for linked/);
    await at.gw.store.sites.update("linked", { topicmap_workspace_id: "ws_other" });
    await says(call, /the settings of site "linked" have changed/);
    await at.gw.store.sites.update("linked", { topicmap_workspace_id: "ws_main" });
    await at.gw.call(tool, call);
  }
  assert.equal(at.service.writes.length, 5);
});

test("a write that may have been carried out is reported as unknown with the tool to look with, and sent once", async (at) => {
  const faults = [
    { kind: "reset", applied: true },
    { kind: "html", status: 502 },
    { kind: "malformed", status: 201, applied: true },
    { kind: "answer", status: 201, body: { made: "yes" }, applied: true },
  ] as const;
  const looks = {
    topicmap_create_content_job: [NEW_JOB, "topicmap_list_content_jobs"],
    topicmap_create_content_audit: [NEW_AUDIT, "topicmap_list_content_audits"],
    topicmap_rerun_audit: [
      { ...LINKED, content_audit_id: "audit_5", from_step: "scoring" },
      "topicmap_get_content_audit",
    ],
  } as const;
  for (const [tool, [args, look]] of Object.entries(looks)) {
    for (const fault of faults) {
      at.service.inject(fault, { method: "POST" });
      const before = at.service.writes.length;
      const ending = await at.gw.end(tool, { ...args, confirm: true });
      assert.ok("code" in ending, `${tool} at ${fault.kind}`);
      assert.equal(ending.code, "E_UPSTREAM");
      assert.match(ending.message, new RegExp(`the outcome is unknown: look at the site with "${look}"`));
      assert.equal(at.service.writes.length, before + 1, "it is sent once");
      const [row] = await at.rows(1);
      assert.deepEqual([row!.status, row!.outcome], ["error", "unknown"]);
      at.gw.clock.now += 120_000;
    }
  }
});

test("a refused write changed nothing and says so", async (at) => {
  const cases = [[402, "credits_exhausted", "E_UPSTREAM"], [409, "invalid_state", "E_BAD_INPUT"]] as const;
  for (const [status, code, expected] of cases) {
    at.service.inject({ kind: "refused", status, code }, { method: "POST" });
    const ending = await at.gw.end("topicmap_create_content_job", { ...NEW_JOB, confirm: true });
    assert.ok("code" in ending && ending.code === expected);
    assert.equal((await at.rows(1))[0]!.outcome, "none");
  }
  const viewed = { ...NEW_JOB, site_id: "viewed", confirm: true };
  const says = /403: .*may only read.*may not write there/;
  await at.gw.refuses("topicmap_create_content_job", viewed, "E_UPSTREAM", says);
});

test("what stands otherwise than it was asked for is named, what cannot be read back is no failure", async (at) => {
  const [, , done] = at.service.state.jobs;
  const shown = await at.gw.call<Args>("topicmap_get_content_job", { ...LINKED, content_job_id: done!.id });
  const unknown = { started_at: null, completed_at: null, error: null, score: null };
  const job = {
    ...shown,
    steps: (shown["steps"] as Args[]).map((step) => ({ ...unknown, ...step })),
  } as Args;
  const read = { path: /content-jobs\/job_new_\d$/ };
  at.service.inject({ kind: "answer", body: { ...job, id: "job_new_1", keyword: "gutter" } }, read);
  const other = await at.write("rest", "topicmap_create_content_job", NEW_JOB);
  assert.equal(other.proof.verified, false);
  assert.deepEqual(other.proof.warnings[0], 'keyword: is "gutter" now');
  at.service.inject({ kind: "html", status: 500 }, read);
  const unread = await at.write("rest", "topicmap_create_content_job", NEW_JOB);
  assert.deepEqual([unread.done["content_job_id"], unread.proof.verified], ["job_new_2", null]);
  assert.match(String(unread.proof.verified_reason), /could not be read back: .*500/);
  const { depth: _, tone: __, language: ___, ...bare } = job;
  const body = { ...bare, id: "job_new_3", keyword: "gutters", depth: undefined };
  at.service.inject({ kind: "answer", body }, read);
  const silent = await at.write("rest", "topicmap_create_content_job", { ...NEW_JOB, depth: "deep" });
  assert.deepEqual([silent.proof.verified, silent.proof.verified_reason], [
    null,
    "The topic-planning service does not show depth",
  ]);
  const reset = { id: "job_failed", status: "queued", from_step: "draft", reset_steps: ["draft"] };
  at.service.inject({ kind: "answer", status: 202, body: reset }, { method: "POST" });
  const rerun = { ...LINKED, content_job_id: "job_failed", from_step: "draft" };
  const less = await at.write("rest", "topicmap_rerun_job", rerun);
  assert.equal(less.proof.verified, false);
  assert.match(less.proof.warnings[0]!, /^reset_steps: expected draft, humanization/);
});
