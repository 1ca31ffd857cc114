/** What a caller is sent to who names a tool that there is not: one that does what was meant, or none. */
import assert from "node:assert/strict";
import { likely } from "../../../registry/likely.ts";
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
