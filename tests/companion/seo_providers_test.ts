/** SEO fields, redirects, structured data and sitemap in the stores of three SEO plugins, by stand-ins of them. */
import assert from "node:assert/strict";
import { type Companion, cut, type Json, rows, type SeoPlugin, seoSuite } from "./site.ts";

const test = seoSuite();

const FIELDS = {
  title: `%%title%% "q" \\ 😀`,
  description: "D",
  focus_keyword: "a, b",
  robots: { noindex: true, nofollow: true, noarchive: true, nosnippet: false, noimageindex: true },
  canonical: "https://example.test/c",
  og: { title: "OT", description: "OD", image: "https://example.test/o.png" },
  twitter: { title: "TT", description: "TD", image: "https://example.test/t.png" },
};

/** The fields as that plugin takes them: Rank Math only shows images of the library, SEOPress has no noarchive. */
async function fieldsFor(wp: Companion, provider: SeoPlugin) {
  if (provider === "seopress") return { ...FIELDS, robots: { ...FIELDS.robots, noarchive: false } };
  if (provider !== "rankmath") return FIELDS;
  const [og, twitter] = [await wp.image("o"), await wp.image("t")];
  return {
    ...FIELDS,
    og: { ...FIELDS.og, image: og.url },
    twitter: { ...FIELDS.twitter, image: twitter.url },
  };
}

interface Store {
  readonly version: string;
  /** What is there of a post before. */
  readonly before: Json;
  /** What is there once FIELDS are written. */
  readonly stored: Json;
  /** What is there once robots are turned and the title is cleared. */
  readonly turned: Json;
  readonly gone: readonly string[];
}

const Y = "_yoast_wpseo_";
const S = "_seopress_";
const STORES: Record<SeoPlugin, Store> = {
  yoast: {
    version: "22.0-standin",
    before: {
      [`${Y}opengraph-image-id`]: "7",
      [`${Y}meta-robots-adv`]: "noodp,nosnippet",
      [`${Y}primary_category`]: "3",
    },
    stored: {
      [`${Y}title`]: FIELDS.title,
      [`${Y}metadesc`]: "D",
      [`${Y}focuskw`]: "a, b",
      [`${Y}meta-robots-noindex`]: "1",
      [`${Y}meta-robots-nofollow`]: "1",
      [`${Y}meta-robots-adv`]: "noodp,noarchive,noimageindex",
      [`${Y}canonical`]: "https://example.test/c",
      [`${Y}opengraph-title`]: "OT",
      [`${Y}opengraph-description`]: "OD",
      [`${Y}opengraph-image`]: "https://example.test/o.png",
      [`${Y}twitter-title`]: "TT",
      [`${Y}twitter-description`]: "TD",
      [`${Y}twitter-image`]: "https://example.test/t.png",
      [`${Y}primary_category`]: "3",
    },
    turned: { [`${Y}meta-robots-noindex`]: "2", [`${Y}meta-robots-nofollow`]: "0" },
    gone: [`${Y}opengraph-image-id`, `${Y}title`],
  },
  rankmath: {
    version: "1.0.273-standin",
    before: {
      rank_math_robots: ["index", "nosnippet"],
      rank_math_facebook_image_id: "7",
      rank_math_pillar_content: "on",
    },
    stored: {
      rank_math_title: FIELDS.title,
      rank_math_description: "D",
      rank_math_focus_keyword: "a, b",
      rank_math_robots: ["noindex", "nofollow", "noarchive", "noimageindex"],
      rank_math_canonical_url: "https://example.test/c",
      rank_math_facebook_title: "OT",
      rank_math_facebook_description: "OD",
      rank_math_twitter_title: "TT",
      rank_math_twitter_description: "TD",
      rank_math_twitter_use_facebook: "off",
      rank_math_pillar_content: "on",
    },
    turned: { rank_math_robots: ["index", "noarchive", "noimageindex"] },
    gone: ["rank_math_title"],
  },
  seopress: {
    version: "9.7.4-standin",
    before: {
      [`${S}robots_snippet`]: "yes",
      [`${S}social_fb_img_attachment_id`]: "7",
      [`${S}robots_primary_cat`]: "3",
    },
    stored: {
      [`${S}titles_title`]: FIELDS.title,
      [`${S}titles_desc`]: "D",
      [`${S}analysis_target_kw`]: "a, b",
      [`${S}robots_index`]: "yes",
      [`${S}robots_follow`]: "yes",
      [`${S}robots_imageindex`]: "yes",
      [`${S}robots_canonical`]: "https://example.test/c",
      [`${S}social_fb_title`]: "OT",
      [`${S}social_fb_desc`]: "OD",
      [`${S}social_fb_img`]: "https://example.test/o.png",
      [`${S}social_twitter_title`]: "TT",
      [`${S}social_twitter_desc`]: "TD",
      [`${S}social_twitter_img`]: "https://example.test/t.png",
      [`${S}robots_primary_cat`]: "3",
    },
    turned: { [`${S}robots_imageindex`]: "yes" },
    gone: [`${S}robots_index`, `${S}robots_follow`, `${S}social_fb_img_attachment_id`, `${S}titles_title`],
  },
};

test("yoast", "an SEO plugin that is active beside it is named", async (wp) => {
  await wp.peek({ options: { peek_second_seo: 1 } });
  const { body } = await wp.call("ed", "GET", "/health");
  await wp.peek({ options: { peek_second_seo: 0 } });
  const { provider, beside } = (body["features"] as Record<string, Json>)["seo_bridge"]!;
  assert.deepEqual([provider, beside], ["yoast", ["seopress"]]);
});

for (const provider of Object.keys(STORES) as SeoPlugin[]) {
  const { version, before, stored, turned, gone } = STORES[provider];

  test(
    provider,
    "fields are kept under the plugin's own keys, and its other keys are left alone",
    async (wp) => {
      const id = await wp.draft("ed");
      await wp.peek({ id, meta: before });
      const fields = await fieldsFor(wp, provider);
      const written = await wp.call("ed", "POST", `/seo/meta/${id}`, fields);
      assert.deepEqual(cut(written, "provider"), [200, provider]);
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(written.body[name], value, name);
      const { meta: all } = await wp.peek({ id });
      const images = Object.entries(all).filter(([key]) => /^rank_math_\w+_image/.test(key));
      assert.equal(images.length, provider === "rankmath" ? 4 : 0, "two addresses, each with its number");
      assert.deepEqual({ ...stored, ...Object.fromEntries(images) }, all);
      const robots = { noindex: false, nofollow: false };
      const again = await wp.call("ed", "POST", `/seo/meta/${id}`, { title: "", robots });
      assert.deepEqual(again.body["robots"], { ...fields.robots, ...robots });
      const { meta } = await wp.peek({ id });
      for (const [key, value] of Object.entries(turned)) assert.deepEqual(meta[key], value, key);
      assert.deepEqual(gone.filter((key) => key in meta), []);
    },
  );

  test(provider, "a post nothing is stored of has empty fields; a published one is guarded", async (wp) => {
    const id = await wp.published("posts");
    const { body } = await wp.call("ed", "GET", `/seo/meta/${id}`);
    assert.deepEqual(
      [body["title"], body["og"], Object.values(body["robots"] as Json)],
      ["", { title: "", description: "", image: "" }, [false, false, false, false, false]],
    );
    const refused = await wp.call("ed", "POST", `/seo/meta/${id}`, { title: "x" });
    assert.deepEqual(cut(refused), [409, "site_ops_published"]);
    const schema = await wp.call("ed", "POST", `/seo/schema/${id}`, { schema: { "@type": "A" } });
    assert.deepEqual(cut(schema), [409, "site_ops_published"]);
    const allowed = await wp.call("ed", "POST", `/seo/meta/${id}`, { title: "x", allow_published: true });
    assert.deepEqual(cut(allowed, "title"), [200, "x"]);
  });

  test(provider, "health names it, and the companion plugin puts out no fields beside it", async (wp) => {
    const health = await wp.call("ed", "GET", "/health");
    const { seo_bridge } = health.body["features"] as Json;
    assert.deepEqual(seo_bridge, { active: true, provider, provider_version: version, off: [], beside: [] });
    const id = await wp.draft("ed");
    await wp.peek({ id, meta: { _site_ops_seo_description: "not shown" } });
    assert.ok(!(await wp.text(await wp.publish(id, "posts"))).includes("not shown"));
  });

  test(provider, "redirects are added, changed, listed and kept from going in circles", async (wp) => {
    const put = (source: string, destination: string) =>
      wp.call("admin", "POST", "/seo/redirects", { source, destination, status: 302 });
    const first = await put("/Alt/eins/", "/neu");
    assert.deepEqual(cut(first, "created", "source"), [200, true, "/Alt/eins"]);
    const second = await put("/Alt/eins", "/neuer");
    assert.deepEqual(cut(second, "created", "id"), [200, false, first.body["id"]]);
    await put("/neuer", "https://example.test/");
    const list = await wp.call("admin", "GET", "/seo/redirects");
    const listed = rows(list, "redirects").map((row) =>
      [row["source"], row["destination"], row["status"]].join(" ").replace(wp.site.base_url, "")
    );
    assert.deepEqual([listed, list.body["total"]], [[
      "/Alt/eins /neuer 302",
      "/neuer https://example.test/ 302",
    ], 2]);
    assert.deepEqual(cut(await put("/neuer", "/alt/eins")), [422, "site_ops_redirect_loop"]);
    assert.deepEqual(cut(await put("/wp-admin", "/x")), [422, "site_ops_redirect_target"]);
  });

  test(provider, "any number of redirects lead to the home page, the oldest among them", async (wp) => {
    for (const source of ["/Alt/eins", "/home-2", "/home-3"]) {
      const made = await wp.call("admin", "POST", "/seo/redirects", { source, destination: "/" });
      assert.deepEqual(cut(made, "source"), [200, source]);
    }
  });
}

test(
  "yoast",
  "its index is built anew, its sitemap cache cleared; redirects and structured data are our own",
  async (wp) => {
    const id = await wp.draft("ed");
    await wp.call("ed", "POST", `/seo/meta/${id}`, { title: "x" });
    assert.deepEqual(
      cut(await wp.call("ed", "GET", "/seo/sitemap"), "provider", "enabled", "url", "modules"),
      [
        200,
        "yoast",
        true,
        `${wp.site.base_url}/sitemap_index.xml`,
        { xml_sitemap: true },
      ],
    );
    assert.deepEqual((await wp.call("admin", "POST", "/seo/sitemap/rebuild")).body, { invalidated: true });
    const asked = await wp.peek({ ask: ["yoast_standin_indexed", "yoast_standin_cleared"] });
    assert.deepEqual(asked.options, { yoast_standin_indexed: String(id), yoast_standin_cleared: "1" });
    await wp.call("admin", "POST", "/seo/redirects", { source: "/y-old", destination: "/y-new" });
    assert.deepEqual(await wp.leads("/y-old"), [301, `${wp.site.base_url}/y-new`]);
    await wp.call("ed", "POST", `/seo/schema/${id}`, { schema: { "@type": "Recipe" } });
    assert.ok(
      (await wp.text(await wp.publish(id, "posts"))).includes(`class="site-ops-schema">{"@type":"Recipe"}<`),
    );
    await wp.peek({ options: { wpseo: { enable_xml_sitemap: false } } });
    const rebuild = await wp.call("admin", "POST", "/seo/sitemap/rebuild");
    assert.deepEqual(cut(rebuild), [409, "site_ops_seo_provider_missing"]);
  },
);

test("rankmath", "structured data is kept in its rows, and its notes about them stay", async (wp) => {
  const id = await wp.draft("ed");
  const path = `/seo/schema/${id}`;
  const first = await wp.call("ed", "POST", path, { schema: { "@type": "Article", t: 'q" \\ ü' } });
  assert.match(first.body["entry_id"] as string, /^schema-\d+$/);
  const row = (await wp.peek({ id })).meta["rank_math_schema_Article"] as Json;
  assert.deepEqual(
    [row["@type"], row["t"], (row["metadata"] as Json)["type"]],
    ["Article", 'q" \\ ü', "custom"],
  );
  const entry_id = first.body["entry_id"];
  const schema = { "@type": "NewsArticle", metadata: { type: "mine" } };
  const second = await wp.call("ed", "POST", path, { schema, entry_id });
  assert.deepEqual(second.body, { entry_id, type: "NewsArticle", created: false });
  const { meta } = await wp.peek({ id });
  const renewed = { ...row["metadata"] as Json, title: "NewsArticle" };
  assert.deepEqual(meta["rank_math_schema_NewsArticle"], { "@type": "NewsArticle", metadata: renewed });
  const chosen = { ...renewed, title: "Chosen by a person" };
  await wp.peek({ id, meta: { rank_math_schema_NewsArticle: { "@type": "NewsArticle", metadata: chosen } } });
  await wp.call("ed", "POST", path, { schema: { "@type": "NewsArticle", t: "new" }, entry_id });
  const kept = (await wp.peek({ id })).meta["rank_math_schema_NewsArticle"] as Json;
  assert.deepEqual([kept["t"], kept["metadata"]], ["new", chosen], "a title that a person chose stays");
  await wp.call("ed", "POST", path, { schema: { "@type": "NewsArticle" }, entry_id });
  assert.equal(meta["rank_math_schema_Article"], undefined);
  const graph = await wp.call("ed", "POST", path, { schema: { "@graph": [{ "@type": "A" }] } });
  assert.deepEqual(cut(graph), [422, "site_ops_invalid_json"]);
  for (const name of ["</Script><script>alert(1)</script>", "<!--<script>"]) {
    const loose = await wp.call("ed", "POST", path, { schema: { "@type": "Thing", name } });
    assert.deepEqual(cut(loose), [422, "site_ops_invalid_json"], "Rank Math would print it as it is");
    const value = { NewsArticle: { "@type": "NewsArticle", more: [name] } };
    const entry = await wp.call("ed", "POST", `/schema/entries/${id}`, { value });
    assert.deepEqual(cut(entry), [422, "site_ops_invalid_json"]);
  }
  const none = await wp.call("ed", "POST", path, { schema, entry_id: "schema-1" });
  assert.deepEqual(cut(none), [404, "site_ops_schema_entry_not_found"]);
  const bridge = await wp.call("ed", "GET", `/schema/entries/${id}`);
  assert.deepEqual(cut(bridge, "type", "value_type", "value"), [200, "NewsArticle", "array", {
    NewsArticle: { "@type": "NewsArticle" },
  }]);
});

test(
  "rankmath",
  "custom schema is changed by type; nothing of where it shows, and no published post",
  async (wp) => {
    const id = await wp.draft("ed", { title: "Faq" });
    const metadata = { title: "Mine", displayConditions: ["x"] };
    const kept = { "@type": "Kept" };
    await wp.peek({
      id,
      meta: { rank_math_schema_FAQPage: { "@type": "FAQPage", metadata }, rank_math_schema_Kept: kept },
    });
    const path = `/schema/entries/${id}`;
    const value = { FAQPage: { "@type": "FAQPage", name: 'n"\\', metadata: "no" } };
    const written = await wp.call("ed", "POST", path, { value, expect_value_type: "array" });
    assert.deepEqual(cut(written, "value"), [200, {
      FAQPage: { "@type": "FAQPage", name: 'n"\\' },
      Kept: kept,
    }]);
    const { meta } = await wp.peek({ id });
    assert.deepEqual(meta["rank_math_schema_FAQPage"], { "@type": "FAQPage", name: 'n"\\', metadata });
    for (const wrong of [{ Other: {} }, { FAQPage: "x" }, { FAQPage: { name: "x" } }, [1], "x"]) {
      assert.deepEqual(cut(await wp.call("ed", "POST", path, { value: wrong })), [
        422,
        "site_ops_value_type",
      ]);
    }
    const list = await wp.call("ed", "GET", "/schema/entries?needle=kept");
    assert.deepEqual(rows(list, "entries").map((entry) => entry["post_id"]), [id]);
    const plain = await wp.draft("ed");
    const missing = await wp.call("ed", "GET", `/schema/entries/${plain}`);
    assert.deepEqual(cut(missing), [404, "site_ops_schema_entry_not_found"]);
    await wp.publish(id, "posts");
    assert.deepEqual(cut(await wp.call("ed", "POST", path, { value })), [409, "site_ops_published"]);
    assert.equal((await wp.call("ed", "POST", path, { value, allow_published: true })).status, 200);
  },
);

test(
  "rankmath",
  "two schemas of one type are told apart, and only the one that is named is changed",
  async (wp) => {
    const id = await wp.draft("ed");
    for (const name of ["First", "Second"]) {
      await wp.call("ed", "POST", `/seo/schema/${id}`, { schema: { "@type": "Person", name } });
    }
    const path = `/schema/entries/${id}`;
    const { body } = await wp.call("ed", "GET", path);
    const [first, second] = Object.entries(body["value"] as Record<string, Json>);
    assert.deepEqual([first![1]["name"], second![1]["name"]], ["First", "Second"]);
    assert.match(first![0], /^Person#\d+$/);
    const value = { [first![0]]: { "@type": "Person", name: "Changed" } };
    assert.deepEqual(cut(await wp.call("ed", "POST", path, { value }), "value"), [200, {
      ...value,
      [second![0]]: second![1],
    }]);
    const both = { Person: { "@type": "Person" } };
    assert.deepEqual(cut(await wp.call("ed", "POST", path, { value: both })), [422, "site_ops_value_type"]);
  },
);

test("rankmath", "its sitemap is rebuilt by itself; modules that are off or broken are told", async (wp) => {
  // Writes before this one have it made anew as well.
  const invalidated = async () => {
    const { options } = await wp.peek({ ask: ["rankmath_standin_invalidated"] });
    return Number((options as Json)["rankmath_standin_invalidated"]);
  };
  const before = await invalidated();
  await wp.call("admin", "POST", "/seo/sitemap/rebuild");
  assert.equal(await invalidated(), before + 1);
  await wp.peek({ options: { rankmath_standin_broken: 1 } });
  for (const [method, body] of [["GET", undefined], ["POST", { source: "/x", destination: "/y" }]] as const) {
    const answer = await wp.call("admin", method, "/seo/redirects", body);
    assert.deepEqual(cut(answer), [409, "site_ops_seo_provider_missing"]);
  }
  await wp.peek({ options: { rank_math_modules: [] } });
  assert.deepEqual(cut(await wp.call("ed", "GET", "/seo/sitemap"), "enabled", "modules"), [200, false, {
    sitemap: false,
  }]);
  await wp.call("admin", "POST", "/seo/redirects", { source: "/r-old", destination: "/r-new" });
  assert.deepEqual(await wp.leads("/r-old"), [301, `${wp.site.base_url}/r-new`]);
});

test(
  "seopress",
  "a record of a missing page becomes a redirect; 308 is not to be had; both switches make the sitemap",
  async (wp) => {
    const seen = await wp.peek({
      post: { post_type: "seopress_404", post_status: "publish", post_title: "seen/404" },
    });
    const none = await wp.call("admin", "GET", "/seo/redirects?source=/seen/404");
    assert.deepEqual(none.body, {
      provider: "seopress",
      redirects: [],
      total: 0,
      statuses: [301, 302, 307],
      resolves: null,
    });
    const body = { source: "/seen/404", destination: "/there" };
    const made = await wp.call("admin", "POST", "/seo/redirects", body);
    assert.deepEqual(cut(made, "id", "created"), [200, seen.id, true]);
    const { meta } = await wp.peek({ id: seen.id });
    assert.deepEqual([meta["_seopress_redirections_enabled"], meta["_seopress_redirections_type"]], [
      "yes",
      "301",
    ]);
    assert.equal(meta["_seopress_redirections_value"], `${wp.site.base_url}/there`);
    const eight = await wp.call("admin", "POST", "/seo/redirects", { ...body, status: 308 });
    assert.deepEqual(cut(eight), [422, "site_ops_redirect_target"]);
    await wp.peek({ options: { seopress_toggle: {} } });
    assert.deepEqual(cut(await wp.call("ed", "GET", "/seo/sitemap"), "enabled", "url"), [200, false, null]);
  },
);
