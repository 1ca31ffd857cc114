/** How few requests each tool of topic planning takes; tests/golden/requests.yaml says. */
import { MAP_ID } from "../../sandbox/topic_map/start.ts";
import { holds, Meter } from "../requests_kit.ts";
import { TopicWorld } from "./_topicmap.ts";

Deno.test("of the topic-planning service every tool asks as little as the table says", async () => {
  const meter = new Meter();
  await using at = await TopicWorld.open({ fetch: meter.fetch });
  const on = { site_id: "linked" };
  const map = () => ({ ...on, topical_map_id: MAP_ID });
  const job = { ...on, keyword: "gutters", content_type: "blog_article" };
  const calls = {
    topicmap_list_workspaces: () => ({}),
    topicmap_list_topical_maps: () => on,
    topicmap_get_topical_map: map,
    topicmap_get_knowledge_graph: map,
    topicmap_list_content_briefs: () => on,
    topicmap_get_content_brief: () => ({ ...on, content_brief_id: "brief_approved" }),
    topicmap_list_content_audits: () => on,
    topicmap_list_workspace_audits: () => on,
    topicmap_get_content_audit: () => ({ ...on, content_audit_id: "audit_3" }),
    topicmap_list_content_jobs: () => on,
    topicmap_get_content_job: () => ({ ...on, content_job_id: "job_completed" }),
    topicmap_get_content_job_output: () => ({ ...on, content_job_id: "job_completed" }),
    topicmap_list_content_types: () => on,
    topicmap_rerun_job: () => ({ ...on, content_job_id: "job_failed", from_step: "draft" }),
    topicmap_rerun_audit: () => ({ ...on, content_audit_id: "audit_5", from_step: "scoring" }),
    topicmap_rerun_content_brief: () => ({
      ...on,
      content_brief_id: "brief_failed",
      from_step: "topic_research",
    }),
    topicmap_create_content_job: () => job,
    "topicmap_create_content_job (a brief and a map)": () => ({
      ...job,
      content_brief_id: "brief_approved",
      topical_map_id: MAP_ID,
    }),
    topicmap_create_content_audit: () => ({ ...on, source_type: "pasted_text", pasted_content: "Text" }),
  };
  await holds("topicmap", calls, at.gw, meter);
});
