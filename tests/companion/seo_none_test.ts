/** SEO fields and structured data on a site without an SEO plugin: stored by the companion plugin, and shown by it. */
import assert from "node:assert/strict";
import { pageHead } from "../real/_page.ts";
import { Companion, cut, type Json, rows, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => (wp = await Companion.start("shop")));

const FIELDS = {
  title: `A "title" & more %%date%% \\ 😀`,
  description: "Says it all",
  focus_keyword: "a, b",
  robots: { noindex: true, nofollow: false, noarchive: true, nosnippet: false, noimageindex: true },
  canonical: "https://example.test/a?b=1&c=2",
  og: { title: "OG", description: "OGD", image: "https://example.test/a.png" },
  twitter: { title: "TW", description: "TWD", image: "https://example.test/b.png" },
};

test("every field is stored and read back; what is absent stays, an empty text clears", async () => {
  const id = await wp.draft("ed");
  const written = await wp.call("ed", "POST", `/seo/meta/${id}`, FIELDS);
  assert.equal(written.status, 200);
  for (const [name, value] of Object.entries(FIELDS)) assert.deepEqual(written.body[name], value, name);
  assert.deepEqual(
    cut(written, "post_id", "post_type", "post_status", "provider"),
    [200, id, "post", "draft", "none"],
  );
  const changed = await wp.call("ed", "POST", `/seo/meta/${id}`, {
    description: "",
    robots: { noindex: false },
    og: { image: "" },
  });
  assert.deepEqual(
    cut(changed, "title", "description", "og"),
    [200, FIELDS.title, "", { title: "OG", description: "OGD", image: "" }],
  );
  assert.deepEqual(changed.body["robots"], { ...FIELDS.robots, noindex: false });
  const nothing = await wp.call("ed", "POST", `/seo/meta/${id}`, {});
  assert.deepEqual(nothing.body, changed.body);
  assert.deepEqual([nothing.body["post_title"], nothing.body["date_gmt"]], ["A draft", null]);
  const due = new Date(Date.now() + 7_200_000).toISOString().slice(0, 19);
  await wp.rest("ed", "POST", `/posts/${id}`, { status: "future", date_gmt: due });
  const scheduled = await wp.call("ed", "GET", `/seo/meta/${id}`);
  assert.deepEqual(cut(scheduled, "post_status", "date_gmt"), [200, "future", due]);
});

test("texts become one plain line, and addresses must be http or https", async () => {
  const id = await wp.draft("ed");
  const text = await wp.call("ed", "POST", `/seo/meta/${id}`, {
    title: " a\r\n\t<b>b</b><script>c</script>\u0000 d ",
  });
  assert.deepEqual(cut(text, "title"), [200, "a b d"]);
  const bad: [Json, string][] = [
    [{ canonical: "javascript:alert(1)" }, "canonical"],
    [{ canonical: "/relative" }, "canonical"],
    [{ og: { image: "data:image/png;base64,AA" } }, "og"],
    [{ twitter: { image: "https://" } }, "twitter"],
    [{ og: { titel: "x" } }, "og"],
    [{ robots: { index: true } }, "robots"],
    [{ robots: { noindex: "perhaps" } }, "robots"],
    [{ title: ["x"] }, "title"],
    [{ title: "x".repeat(5001) }, "title"],
  ];
  for (const [body, param] of bad) {
    const answer = await wp.call("ed", "POST", `/seo/meta/${id}`, body);
    assert.deepEqual(cut(answer), [400, "rest_invalid_param"], JSON.stringify(body).slice(0, 60));
    assert.ok(param in ((answer.body["data"] as Json)["params"] as Json), param);
  }
});

test("a published post is changed only when that is allowed by name", async () => {
  const id = await wp.published();
  const refused = await wp.call("ed", "POST", `/seo/meta/${id}`, { title: "Live" });
  assert.deepEqual(cut(refused), [409, "site_ops_published"]);
  const schema = { schema: { "@type": "Thing" } };
  assert.deepEqual(cut(await wp.call("ed", "POST", `/seo/schema/${id}`, schema)), [
    409,
    "site_ops_published",
  ]);
  assert.deepEqual((await wp.peek({ id })).meta["_site_ops_seo_title"], undefined);
  const allowed = await wp.call("ed", "POST", `/seo/meta/${id}`, { title: "Live", allow_published: true });
  assert.deepEqual(cut(allowed, "title", "post_status"), [200, "Live", "publish"]);
  const also = await wp.call("ed", "POST", `/seo/schema/${id}`, { ...schema, allow_published: true });
  assert.deepEqual(cut(also, "created"), [200, true]);
});

test("a visitor gets the fields and the structured data, on that page only", async () => {
  const id = await wp.draft("ed", { title: "Plain" }, "pages");
  await wp.call("ed", "POST", `/seo/meta/${id}`, FIELDS);
  const schema = { "@type": "Article", name: `</script><b> & "q" ü`, empty: {}, list: [], one: 1.0 };
  await wp.call("ed", "POST", `/seo/schema/${id}`, { schema });
  const html = await wp.text(await wp.publish(id));
  assert.match(html, /<title>A &quot;title&quot; &amp; more %%date%% \\ 😀<\/title>/);
  for (
    const tag of [
      `<meta name="description" content="Says it all" />`,
      `<meta property="og:title" content="OG" />`,
      `<meta property="og:image" content="https://example.test/a.png" />`,
      `<meta name="twitter:card" content="summary_large_image" />`,
      `<meta name="twitter:description" content="TWD" />`,
    ]
  ) assert.ok(html.includes(tag), tag);
  assert.match(html, /<link rel="canonical" href="https:\/\/example\.test\/a\?b=1&#038;c=2" \/>/);
  const robots = /<meta name='robots' content='([^']*)'/.exec(html)![1]!.split(", ");
  assert.deepEqual(
    ["noindex", "noarchive", "noimageindex", "nofollow"].map((name) => robots.includes(name)),
    [true, true, true, false],
  );
  const json = /<script type="application\/ld\+json" class="site-ops-schema">(.*)<\/script>/.exec(html)![1]!;
  assert.ok(!/[<>&]/.test(json));
  assert.deepEqual(JSON.parse(json), schema);
  const other = await wp.text(await wp.publish(await wp.draft("ed", {}, "pages")));
  assert.ok(!other.includes("Says it all") && !other.includes("ld+json") && !other.includes("noarchive"));
  const map = await wp.text("/wp-sitemap-posts-page-1.xml");
  assert.ok(map.includes("a-draft") && !map.includes("/plain/"));
});

test("the page that lists the posts shows its own too, and no other list does", async () => {
  const id = await wp.draft("ed", { title: "Blog", slug: "our-blog" }, "pages");
  const url = await wp.publish(id);
  const fields = { title: "SEO of the blog", description: "DB", canonical: "https://example.test/blog" };
  const body = { ...fields, robots: { noarchive: true }, allow_published: true };
  assert.equal((await wp.call("ed", "POST", `/seo/meta/${id}`, body)).status, 200);
  const data = { schema: { "@type": "Blog" }, allow_published: true };
  assert.equal((await wp.call("ed", "POST", `/seo/schema/${id}`, data)).status, 200);
  const needles = ["<title>SEO of the blog</title>", 'content="DB"', "noarchive", '{"@type":"Blog"}'];
  const canonical = `<link rel="canonical" href="${fields.canonical}" />`;
  const has = (text: string) => [...needles, canonical].filter((needle) => text.includes(needle));
  assert.deepEqual(has(await wp.text(url)), [...needles, canonical]);
  await wp.peek({ options: { show_on_front: "page", page_for_posts: id } });
  assert.deepEqual(has(await wp.text("/our-blog/")), [...needles, canonical]);
  assert.deepEqual(has(await wp.text("/?s=x")), []);
  await wp.peek({ options: { show_on_front: "posts", page_for_posts: 0 } });
  assert.deepEqual(has(await wp.text("/")), []);
});

test("the page of a shop, which lists its products, shows its own; a search among them does not", async () => {
  const id = await wp.draft("ed", { title: "Shop", slug: "our-shop" }, "pages");
  await wp.publish(id);
  const body = { title: "SEO of the shop", description: "DS", allow_published: true };
  assert.equal((await wp.call("ed", "POST", `/seo/meta/${id}`, body)).status, 200);
  const has = (text: string) =>
    ["<title>SEO of the shop</title>", 'content="DS"', "post-type-archive-product"]
      .map((needle) => text.includes(needle));
  assert.deepEqual(has(await wp.text("/our-shop/")), [true, true, false]);
  await wp.peek({ options: { woocommerce_shop_page_id: id } });
  await wp.text("/");
  assert.deepEqual(has(await wp.text("/our-shop/")), [true, true, true]);
  assert.deepEqual(has(await wp.text("/?s=x&post_type=product")), [false, false, true]);
  await wp.peek({ options: { woocommerce_shop_page_id: 0 } });
});

test("a page is shown also beside another shop that has a function named as one of WooCommerce's", async () => {
  await wp.peek({ options: { shop_standin_other: 1 } });
  const page = await wp.text("/");
  await wp.peek({ options: { shop_standin_other: 0 } });
  assert.match(page, /<\/html>/);
});

test("what visitors get where a post holds nothing is what WordPress shows, of each kind of page", async () => {
  const ids: unknown[] = [];
  for (const type of ["posts", "pages", "pages"] as const) {
    const id = await wp.draft("ed", { title: `It's "${type}" & so` }, type);
    await wp.publish(id, type);
    ids.push(id);
  }
  const [post, front, list] = ids;
  const agrees = async (id: unknown) => {
    const page = await pageHead(`${wp.site.base_url}/?p=${id}`);
    const { shown, ...stored } = (await wp.call("ed", "GET", `/seo/meta/${id}`)).body as Record<string, Json>;
    const of = (name: string) => {
      const [group, part] = name.split(".") as [string, string?];
      const own = part === undefined ? stored[group] : stored[group]![part];
      return name in shown! ? (shown![name] as Json)["value"] : own || null;
    };
    const { title = null, canonical = null, meta } = page;
    const seen = (name: string) => meta.get(name) ?? null;
    const told = ["title", "canonical", "description", "og.title", "twitter.title"].map(of);
    assert.deepEqual(told, [
      ...[title, canonical, seen("description"), seen("og:title")],
      seen("twitter:title") ?? seen("og:title"),
    ]);
  };
  await wp.peek({ options: { show_on_front: "page", page_on_front: front, page_for_posts: list } });
  await wp.peek({ options: { blogdescription: "A tag & line" } });
  for (const id of ids) {
    await agrees(id);
    const own = { title: "Own", og: { title: "OT" }, robots: { noindex: true }, allow_published: true };
    assert.equal((await wp.call("ed", "POST", `/seo/meta/${id}`, own)).status, 200);
    await agrees(id);
  }
  await wp.peek({ options: { show_on_front: "posts", page_on_front: 0, page_for_posts: 0 } });
  await wp.peek({ id: post as number, columns: { post_password: "x" } });
  await wp.call("ed", "POST", `/seo/meta/${post}`, { title: "", allow_published: true });
  await agrees(post);
});

test("structured data is added, replaced and listed, with its types kept", async () => {
  const id = await wp.draft("ed");
  const path = `/seo/schema/${id}`;
  const first = await wp.call("ed", "POST", path, {
    schema: { "@type": ["A", "B"], o: {}, l: [], t: 'q"\\' },
  });
  assert.deepEqual(cut(first, "type", "created"), [200, "A, B", true]);
  const entry_id = first.body["entry_id"];
  const graph = JSON.stringify({ "@graph": [{ "@type": "C" }, { "@type": "D" }] });
  const second = await wp.call("ed", "POST", path, { schema: graph });
  assert.deepEqual(cut(second, "type", "created"), [200, "C, D", true]);
  const again = await wp.call("ed", "POST", path, { schema: [{ "@type": "E", o: {} }], entry_id });
  assert.deepEqual(again.body, { entry_id, type: "E", created: false });
  const { body } = await wp.call("ed", "GET", path);
  assert.deepEqual(body["entries"], [
    { entry_id, type: "E", schema: [{ "@type": "E", o: {} }] },
    { entry_id: second.body["entry_id"], type: "C, D", schema: JSON.parse(graph) },
  ]);
});

test("structured data that is sent at once is all kept", async () => {
  const path = `/seo/schema/${await wp.draft("ed")}`;
  const kept = async () =>
    rows(await wp.call("ed", "GET", path), "entries").map(({ schema }) => (schema as Json)["n"]);
  const add = (n: number) => wp.call("ed", "POST", path, { schema: { "@type": "Thing", n } });
  const made = await Promise.all([0, 1, 2, 3, 4, 5].map(add));
  assert.deepEqual(new Set(await kept()), new Set([0, 1, 2, 3, 4, 5]));
  const turn = (n: number) =>
    wp.call("ed", "POST", path, {
      schema: { "@type": "Thing", n: 10 + n },
      entry_id: made[n]!.body["entry_id"],
    });
  const turned = await Promise.all([0, 1, 2, 3, 4, 5].map(turn));
  assert.deepEqual(turned.map(({ status }) => status), [200, 200, 200, 200, 200, 200]);
  assert.deepEqual(new Set(await kept()), new Set([10, 11, 12, 13, 14, 15]));
  assert.equal((await turn(3)).status, 200, "the same again");
});

test("what is no structured data is refused", async () => {
  const id = await wp.draft("ed");
  const bad: [unknown, number, string][] = [
    ["{not json", 422, "site_ops_invalid_json"],
    ["7", 422, "site_ops_invalid_json"],
    [{ name: "no type" }, 422, "site_ops_invalid_json"],
    [[{ "@type": "A" }, {}], 422, "site_ops_invalid_json"],
    [[], 422, "site_ops_invalid_json"],
    [{ "@type": "A", t: "x".repeat(102_400) }, 413, "site_ops_too_large"],
    [true, 422, "site_ops_invalid_json"],
  ];
  for (const [schema, status, code] of bad) {
    const answer = await wp.call("ed", "POST", `/seo/schema/${id}`, { schema });
    assert.deepEqual(cut(answer), [status, code], JSON.stringify(schema).slice(0, 40));
  }
  const missing = await wp.call("ed", "POST", `/seo/schema/${id}`, {
    schema: { "@type": "A" },
    entry_id: "so-none",
  });
  assert.deepEqual(cut(missing), [404, "site_ops_schema_entry_not_found"]);
  assert.deepEqual((await wp.call("ed", "GET", `/seo/schema/${id}`)).body["entries"], []);
});

test("the sitemap is WordPress's own; where search engines are kept out there is none to rebuild", async () => {
  const read = await wp.call("auth", "GET", "/seo/sitemap");
  assert.deepEqual(read.body, {
    provider: "none",
    enabled: true,
    url: `${wp.site.base_url}/wp-sitemap.xml`,
    modules: { core_sitemaps: true },
    cache: "none",
    off: [],
  });
  assert.match(await wp.text(read.body["url"] as string), /<sitemapindex/);
  assert.deepEqual((await wp.call("admin", "POST", "/seo/sitemap/rebuild")).body, { invalidated: true });
  await wp.peek({ options: { blog_public: "0" } });
  assert.deepEqual(cut(await wp.call("ed", "GET", "/seo/sitemap"), "enabled", "url"), [200, false, null]);
  const rebuild = await wp.call("admin", "POST", "/seo/sitemap/rebuild");
  assert.deepEqual(cut(rebuild), [409, "site_ops_seo_provider_missing"]);
  await wp.peek({ options: { blog_public: "1" } });
});

test("beside an SEO plugin that is not known, no sitemap of WordPress's is not reported as none at all", async () => {
  await wp.peek({ options: { peek_other_seo: 1 } });
  const own = await wp.call("ed", "GET", "/seo/sitemap");
  assert.deepEqual(cut(own, "provider", "enabled"), [200, "other", true]);
  await wp.peek({ options: { blog_public: "0" } });
  for (const [method, path] of [["GET", "/seo/sitemap"], ["POST", "/seo/sitemap/rebuild"]] as const) {
    const refused = await wp.call("admin", method, path);
    assert.deepEqual(cut(refused), [409, "site_ops_seo_provider_missing"]);
    assert.match(refused.body["message"] as string, /what its SEO plugin makes cannot be read/);
  }
  await wp.peek({ options: { blog_public: "1", peek_other_seo: 0 } });
});

test("beside an SEO plugin that is not known, fields are neither stored nor shown; structured data is", async () => {
  const id = await wp.draft("ed", { title: "Beside another" });
  await wp.call("ed", "POST", `/seo/meta/${id}`, FIELDS);
  await wp.call("ed", "POST", `/seo/schema/${id}`, { schema: { "@type": "Article" } });
  const url = await wp.publish(id, "posts");
  await wp.peek({ options: { peek_other_seo: 1 } });
  const refused = await wp.call("ed", "POST", `/seo/meta/${id}`, { title: "x", allow_published: true });
  assert.deepEqual(cut(refused), [409, "site_ops_seo_provider_missing"]);
  assert.match(refused.body["message"] as string, /All in One SEO/);
  const { seo_bridge } = (await wp.call("ed", "GET", "/health")).body["features"] as Json;
  assert.deepEqual(seo_bridge, {
    active: true,
    provider: "other",
    provider_version: "4.9.0",
    off: [],
    beside: [],
  });
  assert.deepEqual(cut(await wp.call("ed", "GET", `/seo/meta/${id}`), "provider"), [200, "other"]);
  const text = await wp.text(url);
  assert.ok(!text.includes("Says it all") && !text.includes("noarchive") && text.includes("ld+json"));
  await wp.peek({ options: { peek_other_seo: 0 } });
  assert.equal((await wp.peek({ id })).meta["_site_ops_seo_title"], FIELDS.title);
});

test("without a plugin for custom schema its routes say so", async () => {
  const id = await wp.draft("ed");
  for (const path of ["/schema/entries", `/schema/entries/${id}`]) {
    assert.deepEqual(cut(await wp.call("ed", "GET", path)), [409, "site_ops_schema_provider_missing"]);
  }
  const write = await wp.call("ed", "POST", `/schema/entries/${id}`, { value: "{}" });
  assert.deepEqual(cut(write), [409, "site_ops_schema_provider_missing"]);
});
