/** On a real WordPress with the plugin: what visitors get of a post or page is part of what was approved. */
import assert from "node:assert/strict";
import { fixture, PLUGIN } from "../companion/site.ts";
import { approved, META, refusedAfter } from "./_publish.ts";
import { schemaSites, stored } from "./_schema.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

onWordPress({
  async "what goes live beside its text is part of what was approved"(site) {
    await using at = await Real.open(site, { sites: schemaSites(site) });
    await approved(at);
    for (const [part, meta] of META) {
      await refusedAfter(at, "posts", part, (id) => stored(at, { id, meta }));
    }
    const id = await at.ask.draft("ed", { title: fresh("Counted") });
    const args = { site_id: "open", post_id: id };
    const { confirm_token } = await at.kit.gw.call<{ confirm_token: string }>("publish_post", args);
    await stored(at, { id, meta: { post_views_count: "12" } });
    await at.kit.gw.call("publish_post", { ...args, confirm: true, confirm_token });
    assert.equal((await at.stored(id))["status"], "publish", "what counts visitors is no edit");
  },
  async "a redirect that stands where it goes live is told"(site) {
    await using at = await Real.open(site, { sites: schemaSites(site) });
    const slug = `led-${Date.now()}`;
    const body = { source: `/${slug}`, destination: "/elsewhere" };
    const set = await at.ask.send("admin", "POST", "/wp-json/site-ops/v1/seo/redirects", body);
    assert.equal(set.status, 200);
    for (
      const [kind, tool, key] of [["posts", "publish_post", "post_id"], [
        "pages",
        "publish_page",
        "page_id",
      ]] as const
    ) {
      const warned = async (slug: string) => {
        const id = await at.ask.draft("ed", { title: fresh("Led"), slug, content: "x" }, kind);
        const { warnings } = await at.kit.preview(tool, { site_id: "open", [key]: id });
        return warnings.some((one) =>
          one.startsWith(
            "Visitors of its address are led to /elsewhere (301) by a redirect, and do not see it",
          )
        );
      };
      assert.deepEqual([await warned(slug), await warned(`${slug}-${kind}`)], [true, false], kind);
    }
  },
}, { plugins: [PLUGIN, fixture("peek")] });
