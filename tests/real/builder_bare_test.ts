/** A real WordPress with a visual builder of old and without the companion plugin: only what is put out tells who shows a page. */
import assert from "node:assert/strict";
import { fixture, type Peeked } from "../companion/site.ts";
import type { Json } from "../sandbox/asker.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

onWordPress({
  async "a page that the builder shows is not written over, one of blocks is"(site) {
    await using at = await Real.open(site);
    const peek = async (body: Json) =>
      (await at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", body)).body as unknown as Peeked;
    await peek({ options: { elementor_standin_old: 1 } });
    const page = (title: string) => ({ post_type: "page", post_status: "draft", post_title: fresh(title) });
    const post = { ...page("Taken over"), post_content: "old" };
    const taken = await peek({ post, meta: { _elementor_edit_mode: "builder" } });
    const plain = await peek({ post: { ...page("Plain"), post_content: "old" } });
    const args = { site_id: "open", content_html: "<p>new</p>" };
    const says = /nobody would see this content_html: /;
    const refused = { ...args, page_id: taken.id, confirm: true };
    await at.kit.refuses("update_page_draft", refused, "E_BUILDER_MISMATCH", says, "reads");
    assert.equal((await peek({ id: taken.id })).post["post_content"], "old");
    await at.kit.write("rest", "update_page_draft", { ...args, page_id: plain.id });
    assert.match(String((await peek({ id: plain.id })).post["post_content"]), /<p>new<\/p>/);
  },
}, { plugins: [fixture("peek"), fixture("elementor-standin")] });
