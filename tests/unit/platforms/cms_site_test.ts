/** A CMS site itself: who signs in, people, images, terms, and its diagnosis. */
import assert from "node:assert/strict";
import { draft, onBoth, onSite, PNG } from "./_scenarios.ts";
import { worldOf } from "./_world.ts";

onBoth({
  async "people are listed with e-mail and roles where the account may, and with a note where not"(cms) {
    type List = { users: Record<string, unknown>[]; total: number; note?: string };
    const all = await worldOf(cms).call<List>("list_cms_users", { page: 1, per_page: 50 });
    assert.equal(all.total, 4);
    const editor = all.users.find(({ slug }) => slug === "ed")!;
    assert.deepEqual([editor["email"], editor["roles"]], ["ed@example.test", ["editor"]]);
    const editors = await worldOf(cms).call<List>("list_cms_users", {
      roles: ["editor", "author"],
      page: 1,
      per_page: 50,
    });
    assert.deepEqual(editors.users.map(({ slug }) => slug).toSorted(), ["auth", "ed"]);
    assert.equal(all.note, undefined);
    const few = await worldOf(cms, "auth").call<List>("list_cms_users", {
      roles: ["editor"],
      page: 1,
      per_page: 50,
    });
    assert.match(few.note ?? "", /may not list users.*roles could not be applied/);
    assert.ok(few.users.every((row) => row["email"] === undefined && row["roles"] === undefined));
  },

  async "an image is uploaded with its texts, and is what its bytes say"(cms) {
    const world = worldOf(cms);
    const { id: post_id } = await draft(world);
    const media = await world.call<Record<string, unknown>>("upload_media", {
      filename: "../../Über uns.php.PNG",
      content_base64: PNG,
      alt_text: "Us",
      title: "About us",
      post_id,
    });
    assert.deepEqual([media["mime_type"], media["width"], media["height"]], ["image/png", 1, 1]);
    assert.match(String(media["url"]), /\/Uber-uns-php(-\d+)?\.png$/);
    assert.equal(world.facts.result_id, media["id"]);
    const stored = await onSite(cms, "GET", `media/${media["id"]}?context=edit`);
    assert.equal(stored["alt_text"], "Us");
    assert.equal(stored["post"], post_id);
    const fetched = await (await fetch(String(media["url"]))).bytes();
    assert.equal(fetched.toBase64(), PNG);
    const made = await draft(world, { featured_media_id: media["id"] });
    assert.deepEqual([made.verified, made.warnings], [true, []]);
  },

  async "an image goes to a draft that is there, not to a published post"(cms) {
    const world = worldOf(cms);
    const args = { filename: "a.png", content_base64: PNG };
    await world.refuses("E_UPSTREAM", /CMS 404/, "upload_media", { ...args, post_id: 999_999 });
    const { id } = await draft(world);
    await world.call("publish_post", { post_id: id });
    const sent = world.writes.length;
    await world.refuses("E_FORBIDDEN_OP", /is published/, "upload_media", { ...args, post_id: id });
    assert.equal(world.writes.length, sent);
  },

  async "tags and categories are listed by their plain names and made once"(cms) {
    type Term = Record<string, unknown>;
    const world = worldOf(cms);
    const stamp = Date.now();
    const name = `Q&A "${stamp}" < 5`;
    const parent = await world.call<Term>("create_taxonomy", {
      taxonomy: "category",
      name: `Parent ${stamp}`,
    });
    const child = await world.call<Term>("create_taxonomy", {
      taxonomy: "category",
      name: `Child ${stamp}`,
      parent_id: String(parent["id"]),
      description: "Below",
    });
    assert.deepEqual([child["parent_id"], child["created"]], [parent["id"], true]);
    const made = await world.call<Term>("create_taxonomy", { taxonomy: "tag", name });
    assert.equal(made["created"], true);
    const writes = world.writes.length;
    const again = await world.call<Term>("create_taxonomy", { taxonomy: "tag", name: name.toLowerCase() });
    assert.deepEqual([again["id"], again["created"]], [made["id"], false]);
    const plan = await world.preview("create_taxonomy", { taxonomy: "tag", name });
    assert.match(plan.summary, /^Make nothing: /);
    assert.ok(writes <= world.writes.length);
    const listed = await world.call<{ terms: Term[]; total: number }>("list_taxonomies", {
      taxonomy: "tag",
      search: `Q&A "${stamp}`,
      page: 1,
      per_page: 50,
    });
    assert.deepEqual(listed.terms.map((row) => row["name"]), [made["name"]]);
    await world.refuses("E_BAD_INPUT", /parent_id/, "create_taxonomy", {
      taxonomy: "tag",
      name: "x",
      parent_id: 1,
    });
    await world.refuses("E_BAD_INPUT", /^parent_id: the site has no category/, "create_taxonomy", {
      taxonomy: "category",
      name: "x",
      parent_id: 999_999,
    });
  },

  async "a site answers who signs in and what that account can do"(cms) {
    const ping = await worldOf(cms, "ed").call<Record<string, unknown>>("ping_site");
    assert.deepEqual([ping["ok"], ping["platform"], ping["authenticated"]], [true, "cms", true]);
    assert.deepEqual((ping["user"] as Record<string, unknown>)["roles"], ["editor"]);
    assert.deepEqual(ping["can"], {
      edit_posts: true,
      edit_pages: true,
      publish_posts: true,
      upload_files: true,
      list_users: false,
      unfiltered_html: true,
    });
    assert.ok(Number(ping["latency_ms"]) >= 0);
  },

  async "a diagnosis tells what is there, what is not, and what cannot be told"(cms) {
    const checks = async (login: "admin" | "ed", more = {}) => {
      const world = worldOf(cms, login, more);
      const { checks } = await world.call<
        { checks: { name: string; ok: boolean | null; next_step: string | null }[] }
      >("diagnose_site");
      assert.ok(
        checks.every(({ ok, next_step }) => ok === true || (next_step ?? "") !== ""),
        "each says what to do",
      );
      return Object.fromEntries(checks.map(({ name, ok }) => [name, ok]));
    };
    const bridges = { code_page: false, seo_bridge: false, seo_settings: false, schema_bridge: false };
    const common = {
      rest_api: true,
      credentials: true,
      clock: true,
      theme: true,
      google_account: null,
      topicmap_link: false,
      companion: false,
      theme_snippet: null,
      ...bridges,
    };
    const absent = { page_builder: false, tool_adapter: false, builder_tools: false };
    assert.deepEqual(await checks("admin"), { ...common, ...absent });
    const unseen = { page_builder: null, tool_adapter: null, builder_tools: null };
    assert.deepEqual(await checks("ed", { site: { topicmap_workspace_id: "w1" } }), {
      ...common,
      ...unseen,
      topicmap_link: true,
    });
    const wrong = await checks("admin", { as: { username: "admin", application_password: "wrong" } });
    assert.deepEqual([wrong["rest_api"], wrong["credentials"]], [true, false]);
  },
});
