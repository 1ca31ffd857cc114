/** Redirects in Rank Math's own table, by a stand-in of it: many of them, and several sources in one. */
import assert from "node:assert/strict";
import { Companion, cut, type Json, rows, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => (wp = await Companion.start("rankmath")));

/** A redirection of Rank Math's with those sources. */
const redirection = (id: number, to: string, ...patterns: string[]) => ({
  id,
  sources: patterns.map((pattern) => ({ pattern, comparison: "exact", ignore: "case" })),
  url_to: to,
  header_code: "301",
  status: "active",
});

/** How often Rank Math has been asked for redirections. */
async function asked(): Promise<number> {
  const { options } = await wp.peek({ ask: ["rankmath_standin_asked"] });
  return Number(options["rankmath_standin_asked"]);
}

test("a redirect is found behind any number of others that hold its path, and soon", async () => {
  const many = Array.from({ length: 5000 }, (_, at) => redirection(1 + at, "/x", `blog/${at}`));
  const all = [...many, redirection(6000, "/y", "blog")];
  const rankmath_standin_redirections = Object.fromEntries(all.map((one) => [one.id, one]));
  await wp.peek({ options: { rankmath_standin_redirections } });
  const before = await asked();
  const found = await wp.call("admin", "GET", "/seo/redirects?source=/blog");
  assert.deepEqual(rows(found, "redirects").map(({ id, destination }) => [id, destination]), [[6000, "/y"]]);
  assert.equal(await asked() - before, 6);
  const loop = await wp.call("admin", "POST", "/seo/redirects", { source: "/y", destination: "/blog" });
  assert.deepEqual(cut(loop), [422, "site_ops_redirect_loop"]);
});

test(
  "a redirect that has several sources keeps the others when one is led elsewhere",
  async () => {
    const ask = ["rankmath_standin_redirections"];
    const both = redirection(1, "/together", "one", "two", "three");
    await wp.peek({ options: { rankmath_standin_redirections: { 1: both } } });
    const body = { source: "/two", destination: "/alone", status: 302 };
    const made = await wp.call("admin", "POST", "/seo/redirects", body);
    assert.deepEqual(cut(made, "id", "created"), [200, 2, false]);
    const stored = (await wp.peek({ ask })).options["rankmath_standin_redirections"] as Record<string, Json>;
    assert.deepEqual(stored["1"], redirection(1, "/together", "one", "three"));
    const list = await wp.call("admin", "GET", "/seo/redirects");
    const leads = rows(list, "redirects").map(({ source, destination, status }) =>
      `${source} ${destination} ${status}`.replace(wp.site.base_url, "")
    );
    assert.deepEqual(leads, ["/one /together 301", "/three /together 301", "/two /alone 302"]);
    const again = await wp.call("admin", "POST", "/seo/redirects", { ...body, destination: "/other" });
    assert.deepEqual(cut(again, "id"), [200, 2]);
  },
);

test("for a redirect to the home page not all the others are read", async () => {
  await wp.call("admin", "POST", "/seo/redirects", {
    source: "/to-home",
    destination: "https://example.test/",
  });
  const before = await asked();
  await wp.call("admin", "POST", "/seo/redirects", { source: "/to-home", destination: "/" });
  assert.equal(await asked() - before, 1, "for the source, and not for the home page");
});

/** A rule by pattern as Rank Math keeps it. */
const rule = (id: number, comparison: string, pattern: string, to: string, more: Json = {}) => ({
  ...redirection(id, to, "x"),
  sources: [{ pattern, comparison, ignore: "" }],
  ...more,
});

const modules = (...names: string[]) => wp.peek({ options: { rank_math_modules: names } });

test("a path is resolved as visitors are led, patterns included; circles over a pattern are refused", async () => {
  const rules = [
    rule(1, "start", "shop", "/hello-world/"),
    rule(2, "regex", "^docs/(.+)$", "/handbook/$1"),
    rule(3, "end", "-old", "/hello-world"),
    rule(4, "contains", "mid", "/hello-world"),
    rule(5, "start", "gone", "", { header_code: "410" }),
    rule(6, "start", "rests", "/hello-world", { status: "inactive" }),
  ];
  const stored = Object.fromEntries(rules.map((one) => [one.id, one]));
  await wp.peek({ options: { rankmath_standin_redirections: stored } });
  const cases: [path: string, leads: string | null][] = [
    ["/shop/zzz", "/hello-world/"],
    ["/docs/a/b", "/handbook/a/b"],
    ["/x-old", "/hello-world"],
    ["/a-mid-b", "/hello-world"],
    ["/gone/x", ""],
    ["/rests/x", null],
    ["/elsewhere", null],
  ];
  for (const [path, leads] of cases) {
    const { body } = await wp.call("admin", "GET", `/seo/redirects?source=${path}`);
    assert.deepEqual(body["redirects"], [], "none of them is a redirect from that very path");
    assert.equal((body["resolves"] as Json | null)?.["destination"] ?? null, leads, path);
  }
  for (
    const [source, destination] of [
      ["/hello-world", "/shop/zzz"],
      ["/handbook/a", "/docs/a"],
      ["/hello-world", "/x-old"],
      ["/hello-world", "/a-mid-b"],
    ]
  ) {
    const refused = await wp.call("admin", "POST", "/seo/redirects", { source, destination });
    assert.deepEqual(cut(refused), [422, "site_ops_redirect_loop"], `${source} → ${destination}`);
  }
  const fine = await wp.call("admin", "POST", "/seo/redirects", { source: "/fine", destination: "/gone/x" });
  assert.deepEqual(cut(fine), [200]);
});

test("ten redirects in a row are led through, an eleventh is refused", async () => {
  const chain = Array.from({ length: 10 }, (_, at) => redirection(1 + at, `/hop-${at + 1}`, `hop-${at}`));
  const stored = Object.fromEntries(chain.map((one) => [one.id, one]));
  await wp.peek({ options: { rankmath_standin_redirections: stored } });
  const put = (destination: string) =>
    wp.call("admin", "POST", "/seo/redirects", { source: "/start", destination });
  assert.deepEqual(cut(await put("/hop-0")), [422, "site_ops_redirect_loop"]);
  assert.deepEqual(cut(await put("/hop-1")), [200]);
});

test("own redirects go on when Rank Math's module is switched on later; its own rules go first", async () => {
  await wp.peek({ options: { rankmath_standin_redirections: {} } });
  await modules("sitemap");
  const put = (source: string, destination: string) =>
    wp.call("admin", "POST", "/seo/redirects", { source, destination });
  const own = await put("/own", "https://example.test/own");
  await put("/both", "https://example.test/ours");
  assert.deepEqual(await wp.leads("/own"), [301, "https://example.test/own"]);
  await modules("sitemap", "redirections");
  assert.deepEqual(await wp.leads("/own"), [301, "https://example.test/own"]);
  const found = await wp.call("admin", "GET", "/seo/redirects?source=/own");
  assert.deepEqual(rows(found, "redirects").map(({ id }) => id), [own.body["id"]]);
  const changed = await put("/own", "https://example.test/new");
  assert.equal(changed.status, 200, "the new one is Rank Math's");
  const now = await wp.call("admin", "GET", "/seo/redirects?source=/own");
  assert.deepEqual(rows(now, "redirects").map(({ destination }) => destination), [
    "https://example.test/new",
  ]);
  assert.equal((await wp.leads("/own"))[0], 404, "where Rank Math's rule fits it is left to Rank Math");
  await modules("sitemap");
  await put("/a-own", "/b-own");
  await modules("sitemap", "redirections");
  assert.deepEqual(cut(await put("/b-own", "/a-own")), [422, "site_ops_redirect_loop"]);
  await wp.peek({ options: { rankmath_standin_unregistered: true } });
  assert.equal((await put("/idle", "https://example.test/")).status, 200);
  const idle = await wp.leads("/idle");
  await wp.peek({ options: { rankmath_standin_unregistered: false } });
  assert.deepEqual(idle, [301, "https://example.test/"], "Rank Math leads nobody before it is set up");
});

test("a new redirect goes before what Rank Math remembers of the path's visitors", async () => {
  const ask = ["rankmath_standin_redirections"];
  const rules = { 1: rule(1, "start", "shop", "/by-pattern"), 2: redirection(2, "/by-case", "sale") };
  await wp.peek({ options: { rankmath_standin_redirections: rules, rankmath_standin_leads: "1" } });
  const put = (source: string, destination: string) =>
    wp.call("admin", "POST", "/seo/redirects", { source, destination });
  assert.deepEqual(await wp.leads("/shop/a"), [301, "/by-pattern"]);
  assert.deepEqual(await wp.leads("/SALE"), [301, "/by-case"]);
  const remembered = await wp.call("admin", "GET", "/seo/redirects?source=/shop/a");
  assert.equal((remembered.body["resolves"] as Json)["destination"], "/by-pattern");
  assert.equal((await put("/shop/a", "https://example.test/new")).status, 200);
  assert.deepEqual(await wp.leads("/shop/a"), [301, "https://example.test/new"]);
  assert.deepEqual(await wp.leads("/shop/b"), [301, "/by-pattern"]);
  const changed = await put("/Sale", "https://example.test/sale");
  assert.deepEqual(
    cut(changed, "id", "created"),
    [200, 2, false],
    "the one rule for capitals and small letters",
  );
  assert.deepEqual(await wp.leads("/SALE"), [301, "https://example.test/sale"]);
  const stored = (await wp.peek({ ask })).options["rankmath_standin_redirections"] as Record<string, Json>;
  assert.equal(Object.keys(stored).length, 3);
  await wp.peek({ options: { rankmath_standin_leads: "", rankmath_standin_redirections: {} } });
});
