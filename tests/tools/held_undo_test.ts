/** What a site's own tool wrote is set back by the site, from an image that it alone makes. */
import assert from "node:assert/strict";
import { all } from "../../sandbox/tool_servers/start.ts";
import { type Args, type HeldWorld, heldWorld } from "./_held.ts";

const ADD = "builder-mcp-add-free-widget";

/** Adds a heading to a draft, and says by which request. */
async function added(at: HeldWorld, post_id: number): Promise<Args> {
  const parent_id = at.tools.state.pages.get(post_id)!.elements[0]!.id;
  const args = { site_id: "acme", post_id, parent_id, widget_type: "heading", settings: { title: "Hello" } };
  const { beside } = await at.gw.end(ADD, args) as Args & { beside: Args };
  assert.deepEqual([beside["undoable"], beside["undoable_reason"]], [true, undefined]);
  return { site_id: "acme", request_id: beside["request_id"] };
}

const widgets = (at: HeldWorld, post_id: number) => all(at.tools.state.pages.get(post_id)!.elements).length;

Deno.test("a heading that a site's own tool added is shown and taken away again, and what others wrote stays", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  const before = widgets(at, page.id);
  const undo = await added(at, page.id);
  assert.equal(widgets(at, page.id), before + 1);
  at.cms.state.posts.get(page.id)!.title = "About us";
  const preview = await at.gw.call<Args>("undo_change", undo);
  assert.match(JSON.stringify(preview["changes"]), /Hello/);
  assert.equal(widgets(at, page.id), before + 1);
  const confirmed = { ...undo, confirm: true, confirm_token: preview["confirm_token"] };
  await at.gw.call("undo_change", confirmed);
  assert.equal(widgets(at, page.id), before);
  assert.equal(at.cms.state.posts.get(page.id)!.title, "About us");
});

Deno.test("what somebody changed since is not set back, and nothing is written", async () => {
  await using at = await heldWorld();
  const page = at.tools.page({ title: "About" });
  const undo = await added(at, page.id);
  at.tools.state.pages.get(page.id)!.elements[0]!.settings = { gap: "wide" };
  const stands = at.site();
  await at.gw.refuses(
    "undo_change",
    undo,
    "E_STALE_PREVIEW",
    /Field \S+ of post \d+ is not as that call left it/,
  );
  assert.equal(at.site(), stands);
});

Deno.test("a page created by a site's own tool cannot be undone, and the answer gives the reason", async () => {
  await using at = await heldWorld();
  const { beside } = await at.gw.end("builder-mcp-create-page", { site_id: "acme", title: "New" }) as
    & Args
    & { beside: Args };
  assert.equal(beside["undoable"], false);
  assert.match(String(beside["undoable_reason"]), /was made, which the site does not set back/);
});
