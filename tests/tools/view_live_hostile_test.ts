/** view_live on pages that hide something, and on pages whose own words look like something else. */
import assert from "node:assert/strict";
import { html, visited } from "./_visited.ts";

// deno-lint-ignore no-explicit-any
type Seen = Record<string, any>;

const EVIL = "https://cdn.evil.example/a.js";
const FOREIGN = [{ host: "cdn.evil.example", count: 1 }];

/** What view_live says of a page with that body. */
async function answerOf(body: string | (() => Response)): Promise<Seen> {
  await using at = await visited({ "/p/": typeof body === "string" ? () => body : body });
  return await at.call<Seen>("view_live", { site_id: "acme", path: "/p/" });
}

Deno.test("no way of writing a page hides a foreign script that browsers load", async () => {
  const pages: readonly [name: string, body: string][] = [
    ["in SVG", `<svg><script href="${EVIL}"></script></svg>`],
    ["in SVG, by its old name", `<svg><script xlink:href="${EVIL}"/></svg>`],
    ["in SVG that holds HTML", `<svg><foreignObject><script src="${EVIL}"></script></foreignObject></svg>`],
    ["in a picture's description", `<svg><desc><script src="${EVIL}"></script></desc></svg>`],
    ["in MathML that holds HTML", `<math><mtext><script src="${EVIL}"></script></mtext></math>`],
    ["behind SVG that never ends", `<svg><path><p>a</p><script src="${EVIL}"></script>`],
    ["behind a style that ends itself", `<svg><style/></svg><script src="${EVIL}"></script>`],
    ["behind CDATA", `<svg><![CDATA[<!--]]></svg><script src="${EVIL}"></script>-->`],
    ["by a base", `<base href="https://cdn.evil.example/"><script src="a.js"></script>`],
    ["in a shadow tree", `<template shadowrootmode="open"><script src="${EVIL}"></script></template>`],
    [
      "behind many of its own",
      `${'<script src="/o.js"></script>'.repeat(300)}<script src="${EVIL}"></script>`,
    ],
  ];
  for (const [name, body] of pages) assert.deepEqual((await answerOf(body)).foreign_scripts, FOREIGN, name);
  const idle = await answerOf(`<template><svg></template><script src="${EVIL}"></script></svg></template>`);
  assert.deepEqual(idle.foreign_scripts, FOREIGN, "a template ends what was left open in it");
  assert.deepEqual((await answerOf(`<template><script src="${EVIL}"></script>`)).foreign_scripts, []);
});

Deno.test("pictures hide nothing of the page that stands behind them or in them", async () => {
  const page = "<h1>Roof</h1><p>Words.</p>";
  const before: readonly string[] = [
    "<svg><path>",
    "<svg><style/></svg>",
    "<svg><script/></svg>",
    "<svg><title/></svg>",
    "<math><mi>x</mi>",
    "<svg><svg></svg>",
  ];
  for (const picture of before) {
    const seen = await answerOf(`${picture}${page}`);
    assert.deepEqual([seen.h1_count, seen.text], [1, "Roof Words."], picture);
  }
  const inside = await answerOf(`<svg><title>An icon</title><foreignObject>${page}</foreignObject></svg>`);
  assert.deepEqual([inside.title, inside.h1_count, inside.text], [null, 1, "Roof Words."]);
});

Deno.test("links are followed from where the page says that they begin", async () => {
  await using at = await visited({
    "/a/b/": () => '<base href="/"><a href="there/">there</a><a href="gone/">gone</a>',
    "/there/": () => "there",
  });
  const seen = await at.call<Seen>("view_live", { site_id: "acme", path: "/a/b/" });
  assert.deepEqual(seen.links.dead, [{ address: "https://acme.example/gone/", status: 404 }]);
});

Deno.test("a page of which not every word or script was kept says so", async () => {
  assert.equal((await answerOf(`<p>${"word another ".repeat(60_000)}`)).cut, true);
  const scripts = Array.from({ length: 250 }, (_, n) => `<script src="/${n}.js"></script>`).join("");
  assert.equal((await answerOf(`${scripts}<script src="${EVIL}"></script>`)).cut, true);
  assert.equal((await answerOf("<p>short")).cut, undefined);
});

Deno.test("a page that writes about walls is a page, and one that is missing is missing", async () => {
  const pages: readonly [body: string, headers?: Record<string, string>, status?: number][] = [
    ["<title>Fix it</title><h1>Briefly unavailable for scheduled maintenance: what to do</h1>"],
    ["<title>Shop</title><p>Just a moment... loading", { "cf-ray": "1" }],
    ["<title>Shop</title><p>One moment, please... Imunify360 bot-protection"],
    ["<title>Hosting</title><p>What /.well-known/sgcaptcha is"],
    ["<title>Log in to your bank safely</title><p>Proudly powered by WordPress"],
    ["<title>Not found</title><p>Read next: Wordfence or Sucuri Website Firewall?", {}, 404],
    ["<title>Gone</title><p>mod_security, Incapsula incident ID, Imunify360", { server: "AkamaiGHost" }, 410],
  ];
  for (const [body, headers = {}, status = 200] of pages) {
    assert.equal((await answerOf(() => html(body, status, headers))).wall, null, body);
  }
  const crash = await answerOf(() =>
    html("<p>Fatal error in /wp-content/plugins/wordfence/wordfence.php", 500)
  );
  assert.equal(crash.wall.kind, "crash");
});

const LINKS = Array.from({ length: 60 }, (_, n) => `<a href="/${n}/">x</a>`).join("");

Deno.test("a site that has had enough is asked for no further link, and a page of dead links not for all", async () => {
  for (const status of [429, 503]) {
    let count = 0;
    const more = () => html("", ++count > 5 ? status : 200);
    await using at = await visited({ "/p/": () => LINKS, "*": more });
    const { links } = await at.call<Seen>("view_live", { site_id: "acme", path: "/p/" });
    assert.deepEqual([links.found, links.asked, links.dead], [60, 5, []]);
    assert.ok(at.asked.length <= 1 + 5 + 6, `${at.asked.length}`);
  }
  await using at = await visited({ "/p/": () => LINKS });
  const { links } = await at.call<Seen>("view_live", { site_id: "acme", path: "/p/" });
  assert.equal(links.dead.length, 20);
  assert.ok(at.asked.length <= 1 + 20 + 5, `${at.asked.length}`);
});

Deno.test("an address that asks for a cookie is no circle, and one that leads to itself without is", async () => {
  const self = (headers: Record<string, string>) => () =>
    new Response(null, { status: 302, headers: { location: "/p/", ...headers } });
  const asks = await answerOf(self({ "set-cookie": "seen=1" }));
  assert.match(asks.ends, /keeps no cookies; look at it in a browser/);
  assert.match((await answerOf(self({}))).ends, /leads in a circle/);
});

Deno.test("a page that leads its visitors on by itself says where to, and is not followed", async () => {
  const cases: readonly [content: string, seconds: number, to: string][] = [
    ["0;url=https://elsewhere.example/", 0, "https://elsewhere.example/"],
    ["5; URL='/there/?a=1'", 5, "/there/?a=1"],
    ["0, /there/", 0, "/there/"],
    [".5;/there/", 0, "/there/"],
  ];
  for (const [content, seconds, to] of cases) {
    const page = `<title>P</title><meta http-equiv="Refresh" content="${content}"><p>Words`;
    assert.deepEqual((await answerOf(page)).refresh, { seconds, to }, content);
  }
  for (const content of ["300", "", "0", "0;"]) {
    assert.equal((await answerOf(`<meta http-equiv="refresh" content="${content}">`)).refresh, undefined);
  }
  const scripted = '<noscript><meta http-equiv="refresh" content="0;url=/no-script/"></noscript>';
  assert.equal((await answerOf(scripted)).refresh, undefined);
});

Deno.test("a long path of another writing is read as list_content names it, and a fault is told of the path that was given", async () => {
  await using at = await visited({ "*": () => "<title>Found</title>" });
  const slug = encodeURIComponent("วิธีเลือกหลังคาที่ทนทาน");
  const address = `https://acme.example/blog/${slug}/${slug}/`;
  assert.ok(address.length > 400);
  for (const path of [address, new URL(address).pathname]) {
    const seen = await at.call<Seen>("view_live", { site_id: "acme", path });
    assert.deepEqual([seen.address, seen.title], [address, "Found"]);
  }
  const before = at.asked.length;
  const hidden = `/${slug}/${slug}/%252e%252e/%2577p-login.php`;
  const refused: readonly [path: string, says: RegExp][] = [
    ["/a//b", /"\/a\/\/b" has an empty part/],
    ["/a/../b", /"\/a\/\.\.\/b" holds the part "\.\."; give the path of the page/],
    [`/${"a/".repeat(200)}`, /at most 250 are allowed/],
    [hidden, /./],
    [`/${slug}/${slug}/.env`, /secrets/],
  ];
  for (const [path, says] of refused) {
    await at.refuses("view_live", { site_id: "acme", path }, "E_BAD_PATH", says);
  }
  assert.equal(at.asked.length, before);
});

Deno.test("of caches behind one another the one that served the copy is named", async () => {
  const cases: readonly [headers: Record<string, string>, name: string | null | undefined, hit?: boolean][] =
    [
      [{ "cf-cache-status": "DYNAMIC", "x-litespeed-cache": "hit" }, "LiteSpeed", true],
      [{ "cf-cache-status": "MISS", "x-litespeed-cache": "hit" }, "LiteSpeed", true],
      [{ "cf-cache-status": "UPDATING" }, "Cloudflare", true],
      [{ "cf-cache-status": "MISS", "x-litespeed-cache": "miss" }, "Cloudflare", false],
      [{ "cf-cache-status": "DYNAMIC" }, undefined],
      [{ "cf-cache-status": "DYNAMIC", "age": "7" }, "Cloudflare", true],
      [{ "age": "7" }, null, true],
    ];
  for (const [headers, name, hit] of cases) {
    const { cache } = await answerOf(() => html("<title>P", 200, headers));
    assert.deepEqual([cache?.name, cache?.hit], [name, hit], JSON.stringify(headers));
  }
  const marked = await answerOf(() =>
    html("<title>P<!-- WP Rocket -->", 200, { "cf-cache-status": "DYNAMIC" })
  );
  assert.equal(marked.cache, null, "a comment within the title is a part of it");
  const page = "<title>P</title><!-- This website is like a Rocket: WP Rocket -->";
  const both = await answerOf(() => html(page, 200, { "cf-cache-status": "DYNAMIC" }));
  assert.equal(both.cache.name, "WP Rocket");
});

Deno.test("a page that would fill an agent's context with names and values is cut to size", async () => {
  const long = "x".repeat(5000);
  const metas = Array.from({ length: 60 }, (_, n) => `<meta property="og:${n}${long}" content="${long}">`);
  const named = Array.from({ length: 60 }, (_, n) => `<meta property="og:${n}" content="${long}">`);
  const nodes = JSON.stringify({ "@graph": Array.from({ length: 30 }, (_, n) => ({ "@type": n + long })) });
  const data = `<script type="application/ld+json">${nodes}</script>`.repeat(8);
  const robots = `<meta name="robots" content="${`${long},`.repeat(30)}">`;
  const seen = await answerOf(`<title>${long}</title>${metas.join("")}${named.join("")}${data}${robots}`);
  assert.equal(Object.keys(seen.social).length, 40);
  const size = JSON.stringify(seen).length;
  assert.ok(size < 50_000, `${size} characters`);
});

Deno.test("links of a site with plain permalinks are asked, and those with any other query are not", async () => {
  const links = ["/?p=7", "/?page_id=8", "/?s=roof", "/?add-to-cart=3", "/?p=9&preview=true"];
  await using at = await visited({
    "/p/": () => links.map((link) => `<a href="${link}">x</a>`).join(""),
    "/": (url) => html("", url.search === "?p=7" ? 200 : 404),
  });
  const { links: asked } = await at.call<Seen>("view_live", { site_id: "acme", path: "/p/" });
  assert.deepEqual(asked, {
    found: 2,
    asked: 2,
    dead: [{ address: "https://acme.example/?page_id=8", status: 404 }],
  });
});
