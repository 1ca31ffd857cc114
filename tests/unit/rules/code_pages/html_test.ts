/** HTML of pages made from code: what may not stand in it, however it is written, and what may. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../../core/errors.ts";
import { storedParts } from "../../../../rules/code_pages/content.ts";
import { assertTwice } from "../../../doubled.ts";
import { StepsTaken } from "../../../steps_taken.ts";

const N = "so-0123456789";
/** Elements that a browser opens again in every paragraph. */
const BOLD = Array.from({ length: 400 }, (_, at) => `<b a=${at}>`).join("");
const DEEP = "<div>".repeat(600);
const MANY = "<div>".repeat(100);

/** An attack, and what is named and where. */
const ATTACKS: readonly (readonly [string, string])[] = [
  ["<iframe src=https://x></iframe>", "the element iframe at 1:1"],
  ["<p>\n  <IFrame\n>", "the element iframe at 2:3"],
  ["<iframe/src=x>", "the element iframe at 1:1"],
  ["<div><iframe srcdoc='<p>'></div>", "the element iframe at 1:6, the attribute srcdoc at 1:6"],
  ["<b srcdoc='<script>'>", "the attribute srcdoc at 1:1"],
  ["<select><iframe></iframe></select>", "the element iframe at 1:9"],
  ["<table><iframe></table>", "the element iframe at 1:8"],
  ["<template><iframe></iframe></template>", "the element iframe at 1:11"],
  ["<noscript><iframe></iframe></noscript>", "the element iframe at 1:11"],
  ["<noscript><p title='</noscript><iframe>'></noscript>", "the element iframe at 1:32"],
  ["<noscript><!--</noscript><iframe>--></noscript>", "the element iframe at 1:26"],
  ["<svg><foreignObject><iframe></foreignObject></svg>", "the element iframe at 1:21"],
  ["<svg><desc><iframe></desc></svg>", "the element iframe at 1:12"],
  [
    "<math><annotation-xml encoding='text/html'><iframe></annotation-xml></math>",
    "the element iframe at 1:44",
  ],
  ["<math><mtext><iframe></mtext></math>", "the element iframe at 1:14"],
  [
    "<svg><style><iframe></iframe></style></svg>",
    "the element iframe at 1:13, a style element in svg with entities or elements at 1:6",
  ],
  ["<svg></p><style><!--</style><iframe>--></style>", "the element iframe at 1:29"],
  ["<textarea><iframe></iframe></textarea>", "the element iframe at 1:11"],
  ["<title>\n<iframe></title>", "the element iframe at 2:1"],
  ["<xmp><script src=x></script></xmp>", "a script from another address at 1:6"],
  ["<a title='--><iframe>'><!-- --!><iframe>", "the element iframe at 1:33"],
  ["<!--><iframe>-->", "the element iframe at 1:6"],
  ["<!---><iframe>-->", "the element iframe at 1:7"],
  ["</p/><iframe>", "the element iframe at 1:6"],
  ["<a<b><iframe>", "the element iframe at 1:6"],
  ["<p '><iframe>'>", "the element iframe at 1:6"],
  ["<frameset><frame src=x></frameset>", "the element frameset at 1:1, the element frame at 1:11"],
  ["<object data=x.html></object>", "the element object at 1:1"],
  ["<embed src=x.swf>", "the element embed at 1:1"],
  ["<applet code=x></applet>", "the element applet at 1:1"],
  ["<portal src=x></portal>", "the element portal at 1:1"],
  ["<fencedframe></fencedframe>", "the element fencedframe at 1:1"],
  ["<base href=https://x>", "the element base at 1:1"],
  ["<script src=https://x></script>", "a script from another address at 1:1"],
  ["<SCRIPT\n\tSRC = 'x'></SCRIPT>", "a script from another address at 1:1"],
  ["<script/src=x></script>", "a script from another address at 1:1"],
  ["<script type=module src=./local.js></script>", "a script from another address at 1:1"],
  ["<script a=1 src></script>", "a script from another address at 1:1"],
  ["<script>1</script>\n<script s=1 src=//x></script >", "a script from another address at 2:1"],
  ["<svg><script href=x /></svg>", "a script from another address at 1:6, a script in svg or math at 1:6"],
  [
    "<svg><script xlink:href=x></script></svg>",
    "a script from another address at 1:6, a script in svg or math at 1:6",
  ],
  ["<svg><script>alert(1)</script></svg>", "a script in svg or math at 1:6"],
  ["<math><script>1</script></math>", "a script in svg or math at 1:7"],
  ["<script><!-- <script></script>", "./."],
  ["<script><!-- <script>--></script>", "a script that opens a comment and a script in it at 1:1"],
  ["<link rel=stylesheet href=https://x>", "a style sheet or script from another address at 1:1"],
  ["<link rel='preload ModulePreload' href=x>", "a style sheet or script from another address at 1:1"],
  ["<a href=javascript:x>", "an address that runs a script in href at 1:1"],
  ["<a href='java&#115;cript&colon;x'>", "an address that runs a script in href at 1:1"],
  ["<a href=' \x01java\n\tscript:x'>", "an address that runs a script in href at 1:1"],
  ["<a href='&#x6A;avascript:x'>", "an address that runs a script in href at 1:1"],
  ["<svg><a xlink:href=javascript:x></a></svg>", "an address that runs a script in xlink:href at 1:6"],
  [
    "<svg><animate attributeName=href values='#;javascript:x'/></svg>",
    "an address that runs a script in values at 1:6",
  ],
  ["<form action=JavaScript:x>", "an address that runs a script in action at 1:1"],
  ["<button formaction='vbscript:x'>", "an address that runs a script in formaction at 1:1"],
  ["<a href='data:text/html,<script>1</script>'>", "an address that runs a script in href at 1:1"],
  [
    "<meta http-equiv=refresh content='0; url=javascript:x'>",
    "an address that runs a script in content at 1:1",
  ],
  ["<p style='background:url( JavaScript:x)'>", "an address that runs a script in style at 1:1"],
  ["<svg><![CDATA[><iframe>]]></svg>", "a CDATA section in svg at 1:1"],
  ["<p>\n<!-- /wp:html -->", "a block delimiter of the CMS at 2:1"],
  ["<!--   wp:embed {} /-->", "a block delimiter of the CMS at 1:1"],
  ["<svg><style>a{b:'&lt;'}</style></svg>", "a style element in svg with entities or elements at 1:6"],
];

const refusal = (html: string): GatewayError => {
  try {
    storedParts({ html }, N);
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError, String(thrown));
    return thrown;
  }
  assert.fail(`${html.slice(0, 80)} was taken`);
};

for (const [html, what] of ATTACKS.filter(([, what]) => what !== "./.")) {
  Deno.test(`HTML is refused: ${JSON.stringify(html)}`, () => {
    const { code, message } = refusal(html);
    assert.equal(code, "E_DISALLOWED_CONTENT", message);
    assert.ok(message.startsWith(`html: ${what} (line:column); `), message);
    assert.doesNotMatch(message, /<[a-z/!]|\.$/i, "a sentence without tags");
  });
}

const UNFINISHED: readonly (readonly [string, RegExp])[] = [
  ["<p", /a tag that is not finished/],
  ["<p title='x", /a tag that is not finished/],
  ["x<", /a tag that is not finished/],
  ["<!-- x", /a comment that is not closed/],
  ["<script>1", /the element script without its end at 1:1/],
  ["<p>\n<style>a{b:c}", /the element style without its end at 2:1/],
  ["<textarea>", /the element textarea without its end/],
  ["<title>x", /the element title without its end/],
  ["<plaintext>x</plaintext>", /the element plaintext without its end/],
  ["<script><!-- <script></script>", /not closed|without its end/],
  ["<svg><![CDATA[x", /a CDATA section that is not closed/],
  ["</div><p>x", /an end tag div that closes nothing at 1:1 \(line:column\); close what is opened/],
  ["<p>x</p>\n</main>", /an end tag main that closes nothing at 2:1/],
  ["<svg></div></svg><p>x", /an end tag div that closes nothing at 1:6/],
  ["<svg><td></div></td></svg>", /an end tag div that closes nothing at 1:10/],
  ["<div><p>x", /the element div without its end at 1:1/],
  [`${MANY}<form>${MANY}</form>`, /the element div without its end/],
  ["<div><form><p>x</div>", /the element form without its end at 1:6/],
  ["<p><b>x</p>", /the element b without its end at 1:4/],
  ["<b><a href=#><div></b></div>", /the element a without its end at 1:4/],
  ["<a href=#>x", /the element a without its end/],
  ["<table><tr><td>x", /the element table without its end/],
  ["<template><p>x", /the element template without its end/],
  ["<svg><foreignObject><p>x", /the element svg without its end/],
  [DEEP, /deeper than 512/],
  [`<p>${BOLD}${"<p>x".repeat(10_000)}`, /more than 100000 elements/],
  ["<style>a{</style>", /^html: the style element at 1:1: no CSS that can be read, at 1:2: /],
];

for (const [html, says] of UNFINISHED) {
  Deno.test(`HTML that is not finished is refused: ${JSON.stringify(html.slice(0, 40))}`, () => {
    const { code, message } = refusal(html);
    assert.equal(code, "E_BAD_INPUT", message);
    assert.match(message, says);
  });
}

/** What only looks alike, or is nobody's harm: stored as it is. */
const FINE = [
  "<p>&lt;iframe src=x&gt; and &lt;script src=x&gt;</p>",
  "<!-- <iframe> -->",
  "<p title='<iframe>'>",
  "<script>document.title = '<b>' + \"<\\/b>\"; if (1 < 2) {}</script>",
  "<img src=x.png srcset='a.png 1x, b.png 2x' onerror='this.remove()'>",
  "<a href='https://x.example/?javascript:'>javascript: the good parts</a>",
  "<a href='https://x.example/?next=javascript:x' title='javascript: why'>x</a>",
  "<a href='#frame'>frame, object, embed</a><my-iframe></my-iframe>",
  "<video src=x.mp4 poster=data:image/png;base64,AA==></video>",
  "<svg viewBox='0 0 1 1'><use href='#a'/><path d='M0 0'/></svg>",
  "<link rel=canonical href=https://x.example>",
  "<p>optional ends <b>and <i>crossed</b></i><ul><li>a<li>b</ul><table><tr><td>c</table>",
  "<section><h1>x</h2></p></span><div><main>y</main></div></section>",
  "<svg><g><title>x</title></g></svg><select><option>a</select><span>harmless",
  "<table><tr><td>x</div></td></tr></table><select></div></select><template></div></template>",
  "<table><form><tr><td><input></td></tr></form></table><template><form></template>",
  "<svg><foreignObject></div></foreignObject></svg><svg><header></header></svg>",
  "<!doctype html><html><head><title>x</title></head><body class=a>y</body></html>",
  "Quotes \" ' and \u{1f600} and $& and \\1 stay\r\n",
  "<p style='color:red;animation:1s other'>x</p>",
  "<noscript><p>Please switch scripts on</p></noscript>",
];

for (const html of FINE) {
  Deno.test(`HTML is taken as it is: ${JSON.stringify(html)}`, () => {
    assert.deepEqual(storedParts({ html }, N), { html });
  });
}

Deno.test("style elements in the HTML are scoped, and with them the animations of style attributes", () => {
  const html = "<style>body{a:b}@keyframes spin{}</style>\n<i style='animation: spin 1s, x 2s'>é</i>" +
    "<noscript><style>i{animation:none}</style></noscript><svg><style>path{a:b}</style></svg>";
  const css = "@keyframes x{}";
  assert.deepEqual(storedParts({ html, css }, N), {
    html: `<style>.${N}{a:b}@keyframes ${N}-spin{}</style>\n` +
      `<i style='animation: ${N}-spin 1s, ${N}-x 2s'>é</i>` +
      `<noscript><style>.${N} i{animation:none}</style></noscript><svg><style>.${N} path{a:b}</style></svg>`,
    css: `@keyframes ${N}-x{}`,
  });
  assert.throws(() => storedParts({ html: "<style>@import 'x';</style>" }, N), {
    code: "E_DISALLOWED_CONTENT",
  });
});

/** HTML that makes a careless look at it take steps by the square of its length. */
const SLOW: readonly (readonly [string, string, string])[] = [
  ["<script>", "<!--", "</script>"],
  ["<p style='url(", " ", "'>x</p>"],
  ["", "<textarea><b></textarea>", ""],
  ["", "<xmp>\n<b>\n</xmp>", ""],
];

for (const [before, again, behind] of SLOW) {
  Deno.test(`${JSON.stringify(again)} again and again is looked at in steps that grow with its length`, async () => {
    const times = Math.floor((200 * 1024 - before.length - behind.length) / again.length);
    const of = (times: number) => before + again.repeat(times) + behind;
    assert.equal(storedParts({ html: of(times) }, N).html, of(times));
    using steps = await StepsTaken.started();
    await assertTwice(steps, (times) => storedParts({ html: of(times) }, N), 2000, again);
  });
}

Deno.test("an element in another's text is named where it stands", () => {
  const html = "<p>\n<textarea>\n<b></textarea> <xmp><iframe></xmp><title>x\n <iframe></title>";
  const { message } = refusal(html);
  assert.match(message, /iframe at 3:21, the element iframe at 4:2/);
});
