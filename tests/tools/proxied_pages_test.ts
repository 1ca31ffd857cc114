/** Proxied tools that change pages: the page's state first, one writer at a time, read back by the site's own tools. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { parted } from "../proof.ts";
import { type Args, world } from "./_proxied.ts";

const ADD = "builder-mcp-add-free-widget";
const add = (post_id: unknown, more: Args = {}) => ({
  site_id: "acme",
  post_id,
  parent_id: "root",
  widget_type: "heading",
  settings: { title: "Hello" },
  ...more,
});

Deno.test("an element is added to a draft, read back, and the audit keeps what changed", async () => {
  await using at = await world();
  const id = at.page("draft");
  for (const door of DOORS) {
    const before = at.servers.reached.length;
    const answer = await at.gw.end(ADD, add(id), { door });
    assert.ok("value" in answer, JSON.stringify(answer));
    assert.deepEqual(
      at.servers.reached.slice(before).map(({ name, writes }) => [name, writes]),
      [["emcp-tools-get-page-structure", false], ["emcp-tools-add-free-widget", true], [
        "emcp-tools-get-page-structure",
        false,
      ]],
    );
    if (door === "rest") {
      const { done, proof } = parted(answer.value);
      assert.deepEqual(done, { success: true, element_id: "e1" });
      assert.equal(proof.verified, true);
    }
  }
  assert.equal(at.servers.pages.get(id)?.length, 2);
  const [row] = await at.gw.audit();
  assert.deepEqual([row?.status, row?.tier, row?.error], ["ok", 2, null]);
  assert.match(JSON.stringify(row?.changes), /"element e2".*heading/);
});
