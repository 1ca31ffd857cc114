/** Texts that a tool of its own name adds with an element: proven only where the element's settings show them. */
import assert from "node:assert/strict";
import { type Args, says, world } from "./_proxied.ts";

const HEADING = "emcp-tools-add-heading";
const UNSHOWN = /The settings of the element do not show title/;

/** What the site stores, and what is said of it. */
const ROWS: readonly (readonly [settings: Args, verified: boolean | null, says?: RegExp])[] = [
  [{ title: "Fish &amp; chips", align: "left" }, true],
  [{ heading: { "$$type": "string", value: "Fish & chips" }, align: "left" }, true],
  [{ html: "<h2>Fish & chips</h2>", align: "left" }, true],
  [{ title: "Something else", align: "left" }, false, /title: is not stored as it was sent/],
  [{ title: "", align: "left" }, false, /title: is not stored as it was sent/],
  [{ align: "left" }, null, UNSHOWN],
  [{ align: "right", title: "Fish & chips" }, false, /align: is not stored as it was sent/],
];

for (const [settings, verified, words] of ROWS) {
  Deno.test(`a heading that is stored as ${JSON.stringify(settings)} is ${verified}`, async () => {
    await using at = await world();
    at.source.offer(HEADING, ["acme"], { writes: true, effect: "page", page: "post_id" });
    at.servers.answers.set(HEADING, ({ post_id, parent_id }) =>
      at.servers.own("emcp-tools-add-free-widget", {
        post_id,
        parent_id,
        widget_type: "heading",
        settings: structuredClone(settings),
      }));
    const call = { site_id: "acme", post_id: at.page("draft"), parent_id: "root" };
    const given = { ...call, title: "Fish & chips", align: "left", position: -1 };
    const { proof } = await at.gw.proven("builder-mcp-add-heading", given);
    assert.equal(proof.verified, verified);
    if (words) assert.match(`${proof.verified_reason} ${proof.warnings}`, words);
  });
}

Deno.test("of an element whose settings cannot be read nothing is proven", async () => {
  await using at = await world();
  at.source.offer(HEADING, ["acme"], { writes: true, effect: "page", page: "post_id" });
  at.servers.answers.set(
    HEADING,
    ({ post_id }) => at.servers.own("emcp-tools-add-free-widget", { post_id, widget_type: "heading" }),
  );
  at.servers.answers.set("emcp-tools-get-element-settings", () => says([]));
  const call = { site_id: "acme", post_id: at.page("draft"), title: "Hello" };
  const { proof } = await at.gw.proven("builder-mcp-add-heading", call);
  assert.deepEqual([proof.verified, proof.warnings], [null, []]);
  assert.match(proof.verified_reason!, /could not be read back/);
});
