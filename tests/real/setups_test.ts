/** A real WordPress set up otherwise: plain permalinks, application passwords off. */
import assert from "node:assert/strict";
import { ahead } from "../cms_kit.ts";
import { says } from "../tools/_diagnose.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

onWordPress({
  async "plain permalinks are found and used"(site) {
    await using at = await Real.open(site);
    const draft = { site_id: "acme", title: fresh("Plain"), content_html: "x", tags: ["A & B"] };
    const { done: { id } } = await at.kit.write("rest", "create_draft", draft);
    const args = { site_id: "acme", post_id: id, scheduled_at: ahead(7200) };
    assert.equal((await at.kit.write("mcp", "schedule_draft", args)).done.status, "scheduled");
    const { posts } = await at.kit.both<{ posts: { id: number }[] }>("list_drafts", {
      site_id: "acme",
      status: "scheduled",
    });
    assert.deepEqual(posts.map((row) => row.id), [id]);
  },
}, { plain_permalinks: true });

onWordPress({
  async "application passwords that are off are told"(site) {
    await using at = await Real.open(site);
    await says(at.kit.both.bind(at.kit), "acme", {
      credentials: [false, /^The site has application passwords turned off$/, /https/],
    });
  },
}, { environment: "production" });
