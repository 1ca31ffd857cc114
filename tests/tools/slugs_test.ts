/** A slug that something else has is told when the second is made, when it is given, and when it goes live. */
import assert from "node:assert/strict";
import { addCompanionGuarded } from "../../sandbox/wordpress_standin/companion_guarded.ts";
import { addOwnType } from "../../sandbox/wordpress_standin/posts.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { Args } from "../cms_kit.ts";
import { test, type World } from "./_stand_in.ts";

const open = { site_id: "open" };
const ahead = (at: World) => ({ scheduled_at: at.ahead(3600) });
const slugs = (warnings: readonly string[]) => warnings.filter((one) => one.startsWith("slug: "));
const told = async (at: World, tool: string, args: Args) =>
  slugs((await at.kit.preview(tool, args)).warnings);

for (const type of ["post", "page", "recipe"] as const) {
  const noun = type === "page" ? "page" : "post";
  const tool = type === "page" ? "create_page_draft" : "create_draft";
  const more = type === "recipe" ? { type } : {};
  const id = (n: number) => ({ ...open, ...more, [`${noun}_id`]: n });

  test(`the slug of a new ${type} that another one has is told, given or made of its title`, async (at) => {
    addOwnType(at.cms, { slug: "recipe" });
    const first = addPost(at.cms.state, {
      type,
      author: 2,
      title: "Dup",
      status: "publish",
      slug: "dup-slug",
    });
    const says = [
      `slug: the ${noun} "Dup" (${first.id}) has "dup-slug" too; while it does, this one goes live with a number behind ` +
      "it, as in /dup-slug-2/: give another slug where that is not wanted",
    ];
    for (const given of [{ title: "Dup slug" }, { title: "Other", slug: "dup-slug" }]) {
      const args = { ...open, ...more, ...given, content_html: "<p>x</p>" };
      assert.deepEqual(await told(at, tool, args), says);
      const { proof } = await at.kit.write("rest", tool, args);
      const kept = 'slug: the site kept "dup-slug-2" instead of "dup-slug"';
      assert.deepEqual(slugs(proof.warnings), "slug" in given ? [kept] : says, "the answer says it as well");
    }
    const free = { ...open, ...more, title: "Free", content_html: "<p>x</p>" };
    assert.deepEqual(await told(at, tool, free), []);
    if (type === "page") return;
    const mine = addPost(at.cms.state, { type, author: 2, title: "Mine", slug: "mine" });
    assert.deepEqual(await told(at, "update_draft", { ...id(mine.id), slug: "dup-slug" }), says);
    assert.deepEqual(await told(at, "update_draft", { ...id(mine.id), slug: "mine" }), []);
  });

  for (const plugin of [true, false]) {
    const how = plugin ? "with the plugin" : "without it";
    test(`of a ${type} that goes live the address is told where its slug is taken, ${how}`, async (at) => {
      if (plugin) addCompanionGuarded(at.cms.app, at.cms.state);
      addOwnType(at.cms, { slug: "recipe" });
      const first = addPost(at.cms.state, { type, author: 2, title: "Dup", status: "publish", slug: "dup" });
      addPost(at.cms.state, { type, author: 2, title: "Dup", status: "draft", slug: "dup-2" });
      const publish = noun === "page" ? "publish_page" : "publish_post";
      const schedule = noun === "page" ? "schedule_page" : "schedule_draft";
      const home = `${at.cms.base_url}/${type === "recipe" ? "recipe/" : ""}`;
      for (
        const given of [{ title: "Dup", slug: "" }, { title: "Dup", slug: "dup" }, {
          title: "X",
          slug: "dup",
        }]
      ) {
        const post = addPost(at.cms.state, { type, author: 2, content: "x", ...given });
        const says = [
          `slug: "dup" belongs to the ${noun} "Dup" (${first.id}), so visitors find this one as "dup-3": give it another ` +
          "slug first where that is not wanted",
        ];
        for (const [tool, args] of [[schedule, ahead(at)], [publish, {}]] as const) {
          const { warnings, changes } = await at.kit.preview(tool, { ...id(post.id), ...args });
          assert.deepEqual(slugs(warnings), says);
          assert.equal(changes.find(({ field }) => field === "url")?.to, `${home}dup-3/`);
        }
        const { done } = await at.kit.write<Args>("rest", publish, id(post.id));
        assert.equal(done["url"], `${home}dup-3/`, "as it was told");
        at.cms.state.posts.delete(post.id);
      }
      for (const given of [{ title: "Top 10", slug: "" }, { title: "Y", slug: "top-10" }]) {
        const post = addPost(at.cms.state, { type, author: 2, content: "x", ...given });
        assert.deepEqual(await told(at, publish, id(post.id)), []);
        at.cms.state.posts.delete(post.id);
      }
    });
  }
}

test("a page's slug that an image has is told, and one below another parent is free", async (at) => {
  const image = addPost(at.cms.state, { type: "attachment", author: 2, title: "Team", slug: "team" });
  const bytes = new Uint8Array();
  image.file = { path: "a.png", mime_type: "image/png", bytes, width: 1, height: 1, alt_text: "" };
  const page = { ...open, title: "Team", content_html: "<p>x</p>" };
  const [says] = await told(at, "create_page_draft", page);
  assert.match(says!, new RegExp(`^slug: the image "Team" \\(${image.id}\\) has "team" too`));
  const parent = addPost(at.cms.state, {
    type: "page",
    author: 2,
    title: "Up",
    status: "publish",
    slug: "up",
  });
  assert.deepEqual(await told(at, "create_page_draft", { ...page, parent_id: parent.id }), []);
});
