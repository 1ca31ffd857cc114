/** One call of every tool that writes. */
import type { Write } from "./_write_cases.ts";
import { PAGES, POSTS } from "./_writes_posts.ts";
import { SEO } from "./_writes_seo.ts";
import { MARKDOWN, STATIC } from "./_writes_static.ts";

export type { Act, Edit, Write } from "./_write_cases.ts";

/** A write's name in a test. */
export const nameOf = ({ tool, of }: Write): string => of === undefined ? tool : `${tool} (${of})`;

/** Every tool that writes and is built, but for those below. */
export const WRITES: readonly Write[] = [...POSTS, ...PAGES, ...SEO, ...STATIC, ...MARKDOWN];

/** Writes that no call of the table makes, and why. */
export const NOT_HERE: Readonly<Record<string, string>> = {
  undo_change: "calls the others: undo_test.ts",
  prepare_changes: "the same: change_sets_test.ts",
  replace_text: "the same: replace_text_test.ts",
  duplicate_page: "of the site builder alone: duda_races_test.ts",
  inject_page_section: "the same",
  init_static_project: "begins a repository, which can be done once: approved_static_test.ts",
  topicmap_rerun_job: "stands on another upstream: topicmap_write_test.ts, as the next four",
  topicmap_rerun_audit: "the same",
  topicmap_rerun_content_brief: "the same",
  topicmap_create_content_job: "the same",
  topicmap_create_content_audit: "the same",
  storage_save_audit: "stands on another upstream: storage_test.ts",
  publish_static_preview: "needs a preview that is built: static_publish_refused_test.ts",
  propose_static_changes: "changes no file: static_propose_test.ts",
  reset_static_preview_branch: "writes in the gateway's own store alone: approved_static_test.ts",
};
