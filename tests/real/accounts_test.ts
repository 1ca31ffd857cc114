/** Accounts of little power, plain permalinks and sites without application passwords, on a real WordPress. */
import assert from "node:assert/strict";
import { ahead, type Args, DOORS, freshPng } from "../cms_kit.ts";
import { fixture } from "../companion/site.ts";
import { fresh, onWordPress, PUBLIC, Real } from "./_wordpress.ts";

onWordPress({
  async "an author and a subscriber are told which right is missing, before anything is written"(site) {
    await using at = await Real.open(site);
    const others = await at.ask.draft("ed", { title: fresh("Another's"), content: "x" });
    const post = { post_id: others };
    const draft = { title: fresh("Never"), content_html: "x" };
    const image = { filename: "a.png", content_base64: freshPng() };
    const cases: [string, string, Args, RegExp][] = [
      ["author", "get_post", post, /rest_forbidden_context/],
      ["author", "update_draft", { ...post, title: "x" }, /rest_forbidden_context/],
      ["author", "publish_post", post, /rest_forbidden_context/],
      ["author", "create_draft", { ...draft, author_id: 1 }, /"auth" lacks the right "edit_others_posts"/],
      ["author", "create_draft", { ...draft, categories: [fresh("No")] }, /may not make categories/],
      ["author", "create_taxonomy", { taxonomy: "category", name: fresh("No") }, /may not make categories/],
      ["subscriber", "get_post", post, /rest_forbidden_context/],
      ["subscriber", "list_drafts", {}, /"sub" lacks the right "edit_posts" to see drafts/],
      ["subscriber", "create_draft", draft, /"edit_posts" to write drafts/],
      ["subscriber", "update_draft", { ...post, title: "x" }, /403/],
      ["subscriber", "publish_post", post, /403/],
      ["subscriber", "schedule_draft", { ...post, scheduled_at: ahead(7200) }, /403/],
      ["subscriber", "upload_media", image, /"upload_files" to upload media/],
      ["subscriber", "create_taxonomy", { taxonomy: "tag", name: fresh("No") }, /may not make tags/],
    ];
    for (const [site_id, tool, args, says] of cases) {
      const call = { site_id, ...args, confirm: true };
      const message = await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
      assert.match(message, /^CMS 403.*(give it a role that has it|give the account a role that may)$/);
    }
    assert.equal(at.kit.writes, 0);
    const people = await at.kit.both<{ users: Args[]; note: string }>("list_cms_users", {
      site_id: "author",
    });
    assert.match(people.note, /may not list users/);
    const ping = await at.kit.gw.call<{ can: Args }>("ping_site", { site_id: "subscriber" });
    assert.ok(Object.values(ping.can).every((one) => one === false));
  },

  async "an author works on what is the author's own"(site) {
    await using at = await Real.open(site);
    const draft = { site_id: "author", title: fresh("Mine"), content_html: "x", tags: [fresh("Mine too")] };
    const { done: { id } } = await at.kit.write("mcp", "create_draft", draft);
    const post = { site_id: "author", post_id: id };
    await at.kit.write("rest", "schedule_draft", { ...post, scheduled_at: ahead(7200) });
    assert.equal((await at.stored(id))["status"], "future");
    await at.kit.write("mcp", "publish_post", post);
    assert.deepEqual(await at.visitor(id), PUBLIC);
  },
});

onWordPress({
  async "plain permalinks: the API is found behind index.php, and a post goes its way through both doors"(
    site,
  ) {
    await using at = await Real.open(site);
    const plain = async (method: string, route: string, body?: unknown) =>
      (await at.ask.send("admin", method, `/index.php?rest_route=/wp/v2${route}`, body)).body;
    for (const door of DOORS) {
      const draft = { site_id: "open", title: fresh("Plain"), content_html: "x", tags: [fresh("A & B")] };
      const { done: { id } } = await at.kit.write(door, "create_draft", draft);
      const post = { site_id: "open", post_id: id };
      await at.kit.write(door, "schedule_draft", { ...post, scheduled_at: ahead(7200) });
      assert.equal((await plain("GET", `/posts/${id}`))["status"], "future");
      const listed = await at.kit.both<{ posts: Args[] }>("list_drafts", {
        site_id: "open",
        status: "scheduled",
      });
      assert.ok(listed.posts.some((row) => row["id"] === id));
      await at.kit.write(door, "unschedule", post);
      assert.equal((await plain("GET", `/posts/${id}`))["status"], "draft");
      await at.kit.write(door, "publish_post", post);
      assert.equal((await plain("GET", `/posts/${id}`))["status"], "publish");
    }
    const image = { site_id: "open", filename: "a.png", content_base64: freshPng() };
    const { done } = await at.kit.write<{ url: string }>("mcp", "upload_media", image);
    assert.equal((await (await fetch(done.url)).bytes()).toBase64(), image.content_base64);
    const says = /^CMS 401 .*application password of the site was not accepted/;
    const call = { site_id: "wrong", taxonomy: "category" };
    await at.kit.refuses("list_taxonomies", call, "E_UPSTREAM", says, "reads");
  },
}, { plain_permalinks: true, workers: 2 });

onWordPress({
  async "application passwords that are off are told by the diagnosis, and nothing is done in nobody's name"(
    site,
  ) {
    await using at = await Real.open(site);
    const draft = { site_id: "acme", title: fresh("Never"), content_html: "x", confirm: true };
    await at.kit.refuses("create_draft", draft, "E_UPSTREAM", /^CMS 401 /, "reads");
    const { checks } = await at.kit.both<{ checks: Args[] }>("diagnose_site", { site_id: "acme" });
    const found = checks.find(({ name }) => name === "credentials");
    assert.deepEqual([found?.["ok"], found?.["detail"]], [
      false,
      "The site has application passwords turned off",
    ]);
    assert.match(String(found?.["next_step"]), /https/);
  },
}, { environment: "production", workers: 2 });

onWordPress({
  async "a site without the routes of users takes drafts, pages, terms and media, and says what was not checked"(
    site,
  ) {
    await using at = await Real.open(site);
    assert.equal((await at.ask.rest("ed", "GET", "/users/me")).status, 404, "the routes are gone");
    const page = { site_id: "open", title: fresh("Hidden"), content_html: "<p>x</p>" };
    const draft = { ...page, tags: [fresh("Tag")] };
    const { warnings } = await at.kit.preview("create_draft", draft);
    const { done: { id } } = await at.kit.write("rest", "create_draft", draft);
    assert.match(String(warnings), /does not show its users/);
    const post = { site_id: "open", post_id: id };
    await at.kit.write("mcp", "update_draft", { ...post, title: fresh("Hidden, changed") });
    await at.kit.write("mcp", "schedule_draft", { ...post, scheduled_at: ahead(7200) });
    assert.equal((await at.stored(id))["status"], "future");
    await at.kit.write("rest", "create_page_draft", page);
    const image = { site_id: "open", filename: "a.png", content_base64: freshPng() };
    await at.kit.write("rest", "upload_media", image);
    await at.kit.both("list_drafts", { site_id: "open" });
    const ping = await at.kit.gw.refuses("ping_site", { site_id: "open" }, "E_UPSTREAM");
    assert.match(ping, /rest_no_route.*does not have this part of the REST API/);
    const subscriber = { ...page, site_id: "subscriber", confirm: true };
    await at.kit.refuses("create_draft", subscriber, "E_UPSTREAM", /403 rest_cannot_create/, "anything");
  },
}, { plugins: [fixture("hideusers")] });
