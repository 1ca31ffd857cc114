/** One call of every tool on the sites of `deno task demo`: what tries the demo, and what the examples of docs/TOOLS.md are. */
import type { ConfirmPolicy } from "../core/model.ts";
import { ahead, type Args, PNG } from "./cms_kit.ts";
import { catalogue } from "./contract/golden.ts";
import { CALLS as OF_BEHAVIOR } from "./tools/_behavior.ts";

/** What a tool answered. */
export type Result = Record<string, unknown> & { readonly id?: string | number };
/** Calls a tool; where `confirm` is true, as a caller who has seen the preview. */
export type Call = (tool: string, args?: Args) => Promise<Result>;

/** What the calls need to know of the demo they are made on. */
export interface On {
  /** The saved section of the site builder. */
  readonly section: string;
  /** The demo's clock. */
  readonly now: () => number;
  /** Waits until every build of the static site that has begun is over. */
  built(): Promise<void>;
  /** Says what writes on a site need. */
  policy(site_id: string, confirm_policy: ConfirmPolicy): Promise<void>;
}

type Site = (args?: Args) => Args;
const DO = { confirm: true };
const at = (site_id: string): Site => (args = {}) => ({ site_id, ...args });

/** Makes one call of every tool of the catalogue or more, in an order in which each finds what it is about. */
export async function callEach(call: Call, { section, now, built, policy }: On): Promise<void> {
  const [cms, live] = [at("demo"), at("demo-live")];
  const tomorrow = ahead(86_400, now());
  const day = (back: number) => new Date(now() - back * 86_400_000).toISOString().slice(0, 10);
  await discovery(call, cms);
  await posts(call, cms, live, tomorrow);
  await asked(call, live, policy);
  await pages(call, live, at("demo-built"), tomorrow, section);
  await seo(call, live);
  await repository(call, at("demo-static"), built);
  await planning(call, live);
  await client(call, at("demo-crm"), day);
  await linked(call, cms, live, day);
}

async function discovery(call: Call, cms: Site): Promise<void> {
  await call("list_sites");
  await call("list_projects");
  await call("find_tools", { query: "make a tag of a blog", limit: 2 });
  await call("describe_tool", { tool: "create_taxonomy" });
  await call("call_read_tool", { tool: "list_taxonomies", arguments: cms({ taxonomy: "tag" }) });
  const tag = { tool: "create_taxonomy", arguments: cms({ taxonomy: "tag", name: "Downpipes" }) };
  await call("call_write_tool", { ...tag, ...DO });
  for (const tool of ["get_site", "ping_site", "diagnose_site", "list_builders_for_site", "list_cms_users"]) {
    await call(tool, cms());
  }
}

async function asked(call: Call, live: Site, policy: On["policy"]): Promise<void> {
  const id = "demo-live";
  await policy(id, "human");
  const preview = await call("create_draft", live({ title: "Gutters", content_html: "<p>Look up.</p>" }));
  await policy(id, "flag");
  const { approval } = preview as { approval?: { id: string } };
  await call("get_approval", { approval_id: approval?.id });
}

async function posts(call: Call, cms: Site, live: Site, tomorrow: string): Promise<void> {
  const text = { title: "Clean gutters", content_html: "<p>Twice a year.</p>", tags: ["Gutters"] };
  const { id: post_id } = await call("create_draft", live({ ...text, ...DO }));
  await call("get_post", live({ post_id }));
  await call("list_drafts", cms());
  await call("list_content", cms({ type: "post", search: "gutters" }));
  await call("update_draft", live({ post_id, title: "Clean gutters before winter", ...DO }));
  const { request_id } = await call("update_draft", live({ post_id, title: "Clean guters", ...DO }));
  await call("list_changes", live());
  await call("undo_change", live({ request_id, ...DO }));
  const again = { tool: "update_draft", arguments: live({ post_id, title: "Clean gutters in autumn" }) };
  const another = {
    tool: "create_draft",
    arguments: live({ title: "Roofs", content_html: "<p>Look up.</p>" }),
  };
  const { set_id } = await call("prepare_changes", { title: "Autumn", changes: [again, another], ...DO });
  await call("get_change_set", { set_id });
  await call("cancel_change_set", { set_id });
  await call("get_content_history", live({ post_id }));
  await call("explain_call", cms({ tool: "publish_post", arguments: { post_id: 1 } }));
  await call("schedule_draft", live({ post_id, scheduled_at: tomorrow, ...DO }));
  await call("unschedule", live({ post_id, ...DO }));
  await call("get_seo_meta", live({ post_id }));
  await call("set_seo_meta", live({ post_id, title: "Clean gutters | Demo", ...DO }));
  const schema = { "@context": "https://schema.org", "@type": "Event", name: "Open day" };
  await call("set_seo_schema", live({ post_id, schema, ...DO }));
  await call("publish_post", live({ post_id, ...DO }));
  const replacements = [{ find: "Twice a year.", replace: "Three times a year." }];
  await call("revise_published", live({ post_id, replacements, ...DO }));
  await call("upload_media", cms({ filename: "dot.png", content_base64: PNG, alt_text: "A dot", ...DO }));
  await call("list_taxonomies", cms({ taxonomy: "category" }));
  await call("create_taxonomy", cms({ taxonomy: "tag", name: "Roofs", ...DO }));
}

async function pages(call: Call, live: Site, built: Site, tomorrow: string, section: string): Promise<void> {
  const text = { title: "Our prices", content_html: "<p>From 50.</p>" };
  const { id: page_id } = await call("create_page_draft", live({ ...text, ...DO }));
  await call("get_page", live({ page_id }));
  await call("view_live", live({ path: "/hello-world/" }));
  await call("find_text", live({ text: "our prices" }));
  await call("replace_text", live({ find: "from 50", replace: "From 60", ...DO }));
  await call("update_page_draft", live({ page_id, title: "What it costs", ...DO }));
  await call("list_page_templates", live());
  await call("schedule_page", live({ page_id, scheduled_at: tomorrow, ...DO }));
  await call("publish_page", live({ page_id, ...DO }));
  const code = { title: "Offer", html: "<h1>Offer</h1>", css: "h1 { color: navy }" };
  const { id: code_id } = await call("create_page_from_code", live({ ...code, ...DO }));
  await call("update_page_from_code", live({ page_id: code_id, css: "h1 { color: teal }", ...DO }));
  const { id: own } = await call("create_page_draft", built({ title: "Prices", ...DO }));
  await call("duplicate_page", built({ page_id: own, ...DO }));
  await call("inject_page_section", built({ page_id: own, element_source_id: section, ...DO }));
}

async function seo(call: Call, live: Site): Promise<void> {
  await call("set_seo_redirect", live({ source: "/old-prices", destination: "/sample-page/", ...DO }));
  await call("get_sitemap_status", live());
  await call("audit_seo", live({ per_page: 3 }));
  const { entries = [] } = await call("get_custom_schema", live()) as { entries?: { post_id: number }[] };
  const value = JSON.stringify({ "@context": "https://schema.org", "@type": "Organization", name: "Demo" });
  await call("set_custom_schema", live({ id: entries[0]?.post_id, value, ...DO }));
}

async function repository(call: Call, files: Site, built: On["built"]): Promise<void> {
  const route = "/offer";
  await call("init_static_project", files({ homepage_html: "<h1>Welcome</h1>", ...DO }));
  await call("list_static_files", files());
  await call("list_static_routes", files());
  await call("read_static_file", files({ path: "package.json" }));
  await call("check_static_deploy", files());
  await call("write_static_file", files({ path: "public/hours.txt", content: "Mo-Fr 9-17\n", ...DO }));
  await call("edit_static_file", files({ path: "public/hours.txt", find: "9-17", replace: "8-18", ...DO }));
  const more = [{ path: "public/contact.txt", content: "Call us.\n" }];
  await call("bulk_write_static_files", files({ files: more, ...DO }));
  const pages = ["vienna", "graz"].map((city) => ({ route: `cities/${city}`, html: `<h1>${city}</h1>` }));
  await call("create_static_routes", files({ pages, ...DO }));
  const title = "Pages of two cities";
  await call("propose_static_changes", files({ title, body: "Vienna and Graz, as agreed.", ...DO }));
  await built();
  await call("publish_static_preview", files(DO));
  const page = (html: string) => files({ route, html, target_branch: "main", ...DO });
  await call("create_static_route", page("<h1>Offer</h1>"));
  await call("update_static_route", page("<h1>New offer</h1>"));
  await call("delete_static_route", files({ route, ...DO }));
  await call("reset_static_preview_branch", files(DO));
  const path = "content/gutters.md";
  const content = "---\ntitle: Gutters\nslug: gutters\ntype: post\nstatus: draft\n---\n\nTwice a year.\n";
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
  await call("topicmap_list_workspaces");
  for (const list of ["topical_maps", "content_briefs", "content_audits", "content_jobs", "content_types"]) {
    await call(`topicmap_list_${list}`, live());
  }
  await call("topicmap_list_workspace_audits", live());
  await call("topicmap_get_topical_map", of("topical_map_id"));
  await call("topicmap_get_knowledge_graph", of("topical_map_id"));
  await call("topicmap_get_content_brief", of("content_brief_id"));
  await call("topicmap_get_content_audit", of("content_audit_id"));
  await call("topicmap_get_content_job", of("content_job_id"));
  await call("topicmap_get_content_job_output", of("content_job_id"));
  const job = { keyword: "gutters", content_type: "blog_article" };
  await call("topicmap_create_content_job", live({ ...job, ...DO }));
  const audit = { source_type: "pasted_text", pasted_content: "Gutters need cleaning twice a year." };
  await call("topicmap_create_content_audit", live({ ...audit, ...DO }));
  await call("topicmap_rerun_job", live({ content_job_id: "job_failed", from_step: "draft", ...DO }));
  await call("topicmap_rerun_audit", live({ content_audit_id: "audit_3", from_step: "scoring", ...DO }));
  const brief = { content_brief_id: "brief_failed", from_step: "topic_research" };
  await call("topicmap_rerun_content_brief", live({ ...brief, ...DO }));
}

/** The tools of a group of the specification. */
async function toolsOf(group: string): Promise<string[]> {
  return (await catalogue()).specification.filter((one) => one.group === group).map(({ name }) => name);
}

async function client(call: Call, crm: Site, day: (back: number) => string): Promise<void> {
  const { workflows = [] } = await call("crm_list_workflows", crm()) as { workflows?: { id: string }[] };
  await call("forms_get-submissions", crm({ start_at: day(20), end_at: day(0) }));
  await call("crm_get_workflow_executions", crm({ workflow_id: workflows[0]?.id }));
  const done = ["forms_get-submissions", "crm_list_workflows", "crm_get_workflow_executions"];
  for (const tool of await toolsOf("crm")) if (!done.includes(tool)) await call(tool, crm());
}

async function linked(call: Call, cms: Site, live: Site, day: (back: number) => string): Promise<void> {
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
  await call("storage_save_audit", live({ title: "Audit", content: "# Audit\n", ...DO }));
  for (const tool of await toolsOf("social")) await call(tool, live());
  for (const tool of await toolsOf("behavior")) await call(tool, cms(OF_BEHAVIOR[tool]));
}
