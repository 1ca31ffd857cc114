/** SEO values in effect: what visitors get where a post says nothing itself, and what is stored of it, by stand-ins. */
import assert from "node:assert/strict";
import { type Companion, cut, type Json, type SeoPlugin, seoSuite } from "./site.ts";

const test = seoSuite();

/** The switches that are on, and what beside the post turns them on. */
const told = (body: Json) => ({
  on: Object.entries(body["robots"] as Record<string, boolean>).filter(([, on]) => on).map(([name]) => name),
  origins: body["origins"],
});
const read = async (wp: Companion, id: unknown) => (await wp.call("ed", "GET", `/seo/meta/${id}`)).body;
const write = (wp: Companion, id: unknown, body: Json) => wp.call("ed", "POST", `/seo/meta/${id}`, body);

const Y = "_yoast_wpseo_meta-robots-noindex";

test(
  "yoast",
  "the type's noindex is in effect, and a switch is stored only where it changes that",
  async (wp) => {
    await wp.peek({ options: { wpseo_titles: { "noindex-post": true } } });
    const id = await wp.draft("ed");
    assert.deepEqual(told(await read(wp, id)), { on: ["noindex"], origins: { "robots.noindex": "type" } });
    const same = await write(wp, id, { robots: { noindex: true, nofollow: false } });
    assert.equal(same.status, 200);
    assert.deepEqual((await wp.peek({ id })).meta, {}, "nothing changes, and nothing is stored");
    const lifted = await write(wp, id, { robots: { noindex: false } });
    assert.deepEqual(told(lifted.body), { on: [], origins: {} });
    assert.equal((await wp.peek({ id })).meta[Y], "2");
    await wp.peek({ options: { wpseo_titles: {} } });
    const plain = await wp.draft("ed");
    await write(wp, plain, { robots: { noindex: false } });
    assert.equal((await wp.peek({ id: plain })).meta[Y], undefined);
    await wp.peek({ id: plain, columns: { post_status: "private" } });
    assert.deepEqual(told(await read(wp, plain)), {
      on: ["noindex"],
      origins: { "robots.noindex": "state" },
    });
  },
);

test("yoast", "texts of a part that is off are refused, and may be cleared", async (wp) => {
  await wp.peek({ options: { wpseo_social: { opengraph: false, twitter: true } } });
  const id = await wp.draft("ed");
  await wp.peek({ id, meta: { "_yoast_wpseo_opengraph-title": "Was" } });
  const refused = await write(wp, id, { title: "T", og: { title: "New" } });
  assert.deepEqual(cut(refused), [422, "site_ops_seo_not_shown"]);
  assert.equal((await wp.peek({ id })).meta["_yoast_wpseo_title"], undefined);
  assert.equal((await write(wp, id, { og: { title: "" }, twitter: { title: "New" } })).status, 200);
  await wp.peek({ options: { wpseo_social: {} } });
});

/** Where each keeps an image of Open Graph and its number. */
const IMAGES: Record<SeoPlugin, [url: string, id: string]> = {
  yoast: ["_yoast_wpseo_opengraph-image", "_yoast_wpseo_opengraph-image-id"],
  rankmath: ["rank_math_facebook_image", "rank_math_facebook_image_id"],
  seopress: ["_seopress_social_fb_img", "_seopress_social_fb_img_attachment_id"],
};

for (const provider of Object.keys(IMAGES) as SeoPlugin[]) {
  const [url, number] = IMAGES[provider];

  test(
    provider,
    "an image that is there already keeps its number, and one of the library gets its own",
    async (wp) => {
      const [first, second] = [await wp.image(`one-${provider}`), await wp.image(`two-${provider}`)];
      const id = await wp.draft("ed");
      await wp.peek({ id, meta: { [url]: first.url, [number]: String(first.id) } });
      const stored = async () => {
        const { meta } = await wp.peek({ id });
        return [meta[url], meta[number]];
      };
      assert.equal((await write(wp, id, { og: { image: first.url } })).status, 200);
      assert.deepEqual(await stored(), [first.url, String(first.id)]);
      const small = second.url.replace(".png", "-300x200.png");
      for (const address of [second.url, small]) {
        const { body } = await write(wp, id, { og: { image: address } });
        assert.equal((body["og"] as Json)["image"], address);
        assert.deepEqual(await stored(), [address, String(second.id)]);
      }
      await wp.peek({ id, meta: { [url]: "https://example.test/stale.png" } });
      assert.equal(((await read(wp, id))["og"] as Json)["image"], second.url, "the number is what is shown");
      await write(wp, id, { og: { image: "" } });
      assert.deepEqual(await stored(), [undefined, undefined]);
      const elsewhere = await write(wp, id, { og: { image: "https://example.test/o.png" } });
      if (provider === "rankmath") {
        assert.deepEqual(cut(elsewhere), [422, "site_ops_seo_not_shown"]);
      } else {
        assert.deepEqual(await stored(), ["https://example.test/o.png", undefined]);
      }
    },
  );

  test(provider, "a site that keeps search engines away lets no post be listed", async (wp) => {
    await wp.peek({ options: { blog_public: "0" } });
    const id = await wp.draft("ed");
    const body = await read(wp, id);
    const lifted = await write(wp, id, { robots: { noindex: false } });
    await wp.peek({ options: { blog_public: "1" } });
    const origins = { "robots.noindex": "site", "robots.nofollow": "site" };
    assert.deepEqual(told(body), { on: ["noindex", "nofollow"], origins });
    assert.deepEqual(cut(lifted), [422, "site_ops_seo_not_shown"]);
  });
}

const TITLES = "rank-math-options-titles";
const NOINDEX_TYPE = { pt_post_custom_robots: "on", pt_post_robots: ["noindex", "nofollow"] };

test("rankmath", "one switch is turned in the robots in effect, not in none", async (wp) => {
  const cases: [titles: Json, meta: Json, robots: Json, stored: string[]][] = [
    [NOINDEX_TYPE, {}, { noarchive: true }, ["noindex", "nofollow", "noarchive"]],
    [NOINDEX_TYPE, {}, { noindex: false }, ["index", "nofollow"]],
    [NOINDEX_TYPE, { rank_math_robots: ["index"] }, { noarchive: true }, ["index", "noarchive"]],
    [{ ...NOINDEX_TYPE, pt_post_custom_robots: "off" }, {}, { noarchive: true }, ["index", "noarchive"]],
    [{ robots_global: ["noindex"] }, {}, { nosnippet: true }, ["noindex", "nosnippet"]],
    // A type with settings of its own and no words in them is indexed (robots_combine() of class-paper.php, 1.0.273).
    [{ ...NOINDEX_TYPE, pt_post_robots: [], robots_global: ["noindex"] }, {}, { noarchive: true }, [
      "index",
      "noarchive",
    ]],
    [{}, {}, { noarchive: true }, ["index", "noarchive"]],
  ];
  for (const [titles, meta, robots, stored] of cases) {
    const id = await wp.draft("ed");
    await wp.peek({ id, meta, options: { [TITLES]: titles } });
    const before = (await wp.call("ed", "GET", `/seo/meta/${id}`)).body["robots"] as Json;
    const { body } = await wp.call("ed", "POST", `/seo/meta/${id}`, { robots });
    assert.deepEqual(
      body["robots"],
      { ...before, ...robots },
      "what was not given stays as it was in effect",
    );
    assert.deepEqual((await wp.peek({ id })).meta["rank_math_robots"], stored);
  }
  await wp.peek({ options: { [TITLES]: {} } });
});

test("rankmath", "a private post, and a protected one where that is set, is never indexed", async (wp) => {
  const id = await wp.draft("ed");
  await wp.peek({ id, columns: { post_password: "secret" } });
  assert.deepEqual(told(await read(wp, id)).on, []);
  await wp.peek({ options: { [TITLES]: { noindex_password_protected: "on" } } });
  const body = await read(wp, id);
  assert.deepEqual(told(body), { on: ["noindex"], origins: { "robots.noindex": "state" } });
  await wp.peek({ options: { [TITLES]: {} } });
});

test("rankmath", "nothing is stored while it waits to be registered, as it shows nothing", async (wp) => {
  const id = await wp.draft("ed");
  await wp.peek({
    id,
    meta: { rank_math_robots: ["noindex"] },
    options: { rankmath_standin_unregistered: true },
  });
  const answers = [
    await wp.call("ed", "GET", `/seo/meta/${id}`),
    await write(wp, id, { title: "T" }),
    await write(wp, id, { robots: { noindex: true } }),
    await wp.call("ed", "POST", `/seo/schema/${id}`, { schema: { "@type": "Recipe" } }),
  ];
  const sitemap = await wp.call("ed", "GET", "/seo/sitemap");
  await wp.peek({ options: { rankmath_standin_unregistered: false } });
  assert.deepEqual(told(answers[0]!.body).on, []);
  for (const refused of answers.slice(1)) assert.deepEqual(cut(refused), [422, "site_ops_seo_not_shown"]);
  assert.deepEqual(cut(sitemap, "enabled"), [200, false]);
});

test("rankmath", "one that does not run on this WordPress is told from one that waits", async (wp) => {
  const off = async (options: Record<string, boolean>) => {
    await wp.peek({ options });
    const { body } = await wp.call("ed", "GET", "/seo/sitemap");
    await wp.peek({ options: Object.fromEntries(Object.keys(options).map((name) => [name, false])) });
    return (body["off"] as { part: string; switch: string }[]).map((one) => [one.part, one.switch]);
  };
  const [[part, update] = [], ...more] = await off({ rankmath_standin_too_new: true });
  assert.deepEqual([part, more], ["all", []]);
  assert.match(update ?? "", /^Dashboard > Updates: .*does not run on this version/);
  assert.match(String(await off({ rankmath_standin_unregistered: true })), /Setup Wizard/);
});

test("rankmath", "structured data is refused while its module is off", async (wp) => {
  const id = await wp.draft("ed");
  await wp.peek({ options: { rank_math_modules: ["sitemap", "redirections"] } });
  const refused = await wp.call("ed", "POST", `/seo/schema/${id}`, { schema: { "@type": "Recipe" } });
  await wp.peek({ options: { rank_math_modules: ["sitemap", "redirections", "rich-snippet"] } });
  assert.deepEqual(cut(refused), [422, "site_ops_seo_not_shown"]);
});

test(
  "rankmath",
  "Twitter follows Open Graph until a field of it is set, which changes no other; cleared it follows again",
  async (wp) => {
    const id = await wp.draft("ed");
    const image = await wp.image("mirrored");
    await write(wp, id, { og: { title: "OT", description: "OD", image: image.url } });
    const empty = { title: "", description: "", image: "" };
    await wp.peek({ id, meta: { rank_math_twitter_description: "stale, and not shown" } });
    const before = await read(wp, id);
    assert.deepEqual([before["twitter"], before["twitter_follows_og"]], [empty, true]);
    const same = await write(wp, id, { twitter: { title: "" } });
    assert.equal(same.body["twitter_follows_og"], true, "nothing changes");
    const set = await write(wp, id, { twitter: { title: "TT" } });
    const shown = { title: "TT", description: "OD", image: image.url };
    assert.deepEqual([set.body["twitter"], set.body["twitter_follows_og"]], [shown, false]);
    assert.equal((await wp.peek({ id })).meta["rank_math_twitter_image_id"], String(image.id));
    const cleared = await write(wp, id, { twitter: { title: "" } });
    assert.deepEqual([cleared.body["twitter"], cleared.body["twitter_follows_og"]], [empty, true]);
    assert.equal("rank_math_twitter_use_facebook" in (await wp.peek({ id })).meta, false);
  },
);

const SETTINGS = "seopress_titles_option_name";

test(
  "seopress",
  "settings of the type and the site go before a post, and what it cannot show is refused",
  async (wp) => {
    const id = await wp.draft("ed");
    await wp.peek({ id, meta: { _seopress_robots_index: "yes" } });
    assert.deepEqual(told(await read(wp, id)), { on: ["noindex"], origins: {} });
    const of_type = { seopress_titles_single_titles: { post: { noindex: "1" } } };
    await wp.peek({ options: { [SETTINGS]: { ...of_type, seopress_titles_nosnippet: "1" } } });
    const body = await read(wp, id);
    const origins = { "robots.noindex": "type", "robots.nosnippet": "site" };
    assert.deepEqual(told(body), { on: ["noindex", "nosnippet"], origins });
    assert.deepEqual(body["fixed"], { ...origins, "robots.noarchive": "unsupported" });
    for (const robots of [{ noindex: false }, { nosnippet: false }, { noarchive: true }]) {
      assert.deepEqual(cut(await write(wp, id, { robots })), [422, "site_ops_seo_not_shown"]);
    }
    assert.equal((await write(wp, id, { robots: { noindex: true, noarchive: false } })).status, 200);
    await wp.peek({ options: { [SETTINGS]: {} } });
    await wp.peek({ id, columns: { post_password: "secret" } });
    assert.deepEqual((await read(wp, id))["fixed"], {
      "robots.noindex": "state",
      "robots.noarchive": "unsupported",
    });
  },
);

test(
  "seopress",
  "while its titles are off no switch is in effect, and no text of theirs is taken",
  async (wp) => {
    const id = await wp.draft("ed");
    await wp.peek({
      id,
      meta: { _seopress_robots_index: "yes" },
      options: { seopress_toggle: { "toggle-social": "1" } },
    });
    const body = await read(wp, id);
    const refused = await write(wp, id, { title: "T" });
    const social = await write(wp, id, { og: { title: "T" } });
    await wp.peek({ options: { seopress_toggle: { "toggle-titles": "1", "toggle-xml-sitemap": "1" } } });
    const off = await write(wp, id, { og: { title: "U" } });
    await wp.peek({
      options: { seopress_toggle: { "toggle-titles": "1", "toggle-social": "1", "toggle-xml-sitemap": "1" } },
    });
    assert.deepEqual(told(body).on, []);
    assert.deepEqual([cut(refused), social.status], [[422, "site_ops_seo_not_shown"], 200]);
    assert.deepEqual(cut(off), [422, "site_ops_seo_not_shown"]);
  },
);

test("rankmath", "the sitemap that is kept learns of what goes live, and of its switches", async (wp) => {
  const forgot = async () => {
    const { options } = await wp.peek({ ask: ["rankmath_standin_left"] });
    await wp.peek({ options: { rankmath_standin_left: "" } });
    return options["rankmath_standin_left"];
  };
  const id = await wp.draft("ed");
  const place = `/guarded/posts/${id}`;
  const { status } = (await wp.call("ed", "GET", place)).body["parts"] as Json;
  const go = async (fields: Json) =>
    (await wp.call("ed", "POST", place, { expected: { status }, fields, allow_publish: true })).status;
  await forgot();
  assert.deepEqual([await go({ title: "New" }), await forgot()], [200, ""]);
  assert.deepEqual([await go({ status: "publish" }), await forgot()], [200, "1 post"]);
  const change = async (fields: Json) => (await write(wp, id, { ...fields, allow_published: true })).status;
  assert.deepEqual([await change({ title: "New" }), await forgot()], [200, ""]);
  assert.deepEqual([await change({ robots: { nofollow: true } }), await forgot()], [200, "1 post"]);
  assert.deepEqual([await change({ canonical: "https://a.test/" }), await forgot()], [200, "1 post"]);
});
