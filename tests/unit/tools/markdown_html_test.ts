/** Markdown as a draft's HTML: what of it is kept, and what a reader should never run is left out and named. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { htmlOf } from "../../../tools/markdown/_html.ts";

const KEPT: readonly [string, string][] = [
  [
    "# Title\n\nText *a* **b** `c<d`",
    "<h1>Title</h1>\n<p>Text <em>a</em> <strong>b</strong> <code>c&lt;d</code></p>",
  ],
  ["a < b & c &copy; \u{1f600} $&", "<p>a &lt; b &amp; c © \u{1f600} $&amp;</p>"],
  ['[x](/a?b=1&c=2 "t")', '<p><a href="/a?b=1&amp;c=2" title="t">x</a></p>'],
  ["![i](https://a.example/i.png)", '<p><img src="https://a.example/i.png" alt="i"></p>'],
  ["- [x] a\n- [ ] b", "<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>"],
  ["3. a", '<ol start="3">\n<li>a</li>\n</ol>'],
  ["```js\na<b\n```", '<pre><code class="language-js">a&lt;b\n</code></pre>'],
  ["a<br>b <kbd>c</kbd>", "<p>a<br>b <kbd>c</kbd></p>"],
  ["<details open><summary>s</summary>t</details>", '<details open=""><summary>s</summary>t</details>'],
  ["a\r\n\r\nb", "<p>a</p>\n<p>b</p>"],
  ["<!-- more -->", ""],
  [
    "<https://a.example> mail@a.example",
    '<p><a href="https://a.example">https://a.example</a> ' +
    '<a href="mailto:mail@a.example">mail@a.example</a></p>',
  ],
];

for (const [text, html] of KEPT) {
  Deno.test(`markdown is rendered: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(htmlOf(text, "path"), { html, notes: [] });
  });
}

const gone = (name: string) => `<${name}> was left out with its content`;
const unwrapped = (name: string) => `<${name}> was left out, its text kept`;
const bare = (attribute: string, name: string) => `The attribute ${attribute} of <${name}> was left out`;
const address = (name: string) =>
  `An address of <${name}> was left out; http, https, mailto, tel and paths of the site are taken`;

const CLEARED: readonly [string, string, string[]][] = [
  ["a<script>alert(1)</script>", "<p>a</p>", [gone("script")]],
  ["<SCRIPT SRC=//e></SCRIPT >b", "b", [gone("script")]],
  ["<svg><script>x</script><a href=x>t</a></svg>b", "<p>b</p>", [gone("svg")]],
  ["<style>p{}</style>", "", [gone("style")]],
  ['<iframe srcdoc="<script>x</script>"></iframe>b', "b", [gone("iframe")]],
  ["<b onclick=x ONMOUSEOVER='y'>t</b>", "<p><b>t</b></p>", [bare("onclick", "b"), bare("onmouseover", "b")]],
  ["<p style='x'>t</p>", "<p>t</p>", [bare("style", "p")]],
  ["<form action=/x><input name=a>t</form>", "t", [unwrapped("form"), unwrapped("input")]],
  ["<x-y>t <b>u</b></x-y>", "<p>t <b>u</b></p>", [unwrapped("x-y")]],
  ["[x](javascript:alert%281%29)", "<p><a>x</a></p>", [address("a")]],
  ["<a href='jav&#x09;a\nscript:x'>t</a>", "<p><a>t</a></p>", [address("a")]],
  ["<a href=' &#1;javascript:x'>t</a>", "<p><a>t</a></p>", [address("a")]],
  [
    "[x](vbscript:x) [y](//e.example) ![z](data:image/png;base64,AA==)",
    '<p><a>x</a> <a>y</a> <img alt="z"></p>',
    [
      address("a"),
      address("img"),
    ],
  ],
  ["<code class='a language-js'>x</code>", "<p><code>x</code></p>", [bare("class", "code")]],
  ["<noscript><img src=x onerror=y></noscript>t", "<p>t</p>", [gone("noscript")]],
  ["<math><mtext><table><mglyph><style><img src=x></style></table></mtext></math>t", "<p>t</p>", [
    gone("math"),
  ]],
];

const FOOTNOTES = "Footnotes are not rendered; [^…] and its text remain as they were written";
const elsewhere = (name: string) =>
  `An address of <${name}> is relative to the file, and leads elsewhere on the site; give it in full`;

const TOLD: readonly [string, string, string[]][] = [
  ["a[^1]\n\n[^1]: Note", "<p>a[^1]</p>\n<p>[^1]: Note</p>", [FOOTNOTES]],
  ["a[^x]\n\n[^x]: </a>\n[^y]: b c", "<p>a[^x]</p>\n<p>[^x]: \n[^y]: b c</p>", [FOOTNOTES]],
  ["`[^1]`\n\n    [^1]: code", "<p><code>[^1]</code></p>\n<pre><code>[^1]: code\n</code></pre>", []],
  ["[^a]\n\n[b]: /c\n\n[b]", '<p>[^a]</p>\n<p><a href="/c">b</a></p>', []],
  ["![i](../a.png)", '<p><img src="../a.png" alt="i"></p>', [elsewhere("img")]],
  ["[x](other.md) [y](a:b)", '<p><a href="other.md">x</a> <a>y</a></p>', [elsewhere("a"), address("a")]],
  [
    "[x](#h) [y](?q) [z](/p) [w](<>)",
    '<p><a href="#h">x</a> <a href="?q">y</a> <a href="/p">z</a> <a href="">w</a></p>',
    [],
  ],
];

for (const [text, html, notes] of TOLD) {
  Deno.test(`markdown is kept and told: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(htmlOf(text, "path"), { html, notes: notes.toSorted() });
  });
}

for (const [text, html, notes] of CLEARED) {
  Deno.test(`markdown is cleared: ${JSON.stringify(text)}`, () => {
    const done = htmlOf(text, "path");
    assert.equal(done.html.replaceAll(/<p>\s*<\/p>/g, "").trim(), html);
    assert.deepEqual(done.notes, notes.toSorted());
  });
}

/** A block of HTML with so many elements that are not closed, and so many paragraphs after them. */
const leftOpen = (elements: number, paragraphs: number) =>
  `<div><p>${Array.from({ length: elements }, (_, at) => `<b x${at}>`).join("")}</p>${
    "<p>x".repeat(paragraphs)
  }`;

const TOO_MUCH: readonly [string, string, RegExp][] = [
  ["quotes", ">".repeat(5000), /nested too deep/],
  ["elements", "<div>".repeat(3000), /nested too deep/],
  ["a paragraph", "*a**b ".repeat(20_000), /a paragraph of the file has 1\d{5} characters/],
  [
    "underlined titles without an empty line",
    "a\n-\n".repeat(20_000),
    /a paragraph of the file has (79|80)\d{3} characters/,
  ],
  [
    "elements left open, opened again in every paragraph",
    leftOpen(150, 5000),
    /makes more than 200000 elements; close/,
  ],
  ["elements left open, deeper with every paragraph", leftOpen(2000, 2000), /nested too deep/],
];

for (const [name, text, says] of TOO_MUCH) {
  Deno.test(`markdown that would take long is refused: ${name}`, () => {
    assert.throws(() => htmlOf(text, "path"), (thrown) => {
      assert.ok(thrown instanceof GatewayError, String(thrown));
      assert.equal(thrown.code, "E_BAD_INPUT");
      assert.match(thrown.message, says);
      assert.match(thrown.message, /^path: .*[^.]$/);
      return true;
    });
  });
}
