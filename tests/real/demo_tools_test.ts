/** Every tool of the specification can be tried on what `deno task demo` starts: each is called there as a newcomer would. */
import assert from "node:assert/strict";
import { phpMissing } from "../../sandbox/wordpress/start.ts";
import { copyProject } from "../e2e/copy.ts";
import { ahead, type Args, PNG } from "../cms_kit.ts";
import { catalogue } from "../contract/golden.ts";

const missing = await phpMissing();
const ignore = missing !== null && Deno.env.get("CI") !== "true";
const on = ignore ? `a real WordPress (not run: ${missing})` : "a real WordPress";
const READY_MS = 120_000;

type Result = Record<string, unknown> & { readonly id?: string | number };

/** A running demo. */
class Demo implements AsyncDisposable {
  constructor(
    readonly child: Deno.ChildProcess,
    readonly address: string,
    readonly token: string,
    readonly section: string,
  ) {}

  /** Starts it in a folder, on a free port. */
  static async start(cwd: string): Promise<Demo> {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "gateway/launch.ts", "demo", "sandbox/world.ts"],
      cwd,
      env: { PORT: "0", WP_SEED: "data/wordpress" },
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const timer = setTimeout(() => child.kill("SIGKILL"), READY_MS);
    const said = Promise.withResolvers<string>();
    read(child.stdout, said.resolve);
    const text = await said.promise;
    clearTimeout(timer);
    const address = /^The gateway answers at (http:\/\/[\d.:]+)\./m.exec(text)?.[1];
    const token = /Bearer (gate_dev_\S+)'/.exec(text)?.[1];
    const section = /saved section is (\S+)\.$/m.exec(text)?.[1];
    if (!address || !token || !section) {
      await child.status;
      assert.fail(`the demo did not start: ${text}`);
    }
    return new Demo(child, address, token, section);
  }

  /** What was refused, a sentence each. */
  readonly refusals: string[] = [];

  /** What a tool answers, asked through REST and MCP in turn; nothing where it refuses, which is noted. */
  async call(tool: string, args: Args = {}): Promise<Result> {
    const params = { name: tool, arguments: args };
    if (this.#calls++ % 2 === 0) {
      const { ok, result, error } = await this.#ask(`/api/v1/tools/${tool}`, args);
      return ok ? result : this.#refused(tool, `${error?.code}: ${error?.message}`);
    }
    const { result } = await this.#ask("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const { text } = result.content[0];
    return result.isError ? this.#refused(tool, text) : JSON.parse(text);
  }
  #calls = 0;

  #refused(tool: string, why: string): Result {
    this.refusals.push(`${tool}: ${why}`);
    return {};
  }

  async #ask(path: string, body: unknown) {
    const response = await fetch(`${this.address}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return await response.json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGINT");
    const { code } = await this.child.status;
    assert.equal(code, 0, "the demo ends well");
  }
}

/** Reads what the demo says; `ready` gets all of it once it has said everything, or has ended. */
async function read(stdout: ReadableStream<Uint8Array>, ready: (text: string) => void): Promise<void> {
  let text = "";
  for await (const part of stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes("Ctrl-C stops")) ready(text);
  }
  ready(text);
}

/** One call of every tool, in an order in which each finds what it is about. */
async function tryEach(demo: Demo): Promise<string[]> {
  const tried: string[] = [];
  const call = async (tool: string, args: Args = {}) => {
    tried.push(tool);
    return await demo.call(tool, args);
  };
  const on = (site_id: string): Site => (args = {}) => ({ site_id, ...args });
  const [cms, live] = [on("demo"), on("demo-live")];
  await discovery(call, cms);
  await posts(call, cms, live);
  await pages(call, live, on("demo-built"), demo.section);
  await seo(call, live);
  await repository(call, on("demo-static"));
  await planning(call, live);
  await client(call, on("demo-crm"));
  await linked(call, cms, live);
  return tried;
}
type Call = (tool: string, args?: Args) => Promise<Result>;
type Site = (args?: Args) => Args;
const DO = { confirm: true };

async function discovery(call: Call, cms: Site): Promise<void> {
  await call("list_sites");
  await call("list_projects");
  for (const tool of ["get_site", "ping_site", "diagnose_site", "list_builders_for_site", "list_cms_users"]) {
    await call(tool, cms());
  }
}

async function posts(call: Call, cms: Site, live: Site): Promise<void> {
  const text = { title: "Tried", content_html: "<p>Tried</p>" };
  const { id: post_id } = await call("create_draft", live({ ...text, ...DO }));
  await call("get_post", live({ post_id }));
  await call("list_drafts", cms());
  await call("update_draft", live({ post_id, title: "Tried again", ...DO }));
  await call("schedule_draft", live({ post_id, scheduled_at: ahead(86_400, Date.now()), ...DO }));
  await call("unschedule", live({ post_id, ...DO }));
  await call("get_seo_meta", live({ post_id }));
  await call("set_seo_meta", live({ post_id, title: "Tried", ...DO }));
  const schema = { "@context": "https://schema.org", "@type": "Event", name: "Tried" };
  await call("set_seo_schema", live({ post_id, schema, ...DO }));
  await call("publish_post", live({ post_id, ...DO }));
  await call("upload_media", cms({ filename: "a.png", content_base64: PNG, ...DO }));
  await call("list_taxonomies", cms({ taxonomy: "category" }));
  await call("create_taxonomy", cms({ taxonomy: "tag", name: "Tried", ...DO }));
}

async function pages(call: Call, live: Site, built: Site, section: string): Promise<void> {
  const { id: page_id } = await call(
    "create_page_draft",
    live({ title: "Tried", content_html: "<p>x</p>", ...DO }),
  );
  await call("update_page_draft", live({ page_id, title: "Tried again", ...DO }));
  await call("list_page_templates", live());
  await call("schedule_page", live({ page_id, scheduled_at: ahead(86_400, Date.now()), ...DO }));
  await call("publish_page", live({ page_id, ...DO }));
  const { id: code } = await call("create_page_from_code", live({ title: "Code", html: "<p>x</p>", ...DO }));
  await call("update_page_from_code", live({ page_id: code, css: "p { color: red }", ...DO }));
  const { id: own } = await call("create_page_draft", built({ title: "Tried", ...DO }));
  await call("duplicate_page", built({ page_id: own, ...DO }));
  await call("inject_page_section", built({ page_id: own, element_source_id: section, ...DO }));
}

async function seo(call: Call, live: Site): Promise<void> {
  await call("set_seo_redirect", live({ source: "/tried", destination: "/elsewhere", ...DO }));
  await call("get_sitemap_status", live());
  const { entries = [] } = await call("get_custom_schema", live()) as { entries?: { post_id: number }[] };
  const value = JSON.stringify({ "@context": "https://schema.org", "@type": "Organization", name: "Tried" });
  await call("set_custom_schema", live({ id: entries[0]?.post_id, value, ...DO }));
}

async function repository(call: Call, files: Site): Promise<void> {
  const route = "/tried";
  await call("init_static_project", files({ homepage_html: "<h1>Tried</h1>", ...DO }));
  await call("list_static_files", files());
  await call("list_static_routes", files());
  await call("read_static_file", files({ path: "package.json" }));
  await call("check_static_deploy", files());
  await call("write_static_file", files({ path: "public/tried.txt", content: "x", ...DO }));
  await call("bulk_write_static_files", files({ files: [{ path: "public/more.txt", content: "x" }], ...DO }));
  await call("create_static_route", files({ route, html: "<p>x</p>", target_branch: "main", ...DO }));
  await call("update_static_route", files({ route, html: "<p>y</p>", target_branch: "main", ...DO }));
  await call("delete_static_route", files({ route, ...DO }));
  await call("reset_static_preview_branch", files(DO));
  const path = "content/tried.md";
  const content = "---\ntitle: Tried\nslug: tried\ntype: post\nstatus: draft\n---\n\nTried.\n";
  await call("save_md_to_repo", files({ path, content, ...DO }));
  await call("list_md_from_repo", files());
  await call("read_md_from_repo", files({ path }));
  await call("update_md_status", files({ path, status: "review", ...DO }));
  await call("deploy_md_to_site", files({ path, target_site_id: "demo", ...DO }));
}

async function planning(call: Call, live: Site): Promise<void> {
  const ids = {
    topical_map_id: "map_main",
    content_brief_id: "brief_approved",
    content_audit_id: "audit_3",
    content_job_id: "job_completed",
  };
  const of = (name: keyof typeof ids) => live({ [name]: ids[name] });
  for (
    const list of [
      "workspaces",
      "topical_maps",
      "content_briefs",
      "content_audits",
      "content_jobs",
      "content_types",
    ]
  ) {
    await call(`topicmap_list_${list}`, list === "workspaces" ? {} : live());
  }
  await call("topicmap_list_workspace_audits", live());
  await call("topicmap_get_topical_map", of("topical_map_id"));
  await call("topicmap_get_knowledge_graph", of("topical_map_id"));
  await call("topicmap_get_content_brief", of("content_brief_id"));
  await call("topicmap_get_content_audit", of("content_audit_id"));
  await call("topicmap_get_content_job", of("content_job_id"));
  await call("topicmap_get_content_job_output", of("content_job_id"));
  await call(
    "topicmap_create_content_job",
    live({ keyword: "gutters", content_type: "blog_article", ...DO }),
  );
  await call(
    "topicmap_create_content_audit",
    live({ source_type: "pasted_text", pasted_content: "Text", ...DO }),
  );
  await call("topicmap_rerun_job", live({ content_job_id: "job_failed", from_step: "draft", ...DO }));
  await call("topicmap_rerun_audit", live({ content_audit_id: "audit_3", from_step: "scoring", ...DO }));
  await call(
    "topicmap_rerun_content_brief",
    live({ content_brief_id: "brief_failed", from_step: "topic_research", ...DO }),
  );
}

async function client(call: Call, crm: Site): Promise<void> {
  const { workflows = [] } = await call("crm_list_workflows", crm()) as { workflows?: { id: string }[] };
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  await call("forms_get-submissions", crm({ start_at: day(20), end_at: day(0) }));
  await call("crm_get_workflow_executions", crm({ workflow_id: workflows[0]?.id }));
  const named = (await catalogue()).specification.filter(({ group }) => group === "crm").map(({ name }) =>
    name
  );
  const done = ["forms_get-submissions", "crm_list_workflows", "crm_get_workflow_executions"];
  for (const tool of named.filter((name) => !done.includes(name))) await call(tool, crm());
}

async function linked(call: Call, cms: Site, live: Site): Promise<void> {
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  const days = { start_date: day(28), end_date: day(1) };
  await call("get_analytics_report", live({ ...days, metrics: ["sessions"] }));
  await call("get_search_analytics", live(days));
  await call("generate_seo_report", live(days));
  await call("get_ads_report", live({ query: "SELECT campaign.id, campaign.name FROM campaign" }));
  const { spreadsheet_ids = [] } = await call("get_site", live()) as { spreadsheet_ids?: string[] };
  await call("read_sheet", live({ spreadsheet_id: spreadsheet_ids[0], range: "A1:B2" }));
  await call("storage_get_site_folder", live());
  const { files = [] } = await call("storage_list_site_files", live()) as { files?: { id: string }[] };
  await call("storage_read_file", live({ file_id: files[0]?.id }));
  await call("storage_get_baseline", live());
  await call("storage_save_audit", live({ title: "Tried", content: "# Tried\n", ...DO }));
  const { specification } = await catalogue();
  for (const { name } of specification.filter(({ group }) => group === "social")) await call(name, live());
  for (const { name } of specification.filter(({ group }) => group === "behavior")) await call(name, cms());
}

Deno.test({
  name: `on ${on}: every tool of the specification is tried on the demo, and none is refused`,
  ignore,
  async fn() {
    await using copy = await copyProject(["tests", "bench", "docs"]);
    await using demo = await Demo.start(copy.folder);
    const tried = await tryEach(demo);
    assert.deepEqual(demo.refusals, []);
    const { specification } = await catalogue();
    assert.deepEqual([...new Set(tried)].sort(), specification.map(({ name }) => name).sort());
  },
});
