/** SEO fields without the companion plugin: over the SEO plugins' own routes, as far as each of them goes. */
import assert from "node:assert/strict";
import { addRankMath, addSeopress } from "../../sandbox/wordpress_standin/seo_plugins.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { scenes } from "../scenes.ts";
import { type SeoOptions, type SeoWorld, seoWorld } from "./_seo.ts";

const bare = (options: SeoOptions = {}) => seoWorld({ ...options, plugin: false });
const OFF = { noindex: false, nofollow: false, noarchive: false, nosnippet: false, noimageindex: false };
const FIELDS = {
  title: "%%title%% \u{1f600}",
  description: "D",
  focus_keyword: "Fish, chips",
  canonical: "https://example.test/c",
  og_title: "OT",
  og_description: "OD",
  og_image: "https://example.test/o.png",
  twitter_title: "TT",
  twitter_description: "TD",
  twitter_image: "https://example.test/t.png",
};

const test = scenes(() => bare());

for (const door of DOORS) {
  test(`SEOPress's own routes read and write every field through ${door}`, async (at) => {
    const rows = addSeopress(at.cms.app, at.cms.state);
    for (const { id, type } of [at.draft, at.page]) {
      const target = { site_id: "rest", post_id: id };
      const args = { ...target, ...FIELDS, robots: { noindex: true, noimageindex: true } };
      const { done, row } = await at.kit.write<Args>(door, "set_seo_meta", args);
      const head = { post_id: id, post_type: type, status: "draft", provider: "seopress" };
      const robots = { ...OFF, noindex: true, noimageindex: true };
      const fields = { ...FIELDS, focus_keyword: "fish, chips", robots };
      assert.deepEqual(done, { ...head, ...fields, unshown: ["canonical"] });
      assert.equal(row.changes?.length, 12);
      assert.deepEqual(rows.get(id), {
        _seopress_titles_title: FIELDS.title,
        _seopress_titles_desc: "D",
        _seopress_analysis_target_kw: "Fish, chips",
        _seopress_robots_canonical: FIELDS.canonical,
        _seopress_robots_index: "yes",
        _seopress_robots_imageindex: "yes",
        _seopress_social_fb_title: "OT",
        _seopress_social_fb_desc: "OD",
        _seopress_social_fb_img: FIELDS.og_image,
        _seopress_social_twitter_title: "TT",
        _seopress_social_twitter_desc: "TD",
        _seopress_social_twitter_img: FIELDS.twitter_image,
      });
      const writes = at.cms.writes.length;
      const change = { ...target, description: "", robots: { noindex: false } };
      const second = await at.kit.write<Args>(door, "set_seo_meta", change);
      assert.deepEqual(
        second.done,
        { ...head, ...fields, description: "", robots: { ...robots, noindex: false } },
      );
      assert.equal(at.cms.writes.length, writes + 2, "only the routes it takes are written");
      assert.deepEqual(await at.kit.both("get_seo_meta", target), second.done);
    }
    assert.deepEqual(new Set(at.cms.writes.map(({ method }) => method)), new Set(["PUT"]));
  });

  test(`Rank Math's own route writes through ${door}; what cannot be read back is told`, async (at) => {
    const rows = addRankMath(at.cms.app, at.cms.state);
    const { id } = at.draft;
    const target = { site_id: "rest", post_id: id };
    const { changes, warnings } = await at.kit.preview("set_seo_meta", { ...target, title: "New" });
    assert.deepEqual(changes, [{ field: "title", from: null, to: "New" }]);
    assert.match(
      warnings[0]!,
      /^title: what the post has now cannot be read over REST and is replaced unseen; /,
    );
    const robots = { ...OFF, noindex: true };
    const { og_image: _, twitter_image: __, ...texts } = FIELDS; // it shows no images from elsewhere
    const { done, proof } = await at.kit.write<Args>(door, "set_seo_meta", { ...target, ...texts, robots });
    assert.deepEqual(rows.get(id)?.["rank_math_robots"], ["noindex"]);
    assert.deepEqual(rows.get(id)?.["rank_math_twitter_use_facebook"], "off");
    assert.deepEqual([done["provider"], done["title"]], ["rankmath", null]);
    assert.equal((done["unread"] as string[]).length, 15);
    assert.equal(proof.verified, null);
    assert.match(proof.verified_reason!, /^the site does not show what it stored of title, /);
    assert.match(proof.warnings[0]!, /^title: was sent, but the site does not show what it stored/);
    const says =
      /^robots\.nofollow: give all five switches, .*\(rankmath\); install the companion plugin \(version 1/;
    const one = { ...target, robots: { noindex: false }, confirm: true };
    await at.kit.refuses("set_seo_meta", one, "E_SEOPLUGIN_PLUGIN_REQUIRED", says, "reads");
    await at.kit.refuses("get_seo_meta", target, "E_SEOPLUGIN_PLUGIN_REQUIRED", {
      says: /^The SEO plugin of the site \(rankmath\) shows its fields to nobody over REST; install/,
      sends: "reads",
    });
  });

  test(`Rank Math's fields that a site opens to REST are read, compared and kept beside others, through ${door}`, async (at) => {
    addRankMath(at.cms.app, at.cms.state);
    Object.assign(at.draft.meta, { rank_math_title: "Was", rank_math_robots: ["index", "nofollow"] });
    const args = { site_id: "rest", post_id: at.draft.id, title: "New", robots: { noindex: true } };
    const { changes } = await at.kit.preview("set_seo_meta", args);
    assert.deepEqual(changes, [
      { field: "title", from: "Was", to: "New" },
      { field: "robots.noindex", from: false, to: true },
    ]);
    const { done, proof } = await at.kit.write<Args>(door, "set_seo_meta", args);
    assert.deepEqual([done["title"], done["robots"]], ["New", { ...OFF, noindex: true, nofollow: true }]);
    assert.deepEqual([proof.verified, proof.warnings], [true, []]);
    assert.deepEqual(at.draft.meta["rank_math_robots"], ["noindex", "nofollow"]);
  });

  test(`one switch of Rank Math is not turned over the defaults in effect, which REST does not show, through ${door}`, async (at) => {
    const rows = addRankMath(at.cms.app, at.cms.state);
    const { id } = at.draft;
    const target = { site_id: "rest", post_id: id };
    const says = /^robots\.noindex: give all five switches, as those in effect cannot be read/;
    for (const nothing of [[], "", [""]]) {
      Object.assign(at.draft.meta, { rank_math_title: "Was", rank_math_robots: nothing });
      const one = { ...target, robots: { noarchive: true }, confirm: true };
      await at.kit.refuses("set_seo_meta", one, "E_SEOPLUGIN_PLUGIN_REQUIRED", says, "reads");
      const read = await at.kit.both<Args>("get_seo_meta", target);
      assert.ok((read["unread"] as string[]).includes("robots.noindex"));
    }
    const all = { ...target, robots: { ...OFF, noindex: true, noarchive: true } };
    await at.kit.write(door, "set_seo_meta", all);
    assert.deepEqual(rows.get(id)?.["rank_math_robots"], ["noindex", "noarchive"]);
  });

  test(`Yoast's texts that are open to REST are written through ${door}, the others are refused`, async (at) => {
    at.cms.state.namespaces.push("yoast/v1");
    const open = { _yoast_wpseo_title: "", _yoast_wpseo_metadesc: "Was", _yoast_wpseo_focuskw: "" };
    Object.assign(at.draft.meta, open);
    const target = { site_id: "rest", post_id: at.draft.id };
    const { done, row } = await at.kit.write<Args>(door, "set_seo_meta", {
      ...target,
      title: "New",
      description: "",
    });
    assert.deepEqual([done["provider"], done["title"], done["description"]], ["yoast", "New", ""]);
    assert.deepEqual(row.changes, [
      { field: "title", from: "", to: "New" },
      { field: "description", from: "Was", to: "" },
    ]);
    assert.deepEqual(at.cms.writes.map(({ body }) => body), [
      { meta: { _yoast_wpseo_title: "New", _yoast_wpseo_metadesc: "" } },
    ]);
    assert.deepEqual([at.draft.status, at.draft.title], ["draft", "Before"]);
    const closed: [Args, RegExp][] = [
      [
        { og_title: "x" },
        /^og_title: cannot be set over the REST API of the site's SEO plugin \(yoast\); install/,
      ],
      [{ title: "x", canonical: "https://a.test/" }, /^canonical: cannot be set/],
      [{ robots: { noindex: true } }, /^robots: cannot be set/],
      [{ post_id: at.page.id, title: "x" }, /^title: cannot be set/],
    ];
    for (const [args, says] of closed) {
      const call = { ...target, ...args, confirm: true };
      await at.kit.refuses("set_seo_meta", call, "E_SEOPLUGIN_PLUGIN_REQUIRED", says, "reads");
    }
  });
}

Deno.test("what Yoast says a page shows is read where the stored texts are hidden", async () => {
  await using at = await bare({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (!new Request(input, init).url.includes("/wp/v2/posts/")) return answer;
      const yoast_head_json = {
        title: "Shown - Site",
        robots: { index: "noindex", follow: "follow", "max-snippet": "max-snippet:-1" },
        og_title: "OG",
        og_image: [{ url: "https://example.test/o.png", width: 1 }],
        twitter_card: "summary",
      };
      return Response.json({ ...await answer.json(), yoast_head_json });
    },
  });
  at.cms.state.namespaces.push("yoast/v1");
  Object.assign(at.draft.meta, { _yoast_wpseo_title: "Stored" });
  const read = await at.kit.both<Args>("get_seo_meta", { site_id: "rest", post_id: at.draft.id });
  assert.deepEqual(
    [read["title"], read["og_title"], read["og_image"], read["description"]],
    ["Stored", "OG", "https://example.test/o.png", ""],
  );
  assert.deepEqual([read["robots"], read["unread"]], [{ ...OFF, noindex: true }, ["focus_keyword"]]);
  assert.ok(!(read["shown"] as string[]).includes("title") && (read["shown"] as string[]).includes("robots"));
});

test("without an SEO plugin, or without a post, the channel has nothing to read", async (at) => {
  const says =
    /^The site shows no SEO plugin that keeps fields over REST; install the companion plugin \(version 1\.0\.0/;
  const target = { site_id: "rest", post_id: at.draft.id };
  const refusal = { says, sends: "reads" } as const;
  await at.kit.refuses("get_seo_meta", target, "E_SEOPLUGIN_PLUGIN_REQUIRED", refusal);
  const change = { ...target, title: "x", confirm: true };
  await at.kit.refuses("set_seo_meta", change, "E_SEOPLUGIN_PLUGIN_REQUIRED", refusal);
  await using other = await bare();
  addSeopress(other.cms.app, other.cms.state);
  await other.kit.refuses("get_seo_meta", { ...target, post_id: 99999 }, "E_UPSTREAM", {
    says: /^CMS 404 rest_post_invalid_id/,
    sends: "reads",
  });
});

test("over REST too a published post is changed only where the site allows it, and one that is due never", async (at) => {
  const rows = addSeopress(at.cms.app, at.cms.state);
  const { id } = at.published;
  for (const confirm of [false, true]) {
    const args = { site_id: "rest", post_id: id, title: "x", confirm };
    await at.kit.refuses("set_seo_meta", args, "E_FORBIDDEN_OP", /^Post \d+ is published/, "reads");
  }
  const { done, row } = await at.kit.write<Args>("rest", "set_seo_meta", {
    site_id: "rest_live",
    post_id: id,
    title: "Seen",
  });
  assert.deepEqual([done["status"], done["title"], row._published], ["published", "Seen", true]);
  at.draft.status = "future";
  at.draft.date = { at: at.kit.gw.clock.now + 30_000, floating: false };
  const due = { site_id: "rest_live", post_id: at.draft.id, title: "x", confirm: true };
  const says = /goes live at .*a change now could publish it at once; unschedule it first$/;
  await at.kit.refuses("set_seo_meta", due, "E_FORBIDDEN_OP", says, "reads");
  at.draft.status = "trash";
  await at.kit.refuses("set_seo_meta", due, "E_FORBIDDEN_OP", /is in the bin/, "reads");
  assert.equal(rows.get(at.draft.id)?.["_seopress_titles_title"], undefined);
});

/** A world where a post goes live once the given request was answered. */
async function goingLive(fits: (request: Request) => boolean): Promise<SeoWorld> {
  const at: SeoWorld = await bare({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (at.draft.status === "draft" && fits(new Request(input, init))) at.cms.publish(at.draft.id);
      return answer;
    },
  });
  addSeopress(at.cms.app, at.cms.state);
  return at;
}

Deno.test("a post published between plan and write is not written; one published during it is told", async () => {
  let looks = 0;
  await using early = await goingLive(({ url }) => url.includes("/social-settings") && ++looks === 1);
  const args = { site_id: "rest", post_id: early.draft.id, title: "x", confirm: true };
  const before = await early.kit.gw.end("set_seo_meta", args);
  assert.ok("code" in before && before.code === "E_FORBIDDEN_OP", JSON.stringify(before));
  assert.deepEqual(early.cms.writes, []);
  await using late = await goingLive(({ method }) => method === "PUT");
  const says = /was changed and is published now: somebody published it meanwhile/;
  await late.kit.gw.fails("set_seo_meta", args, "E_FORBIDDEN_OP", says);
  const row = (await late.kit.rows(1))[0]!;
  assert.deepEqual([row.status, row.outcome, row._published], ["error", "made", true]);
});

Deno.test("fields that cannot be read back may be on a live page by now, and the row says that nobody can tell", async () => {
  await using at = await goingLive(({ method }) => {
    if (method === "PUT") at.cms.inject({ kind: "html" }, { method: "GET", times: Infinity });
    return false;
  });
  await at.kit.gw.fails(
    "set_seo_meta",
    { site_id: "rest", post_id: at.draft.id, title: "x", confirm: true },
    "E_UPSTREAM",
    /were written, but could not be read back/,
  );
  const row = (await at.kit.rows(1))[0]!;
  assert.deepEqual([row.outcome, row._published], ["made", null]);
});

test("a write of several parts that fails on the way says which stand", async (at) => {
  addSeopress(at.cms.app, at.cms.state);
  const args = {
    site_id: "rest",
    post_id: at.draft.id,
    title: "T",
    og_title: "O",
    robots: { noindex: true },
  };
  at.cms.inject({ kind: "html" }, { method: "PUT", path: "social-settings" });
  const says =
    /^The fields title, robots were written, then the site failed: CMS 500.*send the rest again; a part of the change was made \(PUT /;
  await at.kit.gw.fails("set_seo_meta", { ...args, confirm: true }, "E_UPSTREAM", says);
  at.cms.inject({ kind: "html" }, { method: "PUT" });
  await at.kit.gw.fails("set_seo_meta", { ...args, confirm: true }, "E_UPSTREAM", /^CMS 500/);
});
