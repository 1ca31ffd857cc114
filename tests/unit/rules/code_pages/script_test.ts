/** Script in HTML: what a browser would run is found however it is spelled, and what it would not is left alone. */
import assert from "node:assert/strict";
import { scriptsIn, scriptsInPart } from "../../../../rules/code_pages/script.ts";

const RUNS: readonly [html: string, says: RegExp][] = [
  ["<script>1</script>", /^a script element$/],
  ["<SCRIPT\nsrc=//x.example/a.js></SCRIPT >", /a script element/],
  ["<p>a</p><script", /not finished/],
  ["<script/x>1", /a script element/],
  ["<svg><script href='data:,1'/></svg>", /a script element/],
  ["<svg:script>1</svg:script>", /a script element/],
  [
    "<math><annotation-xml encoding='text/html'><script>1</script></annotation-xml></math>",
    /a script element/,
  ],
  ["<template><script>1</script></template>", /a script element/],
  ["<select><script>1</script></select>", /a script element/],
  ["<table><tr><td onclick=a()>", /the event handler onclick of td/],
  ["<img src=x onerror=alert(1)>", /^the event handler onerror of img$/],
  ["<img src=x\fONERROR\n=\n'alert(1)'>", /onerror/],
  ["<img/src/onerror=alert(1)>", /onerror/],
  ["<svg onload=1>", /onload of svg/],
  ["<svg><animate onbegin=alert(1) attributeName=x dur=1s>", /onbegin/],
  ["<body onpageshow=1>", /onpageshow/],
  ["<x-y onwhatever=1>", /onwhatever/],
  ['<a href="javascript:alert(1)">', /an address that runs a script in href of a/],
  ['<a href="java&#10;script:alert(1)">', /address/],
  ["<a href='&#x01;JaVaScRiPt&colon;alert(1)'>", /address/],
  ["<form action=javascript:1><button formaction='vbscript:1'>", /action of form/],
  ["<svg><a xlink:href='javascript:1'>", /href of a/],
  ["<svg><set attributeName=href to=javascript:1>", /to of set/],
  ["<svg><animate attributeName=href values='x;javascript:1'>", /values of animate/],
  ["<iframe src='data:text/html;base64,PHNjcmlwdD4x'>", /src of iframe/],
  ["<object data='data:image/svg+xml;base64,AAAA'>", /data of object/],
  ["<iframe srcdoc='&lt;p>'></iframe>", /srcdoc of iframe/],
  ["<meta http-equiv=Refresh content='0;url=https://x.example'>", /a meta refresh/],
  ["<meta http-equiv=' refresh ' content=1>", /a meta refresh/],
  ["<noscript><p title='</noscript><img src=x onerror=1>'>", /onerror/],
  ["<noscript><script>1</script></noscript>", /a script element/],
  ["<textarea><script>1</script></textarea>", /a script element/],
  ["<style></style ><img src=x onerror=1>", /onerror/],
  ["<svg><style><img src=x onerror=1></style></svg>", /onerror/],
  ["<!-- a --!><script>1</script>", /a script element/],
  ["<!--><script>1</script>-->", /a script element/],
  ["<![CDATA[><script>1</script>]]>", /a script element/],
  ["<a title='", /a tag that is not finished/],
  ["<img src=x onerror=alert(1) ", /a tag that is not finished/],
  ['<!-- wp:html --><p onclick="a()">x</p><!-- /wp:html -->', /onclick/],
  ['<!-- wp:x/y {"url":"javascript:alert(1)"} /-->', /a block's attributes|a block\?s attributes/],
  ['<!-- wp:x/y {"html":"\\u003cscript\\u003e1"} /-->', /a script element/],
  [`${"<div>".repeat(600)}x`, /more elements than can be looked through/],
];

for (const [html, says] of RUNS) {
  Deno.test(`script is seen in ${JSON.stringify(html.slice(0, 70))}`, () => {
    assert.match(scriptsIn(html).join("; "), says);
  });
}

const STILL = [
  "",
  "Plain text, 1 < 2 & 3 <3 you, a<b>",
  "<p>javascript: is a word, and onclick=1 another</p>",
  "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
  "<pre><code>&lt;img onerror=1&gt;</code></pre>",
  "<!-- <script>1</script> -->",
  "<p title='<script>1</script>'>a quoted sign is no tag</p>",
  '<a href="https://x.example/?q=a,b&c=d" target=_blank rel="noopener">x</a>',
  '<img src="data:image/png;base64,AAAA" srcset="/a.png 1x, /b.png 2x" alt="on error">',
  "<iframe src=https://video.example/embed/1 allowfullscreen></iframe>",
  "<style>p { color: red }</style><meta charset=utf-8><meta name=refresh content=1>",
  '<!-- wp:paragraph {"align":"center"} --><p class="on">x</p><!-- /wp:paragraph -->',
  '<!-- wp:image {"id":7,"url":"https://x.example/a.png"} --><figure><img src="/a.png"/></figure><!-- /wp:image -->',
  '<img alt="Java, JavaScript: the good parts" src="/a.png">',
  "<details open><summary>One</summary></details><one on two>",
];

for (const html of STILL) {
  Deno.test(`no script is seen in ${JSON.stringify(html.slice(0, 70))}`, () => {
    assert.deepEqual(scriptsIn(html), []);
  });
}

Deno.test("what was found is told in a few phrases, whatever the tags are called", () => {
  const many = Array.from({ length: 40 }, (_, at) => `<a on${at}=1>`).join("");
  assert.equal(scriptsIn(many).length, 6);
  assert.equal(scriptsIn(many).at(-1), "35 more");
  const [long] = scriptsIn(`<x-${"y".repeat(5000)} onclick=1>`);
  assert.ok(long!.length <= 80);
  assert.doesNotMatch(scriptsIn("<x\u202ey\u00e9 onclick=1>").join(), /[^\x20-\x7e]/);
});

Deno.test("what is hardest to parse is given up rather than looked through for long", () => {
  const hardest = ["<b>", "<a href=x>", "<table><td>", "<xmp></xmp>"];
  for (const one of hardest) {
    assert.match(scriptsIn(one.repeat(200_000)).join(), /more elements than can be looked through/, one);
  }
});

Deno.test("a text for a place in a template is script in any place it may get", () => {
  for (
    const text of [
      "javascript:alert(1)",
      " JAVA\tSCRIPT:1",
      '" onclick="a()',
      "' onclick='a()",
      "<script>1",
      "data:text/html,x",
    ]
  ) {
    assert.ok(scriptsInPart(text).length > 0, text);
  }
  for (const text of ['Acme\'s "best" page', "https://x.example/?a=1&b=2", "<b>bold</b>", "a < b", ""]) {
    assert.deepEqual(scriptsInPart(text), [], text);
  }
});
