/** Whole documents given as the HTML of a page: what is taken, and that the rest is named. */
import assert from "node:assert/strict";
import { bodyOf, headingWarnings } from "../../../../rules/code_pages/document.ts";

const DOCUMENT = `<!DOCTYPE html>
<html lang="de"><head><meta charset="utf-8"><title>Roofs</title>
<meta name="description" content="x"><link rel="icon" href="/a.ico"><style>.a{b:c}</style></head>
<body class="landing">
<main class="a"><p>Hello</p></main>
<script>go()</script>
</body>
</html>
`;

Deno.test("of a whole document the body is taken, with the styles of its head, and the rest is named", () => {
  const { html, warnings } = bodyOf(DOCUMENT);
  assert.equal(html, '<style>.a{b:c}</style>\n<main class="a"><p>Hello</p></main>\n<script>go()</script>');
  assert.deepEqual(warnings, [
    'html: a whole document was given; its body is taken, and the styles and scripts of its head. Left out: meta charset="utf-8", ' +
    'title, meta name="description", link rel="icon", lang of html, class of body; give the title as title, and set what ' +
    "search engines and social networks read with set_seo_meta",
  ]);
});

/** What is given, what is taken, and how many warnings there are. */
const ROWS: readonly (readonly [given: string, taken: string, warnings: number])[] = [
  ["<p>one</p>", "<p>one</p>", 0],
  ["  <h2>a</h2>\n text", "  <h2>a</h2>\n text", 0],
  ["<!-- a --><p>x</p>", "<!-- a --><p>x</p>", 0],
  ["<style>a{b:c}</style><p>x</p>", "<style>a{b:c}</style><p>x</p>", 0],
  ["<body><p>x</p></body>", "<p>x</p>", 1],
  ["<html><p>x</p></html>", "<p>x</p>", 1],
  ["<!doctype html><p>x</p>", "<p>x</p>", 1],
  ["<head><title>t</title></head><p>x</p>", "<p>x</p>", 1],
  ["<html><body><p>x</p>", "<p>x</p>", 1],
  ["<html><body><p>x</p></body></html><!-- end -->", "<p>x</p>", 1],
];

Deno.test("what is no whole document stays as it is, byte by byte", () => {
  for (const [given, taken, warnings] of ROWS) {
    const found = bodyOf(given);
    assert.deepEqual([found.html, found.warnings.length], [taken, warnings], given);
  }
});

Deno.test("a document with an empty body is refused", () => {
  assert.throws(() => bodyOf("<!doctype html><title>t</title>"), /html: the body of the document is empty/);
});

Deno.test("style sheets of the head from elsewhere are not dropped in silence: they are judged with the body", () => {
  const given =
    '<html><head><link rel="stylesheet" href="https://a.example/a.css"></head><body>x</body></html>';
  assert.equal(bodyOf(given).html, '<link rel="stylesheet" href="https://a.example/a.css">\nx');
  assert.match(
    bodyOf("<body>x</body><p>late</p>").warnings[0]!,
    /Left out: what stands behind the end of the body/,
  );
});

Deno.test("a heading of the first level is named, wherever it stands", () => {
  assert.deepEqual(headingWarnings("<h2>a</h2>"), []);
  assert.match(headingWarnings("<main><h1>a</h1></main>")[0]!, /^html: has an h1, and most themes/);
  assert.match(headingWarnings("<template><h1>a</h1></template><h1>b</h1>")[0]!, /has 2 h1/);
});
