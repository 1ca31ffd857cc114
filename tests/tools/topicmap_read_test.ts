/** The 13 tools that read the topic-planning pipeline: what they answer through both doors, in pages and in summaries. */
import assert from "node:assert/strict";
import { MAP_ID, OTHER_WORKSPACE_ID, STEPS, WORKSPACE_ID } from "../../sandbox/topic_map/start.ts";
import type { Args } from "../cms_kit.ts";
import { test, TopicWorld } from "./_topicmap.ts";

interface Page {
  readonly items: readonly Args[];
  readonly next_cursor: string | null;
}
const LINKED = { site_id: "linked" };
const ids = ({ items }: Page) => items.map(({ id }) => id);
const cut = (total: number) => ({ _truncated: true, total, omitted: total - 20 });

/** Every page of a list, and how many there were. */
async function all(at: TopicWorld, tool: string, args: Args): Promise<{ items: Args[]; pages: number }> {
  const items: Args[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page: Page = await at.both<Page>(tool, { ...args, ...(cursor === null ? {} : { cursor }) });
    items.push(...page.items);
    cursor = page.next_cursor;
    pages++;
  } while (cursor !== null);
  return { items, pages };
}

test("every list is paged by cursor to its end, each item once, newest first", async (at) => {
  const { state } = at.service;
  const lists: [string, readonly { id: string }[], number, number][] = [
    ["topicmap_list_topical_maps", state.maps, 1, 1],
    ["topicmap_list_content_briefs", state.briefs, 4, 2],
    ["topicmap_list_content_audits", state.audits, 50, 3],
    ["topicmap_list_content_jobs", state.jobs, 1, 5],
  ];
  for (const [tool, expected, limit, times] of lists) {
    const { items, pages } = await all(at, tool, { ...LINKED, limit });
    assert.deepEqual(items.map(({ id }) => id), expected.map(({ id }) => id), tool);
    assert.equal(pages, times, tool);
    for (const item of items) assert.equal(item["workspace_id"], WORKSPACE_ID);
  }
});

test("a list shows what it says it shows, and only what the filters ask for", async (at) => {
  const maps = await at.both<Page>("topicmap_list_topical_maps", { ...LINKED, pipeline_status: "completed" });
  const { name, seed_keyword, pipeline_status, cluster_count, keyword_count } = maps.items[0]!;
  assert.deepEqual([name, seed_keyword, pipeline_status], ["Roofing", "roof repair", "completed"]);
  assert.deepEqual([cluster_count, keyword_count], [45, 130]);
  const none = await at.both<Page>("topicmap_list_topical_maps", { ...LINKED, pipeline_status: "failed" });
  assert.deepEqual(none, { items: [], next_cursor: null });
  const approved = { ...LINKED, approval_status: "approved", topical_map_id: MAP_ID };
  assert.deepEqual(ids(await at.both("topicmap_list_content_briefs", approved)), ["brief_approved"]);
  const paused = await at.both<Page>("topicmap_list_content_jobs", { ...LINKED, status: "paused" });
  assert.deepEqual(paused.items.map(({ id, status, title }) => [id, status, title]), [
    ["job_paused", "paused", "Job paused"],
  ]);
  const failed = { ...LINKED, status: "failed", source_type: "pasted_text" };
  assert.deepEqual(ids(await at.both("topicmap_list_content_audits", failed)), ["audit_2"]);
});

test("the newest hundred audits of the workspace come in one answer, of 105 there are", async (at) => {
  const found = await at.both<Page>("topicmap_list_workspace_audits", LINKED);
  assert.deepEqual(Object.keys(found), ["items"]);
  assert.deepEqual(ids(found), Array.from({ length: 100 }, (_, n) => `audit_${n}`));
});

test("a map is cut at both depths by its summary, and whole without", async (at) => {
  const args = { ...LINKED, topical_map_id: MAP_ID };
  interface Map {
    readonly clusters: readonly (Args & { keywords: readonly unknown[] })[];
    readonly structure: { readonly pillars: readonly { readonly cluster_ids: readonly unknown[] }[] };
    readonly stats: Args;
  }
  const short = await at.both<Map>("topicmap_get_topical_map", args);
  assert.equal(short.clusters.length, 21);
  assert.deepEqual(short.clusters.at(-1), cut(45));
  assert.equal(short.clusters[0]!.keywords.length, 21);
  assert.deepEqual(short.clusters[0]!.keywords.at(-1), cut(42));
  assert.equal(short.clusters[1]!.keywords.length, 2);
  assert.deepEqual(short.structure.pillars[0]!.cluster_ids.at(-1), cut(45));
  const whole = await at.gw.call<Map>("topicmap_get_topical_map", { ...args, summary: false });
  assert.deepEqual([whole.clusters.length, whole.clusters[0]!.keywords.length], [45, 42]);
  assert.deepEqual(whole.clusters.slice(1, 20), short.clusters.slice(1, 20));
  assert.deepEqual(whole.stats, short.stats);
  for (const { clusters } of [short, whole]) {
    const { primary_keyword, keywords } = clusters[1]!;
    assert.deepEqual(keywords[0], { ...keywords[0] as Args, keyword: primary_keyword, is_primary: true });
  }
});

test("of a map only the clusters that are asked for come, with their part of its structure", async (at) => {
  const args = { ...LINKED, topical_map_id: MAP_ID, summary: false };
  type Clusters = readonly { readonly id: string; readonly priority: string; readonly gap_label: string }[];
  interface Map {
    readonly clusters: Clusters;
    readonly found: Args;
    readonly stats: Args;
    readonly structure: { readonly pillars: readonly { readonly cluster_ids: readonly string[] }[] };
  }
  const whole = await at.gw.call<Map>("topicmap_get_topical_map", args);
  const wanted = whole.clusters.filter((one) => one.gap_label === "GAP" && one.priority === "P2");
  const part = await at.both<Map>("topicmap_get_topical_map", { ...args, gap_label: "GAP", priority: "P2" });
  assert.ok(wanted.length > 0 && wanted.length < whole.clusters.length);
  assert.deepEqual(part.clusters, wanted);
  assert.equal(part.found["clusters"], wanted.length);
  assert.deepEqual(part.stats, whole.stats, "of the whole map");
  const known = wanted.map(({ id }) => id);
  assert.ok(part.structure.pillars.every(({ cluster_ids }) => cluster_ids.every((id) => known.includes(id))));
  const short = await at.both<Map>("topicmap_get_topical_map", {
    ...args,
    summary: true,
    classification: "outer",
  });
  assert.deepEqual([short.clusters.length, short.clusters.at(-1)], [21, cut(30)]);
  const fields = "found, clusters.id";
  const few = await at.both<Map>("topicmap_get_topical_map", {
    ...args,
    gap_label: "GAP",
    priority: "P2",
    fields,
  });
  assert.deepEqual(few, { found: part.found, clusters: known.map((id) => ({ id })) });
  await at.refuses("topicmap_get_topical_map", { ...args, priority: "P5" }, "E_BAD_INPUT", /priority/);
});

test("a graph says how many nodes and edges there are, whatever of them is shown", async (at) => {
  const args = { ...LINKED, topical_map_id: MAP_ID };
  interface Graph extends Args {
    readonly nodes: readonly unknown[];
    readonly edges: readonly unknown[];
  }
  const short = await at.both<Graph>("topicmap_get_knowledge_graph", args);
  assert.deepEqual([short["node_count"], short["edge_count"]], [60, 59]);
  assert.deepEqual([short.nodes.at(-1), short.edges.at(-1)], [cut(60), cut(59)]);
  const whole = await at.both<Graph>("topicmap_get_knowledge_graph", { ...args, summary: false });
  assert.deepEqual([whole.nodes.length, whole.edges.length, whole["node_count"]], [60, 59, 60]);
});

test("further sections of a brief are answered where they stand, with what they hold", async (at) => {
  const args = { ...LINKED, content_brief_id: "brief_approved" };
  const brief = await at.both("topicmap_get_content_brief", args);
  const own = brief["sections"] as Args[];
  const tone = {
    key: "tone_of_voice",
    title: "Tone",
    markdown: "## Tone\n\nPlain",
    data: { level: [1, "b"] },
  };
  const legal = { key: "legal", title: "Legal", markdown: "" };
  const sections = [tone, ...own.slice(0, 4), { ...legal, key: "notes" }, ...own.slice(4), legal];
  at.service.inject({ kind: "answer", body: { ...brief, steps: [], sections } }, { times: 2 });
  const found = await at.both("topicmap_get_content_brief", args);
  assert.deepEqual(found["sections"], sections);
});

test("a brief has nine sections, an audit the breakdown of its score, and steps where they are asked for", async (at) => {
  const brief = await at.both("topicmap_get_content_brief", {
    ...LINKED,
    content_brief_id: "brief_approved",
  });
  const sections = brief["sections"] as Args[];
  assert.deepEqual(
    [sections.length, sections[0]!["key"], sections[8]!["key"]],
    [9, "overview", "guidelines"],
  );
  assert.equal(brief["approval_status"], "approved");
  const args = { ...LINKED, content_audit_id: "audit_3" };
  const audit = await at.both("topicmap_get_content_audit", args);
  const [part] = audit["score_breakdown"] as { findings: unknown[] }[];
  assert.deepEqual([part!.findings.length, part!.findings.at(-1)], [21, cut(25)]);
  assert.equal("steps" in audit, false);
  const stepped = await at.both(
    "topicmap_get_content_audit",
    { ...args, include_steps: true, summary: false },
  );
  assert.equal((stepped["score_breakdown"] as { findings: unknown[] }[])[0]!.findings.length, 25);
  const steps = stepped["steps"] as { name: string; score: number | null }[];
  assert.deepEqual(steps.map(({ name }) => name), STEPS.audit);
  assert.equal(steps[2]!.score, 0.71);
});

test("a job is followed by the clock from the queue to its text", async (at) => {
  const args = { ...LINKED, content_job_id: "job_processing" };
  const told = async () => {
    const { status, current_step, output_available } = await at.both("topicmap_get_content_job", args);
    return [status, current_step, output_available];
  };
  assert.deepEqual(await told(), ["processing", "query_fanout", false]);
  const says = /content_job_id: the job is "processing" and has no output yet/;
  await at.refuses("topicmap_get_content_job_output", args, "E_BAD_INPUT", says, "reads");
  assert.ok(
    !at.service.requests.some(({ path }) => path.endsWith("/output")),
    "not asked for what is not there",
  );
  at.gw.clock.now += 600_000;
  assert.deepEqual(await told(), ["completed", null, true]);
  const text = await at.both("topicmap_get_content_job_output", args);
  assert.deepEqual([text["format"], text["title"]], ["markdown", "Job processing"]);
  assert.match(String(text["markdown"]), /^# Job processing/);
  const parts = { ...args, format: "json" };
  const short = await at.both<{ document: Args }>("topicmap_get_content_job_output", parts);
  assert.deepEqual((short.document["sections"] as unknown[]).at(-1), cut(23));
  const whole = await at.both<{ document: Args }>("topicmap_get_content_job_output", {
    ...parts,
    summary: false,
  });
  assert.equal((whole.document["sections"] as unknown[]).length, 23);
});

test("a job shows its steps, failures and review items", async (at) => {
  const paused = await at.both("topicmap_get_content_job", { ...LINKED, content_job_id: "job_paused" });
  const steps = paused["steps"] as Args[];
  assert.deepEqual(steps.map(({ name }) => name), STEPS.job);
  assert.ok(
    steps.every((step) => !Object.values(step).includes(null)),
    "what is not known of a step is left out",
  );
  assert.deepEqual([paused["current_step"], (paused["review_items"] as unknown[]).length], ["qa_review", 2]);
  const failed = await at.both("topicmap_get_content_job", { ...LINKED, content_job_id: "job_failed" });
  assert.deepEqual((failed["failures"] as Args[]).map(({ step }) => step), ["draft"]);
});

test("content types come with depths, tones and the fields they ask for", async (at) => {
  const found = await at.both("topicmap_list_content_types", LINKED);
  assert.deepEqual(Object.keys(found), ["content_types", "depths", "tones"]);
  const [, product] = found["content_types"] as Args[];
  assert.deepEqual(
    (product!["templateFields"] as unknown[])[0],
    { key: "product_name", label: "Product name", required: true },
  );
});

Deno.test("a token for all sites sees every workspace, a narrower one those its sites are linked to", async () => {
  const narrow = { allowed_sites: ["viewed", "bare"], max_risk: 2 as const };
  await using at = await TopicWorld.open({ tokens: { narrow, none: { allowed_sites: ["bare"] } } });
  const both = await at.both<Page>("topicmap_list_workspaces", {});
  assert.deepEqual(ids(both).sort(), [WORKSPACE_ID, OTHER_WORKSPACE_ID].sort());
  assert.deepEqual(ids(await at.both("topicmap_list_workspaces", {}, "narrow")), [OTHER_WORKSPACE_ID]);
  assert.deepEqual(ids(await at.both("topicmap_list_workspaces", {}, "none")), []);
  const unlinked = await at.gw.call<Page>("topicmap_list_workspaces", { site_id: "bare" });
  assert.equal(unlinked.items.length, 2, "it is what tells which to link");
  const first = await at.both<Page>("topicmap_list_workspaces", { limit: 1 });
  assert.ok(first.next_cursor);
  const second = await at.both<Page>("topicmap_list_workspaces", { limit: 1, cursor: first.next_cursor });
  assert.deepEqual([second.items.length, second.next_cursor], [1, null]);
});

test("a site of every kind can be linked, and sees its own workspace alone", async (at) => {
  const audits = async (site_id: string) =>
    ids(await at.both<Page>("topicmap_list_content_audits", { site_id, limit: 1 }));
  assert.deepEqual([await audits("files"), await audits("viewed")], [["audit_0"], []]);
  const foreign = { site_id: "viewed", topical_map_id: MAP_ID };
  await at.refuses("topicmap_get_topical_map", foreign, "E_NOT_FOUND", /no such topical map/, "reads");
});

test("a request names the audit row of its call", async (at) => {
  await at.gw.call("topicmap_list_content_jobs", { site_id: "linked" });
  const [row] = await at.rows(1);
  assert.equal(at.service.requests.at(-1)?.headers["x-request-id"], row?.id);
});
