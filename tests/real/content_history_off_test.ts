/** A real WordPress that keeps no revisions: get_content_history says so. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { fixture } from "../companion/site.ts";
import type { Args } from "../cms_kit.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

async function off(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const { body } = await at.ask.rest("ed", "POST", "/posts", {
    title: fresh("Out"),
    status: "publish",
    date: "2026-01-01T09:00:00",
  });
  await at.ask.rest("ed", "POST", `/posts/${body["id"]}`, { title: "Changed" });
  const args = { site_id: "open", post_id: body["id"] };
  const { note, ...found } = await at.kit.both<Args>("get_content_history", args);
  assert.deepEqual(found, { items: [], total: 0, next: null, kept: false });
  assert.match(String(note), /^The site has revisions switched off \(WP_POST_REVISIONS/);
}

onWordPress({ "get_content_history says where revisions are switched off": off }, {
  plugins: [fixture("norevisions")],
});
