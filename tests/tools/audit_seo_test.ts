/** audit_seo finds the weakest pages of a site first, on every kind of site that has pages, with few requests, and says what it could not read. */
import assert from "node:assert/strict";
import { site } from "../kit.ts";
import { ALIAS, DOMAIN, dudaWorld } from "./_duda.ts";
import { html, type Pages, to, visited } from "./_visited.ts";

// deno-lint-ignore no-explicit-any
type Answer = Record<string, any>;

const GOOD_TEXT = "We clean and mend roofs of every kind in the whole county, ask us for a price. ".repeat(
  16,
);
const SCHEMA =
  '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization"}</script>';

function pageOf(parts: { title?: string; description?: string; body?: string; head?: string }): string {
  const { title, description, body = `<h1>Roofs</h1><p>${GOOD_TEXT}</p>`, head = SCHEMA } = parts;
  return `<html><head>${title === undefined ? "" : `<title>${title}</title>`}${
    description === undefined ? "" : `<meta name="description" content="${description}">`
  }${head}</head><body><nav>Home Prices</nav>${body}</body></html>`;
}

const good = (name: string) =>
  pageOf({ title: `${name} in the whole county`, description: `All about ${name}, and what it costs.` });

const sitemap = (...paths: string[]) => () =>
  new Response(
    `<?xml version="1.0"?><urlset>${
      paths.map((path) => `<url><loc>https://files.example${path}</loc></url>`).join("")
    }</urlset>`,
    { headers: { "content-type": "application/xml" } },
  );

const STATIC: Pages = {
  "/sitemap.xml": sitemap("/", "/good/", "/thin/", "/hidden/", "/gone/", "/twin/", "/moved/"),
  "/": () => good("Roofs"),
  "/good/": () => good("Gutters"),
  "/thin/": () =>
    pageOf({
      title: "Thin",
      body: '<h1>A</h1><h1>B</h1><img src="a.png"><img src="b.png" alt="">',
      head: "",
    }),
  "/hidden/": () => html(good("Hidden"), 200, { "x-robots-tag": "noindex" }),
  "/twin/": () => pageOf({ title: "GUTTERS in the whole county ", description: "d" }),
  "/moved/": () => to("/good/"),
};

Deno.test("audit_seo reads a static site by its sitemap, the weakest pages first, each with what it lacks", async () => {
  await using at = await visited(STATIC);
  for (const door of ["rest", "mcp"] as const) {
    at.asked.length = 0;
    const { pages, counts, ...rest } = await at.call<Answer>("audit_seo", { site_id: "files" }, { door });
    const short = pages.map(({ url, issues }: Answer) => [new URL(url).pathname, issues]);
    assert.deepEqual(short, [
      ["/thin/", [
        "short_title",
        "no_description",
        "several_h1",
        "thin_text",
        "images_without_alt",
        "no_structured_data",
      ]],
      ["/gone/", ["not_found"]],
      ["/hidden/", ["noindex"]],
      ["/moved/", ["redirected"]],
      ["/good/", ["duplicate_title"]],
      ["/twin/", ["duplicate_title"]],
      ["/", []],
    ]);
    assert.equal(counts.duplicate_title, 2);
    assert.equal(rest.note, undefined, "all were judged");
    assert.deepEqual([rest.total, rest.page, rest.total_pages, rest.found_by], [7, 1, 1, "sitemap"]);
    assert.deepEqual(rest.requests, { lists: 2, pages: 8 });
    assert.equal(at.asked.length, 10, "what it says it cost");
    const thin = pages[0];
    assert.deepEqual([thin.images_without_alt, thin.h1, thin.description], [1, ["A", "B"], null]);
    assert.ok(pages.at(-1).text.startsWith("We clean and mend roofs"), "menus are left out");
    assert.match(rest.notice, /never instructions/);
    assert.ok(at.asked.every(({ method, headers }) => method === "GET" && !("authorization" in headers)));
  }
});

Deno.test("audit_seo pages through a site, and reads no page twice", async () => {
  await using at = await visited(STATIC);
  const seen: string[] = [];
  for (let page = 1; page <= 3; page++) {
    const part = await at.call<Answer>("audit_seo", { site_id: "files", page, per_page: 3 });
    assert.match(
      part.note,
      /^\d of 7 pages (was|were) judged, in the order of the site's own list, so weaker ones can/,
    );
    assert.deepEqual([part.total, part.total_pages], [7, 3]);
    seen.push(...part.pages.map(({ url }: Answer) => url));
  }
  assert.equal(new Set(seen).size, 7);
  const past = await at.call<Answer>("audit_seo", { site_id: "files", page: 9 });
  assert.deepEqual([past.pages, past.requests.pages], [[], 0]);
  await at.refuses("audit_seo", { site_id: "files", per_page: 41 }, "E_BAD_INPUT", /per_page/);
});

Deno.test("audit_seo goes by the links of the home page where there is no sitemap, and says so", async () => {
  await using at = await visited({
    "/": () =>
      pageOf({
        title: "Roofs of the county",
        body: '<a href="/a/">a</a><a href="/a/#b">b</a><a href="https://other.example/">o</a>',
      }),
    "/a/": () => good("Gutters"),
    "*": () => html("", 404),
  });
  const found = await at.call<Answer>("audit_seo", { site_id: "files" });
  assert.deepEqual(found.pages.map(({ url }: Answer) => new URL(url).pathname).toSorted(), ["/", "/a"]);
  assert.equal(found.found_by, "links of the home page");
  assert.match(found.not_read.join(), /the site has no sitemap/);
});

const listed = (rows: object[]) => () =>
  Response.json(rows, { headers: { "x-wp-total": String(rows.length), "x-wp-totalpages": "1" } });
const row = (id: number, slug: string, yoast: object) => ({
  id,
  status: "publish",
  link: `https://acme.example/${slug}/`,
  title: { raw: slug, rendered: slug },
  slug,
  author: 1,
  date: "2026-01-01T00:00:00",
  date_gmt: "2026-01-01T00:00:00",
  modified_gmt: "2026-01-01T00:00:00",
  yoast_head_json: yoast,
});
/** The front page, which says where the API is. */
const front = () =>
  html(good("Home"), 200, { link: '<https://acme.example/wp-json/>; rel="https://api.w.org/"' });
const fine = (slug: string) => ({
  title: `${slug} in the whole county`,
  description: `All about ${slug}, and what it costs.`,
  robots: { index: "index" },
});

Deno.test("audit_seo reads first what a CMS's lists show as weak, with one list for each type", async () => {
  const names = Array.from({ length: 60 }, (_, at) => `page-${at}`);
  const weak = { robots: { index: "noindex" } };
  await using at = await visited({
    "/wp-json/wp/v2/pages": listed(
      names.map((name, id) => row(id + 1, name, name === "page-41" ? weak : fine(name))),
    ),
    "/wp-json/wp/v2/posts": listed([row(900, "news", { ...fine("news"), description: undefined })]),
    "/page-41/": () => pageOf({ head: '<meta name="robots" content="noindex">', body: "" }),
    "/news/": () => pageOf({ title: "news in the whole county" }),
    "/": front,
    "*": ({ pathname }) => good(pathname.split("/").join("")),
  });
  const found = await at.call<Answer>("audit_seo", { site_id: "acme", per_page: 2 });
  assert.match(
    found.note,
    /^2 of \d+ pages were judged, those that look weakest by the titles and SEO fields/,
  );
  assert.deepEqual(
    found.pages.map(({ id, type, issues }: Answer) => [id, type, issues.slice(0, 2)]),
    [[41 + 1, "page", ["noindex", "no_title"]], [900, "post", ["no_description"]]],
  );
  assert.deepEqual([found.total, found.requests], [62, { lists: 2, pages: 2 }]);
  assert.equal(at.asked.length, 5, "the first of a site asks where its API is");
});

Deno.test("audit_seo says which list a CMS refused, and fails only where it refused both", async () => {
  const refused = () => Response.json({ code: "rest_forbidden", message: "No" }, { status: 403 });
  await using at = await visited({
    "/wp-json/wp/v2/pages": listed([row(1, "about", fine("about"))]),
    "/wp-json/wp/v2/posts": refused,
    "/": front,
    "*": () => good("About"),
  });
  const found = await at.call<Answer>("audit_seo", { site_id: "acme" });
  assert.equal(found.total, 2);
  assert.match(found.not_read.join(), /^posts: .*403/);
  await using none = await visited({ "/": front, "*": refused });
  await none.refuses("audit_seo", { site_id: "acme" }, "E_UPSTREAM");
});

Deno.test("audit_seo tells a page that a firewall keeps, and one that never comes, from weak ones", async () => {
  await using at = await visited({
    "/sitemap.xml": sitemap("/", "/walled/", "/silent/"),
    "/": () => good("Roofs"),
    "/walled/": () =>
      html("<title>Just a moment...</title>", 403, { "cf-mitigated": "challenge", server: "cloudflare" }),
    "/silent/": () => {
      throw new TypeError("connection reset");
    },
  });
  const { pages } = await at.call<Answer>("audit_seo", { site_id: "files" });
  const by = new Map<string, Answer>(pages.map((one: Answer) => [new URL(one.url).pathname, one]));
  assert.deepEqual(by.get("/walled/")!.issues, ["blocked"]);
  assert.deepEqual(by.get("/silent/")!.issues, ["not_reached"]);
  assert.ok(by.get("/silent/")!.why);
  assert.deepEqual(by.get("/")!.issues, []);
});

Deno.test("audit_seo asks nothing of a site of which nobody knows where its visitors are", async () => {
  await using at = await visited({}, {
    sites: [site("lost", "sitebuilder", { base_url: null, site_alias: "a1" })],
  });
  await at.refuses("audit_seo", { site_id: "lost" }, "E_BAD_INPUT", /has no base_url/);
  assert.deepEqual(at.asked, []);
});

Deno.test("audit_seo reads the published pages and posts of a site builder", async () => {
  await using at = await dudaWorld();
  const home = `https://${DOMAIN}`;
  assert.ok(
    await at.gw.store.sites.create(site("seen", "sitebuilder", { base_url: home, site_alias: ALIAS })),
  );
  const found = await at.gw.call<Answer>("audit_seo", { site_id: "seen", per_page: 5 });
  assert.equal(found.found_by, "lists");
  const types = found.pages.map(({ type }: Answer) => type);
  assert.ok(types.includes("page") && types.includes("post"), JSON.stringify(found.pages));
  assert.ok(found.pages.every(({ issues }: Answer) => issues.length > 0));
});
