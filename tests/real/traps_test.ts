/** The traps of WordPress that lose or publish content: each is shown to be there, and not to be fallen into. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import {
  ahead,
  type Args,
  callsOf,
  DOORS,
  freshPng,
  FROM_RECORDS,
  type Row,
  WITHOUT_SITE,
} from "../cms_kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { fresh, HIDDEN, onWordPress, PUBLIC, Real } from "./_wordpress.ts";

/** ISO 8601 in UTC as WordPress takes it for date_gmt. */
const gmt = (seconds: number) => ahead(seconds).slice(0, 19);

interface List {
  readonly posts: readonly { readonly id: number }[];
  readonly total: number;
  readonly total_pages: number;
}

onWordPress({
  async "a future post less than a minute ahead goes live at once, so it is never sent"(site) {
    await using at = await Real.open(site);
    const sprung = await at.ask.draft("ed", { title: fresh("Sprung"), content: "x" });
    const raw = await at.ask.rest("ed", "POST", `/posts/${sprung}`, { status: "future", date_gmt: gmt(30) });
    assert.equal(raw.body["status"], "publish", "the trap is there");
    const id = await at.ask.draft("ed", { title: fresh("Kept"), content: "x" });
    for (const seconds of [-60, 30, 59]) {
      const args = { site_id: "open", post_id: id, scheduled_at: ahead(seconds), confirm: true };
      await at.kit.refuses("schedule_draft", args, "E_FORBIDDEN_OP", /at least 60 s ahead/);
    }
    assert.equal((await at.stored(id))["status"], "draft");
    assert.deepEqual(await at.visitor(id), HIDDEN);
    const near = { site_id: "open", post_id: id, scheduled_at: ahead(64) };
    assert.equal((await at.kit.write("mcp", "schedule_draft", near)).done.status, "scheduled");
    assert.equal((await at.stored(id))["status"], "future");
    assert.deepEqual(await at.visitor(id), HIDDEN);
  },

  async "a scheduled post stays scheduled when only its status is set, so publishing clears its date"(site) {
    await using at = await Real.open(site);
    const future = { status: "future", date_gmt: gmt(7200) };
    const sprung = await at.ask.draft("ed", { title: fresh("Stays"), content: "x" });
    await at.ask.rest("ed", "POST", `/posts/${sprung}`, future);
    const raw = await at.ask.rest("ed", "POST", `/posts/${sprung}`, { status: "publish" });
    assert.equal(raw.body["status"], "future", "the trap is there");
    const id = await at.ask.draft("ed", { title: fresh("Goes"), content: "x" });
    await at.ask.rest("ed", "POST", `/posts/${id}`, future);
    const { done } = await at.kit.write("rest", "publish_post", { site_id: "open", post_id: id });
    assert.equal(done.status, "published");
    assert.deepEqual(await at.visitor(id), PUBLIC);
  },

  async "a draft keeps the date ahead that it was scheduled for, so unscheduling clears it"(site) {
    await using at = await Real.open(site);
    const id = await at.ask.draft("ed", { title: fresh("Back"), content: "x" });
    const future = { status: "future", date_gmt: gmt(7200) };
    await at.ask.rest("ed", "POST", `/posts/${id}`, future);
    const raw = await at.ask.rest("ed", "POST", `/posts/${id}`, { status: "draft" });
    assert.equal(raw.body["date_gmt"], future.date_gmt, "the trap is there");
    await at.ask.rest("ed", "POST", `/posts/${id}`, future);
    await at.kit.write("rest", "unschedule", { site_id: "acme", post_id: id });
    const post = await at.stored(id);
    assert.equal(post["status"], "draft");
    assert.ok(Date.parse(`${post["date_gmt"]}Z`) < Date.now() + 5000);
    const again = { site_id: "acme", post_id: id, confirm: true };
    await at.kit.refuses("unschedule", again, "E_FORBIDDEN_OP", /not scheduled/, "reads");
  },

  async "names are not ids: WordPress takes none, the gateway finds or makes them"(site) {
    await using at = await Real.open(site);
    const name = fresh("Q&A");
    const raw = await at.ask.rest("ed", "POST", "/posts", { title: "x", status: "draft", tags: [name] });
    assert.deepEqual([raw.status, raw.body["code"]], [400, "rest_invalid_param"], "the trap is there");
    const made: Json = (await at.ask.rest("ed", "POST", "/tags", { name, slug: fresh("other") })).body;
    const args = { site_id: "acme", title: fresh("Named"), content_html: "x", tags: [name.toLowerCase()] };
    for (const door of DOORS) {
      const { done } = await at.kit.write(door, "create_draft", args);
      assert.deepEqual((await at.stored(done.id))["tags"], [made["id"]], "found by its name, not its slug");
    }
    const filtered = fresh("Nëws & <b>");
    const kept = `categories: the site kept "${filtered.replace("<b> ", "")}" instead of "${filtered}"`;
    const draft = { ...args, tags: [fresh("Hello Wörld"), `${Date.now()}`], categories: [filtered] };
    const first = await at.kit.write("rest", "create_draft", draft);
    assert.deepEqual(first.proof.warnings, [kept]);
    const upper = { tags: draft.tags.map((one) => one.toUpperCase()), categories: [filtered.toLowerCase()] };
    const again = await at.kit.write("mcp", "create_draft", { ...draft, ...upper });
    const [before, after] = [await at.stored(first.done.id), await at.stored(again.done.id)];
    assert.deepEqual([before["tags"], before["categories"]], [after["tags"], after["categories"]]);
  },

  async "unknown terms are dropped in silence: one deleted meanwhile is told in a warning"(site) {
    const name = fresh("Doomed");
    let doomed = 0;
    await using at = await Real.open(site, {
      fetch: async (input, init) => {
        if (init?.method === "POST" && new URL(String(input)).pathname.endsWith("/wp/v2/posts")) {
          await at.ask.rest("admin", "DELETE", `/tags/${doomed}?force=true`);
        }
        return await fetch(input, init);
      },
    });
    const raw = await at.ask.rest("ed", "POST", "/posts", { title: "x", status: "draft", tags: [999_999] });
    assert.deepEqual([raw.status, raw.body["tags"]], [201, []], "the trap is there");
    doomed = (await at.ask.rest("ed", "POST", "/tags", { name })).body["id"] as number;
    const args = { site_id: "acme", title: fresh("Loses"), content_html: "x", tags: [name] };
    const { done, proof } = await at.kit.write("rest", "create_draft", args);
    assert.equal(proof.verified, false);
    assert.deepEqual(proof.warnings, [`tags: the site did not keep the terms ${doomed}; set them again`]);
    assert.deepEqual((await at.stored(done.id))["tags"], []);
  },

  async "HTML an account may not store is filtered in silence, which is told in a warning"(site) {
    await using at = await Real.open(site);
    const html = "<p>Hi</p><script>alert(1)</script>";
    const args = { site_id: "author", title: fresh("Filtered"), content_html: html };
    const { done, proof } = await at.kit.write("mcp", "create_draft", args);
    assert.equal(proof.verified, false);
    assert.match(
      String(proof.warnings),
      /^content_html: the site stored another text .*<script>.*unfiltered_html/,
    );
    const { raw } = (await at.stored(done.id))["content"] as Json;
    assert.ok(!String(raw).includes("<script>"));
    const editor = await at.kit.write("mcp", "create_draft", { ...args, site_id: "editor" });
    assert.deepEqual([editor.proof.verified, editor.proof.warnings], [true, []]);
    const unseen = { ...args, content_html: '<p>a<br/>b &amp; c</p>\r\n<img src="a.png"/>' };
    const plain = await at.kit.write("rest", "create_draft", { ...unseen, title: "Me & you" });
    assert.deepEqual([plain.proof.verified, plain.proof.warnings], [true, []], "differences nobody sees");
  },

  async "an author's list of drafts has no holes, and counts the author's own alone"(site) {
    await using at = await Real.open(site);
    const word = fresh("Own");
    const mine = await at.ask.draft("auth", { title: word, content: "x" });
    for (let n = 0; n < 3; n++) await at.ask.draft("ed", { title: word, content: "x" });
    const raw = await at.ask.rest(
      "auth",
      "GET",
      `/posts?status=draft&context=edit&search=${encodeURIComponent(word)}`,
    );
    assert.equal(raw.headers.get("x-wp-total"), "4", "the trap is there");
    const list = async (page: number, site_id = "author") => {
      const args = { site_id, search: word, page, per_page: 2 };
      const { posts, total, total_pages } = await at.kit.both<List>("list_drafts", args);
      return [posts.map(({ id }) => id), total, total_pages];
    };
    assert.deepEqual(await list(1), [[mine], 1, 1]);
    assert.deepEqual(await list(2), [[], 1, 1]);
    assert.deepEqual((await list(2, "editor")).slice(1), [4, 2]);
  },

  async "what is no image takes a post's image away in silence, so it is refused"(site) {
    await using at = await Real.open(site);
    const upload = { site_id: "acme", filename: "a.png", content_base64: freshPng() };
    const image = (await at.kit.write("rest", "upload_media", upload)).done.id;
    const id = await at.ask.draft("ed", { title: fresh("Pictured"), content: "x", featured_media: image });
    const other = await at.ask.draft("ed", { title: fresh("No image"), content: "x" });
    const raw = await at.ask.rest("ed", "POST", `/posts/${id}`, { featured_media: other });
    assert.deepEqual([raw.status, raw.body["featured_media"]], [200, 0], "the trap is there");
    await at.ask.rest("ed", "POST", `/posts/${id}`, { featured_media: image });
    const says = /^featured_media_id: the site has no image \d+; upload one with upload_media$/;
    for (const confirm of [true, false]) {
      const change = { site_id: "acme", post_id: id, featured_media_id: other, confirm };
      await at.kit.refuses("update_draft", change, "E_BAD_INPUT", says, "reads");
    }
    assert.equal((await at.stored(id))["featured_media"], image);
  },

  async "an image of another's draft is an author's to show, though not to look at"(site) {
    await using at = await Real.open(site);
    const upload = { site_id: "acme", filename: "a.png", content_base64: freshPng() };
    const image = (await at.kit.write("rest", "upload_media", upload)).done.id;
    const post = await at.ask.draft("ed", { title: fresh("Of another"), content: "x" });
    await at.ask.rest("ed", "POST", `/media/${image}`, { post });
    const raw = await at.ask.rest("auth", "GET", `/media/${image}`);
    assert.equal(raw.status, 403, "the trap is there");
    const args = { site_id: "author", title: fresh("Shows it"), content_html: "x" };
    const { done, proof } = await at.kit.write("rest", "create_draft", { ...args, featured_media_id: image });
    assert.deepEqual([proof.verified, proof.warnings], [true, []]);
    assert.equal((await at.stored(done.id))["featured_media"], image);
  },

  async "a slug of other letters than a to z is stored escaped, reported as it was sent, and no warning"(
    site,
  ) {
    await using at = await Real.open(site);
    const slug = `${fresh("при-вет").replaceAll(" ", "-")}`;
    const raw = await at.ask.rest("ed", "POST", "/posts", { title: "x", slug });
    assert.match(String(raw.body["slug"]), /^%d0%bf/, "the trap is there");
    const args = { site_id: "acme", title: "x", content_html: "x", slug: `${slug}-2`, tags: [slug] };
    const { done, proof } = await at.kit.write("rest", "create_draft", args);
    assert.deepEqual([proof.verified, proof.warnings], [true, []]);
    const post = { site_id: "acme", post_id: done.id };
    assert.equal((await at.kit.both<Args>("get_post", post))["slug"], args.slug);
    const escaped = { ...post, slug: encodeURIComponent(`${slug}-3`) };
    assert.equal((await at.kit.write("rest", "update_draft", escaped)).proof.verified, true);
    await at.kit.write("rest", "update_draft", { ...post, slug: args.slug });
    const { changes } = await at.kit.preview("update_draft", { ...post, slug: "new" });
    assert.deepEqual(changes, [{ field: "slug", from: args.slug, to: "new" }]);
    const tags = { site_id: "acme", taxonomy: "tag", search: slug };
    assert.equal((await at.kit.both<{ terms: Args[] }>("list_taxonomies", tags)).terms[0]?.["slug"], slug);
    const page = await at.kit.write("mcp", "create_page_draft", { ...args, tags: undefined });
    assert.deepEqual([page.proof.verified, page.proof.warnings], [true, []]);
  },

  async "an alternative text loses what looks like a tag or an escape, which is told in a warning"(site) {
    await using at = await Real.open(site);
    const args = {
      site_id: "acme",
      filename: "a.png",
      content_base64: freshPng(),
      title: "Me & you",
      caption: "5 < 6",
    };
    const alt_text = "A <small> cat\n 50%de & more";
    const { done, proof } = await at.kit.write<Row>("rest", "upload_media", { ...args, alt_text });
    const stored = (await at.stored(done.id, "media"))["alt_text"];
    assert.equal(stored, "A cat 50 & more", "the trap is there");
    const warning = `alt_text: the site kept ${JSON.stringify(stored)} instead of ${
      JSON.stringify(alt_text)
    }`;
    assert.deepEqual([proof.verified, proof.warnings], [false, [warning]]);
    const other = { ...args, content_base64: freshPng(), alt_text: "A cat & 5 < 6" };
    const plain = await at.kit.write<Row>("mcp", "upload_media", other);
    assert.deepEqual([plain.proof.verified, plain.proof.warnings], [true, []]);
  },

  async "a refused meta write leaves an orphan, so meta never reaches a post"(site) {
    await using at = await Real.open(site);
    const title = fresh("Orphan");
    const args = { site_id: "acme", title, content_html: "x", meta: { _hidden: "1" }, confirm: true };
    await at.kit.refuses("create_draft", args, "E_BAD_INPUT", /^meta: unknown argument/);
    const search = `/posts?status=draft&search=${encodeURIComponent(title)}`;
    assert.deepEqual((await at.ask.rest("admin", "GET", search)).body, []);
  },

  async "wrong credentials read as anonymous: every tool says so and shows nothing of what anybody may read"(
    site,
  ) {
    await using at = await Real.open(site);
    const authorization = `Basic ${btoa("admin:abcd efgh ijkl mnop qrst uvwx")}`;
    const raw = await at.ask.rest(null, "GET", "/posts/1", undefined, { authorization });
    assert.equal(raw.status, 200, "the trap is there");
    const scheduled = await at.ask.draft("ed", { title: fresh("Soon"), content: "x" });
    const calls = callsOf({ draft: 1, scheduled, at: ahead(3600) });
    for (const [tool, args] of Object.entries(calls)) {
      if ([...WITHOUT_SITE, ...FROM_RECORDS, "diagnose_site"].includes(tool)) continue;
      const says = /^CMS 401 \S+: .*the application password of the site was not accepted/;
      const call = { site_id: "wrong", ...args, confirm: true };
      await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
    }
    assert.equal(at.kit.writes, 0);
    const { checks } = await at.kit.both<{ checks: Args[] }>("diagnose_site", { site_id: "wrong" });
    const found = checks.find(({ name }) => name === "credentials");
    assert.equal(found?.["ok"], false);
    assert.match(String(found?.["next_step"]), /new application password/);
  },

  async "a draft published by somebody else after its preview is not written to"(site) {
    await using at = await Real.open(site);
    const id = await at.ask.draft("ed", { title: "As it was", content: "x" });
    const calls: [string, Args][] = [
      ["update_draft", { title: "Overwritten" }],
      ["schedule_draft", { scheduled_at: ahead(7200) }],
      ["upload_media", { filename: "a.png", content_base64: freshPng() }],
    ];
    for (const [tool, args] of calls) await at.kit.preview(tool, { site_id: "open", post_id: id, ...args });
    await at.ask.rest("ed", "POST", `/posts/${id}`, { status: "publish" });
    const before = await at.stored(id);
    for (const [tool, args] of calls) {
      const call = { site_id: "open", post_id: id, ...args, confirm: true };
      const says = new RegExp(`^Post ${id} is published; only drafts and scheduled ones can be changed`);
      await at.kit.refuses(tool, call, "E_FORBIDDEN_OP", says, "reads");
    }
    const twice = { site_id: "open", post_id: id, confirm: true };
    const says = /is published already$/;
    await at.kit.refuses("publish_post", twice, "E_FORBIDDEN_OP", says, "reads");
    assert.deepEqual(await at.stored(id), before);
  },

  async "a draft published by somebody else during the write itself is told to be live with the change"(
    site,
  ) {
    let id = 0;
    await using at = await Real.open(site, {
      fetch: async (input, init) => {
        if (init?.method === "POST" && new URL(String(input)).pathname.endsWith(`/posts/${id}`)) {
          await at.ask.rest("ed", "POST", `/posts/${id}`, { status: "publish" });
        }
        return await fetch(input, init);
      },
    });
    id = await at.ask.draft("ed", { title: fresh("Raced"), content: "x" });
    const args = { site_id: "acme", post_id: id, title: "Too late", confirm: true };
    const says =
      /is "published" now.*somebody published it meanwhile.*live page: look at it; the change was made .*before trying again$/;
    await at.kit.gw.fails("update_draft", args, "E_FORBIDDEN_OP", says);
    const [row] = await at.kit.rows(1);
    assert.deepEqual([row?.status, row?.result_id], ["error", id]);
  },

  async "what only WordPress can judge is refused in its words or ours, before anything is written"(site) {
    await using at = await Real.open(site);
    const binned = await at.ask.draft("ed", { title: fresh("Binned"), content: "x" });
    await at.ask.rest("ed", "DELETE", `/posts/${binned}`);
    const secret = await at.ask.draft("ed", { title: fresh("Private"), content: "x" });
    await at.ask.rest("ed", "POST", `/posts/${secret}`, { status: "private" });
    const page = await at.ask.draft(
      "ed",
      { title: fresh("Page"), status: "future", date_gmt: gmt(7200) },
      "pages",
    );
    const draft = { title: "x", content_html: "y" };
    const image = { filename: "a.png", content_base64: freshPng() };
    const rows: [site_id: string, tool: string, args: Args, code: Code, says: RegExp][] = [
      ["acme", "upload_media", { ...image, post_id: 999_999 }, "E_UPSTREAM", /CMS 404/],
      [
        "acme",
        "create_draft",
        { ...draft, featured_media_id: 999_999 },
        "E_BAD_INPUT",
        /has no image 999999/,
      ],
      [
        "acme",
        "create_taxonomy",
        { taxonomy: "category", name: "x", parent_id: 999_999 },
        "E_BAD_INPUT",
        /^parent_id: the site has no category/,
      ],
      [
        "acme",
        "unschedule",
        { post_id: page, type: "post" },
        "E_UPSTREAM",
        /CMS 404 rest_post_invalid_id.*is a page, not a post/,
      ],
      ...([[binned, /in the bin/], [secret, /is private: visitors do not see it/]] as const).flatMap((
        [post_id, says],
      ) =>
        ([
          ["update_draft", { title: "x" }],
          ["schedule_draft", { scheduled_at: ahead(7200) }],
          ["unschedule", {}],
          ["publish_post", {}],
        ] as const).map((
          [tool, args],
        ): typeof rows[number] => ["open", tool, { post_id, ...args }, "E_FORBIDDEN_OP", says])
      ),
    ];
    for (const [site_id, tool, args, code, says] of rows) {
      await at.kit.refuses(tool, { site_id, ...args, confirm: true }, code, says, "reads");
    }
    const listed = await at.kit.both<List>("list_drafts", { site_id: "acme", per_page: 100 });
    assert.ok(!listed.posts.some(({ id }) => id === binned || id === secret));
    const back = await at.kit.write("rest", "unschedule", { site_id: "acme", post_id: page });
    assert.equal(back.done.status, "draft");
  },
});
