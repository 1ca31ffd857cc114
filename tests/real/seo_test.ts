/** The five SEO tools on a real WordPress, through both doors, for every SEO plugin and without one. */
import assert from "node:assert/strict";
import { type Args, DOORS } from "../cms_kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { onProvider, type Provider, PROVIDERS, type RealSeo } from "./_seo.ts";
import { fresh } from "./_wordpress.ts";

const FIELDS = {
  title: `%%title%% "q" \\ \u{1f600}`,
  description: "What it is about",
  focus_keyword: "fish, chips",
  canonical: "https://example.test/c?a=1",
  og_title: "OT",
  og_description: "OD",
  og_image: "https://example.test/o.png",
  twitter_title: "TT",
  twitter_description: "TD",
  twitter_image: "https://example.test/t.png",
};
const ROBOTS = { noindex: true, nofollow: false, noarchive: true, nosnippet: false, noimageindex: true };
const ARTICLE = { "@context": "https://schema.org", "@type": "Article", name: `</script> & "q" \\ \u00fc` };
/** Rank Math prints texts as they are. */
const PLAIN = { ...ARTICLE, name: `<b> & "q" \\ \u00fc` };
const articleFor = (provider: Provider) => provider === "rankmath" ? PLAIN : ARTICLE;

/** The same as that provider takes them: Rank Math only shows images of the library, SEOPress has no noarchive. */
async function fieldsFor({ wp }: RealSeo, provider: Provider) {
  const images = provider === "rankmath"
    ? { og_image: (await wp.image("o")).url, twitter_image: (await wp.image("t")).url }
    : {};
  const robots = provider === "seopress" ? { ...ROBOTS, noarchive: false } : ROBOTS;
  return { fields: { ...FIELDS, ...images }, robots };
}

/** Where each keeps title and twitter title. */
const KEYS: Record<Provider, [string, string]> = {
  none: ["_site_ops_seo_title", "_site_ops_seo_twitter_title"],
  yoast: ["_yoast_wpseo_title", "_yoast_wpseo_twitter-title"],
  rankmath: ["rank_math_title", "rank_math_twitter_title"],
  seopress: ["_seopress_titles_title", "_seopress_social_twitter_title"],
};

async function fieldsAreKept(at: RealSeo, provider: Provider, door: (typeof DOORS)[number]): Promise<void> {
  const { fields, robots } = await fieldsFor(at, provider);
  for (const type of ["posts", "pages"]) {
    const title = fresh("Fields");
    const id = await at.ask.draft("ed", { title }, type);
    const target = { site_id: "seo", post_id: id };
    const { summary } = await at.kit.preview("set_seo_meta", { ...target, ...fields, robots });
    assert.equal(summary, `Change the SEO fields of the draft ${type.slice(0, -1)} "${title}" on seo`);
    const { done, row } = await at.kit.write<Args>(door, "set_seo_meta", { ...target, ...fields, robots });
    const head = { post_id: id, post_type: type.slice(0, -1), status: "draft", provider };
    const hidden = provider === "none" ? {} : { unshown: ["canonical"] }; // beside noindex
    const { in_effect, origins, ...kept } = done;
    assert.deepEqual(kept, { ...head, ...fields, robots, ...hidden });
    if (provider !== "none") {
      assert.equal((in_effect as Args)["canonical"], null);
      assert.equal((origins as Args)["canonical"], "noindex");
    }
    assert.deepEqual([row.tier, row.result_id, row._published], [1, id, undefined]);
    const { meta, post } = await at.wp.peek({ id });
    assert.deepEqual(KEYS[provider].map((key) => meta[key]), [FIELDS.title, "TT"]);
    assert.deepEqual([post["post_status"], post["post_title"]], ["draft", title]);
    const change = { ...target, title: "", robots: { noindex: false } };
    const second = await at.kit.write<Args>(door, "set_seo_meta", change);
    const filled = provider === "none"
      ? { in_effect: { title: `${title} – Test Site` }, origins: { title: "default" } } // WordPress's own
      : { in_effect: { title: `${title} - Test Site` }, origins: { title: "type" } };
    const left = {
      ...head,
      ...fields,
      title: "",
      robots: { ...robots, noindex: false },
      ...filled,
    };
    assert.deepEqual(second.done, left);
    assert.deepEqual(await at.kit.both("get_seo_meta", target), left);
  }
}

async function publishedIsGuarded(
  at: RealSeo,
  provider: Provider,
  door: (typeof DOORS)[number],
): Promise<void> {
  const id = await at.ask.draft("ed", { title: fresh("Live") });
  const args = { post_id: id, title: "Seen", schema: articleFor(provider) };
  const meta = ({ schema: _, ...rest }: typeof args) => rest;
  const data = ({ title: _, ...rest }: typeof args) => rest;
  await at.kit.preview("set_seo_meta", { site_id: "seo", ...meta(args) });
  const address = await at.wp.publish(id, "posts");
  const says = /^Post \d+ is published: .*allow_seo_on_published; a super-admin can set it$/;
  for (const [tool, given] of [["set_seo_meta", meta(args)], ["set_seo_schema", data(args)]] as const) {
    for (const confirm of [false, true]) {
      const call = { site_id: "seo", ...given, confirm };
      await at.kit.refuses(tool, call, "E_FORBIDDEN_OP", says, "reads");
    }
  }
  assert.equal((await at.wp.peek({ id })).meta[KEYS[provider][0]], undefined);
  const first = await at.kit.write<Args>(door, "set_seo_meta", { site_id: "live", ...meta(args) });
  assert.deepEqual(
    [first.done["status"], first.done["title"], first.row._published],
    ["published", "Seen", true],
  );
  const second = await at.kit.write<Args>(door, "set_seo_schema", { site_id: "live", ...data(args) });
  assert.deepEqual(
    [second.done["status"], second.done["created"], second.row._published],
    ["published", true, true],
  );
  const { post } = await at.wp.peek({ id });
  assert.equal(post["post_status"], "publish");
  const html = await at.wp.text(address);
  assert.ok(html.includes("<title>Seen</title>"));
  assert.equal(html.includes('class="site-ops-schema"'), provider !== "rankmath");
  const { body } = await at.ask.rest("ed", "POST", `/posts/${id}`, { status: "private" });
  assert.equal(body["status"], "private");
  const hidden = { site_id: "seo", ...meta(args), confirm: true };
  await at.kit.refuses("set_seo_meta", hidden, "E_FORBIDDEN_OP", /is private/, "reads");
}

async function schemaIsKept(at: RealSeo, provider: Provider, door: (typeof DOORS)[number]): Promise<void> {
  const id = await at.ask.draft("ed", { title: fresh("Data") });
  const target = { site_id: "seo", post_id: id };
  const article = articleFor(provider);
  if (provider === "rankmath") {
    const says = /^schema: a text holds the end of a script element/;
    await at.kit.refuses("set_seo_schema", { ...target, schema: ARTICLE }, "E_BAD_INPUT", says, "reads");
  }
  const { done } = await at.kit.write<Args>(door, "set_seo_schema", {
    ...target,
    schema: JSON.stringify(article),
  });
  const { entry_id } = done;
  assert.deepEqual(done, { post_id: id, status: "draft", entry_id, type: "Article", created: true });
  const other = {
    "@context": "https://schema.org",
    "@type": "Recipe",
    steps: [{ n: 1 }, { n: 2.5 }],
    empty: {},
  };
  const { changes } = await at.kit.preview("set_seo_schema", { ...target, schema: other, entry_id });
  assert.deepEqual(changes[1], { field: "schema", from: article, to: other });
  const again = await at.kit.write<Args>(door, "set_seo_schema", { ...target, schema: other, entry_id });
  assert.deepEqual(again.done, { ...done, type: "Recipe", created: false });
  const list = await at.wp.call("ed", "GET", `/seo/schema/${id}`);
  const [stored, ...rest] = (list.body as Json)["entries"] as Json[];
  assert.deepEqual([stored?.["entry_id"], stored?.["type"], rest], [entry_id, "Recipe", []]);
  await at.kit.refuses("set_seo_schema", { ...target, schema: other, entry_id: "so-none" }, "E_UPSTREAM", {
    says: /^entry_id: post \d+ has no structured data "so-none", it has "/,
    sends: "reads",
  });
  const graph = { ...target, schema: { "@graph": [article, other] } };
  if (provider === "rankmath") {
    await at.kit.refuses("set_seo_schema", graph, "E_BAD_INPUT", /^schema: the site's/, "reads");
  } else {
    const both = await at.kit.write<Args>(door, "set_seo_schema", graph);
    assert.deepEqual([both.done["type"], both.proof.verified], ["Article, Recipe", true]);
  }
}

async function redirectsAreSet(at: RealSeo, provider: Provider, door: (typeof DOORS)[number]): Promise<void> {
  const name = fresh("r").replaceAll(" ", "-").toLowerCase();
  const here = at.site.base_url;
  const set = (source: string, destination: string, status?: number) =>
    at.kit.write<Args>(door, "set_seo_redirect", { site_id: "live", source, destination, status });
  const first = await set(`/Old-${name}/`, `/new-${name}?a=1`);
  assert.deepEqual([first.done["created"], first.done["source"], first.done["status"]], [
    true,
    `/Old-${name}`,
    301,
  ]);
  assert.equal(String(first.done["destination"]).replace(here, ""), `/new-${name}?a=1`);
  const second = await set(`/old-${name}`, `/two%20words-${name}`, 302);
  assert.deepEqual(
    [second.done["created"], second.done["id"], second.done["status"]],
    [false, first.done["id"], 302],
  );
  assert.deepEqual(second.row.changes?.map(({ from }) => String(from).replace(here, "")), [
    `/Old-${name}`,
    `/new-${name}?a=1`,
    "301",
  ]);
  const blank = await set(`/two%20words-${name}`, `/b-${name}`);
  assert.deepEqual([blank.done["created"], blank.done["source"]], [true, `/two words-${name}`]);
  await set(`/b-${name}`, "https://example.test/");
  const circles: [string, string][] = [
    [`/self-${name}`, `/x/../SELF-${name}/?q`],
    [`/self-${name}`, `${here}/%73elf-${name}`],
    [`/b-${name}`, `/old-${name}`],
    [`/b-${name}`, `${here.replace("http", "HTTP")}/OLD-${name}/#x`],
  ];
  const before = (await at.wp.call("admin", "GET", "/seo/redirects?per_page=100")).body;
  for (const [source, destination] of circles) {
    const call = { site_id: "seo", source, destination, confirm: true };
    const says = /^destination: (leads back to|would lead in a circle)/;
    await at.kit.refuses("set_seo_redirect", call, "E_BAD_INPUT", says, "anything");
  }
  if (provider === "seopress") {
    const call = { site_id: "seo", source: `/c-${name}`, destination: "/d", status: 308 };
    const says = /^status: .*no redirects of status 308/;
    await at.kit.refuses("set_seo_redirect", call, "E_BAD_INPUT", says, "reads");
  }
  assert.deepEqual((await at.wp.call("admin", "GET", "/seo/redirects?per_page=100")).body, before);
  if (provider === "none" || provider === "yoast") {
    assert.deepEqual(await at.wp.leads(`/OLD-${name}/`), [302, `${here}/two%20words-${name}`]);
    assert.deepEqual(await at.wp.leads(`/two%20words-${name}`), [301, `${here}/b-${name}`]);
  }
}

const SITEMAPS: Record<Provider, [string, Json]> = {
  none: ["/wp-sitemap.xml", { core_sitemaps: true }],
  yoast: ["/sitemap_index.xml", { xml_sitemap: true }],
  rankmath: ["/sitemap_index.xml", { sitemap: true }],
  seopress: ["/sitemaps.xml", { "toggle-xml-sitemap": true, seopress_xml_sitemap_general_enable: true }],
};

async function sitemapIsTold(at: RealSeo, provider: Provider, door: (typeof DOORS)[number]): Promise<void> {
  const [path, modules] = SITEMAPS[provider];
  const url = `${at.site.base_url}${path}`;
  const cache = provider === "rankmath" ? "kept" : "none";
  const sitemap = { provider, enabled: true, url, modules, cache };
  assert.deepEqual(await at.kit.both("get_sitemap_status", { site_id: "ed" }), sitemap);
  const counters = ["yoast_standin_cleared", "rankmath_standin_invalidated"];
  const rebuilt = async () => Object.values((await at.wp.peek({ ask: counters })).options).map(Number);
  const before = await rebuilt();
  const args = { site_id: "seo", rebuild: true };
  const { tier, changes } = await at.kit.preview("get_sitemap_status", args);
  assert.deepEqual([tier, changes[0]?.from], [1, cache]);
  assert.deepEqual(await rebuilt(), before);
  const { done, row } = await at.kit.write<Args>(door, "get_sitemap_status", args);
  assert.deepEqual([done, row.tier], [{ ...sitemap, invalidated: true }, 1]);
  const more = counters.map((name) => name.startsWith(`${provider}_`) ? 1 : 0);
  assert.deepEqual(await rebuilt(), before.map((count, index) => count + more[index]!));
  await at.kit.refuses("get_sitemap_status", { ...args, site_id: "ed", confirm: true }, "E_UPSTREAM", {
    says: /^CMS 403: .*"manage_options" to rebuild/,
    sends: "reads",
  });
}

/** Without the plugin's routes, what each SEO plugin lets be written. */
async function restChannel(at: RealSeo, provider: Provider, door: (typeof DOORS)[number]): Promise<void> {
  const id = await at.ask.draft("ed", { title: fresh("Rest") });
  const target = { site_id: "rest", post_id: id };
  const texts = { title: FIELDS.title, description: "D", focus_keyword: "fish" };
  if (provider === "none") {
    const refusal = {
      says: /^The site shows no SEO plugin that keeps fields over REST/,
      sends: "reads",
    } as const;
    await at.kit.refuses("get_seo_meta", target, "E_SEOPLUGIN_PLUGIN_REQUIRED", refusal);
    const change = { ...target, ...texts, confirm: true };
    return void await at.kit.refuses("set_seo_meta", change, "E_SEOPLUGIN_PLUGIN_REQUIRED", refusal);
  }
  const { done, proof } = await at.kit.write<Args>(door, "set_seo_meta", { ...target, ...texts });
  assert.equal(done["provider"], provider);
  const { meta, post } = await at.wp.peek({ id });
  assert.equal(meta[KEYS[provider][0]], FIELDS.title);
  assert.equal(post["post_status"], "draft");
  assert.equal(proof.verified, provider === "rankmath" ? null : true, "its route shows nothing back");
  const says = /install the companion plugin \(version 1\.0\.0/;
  const refusal = { says, sends: "reads" } as const;
  if (provider === "rankmath") {
    await at.kit.refuses("get_seo_meta", target, "E_SEOPLUGIN_PLUGIN_REQUIRED", refusal);
  } else {
    const read = await at.kit.both<Args>("get_seo_meta", target);
    assert.deepEqual([read["description"], read["focus_keyword"]], ["D", "fish"]);
  }
  if (provider === "yoast") {
    const closed = { ...target, canonical: "https://example.test/", confirm: true };
    await at.kit.refuses("set_seo_meta", closed, "E_SEOPLUGIN_PLUGIN_REQUIRED", refusal);
  }
  await at.wp.publish(id, "posts");
  const live = { ...target, title: "x", confirm: true };
  await at.kit.refuses("set_seo_meta", live, "E_FORBIDDEN_OP", /is published/, "reads");
  const seen = await at.kit.write<Args>(door, "set_seo_meta", {
    ...target,
    site_id: "rest_live",
    title: "Seen",
  });
  assert.deepEqual([seen.done["status"], seen.row._published], ["published", true]);
  assert.equal((await at.wp.peek({ id })).meta[KEYS[provider][0]], "Seen");
}

for (const provider of PROVIDERS) {
  onProvider(
    provider,
    Object.fromEntries(DOORS.flatMap((door) =>
      [
        [`fields written through ${door} are kept, changed one by one and read back`, fieldsAreKept],
        [`a published post is changed through ${door} only where the site allows it`, publishedIsGuarded],
        [`structured data is added and replaced through ${door}`, schemaIsKept],
        [`redirects are set through ${door}, and none in a circle`, redirectsAreSet],
        [`the sitemap is told, and rebuilt through ${door} when that is confirmed`, sitemapIsTold],
        [`over the channel rest, the door ${door} writes what the SEO plugin takes`, restChannel],
      ].map(([name, run]) => [
        name as string,
        (at: RealSeo) => (run as typeof restChannel)(at, provider, door),
      ])
    )),
  );
}
