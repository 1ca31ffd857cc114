/** The nearest name is one that was likely meant, or none. */
import assert from "node:assert/strict";
import { nearest } from "../../../core/nearest.ts";

Deno.test("a slip of the hand finds the name, another word finds none", () => {
  const names = ["title", "content_html", "scheduled_at", "site_id", "tags", "id"];
  const cases: [string, string | null][] = [
    ["titel", "title"],
    ["Title", "title"],
    ["scheduledAt", "scheduled_at"],
    ["content-html", "content_html"],
    ["contenthtml", "content_html"],
    ["siteid", "site_id"],
    ["tag", "tags"],
    ["content", "content_html"],
    ["html", "content_html"],
    ["xyz", null],
    ["ab", null],
    ["", null],
    ["description", null],
    ["t".repeat(65), null],
  ];
  for (const [word, name] of cases) assert.equal(nearest(word, names), name, word);
  assert.equal(nearest("title", []), null);
});

Deno.test("a name within the word is closer than another that begins otherwise, but a slip of the hand is closer still", () => {
  const names = ["title", "description", "og_title", "og_description", "twitter_title", "id"];
  const cases: [string, string | null][] = [
    ["meta_description", "description"],
    ["seo_title", "title"],
    ["meta-title", "title"],
    ["seo_og_title", "og_title"],
    ["ogg_title", "og_title"],
    ["og_titel", "og_title"],
    ["post_id", null],
  ];
  for (const [word, name] of cases) assert.equal(nearest(word, names), name, word);
});

Deno.test("a name that has all the words is what was meant, the shortest of several", () => {
  const names = ["crm_compute_no_show_rate", "list_content", "topicmap_list_content_jobs", "list_social_ads"];
  assert.equal(nearest("crm_no_show", names), "crm_compute_no_show_rate");
  assert.equal(
    nearest("content_job_topicmap", ["topicmap_get_content_job", "topicmap_get_content_job_output"]),
    "topicmap_get_content_job",
  );
  assert.equal(nearest("crm_delete", names), null);
});
