/** Routes of a static site: the rules of E_BAD_ROUTE, the one form of a route, and the files that serve it. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { fileOfRoute, routeOf, routeOfFile, spellingsOfRoute, takesRoute } from "../../../rules/route.ts";
import { rows, words } from "../../words.ts";

const SIGN = "a route has letters, digits and dashes between slashes";
const PART = "only a-z, 0-9 and dashes between them are allowed";
const DASH = "begins or ends with a dash";
const EMPTY = "has an empty part";

/** Routes that break a rule, and a word of the reason. */
const BAD = rows({
  'holds ".."': words(".. /.. ../a a/../b a..b a/b.. ... blog/[...slug]"),
  'holds "["': words("[slug]"),
  [SIGN]: words("blog/[id] \\a a? # %2Fa %"),
  'holds "]"': words("a]"),
  'holds "\\"': words("a\\b"),
  'holds "?"': words("a?b=1"),
  'holds "#"': words("a#b"),
  'holds "%"': words("a%20b %2e%2e"),
  [EMPTY]: words("// /// //a a// a//b /a//b/"),
  [DASH]: words("- -a a- a-b- a/-b a/b-/c a/- -- A-"),
  // Among them a Cyrillic first letter, and the Kelvin sign, a "k" once in lower case.
  [PART]: words(
    `
    . ./a a/. .a a.html rss.xml .well-known/a _a a_b a/_b a\t a\0 a\0b über cafe\u0301 ａ аbout \u212aelvin
    ſtyle a–b a\u2010b a\u200bb ١ ² a．b a／b … 日本 😀 a\ud800 a,b a;b a:b a&b a=b a+b a*b a@b ~a $a a'b a"b <a>
    {a} a|b (a) a! https://example.com/a
  `,
    " ",
    "a b",
    " a",
    "a ",
    "a\nb",
    "a\n",
  ),
  "makes a path of 251 characters": ["a".repeat(235)],
  "makes a path of 317 characters": [`${"a/".repeat(150)}b`],
});

/** Routes, and their one form. */
const GOOD: readonly (readonly [string, string])[] = [
  ["", "/"],
  ["/", "/"],
  ["index", "/"],
  ["/index/", "/"],
  ["Index", "/"],
  ["a", "/a"],
  ["/a", "/a"],
  ["a/", "/a"],
  ["/a/", "/a"],
  ["A", "/a"],
  ["0", "/0"],
  ["404", "/404"],
  ["500", "/500"],
  ["About-Us", "/about-us"],
  ["a-b-c", "/a-b-c"],
  ["a--b", "/a--b"],
  ["1-2", "/1-2"],
  ["a/b", "/a/b"],
  ["services/roofing/2026", "/services/roofing/2026"],
  ["a/b/c/d/e/f/g/h", "/a/b/c/d/e/f/g/h"],
  ["a/index", "/a"],
  ["index/a", "/index/a"],
  ["a/index/index", "/a"],
  ["build/house", "/build/house"],
  ["a".repeat(234), `/${"a".repeat(234)}`],
];

Deno.test(`routes that break a rule are refused with the rule (${BAD.length} of them)`, () => {
  for (const [route, reason] of BAD) {
    assert.throws(() => routeOf(route, "route"), (thrown) => {
      assert.ok(thrown instanceof GatewayError, `${route}: ${thrown}`);
      assert.equal(thrown.code, "E_BAD_ROUTE");
      assert.ok(thrown.message.startsWith("route: "), thrown.message);
      assert.ok(thrown.message.includes(reason), `${JSON.stringify(route)}: ${thrown.message}`);
      assert.ok(!thrown.message.endsWith("."), thrown.message);
      return true;
    }, JSON.stringify(route));
  }
});

Deno.test(`every other route has one form (${GOOD.length} of them)`, () => {
  for (const [route, form] of GOOD) {
    assert.equal(routeOf(route, "route"), form, route);
    assert.equal(routeOf(form, "route"), form);
  }
});

Deno.test("the field is named as the caller calls it", () => {
  assert.throws(
    () => routeOf("a//b", "extra_pages[1].route"),
    /^GatewayError: extra_pages\[1\]\.route: "a\/\/b" has/,
  );
});

Deno.test("a long route is refused for its length, before any part of it is looked at", () => {
  for (const sign of ["a-", "/", "-", "a"]) {
    assert.throws(() => routeOf(sign.repeat(1_000_000), "route"), /makes a path of \d+ characters/);
  }
});

Deno.test("a route is served by one file that is made, and by others that would serve the same", () => {
  assert.equal(fileOfRoute("/"), "src/pages/index.astro");
  assert.equal(fileOfRoute("/about"), "src/pages/about.astro");
  assert.equal(fileOfRoute("/a/b"), "src/pages/a/b.astro");
  for (const route of ["/", "/about", "/a/b", "/404"]) {
    const files = spellingsOfRoute(route);
    assert.equal(files[0], fileOfRoute(route));
    assert.equal(new Set(files).size, files.length);
    const pages = files.filter((file) => /^src\/pages\/.*(?<!\.[jt]s)$/.test(file));
    assert.ok(pages.length >= 9);
    for (const file of pages) assert.equal(routeOfFile(file), route, file);
  }
  const about = spellingsOfRoute("/about");
  for (const ending of ["astro", "md", "mdx", "html", "markdown"]) {
    assert.ok(about.includes(`src/pages/about.${ending}`), ending);
    assert.ok(about.includes(`src/pages/about/index.${ending}`), ending);
  }
  const others = words(
    "src/pages/about.ts src/pages/about/index.js public/about/index.html public/about.html",
  );
  for (const other of others) assert.ok(about.includes(other), other);
  assert.ok(spellingsOfRoute("/").includes("public/index.html"));
  assert.ok(!spellingsOfRoute("/").includes("src/pages/index/index.astro"));
});

Deno.test("a file that is published as it is takes the route of its name and the folders below it", () => {
  const files: readonly (readonly [string, string, boolean])[] = [
    ["public/index.html", "/", true],
    ["public/index", "/", false],
    ["public/a.html", "/", false],
    ["public/a", "/a", true],
    ["public/A.HTML", "/a", true],
    ["public/a/index.html", "/a", true],
    ["public/a/b", "/a", false],
    ["public/a.css", "/a", false],
    ["public/a", "/a/b/c", true],
    ["public/a/b", "/a/b/c", true],
    ["public/a.html", "/a/b", false],
    ["public/ab", "/a", false],
    ["src/a.html", "/a", false],
  ];
  for (const [path, route, taken] of files) assert.equal(takesRoute(path, route), taken, `${path} ${route}`);
});

Deno.test("a file's route, or none for what is no page of one route", () => {
  const pages: readonly (readonly [string, string])[] = [
    ["src/pages/index.astro", "/"],
    ["src/pages/a.astro", "/a"],
    ["src/pages/A/B.md", "/A/B"],
    ["src/pages/a/index.mdx", "/a"],
    ["src/pages/index/index.astro", "/index"],
    ["src/pages/index/a.html", "/index/a"],
    ["src/pages/a.b.md", "/a.b"],
    ["src/pages/index.draft.md", "/index.draft"],
    ["src/pages/über uns.markdown", "/über uns"],
    ["src/pages/404.astro", "/404"],
    ["src/pages/.well-known/a.md", "/.well-known/a"],
    ["src/pages/a_b.astro", "/a_b"],
  ];
  for (const [path, route] of pages) assert.equal(routeOfFile(path), route, path);
  const none = words(`
    src/pages/_a.astro src/pages/_a/b.astro src/pages/a/_b/c.astro src/pages/.a.astro src/pages/.a/b.astro
    src/pages/.astro src/pages/[slug].astro src/pages/[...all].astro src/pages/a/[id]/b.md
    src/pages/post-[id].md src/pages/feed.xml.ts src/pages/api.js src/pages/a.tsx src/pages/a.css
    src/pages/a src/pages/a.ASTRO src/pages/ src/pages src/pagesX/a.astro src/components/a.astro
    pages/a.astro a/src/pages/b.astro
  `);
  for (const path of none) assert.equal(routeOfFile(path), null, path);
});
