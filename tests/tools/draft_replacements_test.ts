/** Exact replacements in the text of a draft post or page. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { test, type World } from "./_stand_in.ts";

const ON = { site_id: "open" };
const BLOCKS = "<!-- wp:paragraph -->\n<p>Call 030 123, or 030 123</p>\n<!-- /wp:paragraph -->";

const page = (at: World, content: string) =>
  addPost(at.cms.state, { type: "page", author: 2, title: "A page", content });

test("a draft's text is changed where it was said to, and set back", async (at) => {
  at.draft.content = BLOCKS;
  const made = page(at, BLOCKS);
  const replacements = [{ find: "030 123", replace: "040 999", count: 2 }];
  const calls = [["update_draft", { post_id: at.draft.id }], ["update_page_draft", {
    page_id: made.id,
  }]] as const;
  for (const [tool, named] of calls) {
    const post = at.cms.posts.get(Object.values(named)[0]!)!;
    const shown = await at.kit.preview(tool, { ...ON, ...named, replacements });
    assert.deepEqual(shown.changes.map(({ field }) => field), ["content_html"]);
    const { proof, row } = await at.kit.write("rest", tool, { ...ON, ...named, replacements });
    assert.equal(proof.verified, true);
    assert.equal(post.content, BLOCKS.replaceAll("030 123", "040 999"));
    await at.kit.gw.call("undo_change", { ...ON, request_id: row.request_id, confirm: true });
    assert.equal(post.content, BLOCKS);
  }
});

test("a replacement that is not exact, or not of a text that can take it, is refused", async (at) => {
  at.draft.content = `${"Words, and more words. ".repeat(3)}030 123, or 030 123${" And words.".repeat(5)}`;
  const classic = page(at, "<p>Call 030 123</p>");
  const once = { replacements: [{ find: "030 123", replace: "1" }] };
  const post = { ...ON, post_id: at.draft.id };
  const refused = at.kit.refuses.bind(at.kit);
  await refused(
    "update_draft",
    { ...post, ...once },
    "E_BAD_INPUT",
    /stands there 2 times, not once/,
    "reads",
  );
  const both = { ...post, ...once, content_html: "x" };
  await refused("update_draft", both, "E_BAD_INPUT", /^content_html, replacements: give one of the two/);
  const plain = { ...ON, page_id: classic.id, ...once };
  await refused(
    "update_page_draft",
    plain,
    "E_BAD_INPUT",
    /^replacements: the page is not made of blocks/,
    "reads",
  );
  await refused(
    "update_draft",
    { site_id: "builder", post_id: "x1", ...once },
    "E_NOT_SUPPORTED",
    /replacements/,
  );
});

test("script that a replacement makes counts as script", async (at) => {
  at.draft.content = '<!-- wp:html --><p data-x="1">x</p><!-- /wp:html -->';
  const replacements = [{ find: "data-x", replace: "onclick" }];
  const shown = await at.kit.preview("update_draft", { ...ON, post_id: at.draft.id, replacements });
  assert.equal(shown.tier, 2);
});
