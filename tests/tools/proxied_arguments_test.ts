/** Arguments that a site's own tool does not name: a write says that they may have been ignored. */
import assert from "node:assert/strict";
import { ADD, add, type Args, world } from "./_proxied.ts";
import { CMS_TOOLS, CRM_TOOLS, HOSTED, SERVER } from "./_proxied_tools.ts";

const ADDER = "emcp-tools-add-free-widget";
const NAMED = ["post_id", "parent_id", "widget_type", "settings"];

Deno.test("an argument that the tool does not name is a warning, and nothing is said to be verified", async () => {
  await using at = await world();
  at.source.offer(ADDER, ["acme"], CMS_TOOLS[ADDER]!, SERVER, NAMED);
  const post_id = at.page("draft");
  for (const door of ["rest", "mcp"] as const) {
    const { settings: _, ...bare } = add(post_id);
    const call = async (more: Args) => {
      const args = { ...bare, ...more };
      return (await at.gw.proven(ADD, args, { door })).proof;
    };
    const right = await call({ settings: { title: "Hello" } });
    assert.deepEqual([right.verified, right.warnings], [true, []]);
    const wrong = await call({ title: "Hello", setting: {} });
    assert.equal(wrong.verified, null);
    assert.equal(wrong.verified_reason, "The settings of the element do not show title, setting");
    const misnamed = await call({ setting: {} });
    assert.deepEqual([misnamed.verified, misnamed.verified_reason], [
      null,
      "The settings of the element do not show setting",
    ]);
    assert.deepEqual(wrong.warnings, [
      "title: the site's own tool names no such argument, and may have ignored it",
      "setting: the site's own tool names no such argument, and may have ignored it; did you mean settings",
    ]);
  }
});

Deno.test("a tool of the CRM takes its arguments with and without prefix, and warns of others", async () => {
  await using at = await world();
  const tool = "contacts_add-tags";
  at.source.offer(tool, ["crm"], CRM_TOOLS[tool]![0], HOSTED, CRM_TOOLS[tool]![1]);
  const warnings = async (args: Args) =>
    (await at.gw.proven(tool, { site_id: "crm", ...args })).proof.warnings;
  assert.deepEqual(await warnings({ contactId: "c1", tags: ["a"] }), []);
  assert.deepEqual(await warnings({ path_contactId: "c1", body_tags: ["a"] }), []);
  assert.deepEqual(await warnings({ contact_id: "c1", contactId: "c1", tags: ["a"] }), [
    "contact_id: the site's own tool names no such argument, and may have ignored it; did you mean contactId",
  ]);
});
