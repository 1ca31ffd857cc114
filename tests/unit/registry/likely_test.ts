/** What a caller is sent to who names a tool that there is not: one that does what was meant, or none. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { likely as likelyOf } from "../../../registry/likely.ts";
import { words } from "../../words.ts";

const NAMES = [
  ...["get_page", "publish_page", "publish_post", "create_draft", "delete_static_route", "list_content"],
  ...["add-block", "add-free-widget", "get-page-structure", "get-element-settings", "list-pages"].map((
    name,
  ) => `builder-mcp-${name}`),
  ...words(`
    contacts_get-contact contacts_create-contact blogs_create-blog-post social-media-posting_create-post
  `),
];

const likely = (wrong: string, names: readonly string[]) =>
  likelyOf(wrong, names.map((name) => ({ name, description: "", own: !name.includes("-") })));

Deno.test("a name of a site's tool leads to the same tool behind another prefix, or to its own slip of the hand", () => {
  for (
    const [wrong, right] of [
      ["get-page-structure", "builder-mcp-get-page-structure"],
      ["emcp-tools-get-page-structure", "builder-mcp-get-page-structure"],
      ["elementor-mcp-add-free-widget", "builder-mcp-add-free-widget"],
      ["builder_mcp_list-pages", "builder-mcp-list-pages"],
      ["builder-mcp-get-page-structur", "builder-mcp-get-page-structure"],
      ["builder-mcp-list-page", "builder-mcp-list-pages"],
      ["contacts_get_contact", "contacts_get-contact"],
      ["get-contact", "contacts_get-contact"],
      ["blogs-create-blog-post", "blogs_create-blog-post"],
      ["socialmedia-posting_create-post", "social-media-posting_create-post"],
      ["crm-get-contact", "contacts_get-contact"],
      ["builder-mcp-get-page", "get_page"],
      ["builder-mcp-publish-page", "publish_page"],
    ] as const
  ) assert.deepEqual(likely(wrong, NAMES), [right], wrong);
});

Deno.test("a name that only begins like others leads nowhere, and none that deletes leads to what does not", () => {
  for (
    const wrong of words(`
      builder-mcp-add-heading builder-mcp-detect-elementor-version builder-mcp-query builder-mcp-create-post
      emcp-tools-create-post contacts_delete-contact builder-mcp-delete-page delete_contact publish-contact
    `)
  ) assert.deepEqual(likely(wrong, NAMES), [], wrong);
  assert.deepEqual(likely("builder-mcp-get-page-structure", ["get_page", "builder-mcp-add-block"]), []);
  assert.deepEqual(likely("delete_static_rout", NAMES), ["delete_static_route"]);
  assert.deepEqual(likely("publish_pots", NAMES), ["publish_page", "publish_post"]);
});

/** Every tool of the gateway with its own words, and some of sites' own servers. */
async function allTools() {
  const own = [];
  for await (const group of Deno.readDir("manifests")) {
    if (!group.isDirectory || group.name === "proxies") continue;
    for await (const file of Deno.readDir(`manifests/${group.name}`)) {
      const { name, description } = load(
        await Deno.readTextFile(`manifests/${group.name}/${file.name}`),
      ) as { name: string; description: string };
      own.push({ name, description, own: true });
    }
  }
  const ofSites = [
    "social-media-posting_create-post",
    "social-media-posting_get-post",
    "blogs_update-blog-post",
    "contacts_create-contact",
    "opportunities_get-pipelines",
  ];
  const sorted = own.sort((a, b) => a.name < b.name ? -1 : 1);
  return [
    ...sorted,
    ...ofSites.map((name) => ({ name, description: "Create a social media post.", own: false })),
  ];
}

Deno.test("a name that other services use leads to the own tool that does it, by what its description says", async () => {
  const tools = await allTools();
  for (
    const [wrong, right] of [
      ["create_post", "create_draft"],
      ["edit_post", "update_draft"],
      ["update_post", "update_draft"],
      ["create_page", "create_page_draft"],
      ["update_page", "update_page_draft"],
      ["list_posts", "list_drafts"],
      ["search_posts", "list_content"],
      ["list_pages", "list_content"],
      ["get_posts", "get_post"],
      ["upload_image", "upload_media"],
      ["create_redirect", "set_seo_redirect"],
      ["add_redirect", "set_seo_redirect"],
      ["list_users", "list_cms_users"],
      ["list_tags", "list_taxonomies"],
      ["list_categories", "list_taxonomies"],
      ["create_tag", "create_taxonomy"],
      ["add_category", "create_taxonomy"],
      ["update_seo", "set_seo_meta"],
      ["set_seo_title", "set_seo_meta"],
      ["seo_report", "generate_seo_report"],
      ["site_info", "get_site"],
      ["get_site_info", "get_site"],
      ["list_files", "list_static_files"],
      ["list_files", "storage_list_site_files"],
      ["create_file", "write_static_file"],
      ["update_static_file", "write_static_file"],
      ["create_route", "create_static_route"],
      ["schedule_post", "schedule_draft"],
      ["list_invoices", "crm_list_invoices"],
      ["heatmap", "behavior_get_heatmap_metrics"],
      ["facebook_ads_insights", "get_social_ads_insights"],
      ["create_contact", "contacts_create-contact"],
      ["get_pipeline", "opportunities_get-pipelines"],
    ] as const
  ) {
    const found = likelyOf(wrong, tools);
    assert.ok(found.includes(right), `${wrong}: ${found}`);
    if (!right.includes("-")) assert.ok(!found.some((name) => name.includes("-")), `${wrong}: ${found}`);
  }
});

Deno.test("a name that nothing does leads nowhere, not to a tool with a like verb or a like sound", async () => {
  const tools = await allTools();
  for (
    const wrong of ["get_media", "list_plugins", "delete_post", "send_email", "get_redirects", "list_themes"]
  ) {
    assert.deepEqual(likelyOf(wrong, tools), [], wrong);
  }
  assert.ok(!likelyOf("list_pages", tools).includes("list_sites"));
  assert.ok(!likelyOf("list_files", tools).includes("list_sites"));
});
