/** On a real WordPress whose REST API has another name and is for those who sign in alone: the tools work as elsewhere. */
import assert from "node:assert/strict";
import { ahead, type Args } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

const S = { site_id: "open" };

onWordPress({
  async "a site is diagnosed, and a post goes from draft to published and is revised"(site) {
    const moved = { options: { rest_moved: 1 } };
    await using at = await Real.open(site);
    await at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", moved);
    await fetch(site.base_url).then((home) => home.body?.cancel()); // makes the rules anew
    const index = await fetch(`${site.base_url}/api/`);
    await index.body?.cancel();
    assert.equal(index.status, 401, "nobody reads it without signing in");
    const { checks } = await at.kit.gw.call<{ checks: { name: string; ok: boolean }[] }>("diagnose_site", S);
    for (const name of ["rest_api", "credentials", "clock", "companion"]) {
      assert.equal(checks.find((check) => check.name === name)?.ok, true, name);
    }
    const title = fresh("Moved");
    const { done } = await at.kit.write("rest", "create_draft", { ...S, title, content_html: "<p>x</p>" });
    const post = { ...S, post_id: done.id };
    const scheduled = await at.kit.write<Args>("mcp", "schedule_draft", {
      ...post,
      scheduled_at: ahead(3600),
    });
    assert.match(String(scheduled.done["scheduled_at_site"]), /\(.+\)$/, "the site's zone is known");
    await at.kit.write("rest", "unschedule", post);
    const published = await at.kit.write<Args>("rest", "publish_post", post);
    assert.deepEqual([published.done["status"], published.proof.live?.as_expected], ["published", true]);
    const revised = await at.kit.write<Args>("mcp", "revise_published", { ...post, title: fresh("Again") });
    assert.equal(revised.proof.live?.as_expected, true);
    const { items } = await at.kit.both<{ items: Args[] }>("list_content", { ...S, type: "post" });
    assert.ok(items.some(({ id }) => id === done.id));
  },
}, { plugins: [PLUGIN, fixture("peek"), fixture("rest-moved")] });
