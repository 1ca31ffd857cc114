/** The stand-in of a site's own tool servers: what the builder's tools refuse themselves, and what they store otherwise. */
import assert from "node:assert/strict";
import { type Json, ToolSite } from "./tool_servers_kit.ts";

Deno.test("what is there and empty is refused in the tool's own words, and what is stored is not always what was sent", async () => {
  await using at = await ToolSite.open();
  const page = at.servers.page({ title: "Home" });
  const { call } = await at.caller();
  const element_id = at.servers.state.pages.get(page.id)!.elements[0]!.id;
  const done = async (name: string, args: Json) => (await call(name, { post_id: page.id, ...args })).done;
  const added = await done("add-free-widget", { parent_id: element_id, widget_type: "heading" });
  const refusals: [string, Json, RegExp][] = [
    ["update-widget", { element_id, settings: {} }, /^post_id, element_id, and settings are required\.$/],
    [
      "update-container",
      { element_id: added["element_id"], settings: { a: 1 } },
      /^Element is not a container/,
    ],
    ["batch-update", { operations: [] }, /^post_id and operations are required\.$/],
    ["import-template", { template_json: [] }, /^The template_json parameter is required\.$/],
    ["build-page", { title: "", structure: [{ type: "container" }] }, /^The title parameter is required\.$/],
    [
      "build-page",
      { title: "A", structure: [] },
      /^The structure parameter is required and must be an array/,
    ],
    ["add-custom-js", { parent_id: element_id, js: "" }, /^post_id, parent_id, and js are required\.$/],
    ["apply-template", { template_id: 7 }, /^Elementor document not found for post ID 7\.$/],
    ["upload-svg-icon", { svg_content: "none" }, /does not contain valid SVG markup/],
  ];
  for (const [name, args, words] of refusals) {
    const { isError, says } = await call(name, { post_id: page.id, ...args });
    assert.deepEqual([name, isError, words.test(says)], [name, true, true], says);
  }
  assert.match(
    (await call("add-block", { post_id: page.id, markup: "" })).says,
    /did not parse to any block/,
  );
  const titled = await done("create-page", { title: 'A \\ "b" <b>c</b>' });
  assert.equal(at.site.posts.get(titled["post_id"] as number)!.title, 'A  "b" c');
  const short = await done("build-page", { title: "A", structure: [{ type: "heading" }] });
  assert.match(String(short["warnings"]), /^Interpreted "type":"heading" as a "heading" widget/);
  await done("add-custom-js", { parent_id: element_id, js: "<script>go()</script>" });
  const { elements } = at.servers.state.pages.get(page.id)!.elements[0]!;
  assert.equal(elements.at(-1)!.settings["html"], "<script>\ngo()\n</script>");
});
