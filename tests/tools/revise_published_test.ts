/** revise_published: what is live is changed in place, as it was shown and nothing beside it, and goes back. */
import assert from "node:assert/strict";
import { addOwnType } from "../../sandbox/wordpress_standin/posts.ts";
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import { type Args, PNG, type Preview } from "../cms_kit.ts";
import { type Ground, ground } from "./_ground.ts";
import { type Done, live, on, page, revise, TEXT, typo } from "./_live_content.ts";
import { termOf } from "./_write_cases.ts";

/** What of a post a change of its fields must leave as it is. */
const rest = (
  { modified: _, title: __, content: ___, revisions: ____, ...beside }: Post & Record<string, unknown>,
) => beside;

const both = (name: string, fn: (at: Ground) => Promise<void>) => {
  for (const guarded of [true, false]) {
    Deno.test(`${guarded ? "with the companion's guarded write" : "without it"}: ${name}`, async () => {
      await using at = await ground({ guarded });
      await fn(at);
    });
  }
};

both("a typo is replaced, which visitors see, and taken back by undo_change", async (at) => {
  addOwnType(at.cms, { slug: "recipe", rest_base: "recipes" });
  for (const post of [live(at), page(at), live(at, { type: "recipe" })]) {
    const before = structuredClone(post);
    const args = on(post, { replacements: [typo] });
    const preview = await at.gw.call<Preview & Args>("revise_published", args);
    assert.deepEqual([
      preview.tier,
      preview["undoable"],
      preview.warnings.filter((one) => !one.includes("is live")),
    ], [
      3,
      true,
      preview.warnings.filter((one) => one.includes("whether a visual builder")),
    ]);
    assert.match(
      preview.summary,
      new RegExp(
        `^Change the ${post.type.replace("recipe", "post of the type recipe")} "Live", which is live, on `,
      ),
    );
    assert.deepEqual(preview.changes.map(({ field }) => field), ["content_html"]);
    assert.match(JSON.stringify(preview.changes), /the shop/);
    const done = await revise(at, { ...args, confirm_token: preview.confirm_token });
    assert.deepEqual([done.verified, done.status, done.live.as_expected, done.live.differs], [
      true,
      "published",
      true,
      [],
    ]);
    assert.equal(post.content, TEXT.replace("or teh shop", "or the shop"));
    assert.deepEqual(rest(post as never), rest(before as never), "nothing beside it");
    const row = (await at.gw.audit())[0]!;
    assert.deepEqual([row.tier, row._published, row.result_id], [3, true, post.id]);
    const undo = { site_id: "cms", request_id: done.request_id };
    const shown = await at.gw.call<Preview>("undo_change", undo);
    assert.equal(shown.tier, 3);
    await at.gw.call("undo_change", { ...undo, confirm: true });
    assert.equal(post.content, TEXT);
    assert.deepEqual(rest(post as never), rest(before as never));
  }
});

both("title, excerpt, terms and image are changed by whole fields, and go back together", async (at) => {
  const images: number[] = [];
  for (const filename of ["a.png", "b.png"]) {
    const args = { site_id: "cms", filename, content_base64: PNG, confirm: true };
    images.push((await at.gw.call<{ id: number }>("upload_media", args)).id);
  }
  termOf(at, "New");
  const post = live(at, { featured_media: images[0]!, tags: [termOf(at, "Old")] });
  const before = structuredClone(post);
  const fields = {
    title: "Newly live",
    excerpt: "Other",
    tags: ["Old", "New"],
    featured_media_id: images[1],
  };
  const done = await revise(at, on(post, { ...fields, content_html: post.content }));
  assert.deepEqual([done.verified, done.warnings, done.live.as_expected], [true, [], true]);
  assert.deepEqual(
    [post.title, post.excerpt, post.tags.length, post.featured_media, post.status, post.date, post.slug],
    ["Newly live", "Other", 2, images[1], "publish", before.date, before.slug],
  );
  await at.gw.call("undo_change", { site_id: "cms", request_id: done.request_id, confirm: true });
  const { modified: _, revisions: __, ...now } = post as Post & Record<string, unknown>;
  const { modified: ___, revisions: ____, ...was } = before as Post & Record<string, unknown>;
  assert.deepEqual(now, was);
});

both("what somebody changed after the preview, or right before the write, is not overwritten", async (at) => {
  const post = live(at);
  const args = on(post, { replacements: [typo], title: "Mine" });
  const { confirm_token } = await at.gw.call<Preview>("revise_published", args);
  post.content = TEXT.replace("030", "040");
  await at.gw.refuses(
    "revise_published",
    { ...args, confirm: true, confirm_token },
    "E_STALE_PREVIEW",
    /content_html/,
  );
  assert.equal(at.writes(), 0);
  if (at.guarded === null) return;
  at.beforeWrite(() => void (post.content = TEXT));
  const late = { ...args, confirm: true };
  const ending = await at.gw.end("revise_published", late);
  assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", JSON.stringify(ending));
  at.beforeWrite(() => void (post.status = "draft"));
  const gone = await at.gw.end("revise_published", late);
  assert.ok("code" in gone && gone.code === "E_STALE_PREVIEW", JSON.stringify(gone));
  assert.deepEqual([post.title, post.status, post.content], ["Live", "draft", TEXT]);
});

Deno.test("an undo of what somebody changed since is refused, and needs allow_publish as the change did", async () => {
  await using at = await ground();
  const post = live(at);
  const { request_id } = await revise(at, on(post, { title: "Mine" }));
  const undo = { site_id: "cms", request_id, confirm: true };
  await at.gw.store.sites.update("cms", { flags: { allow_publish: false } });
  await at.gw.refuses("undo_change", undo, "E_PUBLISH_NOT_ALLOWED", /"revise_published" needs allow_publish/);
  await at.gw.store.sites.update("cms", { flags: { allow_publish: true } });
  post.title = "A person's";
  await at.gw.refuses("undo_change", undo, "E_STALE_PREVIEW", /"title" changed since/);
  post.title = "Mine";
  post.status = "draft";
  await at.gw.refuses(
    "undo_change",
    undo,
    "E_FORBIDDEN_OP",
    /is not live but "draft"; change it with update_draft/,
  );
});
Deno.test("script is told of whatever brings it, and a change of categories warns of the address", async () => {
  await using at = await ground();
  const post = live(at, { content: `<p>Hi <a href="ja:x()">there</a></p>` });
  const told = async (args: Args) =>
    JSON.stringify(await at.gw.call<Preview>("revise_published", on(post, args)));
  assert.match(
    await told({ content_html: "<script>x()</script>" }),
    /script that runs in the browser of everyone/,
  );
  assert.match(
    await told({ replacements: [{ find: "Hi", replace: "<img src=x onerror=a()>" }] }),
    /script that runs/,
  );
  assert.match(await told({ replacements: [{ find: "ja:x", replace: "javascript:x" }] }), /script that runs/);
  assert.match(await told({ replacements: [{ find: "ja:", replace: "java" + "script:" }] }), /inside a tag/);
  assert.doesNotMatch(await told({ title: "x" }), /address/);
});

Deno.test("an older plugin that writes nothing live is left aside for WordPress's own route", async () => {
  await using at = await ground({
    fetch: async (input, init) => {
      const url = String(input);
      if (init?.method === "POST" && url.includes("/guarded/")) {
        const body = { code: "site_ops_published", message: "Post is published", data: { status: 409 } };
        return Response.json(body, { status: 409 });
      }
      return await fetch(input, init);
    },
  });
  const post = live(at);
  const done = await revise(at, on(post, { title: "Mine" }));
  assert.deepEqual([done.verified, post.title], [true, "Mine"]);
});

Deno.test("what a reader would not see, or somebody else edits, is a warning", async () => {
  await using at = await ground();
  const built = { _elementor_edit_mode: "builder" };
  const warned = async (post: Post, args: Args) =>
    (await at.gw.call<Preview>("revise_published", on(post, args))).warnings.join("\n");
  assert.match(
    await warned(page(at, { meta: built }), { title: "x" }),
    /It is made with the visual builder: what visitors see/,
  );
  assert.match(
    await warned(live(at, { password: "secret" }), { title: "x" }),
    /It has a password: visitors see its text only/,
  );
  const code = page(at, { meta: { _site_ops_scope: "so-0123456789" } });
  assert.match(await warned(code, { content_html: "<p>x</p>" }), /content_html: the page is made from code/);
  assert.doesNotMatch(await warned(code, { replacements: [typo] }), /made from code/);
  const open = live(at);
  at.guarded!.editing.set(open.id, { name: "Ann", at: "2026-11-21T11:59:00" });
  assert.match(await warned(open, { title: "x" }), /"Ann" has it open in the editor/);
  assert.match(
    await warned(live(at, { content: '<a title="teh">x</a>' }), {
      replacements: [{ find: "teh", replace: "the" }],
    }),
    /1 of its 1 place is inside a tag/,
  );
  assert.doesNotMatch(
    await warned(live(at), { categories: ["Uncategorized"] }),
    /address/,
    "its address holds no category",
  );
});

Deno.test("what visitors do not get is told beside verified: another text, a kept page", async () => {
  let instead: ((url: URL) => string | null) | null = null;
  await using at = await ground({
    fetch: async (input, init) => {
      const url = new URL(String(input));
      const html = url.pathname.startsWith("/wp-json") ? null : instead?.(url) ?? null;
      if (html === null) return await fetch(input, init);
      return new Response(html, { headers: { "content-type": "text/html" } });
    },
  });
  const post = live(at);
  const shown = (title: string, text: string) =>
    `<html><head><title>${title}</title></head><body>${text}</body></html>`;
  const told = async (args: Args) => {
    const done = await revise(at, on(post, args));
    assert.equal(done.verified, true, "it is stored all the same");
    return done.live as Done["live"] & Args;
  };
  instead = () => shown("Live", TEXT);
  const old = await told({ replacements: [typo] });
  assert.deepEqual([old.as_expected, old["cause"]], [false, "page"]);
  assert.match(JSON.stringify(old.differs), /content_html.*or the shop/);
  const title = await told({ title: "Corrected" });
  assert.match(JSON.stringify(title.differs), /"field":"title","expected":"Corrected"/);
  instead = (url) => url.search === "" ? shown("Live", TEXT) : null;
  const kept = await told({
    title: "Corrected again",
    replacements: [{ find: "the shop", replace: "our shop" }],
  });
  assert.deepEqual([kept.as_expected, kept["cause"]], [false, "page_cache"]);
  instead = null;
  const shortcode = await told({ replacements: [{ find: "our shop", replace: "[shop] and more" }] });
  assert.equal(shortcode.as_expected, true, "what a shortcode makes is not looked for");
  const marks = await told({
    replacements: [{ find: "<b>roof</b>", replace: `<b>"roof"</b> &amp; gutters --  it's` }],
  });
  assert.deepEqual([marks.as_expected, marks.differs], [true, []], "marks and entities read alike");
});

both(
  "a page of blocks gets its text as blocks, a classic one as it is given, and both go back and forth to the byte",
  async (at) => {
    const blocks = "<!-- wp:paragraph -->\n<p>Old</p>\n<!-- /wp:paragraph -->";
    for (
      const [content, stored] of [
        [blocks, "<!-- wp:html -->\n<p>New</p>\n<!-- /wp:html -->"],
        ["", "<!-- wp:html -->\n<p>New</p>\n<!-- /wp:html -->"],
        ["<p>Classic</p>", "<p>New</p>"],
      ] as const
    ) {
      const one = page(at, { content });
      const { request_id } = await revise(at, on(one, { content_html: "<p>New</p>" }));
      assert.equal(one.content, stored);
      const undo = (id: string) =>
        at.gw.call<Done>("undo_change", { site_id: "cms", request_id: id, confirm: true });
      const undone = await undo(request_id);
      assert.deepEqual([one.content, undone.verified], [content, true]);
      await undo(undone.request_id);
      assert.equal(one.content, stored);
    }
  },
);
