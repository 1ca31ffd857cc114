/** What visitors get of SEO fields: previews start from it, what does not change is not sent, what is not shown is refused. */
import assert from "node:assert/strict";
import { addRankMath, addSeopress } from "../../sandbox/wordpress_standin/seo_plugins.ts";
import { nothing } from "../../sandbox/wordpress_standin/companion_seo.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { scenes } from "../scenes.ts";
import { type SeoWorld, seoWorld } from "./_seo.ts";

const bare = () => seoWorld({ plugin: false });
const OFF = { noindex: false, nofollow: false, noarchive: false, nosnippet: false, noimageindex: false };

/** The post's type says noindex, and the post itself nothing. */
function noindexByType({ plugin, draft }: SeoWorld): void {
  plugin.provider = "yoast";
  plugin.fields.set(draft.id, { ...nothing(), robots: { ...OFF, noindex: true } });
  plugin.effects.set(draft.id, { origins: { "robots.noindex": "type" }, fixed: {} });
}

for (const guarded of [true, undefined] as const) {
  const route = guarded ? "with" : "without";

  Deno.test(`the type's noindex is read and previewed as it is in effect, ${route} the guard`, async () => {
    await using at = await seoWorld({ guarded });
    noindexByType(at);
    const target = { site_id: "seo", post_id: at.draft.id };
    const read = await at.kit.both<Args>("get_seo_meta", target);
    assert.deepEqual(read["robots"], { ...OFF, noindex: true });
    assert.deepEqual(read["origins"], { "robots.noindex": "type" });
    const lift = await at.kit.preview("set_seo_meta", { ...target, robots: { noindex: false } });
    assert.deepEqual(lift.changes, [{ field: "robots.noindex", from: true, origin: "type", to: false }]);
  });

  Deno.test(`only what changes is sent, and nothing where nothing does, ${route} the guard`, async () => {
    await using at = await seoWorld({ guarded });
    noindexByType(at);
    const target = { site_id: "seo", post_id: at.draft.id };
    const robots = { noindex: true, nofollow: false };
    const { summary, changes, warnings } = await at.kit.preview("set_seo_meta", { ...target, robots });
    assert.equal(
      summary,
      'Change nothing: the SEO fields given are so already on the draft post "Before" on seo',
    );
    assert.deepEqual(changes, []);
    assert.match(
      warnings.join(),
      /^robots\.noindex: is on already by the setting for all posts of this type; nothing is stored with the post/,
    );
    const { done, proof, row } = await at.kit.write<Args>("rest", "set_seo_meta", { ...target, robots });
    assert.deepEqual([done["robots"], proof.verified], [{ ...OFF, noindex: true }, true]);
    assert.deepEqual([at.cms.writes, row.changes], [[], []]);
    await at.kit.write("mcp", "set_seo_meta", { ...target, title: "New", robots });
    assert.deepEqual(
      at.cms.writes.map(({ body }) => {
        const { expected: _, ...fields } = body as Args;
        return fields;
      }),
      [{ title: "New" }],
    );
  });
}

/** A post without texts of its own, of which the type's template makes a title, and whose Open Graph is off. */
function filledIn({ plugin, draft }: SeoWorld): void {
  plugin.provider = "yoast";
  plugin.fields.set(draft.id, {
    ...nothing(),
    description: "Own %%sep%%",
    canonical: "https://a.test/%c3%bc",
  });
  plugin.effects.set(draft.id, {
    shown: {
      title: { value: "Before - Site", by: "type" },
      description: { value: "Own -", by: "post" },
      "og.title": { value: null, by: "off" },
    },
    fixed: { "og.title": "off" },
  });
}

for (const guarded of [true, undefined] as const) {
  const route = guarded ? "with" : "without";

  Deno.test(`texts are told and previewed as visitors get them, with where they come from, ${route} the guard`, async () => {
    await using at = await seoWorld({ guarded });
    filledIn(at);
    const target = { site_id: "seo", post_id: at.draft.id };
    const read = await at.kit.both<Args>("get_seo_meta", target);
    assert.deepEqual(
      [read["title"], read["description"]],
      ["", "Own %%sep%%"],
      "what the post holds stays to be seen",
    );
    assert.deepEqual(read["in_effect"], { title: "Before - Site", description: "Own -", og_title: null });
    assert.deepEqual(read["origins"], { title: "type", og_title: "off" });
    const { changes } = await at.kit.preview("set_seo_meta", { ...target, title: "New", description: "D" });
    assert.deepEqual(changes, [
      { field: "title", from: "Before - Site", origin: "type", to: "New" },
      { field: "description", from: "Own %%sep%%", to: "D" },
    ]);
  });

  Deno.test(`a text that visitors get already is not stored, and an address escaped otherwise is the same, ${route} the guard`, async () => {
    await using at = await seoWorld({ guarded });
    filledIn(at);
    const target = { site_id: "seo", post_id: at.draft.id };
    const same = { ...target, title: "Before - Site", canonical: "https://a.test/ü" };
    const { summary, changes, warnings } = await at.kit.preview("set_seo_meta", same);
    assert.match(summary, /^Change nothing/);
    assert.deepEqual(changes, []);
    assert.match(
      warnings.join(),
      /^title: visitors get this text already, by the template .* nothing is stored/,
    );
    const { proof } = await at.kit.write("rest", "set_seo_meta", same);
    assert.deepEqual([at.cms.writes, proof.verified], [[], true]);
  });
}

Deno.test("of a published post that stays as it is nothing counts as seen by visitors", async () => {
  await using at = await seoWorld({ guarded: true });
  const call = { site_id: "live", post_id: at.published.id, robots: { noindex: false } };
  const { summary, tier, warnings } = await at.kit.preview("set_seo_meta", call);
  assert.match(summary, /^Change nothing: .* so already on the published post "Live" on live$/);
  assert.deepEqual([tier, warnings], [1, []]);
  const { row } = await at.kit.write("rest", "set_seo_meta", call);
  assert.deepEqual([row._published, at.cms.writes], [undefined, []]);
});

const FIXED: readonly (readonly [word: string, field: string, given: Args, says: RegExp])[] = [
  ["unsupported", "robots.noarchive", { robots: { noarchive: true } }, /has no such switch; leave it out$/],
  [
    "type",
    "robots.nofollow",
    { robots: { nofollow: true } },
    /setting for all posts of this type goes before/,
  ],
  ["off", "og.title", { og_title: "x" }, /is switched off; switch it on in the CMS first$/],
  ["idle", "title", { title: "x" }, /shows nothing until its set-up is finished/],
  [
    "library",
    "og.image",
    { og_image: "https://a.test/b.png" },
    /only images of the site's own media library/,
  ],
  ["new-word", "canonical", { canonical: "https://a.test/" }, /would not show it; look at its settings$/],
];

Deno.test("what the site would not show is refused by the preview and by the write, and nothing is sent", async () => {
  for (const guarded of [true, undefined] as const) {
    for (const [word, field, given, says] of FIXED) {
      await using at = await seoWorld({ guarded });
      at.plugin.effects.set(at.draft.id, { fixed: { [field]: word } });
      for (const confirm of [false, true]) {
        const call = { site_id: "seo", post_id: at.draft.id, ...given, confirm };
        await at.kit.refuses("set_seo_meta", call, "E_BAD_INPUT", says, "reads");
      }
    }
  }
});

Deno.test("a text that is not shown may be cleared, and is named when it is read", async () => {
  await using at = await seoWorld({ guarded: true });
  const { draft, plugin } = at;
  plugin.fields.set(draft.id, { ...nothing(), og: { title: "Was", description: "", image: "" } });
  plugin.effects.set(draft.id, { fixed: { "og.title": "off", "og.image": "off" } });
  const target = { site_id: "seo", post_id: draft.id };
  assert.deepEqual((await at.kit.both<Args>("get_seo_meta", target))["unshown"], ["og_title"]);
  const { done } = await at.kit.write<Args>("rest", "set_seo_meta", { ...target, og_title: "" });
  assert.equal(done["og_title"], "");
});

Deno.test("that X is set apart from Open Graph is said before it is done", async () => {
  await using at = await seoWorld({ guarded: true });
  at.plugin.effects.set(at.draft.id, { twitter_follows_og: true });
  const target = { site_id: "seo", post_id: at.draft.id };
  const set = await at.kit.preview("set_seo_meta", { ...target, twitter_title: "T" });
  assert.match(
    set.warnings.join(),
    /^twitter_title: X \(Twitter\) shows the og_… fields of this post today; from now on/,
  );
  const other = await at.kit.preview("set_seo_meta", { ...target, og_title: "T", twitter_title: "" });
  assert.deepEqual(other.warnings, []);
});

Deno.test("the first structured data of Rank Math's is said to take the place of the automatic one", async () => {
  await using at = await seoWorld({ guarded: true });
  at.plugin.provider = "rankmath";
  const call = { site_id: "seo", post_id: at.draft.id, schema: { "@type": "Recipe" } };
  const first = await at.kit.preview("set_seo_schema", call);
  assert.match(
    first.warnings.join(),
    /^schema: the site's SEO plugin makes structured data by itself \(such as Blog/,
  );
  await at.kit.write("rest", "set_seo_schema", call);
  assert.deepEqual((await at.kit.preview("set_seo_schema", call)).warnings, []);
});

const test = scenes(() => bare());

for (const door of DOORS) {
  test(`over REST SEOPress's switches are those in effect, and what a setting decides is refused, through ${door}`, async (at) => {
    const rows = addSeopress(at.cms.app, at.cms.state, new Set(["_seopress_robots_index"]));
    const target = { site_id: "rest", post_id: at.draft.id };
    const read = await at.kit.both<Args>("get_seo_meta", target);
    assert.deepEqual(read["robots"], { ...OFF, noindex: true });
    assert.deepEqual(read["origins"], { "robots.noindex": "settings" });
    for (
      const [robots, says] of [
        [
          { noindex: false },
          /^robots\.noindex: false would not be shown: a setting for this type or the whole site/,
        ],
        [{ noarchive: true }, /^robots\.noarchive: true would not be shown: .* has no such switch/],
      ] as const
    ) {
      const call = { ...target, robots, confirm: true };
      await at.kit.refuses("set_seo_meta", call, "E_BAD_INPUT", says, "reads");
    }
    const robots = { noindex: true, noarchive: false, nofollow: true };
    const { done } = await at.kit.write<Args>(door, "set_seo_meta", { ...target, robots });
    assert.deepEqual(done["robots"], { ...OFF, noindex: true, nofollow: true });
    assert.deepEqual(rows.get(at.draft.id), { _seopress_robots_follow: "yes" });
  });
}

/** An image in the library of a world: its number and address. */
async function imageOf({ kit }: SeoWorld): Promise<{ id: number; url: string }> {
  const data =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  const args = { site_id: "rest", content_base64: data, filename: "shared.png", mime_type: "image/png" };
  const { done } = await kit.write<{ id: number; url: string }>("rest", "upload_media", args);
  return done;
}

test("over REST an image of the library is stored with its number, and another one without", async (at) => {
  const rows = addSeopress(at.cms.app, at.cms.state);
  const { id, url } = await imageOf(at);
  const target = { site_id: "rest", post_id: at.draft.id };
  const stored = () => {
    const { _seopress_social_fb_img: address, _seopress_social_fb_img_attachment_id: number } =
      rows.get(at.draft.id) ?? {};
    return [address, number];
  };
  await at.kit.write("rest", "set_seo_meta", { ...target, og_image: url });
  assert.deepEqual(stored(), [url, `${id}`]);
  const writes = at.cms.writes.length;
  await at.kit.write("mcp", "set_seo_meta", { ...target, og_image: url });
  assert.deepEqual([stored(), at.cms.writes.length], [[url, `${id}`], writes], "it is so already");
  rows.get(at.draft.id)!["_seopress_social_fb_img"] = "https://example.test/stale.png";
  const read = await at.kit.both<Args>("get_seo_meta", target);
  assert.equal(read["og_image"], url, "the number is what is shown");
  const other = "https://example.test/other.png";
  await at.kit.write("rest", "set_seo_meta", { ...target, og_image: other });
  assert.deepEqual(stored(), [other, undefined]);
});

test("over REST Rank Math is given the image's number, and an image from elsewhere is refused", async (at) => {
  const rows = addRankMath(at.cms.app, at.cms.state);
  const { id, url } = await imageOf(at);
  const target = { site_id: "rest", post_id: at.draft.id };
  const elsewhere = { ...target, og_image: "https://example.test/o.png", confirm: true };
  const says =
    /^og_image: .*shows only images of the site's own media library; upload the image with upload_media/;
  await at.kit.refuses("set_seo_meta", elsewhere, "E_BAD_INPUT", says, "reads");
  const { warnings } = await at.kit.preview("set_seo_meta", { ...target, twitter_image: url });
  assert.match(
    warnings.join(),
    /(^|,)twitter_image: X \(Twitter\) may show the og_… fields .* cannot be read over REST/,
  );
  await at.kit.write("rest", "set_seo_meta", { ...target, og_image: url, twitter_image: url });
  assert.deepEqual(rows.get(at.draft.id), {
    rank_math_facebook_image: url,
    rank_math_facebook_image_id: `${id}`,
    rank_math_twitter_image: url,
    rank_math_twitter_image_id: `${id}`,
    rank_math_twitter_use_facebook: "off",
  });
});

test("over REST Yoast's image is written only together with its number", async (at) => {
  at.cms.state.namespaces.push("yoast/v1");
  const { id, url } = await imageOf(at);
  const target = { site_id: "rest", post_id: at.draft.id };
  const [address, number] = ["_yoast_wpseo_opengraph-image", "_yoast_wpseo_opengraph-image-id"];
  at.draft.meta[address] = "";
  const call = { ...target, og_image: url, confirm: true };
  const says = /^og_image: cannot be set without the number of its image over the REST API/;
  await at.kit.refuses("set_seo_meta", call, "E_SEOPLUGIN_PLUGIN_REQUIRED", says, "reads");
  at.draft.meta[number] = "";
  await at.kit.write("rest", "set_seo_meta", { ...target, og_image: url });
  assert.deepEqual([at.draft.meta[address], at.draft.meta[number]], [url, `${id}`]);
});

Deno.test("that a canonical address is not shown beside noindex is said where the SEO plugin shows none then", async () => {
  for (const provider of ["yoast", "rankmath", "seopress", "none"] as const) {
    await using at = await seoWorld({ guarded: true });
    at.plugin.provider = provider;
    const target = { site_id: "seo", post_id: at.draft.id };
    const [canonical, noindex] = [{ canonical: "https://a.test/" }, { robots: { noindex: true } }];
    const told = async (change: Args) => {
      const { warnings } = await at.kit.preview("set_seo_meta", { ...target, ...change });
      const { done } = await at.kit.write<Args>("mcp", "set_seo_meta", { ...target, ...change });
      const says =
        /^canonical: "https:\/\/.\.test\/" is set in the post, and is not shown while noindex is on$/;
      return [warnings.some((one) => says.test(one)), done["unshown"]];
    };
    const hidden = provider === "none" ? [false, undefined] : [true, ["canonical"]];
    assert.deepEqual(await told(canonical), [false, undefined]);
    assert.deepEqual(await told(noindex), hidden, provider);
    assert.deepEqual(await told({ canonical: "https://b.test/" }), hidden);
    assert.deepEqual((await at.kit.both<Args>("get_seo_meta", target))["unshown"], hidden[1]);
    assert.deepEqual(await told({ robots: { noindex: false } }), [false, undefined]);
    assert.deepEqual(await told({ ...canonical, ...noindex }), hidden);
  }
});
