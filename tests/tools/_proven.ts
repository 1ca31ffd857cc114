/** Places where writes are made to see what they prove, and those of the site builder, the topic planning and the storage. */
import type { Args } from "../cms_kit.ts";
import type { Kit } from "../kit.ts";
import { dudaWorld } from "./_duda.ts";
import { GoogleWorld } from "./_google.ts";
import { TopicWorld } from "./_topicmap.ts";

/** A write, in the order in which those of its world are made. */
interface Case {
  readonly tool: string;
  readonly args: Args;
  /** What it must say: that it stands as it was asked for, where nothing else is given. */
  readonly verified?: boolean | null;
  /** What the only warning, or the reason, must say. */
  readonly says?: RegExp;
}

/** A place where writes are made, and those. */
export interface Place extends AsyncDisposable {
  readonly gw: Kit;
  readonly cases: readonly Case[];
}

/** Pages of the site builder. */
export async function siteBuilder(): Promise<Place> {
  const at = await dudaWorld();
  const page = { site_id: "open", page_id: at.page.uuid };
  return {
    gw: at.gw,
    cases: [
      { tool: "duplicate_page", args: { ...page, title: "A copy" }, verified: null },
      { tool: "inject_page_section", args: { ...page, element_source_id: at.section } },
    ],
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

/** Jobs of the topic planning. */
export async function topicPlanning(): Promise<Place> {
  const at = await TopicWorld.open();
  const on = { site_id: "linked" };
  const pasted = { ...on, source_type: "pasted_text", pasted_content: "Text" };
  return {
    gw: at.gw,
    cases: [
      { tool: "topicmap_rerun_job", args: { ...on, content_job_id: "job_failed", from_step: "draft" } },
      { tool: "topicmap_rerun_audit", args: { ...on, content_audit_id: "audit_5", from_step: "scoring" } },
      {
        tool: "topicmap_rerun_content_brief",
        args: { ...on, content_brief_id: "brief_failed", from_step: "topic_research" },
      },
      {
        tool: "topicmap_create_content_job",
        args: { ...on, keyword: "gutters", content_type: "blog_article" },
      },
      { tool: "topicmap_create_content_audit", args: pasted, verified: null, says: /pasted_content/ },
    ],
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

/** Files of the storage. */
export async function storage(): Promise<Place> {
  const at = await GoogleWorld.open();
  const audit = { site_id: "linked", title: "Audit", content: "# Audit" };
  return {
    gw: at.gw,
    cases: [{ tool: "storage_save_audit", args: audit }],
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}
