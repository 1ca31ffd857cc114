/** Redirects of the companion plugin's own: which may be, and where they lead. */
import assert from "node:assert/strict";
import { Companion, cut, type Json, rows, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => (wp = await Companion.start()));

const put = (source: string, destination: string, status?: number) =>
  wp.call("admin", "POST", "/seo/redirects", { source, destination, status });

test("a redirect leads on, whatever the case, slashes and query of the request", async () => {
  const made = await put("/old-page/", "/new-page/?a=1#b");
  assert.deepEqual(
    cut(made, "created", "source", "destination", "status"),
    [200, true, "/old-page", "/new-page/?a=1#b", 301],
  );
  const to = `${wp.site.base_url}/new-page/?a=1#b`;
  for (const path of ["/old-page", "/old-page/", "/OLD-page/?utm=1", "//old-page", "/%6fld-page"]) {
    assert.deepEqual(await wp.leads(path), [301, to], path);
  }
  assert.equal((await wp.leads("/old-page/more"))[0], 404);
  const post = await wp.send(null, "POST", "/old-page", "");
  assert.notEqual(post.headers.get("x-redirect-by"), "Site Ops");
});

test("the same source is changed, not made twice; the list has pages", async () => {
  const first = await put("/Twice", "/one");
  const second = await put("//twice/", "https://example.test/two?x=%20", 307);
  assert.deepEqual(cut(second, "created", "id"), [200, false, first.body["id"]]);
  assert.deepEqual(await wp.leads("/twice"), [307, "https://example.test/two?x=%20"]);
  const one = await wp.call("admin", "GET", "/seo/redirects?source=/TWICE");
  const row = {
    id: first.body["id"],
    source: "/twice",
    destination: "https://example.test/two?x=%20",
    status: 307,
  };
  assert.deepEqual(one.body, {
    redirects: [row],
    total: 1,
    statuses: [301, 302, 307, 308],
    provider: "none",
    resolves: row,
  });
  const none = await wp.call("admin", "GET", "/seo/redirects?source=/nowhere");
  assert.deepEqual(none.body, {
    redirects: [],
    total: 0,
    statuses: [301, 302, 307, 308],
    provider: "none",
    resolves: null,
  });
  const page = await wp.call("admin", "GET", "/seo/redirects?per_page=1&page=2");
  assert.equal(rows(page, "redirects").length, 1);
  assert.ok(page.body["total"] as number >= 2);
  const past = await wp.call("admin", "GET", "/seo/redirects?per_page=100&page=9");
  assert.deepEqual([rows(past, "redirects"), past.body["total"]], [[], page.body["total"]]);
});

test("of redirects that several set from one source in the same moment, one is in force", async () => {
  const sources = [1, 2, 3, 4, 5, 6].map((one) => `/at-once-${one}`);
  for (const source of sources) {
    await Promise.all([1, 2, 3, 4].map((to) => put(source, `/to-${to}`)));
  }
  const list = await wp.call("admin", "GET", "/seo/redirects?per_page=100");
  const found = rows(list, "redirects").map(({ source }) => String(source));
  assert.deepEqual(found.filter((source) => source.startsWith("/at-once")).sort(), sources);
});

test("a record that rests does not stand in the way of a new one from its source", async () => {
  const { body: { id } } = await put("/rests", "/before");
  await wp.peek({ id, columns: { post_status: "draft" } });
  await put("/rests", "/after");
  assert.deepEqual(await wp.leads("/rests"), [301, `${wp.site.base_url}/after`]);
});

test("a source tells which published page stands there, and nothing of drafts", async () => {
  const id = await wp.published();
  const { body } = await wp.rest("ed", "GET", `/pages/${id}?context=edit`);
  const slug = String(body["slug"]);
  const read = await wp.call("admin", "GET", `/seo/redirects?source=/${slug}/`);
  const title = (body["title"] as Json)["raw"];
  assert.deepEqual(
    read.body,
    {
      redirects: [],
      total: 0,
      statuses: [301, 302, 307, 308],
      provider: "none",
      resolves: null,
      hides: { id, title },
    },
  );
  await wp.rest("ed", "POST", `/pages/${id}`, { status: "draft" });
  const draft = await wp.call("admin", "GET", `/seo/redirects?source=/${slug}`);
  assert.equal("hides" in draft.body, false);
});

test("odd characters arrive as they are", async () => {
  await put("/caf%C3%A9/a%20b", "/ziel/%C3%BC?q='&\"".replace('"', "%22"), 302);
  const location = `${wp.site.base_url}/ziel/%C3%BC?q=%27&%22`;
  assert.deepEqual(await wp.leads("/caf%c3%a9/a%20b/"), [302, location]);
});

test("a source that locks people out, or is no path, is refused", async () => {
  const bad = [
    "/",
    "//",
    "/%2f",
    "/wp-admin",
    "/wp-admin/edit.php",
    "/WP-ADMIN",
    "//wp-admin//",
    "/%77p-admin",
    "/%2577p-admin",
    "/wp%2Dlogin.php",
    "/wp-login.php/x",
    "/wp-json/wp/v2",
    "/Wp-Json",
    "/index.php/wp-json",
    "/xmlrpc.php",
    "/wp-cron.php",
    "/wp-content/uploads",
    "/x/../wp-admin",
    "/x/%2e%2e/wp-admin",
    "/./wp-admin",
    "/\\wp-admin",
    "/a\r\nb",
    "/a%0d%0ab",
    "/a?b=1",
    "/a%3fb",
    "/a#b",
    "/a%00",
    "/a%ff",
    "old",
    "https://example.test/old",
    `/${"a".repeat(2001)}`,
  ];
  for (const source of bad) {
    const answer = await put(source, "/fine");
    assert.deepEqual(cut(answer), [422, "site_ops_redirect_target"], source.slice(0, 40));
    assert.equal((answer.body["data"] as Json)["param"], "source");
  }
});

test("a destination that is no address, or leads into the admin area, is refused", async () => {
  const bad = [
    "relative",
    "//evil.test/x",
    "/\\evil.test",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://example.test/",
    "https://",
    "https://user:pass@example.test/",
    "/a\r\nLocation: x",
    "/a%0d%0aLocation:x",
    "/a%250d%250a",
    "/a b",
    "/<script>",
    "/wp-admin/",
    "/Wp-Login.php",
    "/%77p-json/",
    "/a/../wp-admin",
    "/?rest_route=/wp/v2/users",
    `${wp.site.base_url}/wp-admin/`,
    `${wp.site.base_url.replace("http", "HTTPS")}//wp-login.php?x=1`,
  ];
  for (const destination of bad) {
    const answer = await put("/source", destination);
    assert.deepEqual(cut(answer), [422, "site_ops_redirect_target"], destination);
    assert.equal((answer.body["data"] as Json)["param"], "destination");
  }
  assert.deepEqual(cut(await put("/source", "/x", 303)), [400, "rest_invalid_param"]);
  assert.deepEqual(cut(await wp.call("admin", "POST", "/seo/redirects", { source: "/x" })), [
    400,
    "rest_missing_callback_param",
  ]);
});

test("a page that is led elsewhere is thrown out of the page caches, which would show it on", async () => {
  const id = await wp.draft("ed", { slug: "caf\u00e9-in-a-cache", title: "x" }, "pages");
  const url = await wp.publish(id);
  await put(new URL(url).pathname, "/elsewhere");
  assert.deepEqual((await wp.peek({ ask: ["peek_changed"] })).options, { peek_changed: String(id) });
});

test("circles are refused: onto itself, over a chain, and by the full address", async () => {
  await put("/c1", "/c2");
  await put("/c2", "/c3?x=1");
  const loops: [string, string][] = [
    ["/self", "/self"],
    ["/self", "/SELF/?x"],
    ["/self", "/x/../self"],
    ["/self", `${wp.site.base_url}/%73elf`],
    ["/c3", "/c1"],
    ["/c3", `${wp.site.base_url}/c2/#x`],
  ];
  for (const [source, destination] of loops) {
    assert.deepEqual(cut(await put(source, destination)), [422, "site_ops_redirect_loop"], destination);
  }
  assert.equal((await put("/c3", "https://example.test/c1")).status, 200);
  assert.equal((await put("/c1", "/c4")).status, 200);
  assert.equal((await put("/c4", "/c2")).status, 200);
});

test("a path below a language's folder leads on, though the site's home is said to be there", async () => {
  await put("/de/alt", "/de/neu?x=1");
  await wp.peek({ options: { peek_languages: 1 } });
  assert.deepEqual(await wp.leads("/de/alt/"), [301, `${wp.site.base_url}/de/neu?x=1`]);
  await wp.peek({ options: { peek_languages: 0 } });
});

test("an address beside the folder a site lies in is elsewhere, and no circle", async () => {
  await wp.peek({ options: { peek_folder: 1 } });
  const { base_url } = wp.site;
  const beside = await put("/blog/pricing", `${base_url}/pricing`);
  assert.deepEqual(cut(beside, "source"), [200, "/pricing"]);
  for (const destination of ["/pricing/", `${base_url}/blog/pricing`, `${base_url}/x/../blog/pricing`]) {
    assert.deepEqual(
      cut(await put("/blog/pricing", destination)),
      [422, "site_ops_redirect_loop"],
      destination,
    );
  }
  const id = await wp.draft("ed", { slug: "blog", title: "Of the folder's name" }, "pages");
  await wp.publish(id);
  const { body } = await wp.call("admin", "GET", "/seo/redirects?source=/blog/blog");
  assert.deepEqual(body["hides"], { id, title: "Of the folder's name" });
  await wp.peek({ options: { peek_folder: 0 } });
});

test("nobody is sent to the log-in or the admin area of a WordPress that lies in a folder", async () => {
  const { base_url } = wp.site;
  assert.equal((await put("/to-wp", "/wp/wp-admin-guide")).status, 200);
  await wp.peek({ options: { peek_core_folder: 1 } });
  for (
    const path of ["/wp/wp-admin/", "/WP/wp-login.php?action=logout", "/x/../wp/xmlrpc.php", "/wp-admin/"]
  ) {
    for (const destination of [path, base_url + path]) {
      assert.deepEqual(
        cut(await put("/to-core", destination)),
        [422, "site_ops_redirect_target"],
        destination,
      );
    }
  }
  assert.deepEqual(cut(await put("/wp/wp-admin", "/x")), [422, "site_ops_redirect_target"]);
  assert.equal((await put("/to-wp", "/wp/a-page")).status, 200);
  assert.equal((await put("/to-wp", "/wp")).status, 200);
  await wp.peek({ options: { peek_core_folder: 0 } });
});

test("redirects are seen over no other route", async () => {
  await put("/hidden-source", "/hidden-target");
  for (const path of ["/wp-json/wp/v2/types", "/wp-json/wp/v2/search?search=hidden", "/?s=hidden"]) {
    const text = await wp.text(path);
    assert.ok(!text.includes("hidden-source") && !text.includes("site_ops_redirect"), path);
  }
});

/** The addresses a visitor is sent to from a path, and the status that ends the way. */
async function way(path: string): Promise<string[]> {
  const seen = [path];
  for (let hops = 0; hops < 8; hops++) {
    const [status, location] = await wp.leads(seen.at(-1)!) as [number, string | null];
    if (location === null) return [...seen, String(status)];
    const { pathname, search } = new URL(location);
    seen.push(pathname + search);
  }
  return seen;
}

test("what WordPress itself would send back to a redirect's source does not go round in a circle", async () => {
  const page = async (slug: string) => {
    const id = await wp.draft("ed", { slug, title: slug }, "pages");
    await wp.publish(id);
    return id;
  };
  const id = await page("plain-address");
  await put("/plain-address", `/?page_id=${id}`);
  assert.deepEqual(await way("/plain-address/"), ["/plain-address/", `/?page_id=${id}`, "200"]);
  await page("guessed-by-its-start");
  await put("/guessed-by-its-start", "/guessed");
  assert.deepEqual(await way("/guessed-by-its-start"), ["/guessed-by-its-start", "/guessed", "404"]);
  assert.deepEqual(
    await way("/guessed?utm=1"),
    ["/guessed?utm=1", "/guessed-by-its-start/?utm=1", "/guessed", "404"],
  );

  const post = await wp.draft("ed", { slug: "name-before", title: "x" }, "posts");
  await wp.publish(post, "posts");
  await wp.rest("ed", "POST", `/posts/${post}`, { slug: "name-after" });
  assert.deepEqual(await way("/name-before/"), ["/name-before/", "/name-after/", "200"]);
  await put("/name-after", "/name-before/");
  assert.deepEqual(await way("/name-after/"), ["/name-after/", "/name-before/", "404"]);

  const other = await page("leads-home");
  await put("/leads-home", "/");
  assert.deepEqual(await way(`/?page_id=${other}`), [`/?page_id=${other}`, "/leads-home/", "/", "200"]);
});
