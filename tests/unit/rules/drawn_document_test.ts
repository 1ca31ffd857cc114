/** Which documents a call carries, and what of one is left to be drawn. */
import assert from "node:assert/strict";
import { type DefaultTreeAdapterMap, parse } from "parse5";
import { carriedDocuments, drawnDocument } from "../../../rules/drawn_document.ts";

Deno.test("documents are found in a call and in the calls within it, with the CSS that belongs to them", () => {
  const args = {
    changes: [
      { tool: "create_page_from_code", arguments: { title: "A", html: "<p>a", css: "p {}", js: "x()" } },
      { tool: "create_draft", arguments: { title: "B", content_html: "<p>b", css: "no" } },
      { tool: "write_static_file", arguments: { path: "public/c.HTML", content: "<p>c" } },
      { tool: "write_static_file", arguments: { path: "d.html", content: "PHA+", encoding: "base64" } },
      { tool: "write_static_file", arguments: { path: "e.css", content: "p {}" } },
      { tool: "create_static_route", arguments: { route: "about", html: "<p>f" } },
      { tool: "update_draft", arguments: { html: 7, content_html: "" } },
    ],
  };
  assert.deepEqual(
    carriedDocuments(args).map(({ field, title, html, css }) => [field, title, html, css]),
    [
      ["html", "A", "<p>a", "p {}"],
      ["content_html", "B", "<p>b", ""],
      ["content", "public/c.HTML", "<p>c", ""],
      ["html", "about", "<p>f", ""],
    ],
  );
  assert.deepEqual(carriedDocuments("<p>"), []);
});

const drawn = (html: string, css = "") => drawnDocument({ field: "html", title: null, html, css });

Deno.test("what leads elsewhere is taken out, and the rest is drawn with its styles", async () => {
  const rows: readonly [html: string, kept: RegExp, gone: RegExp][] = [
    ['<a href="/x" class="b" ping="/y">t</a>', /<a class="b">t<\/a>/, /href|ping/],
    ['<form action="/x"><button formaction="/y">t</button></form>', /<form><button>t/, /action/],
    [
      '<ScRiPt>a</script><p onclick="x()" title="onclick">t</p>',
      /<p title="onclick">t<\/p>/,
      /<script|x\(\)/i,
    ],
    [
      "<link rel=preconnect href=//x><base href=//x><meta http-equiv=refresh content=0><p>t",
      /<p>t/,
      /link|base|meta/,
    ],
    ["<iframe src=//x></iframe><object data=//x><embed src=//x></object><p>t", /<p>t/, /iframe|object|embed/],
    ["<svg><script>a</script><a xlink:href=//x><text>t</text></a></svg>", /<text>t<\/text>/, /script|href/],
    ['<svg><use href="#a"></use><use href="//x/y.svg#a"></use></svg>', /<use href="#a"><\/use>/, /\/\/x/],
    ["<template><iframe src=//x></iframe><p>t</p></template>", /<p>t<\/p>/, /iframe/],
    ["<noscript><link rel=preconnect href=//x><p>t</p></noscript>", /<p>t<\/p>/, /link/],
    ["<table><tr><td><base href=//x>t</table>", /<td>t<\/td>/, /base/],
    ["<!doctype html><html><head><title>a</title></head><body class=b>t", /<body class="b">t/, /<link/],
  ];
  for (const [html, kept, gone] of rows) {
    const text = await drawn(html);
    const body = text.replace(/<style>a \{[^<]*<\/style>/, "");
    assert.match(body, kept, html);
    assert.doesNotMatch(body, gone, html);
    assert.match(text, /^<!DOCTYPE html>/i);
  }
  assert.match(
    await drawn("<p>t", "p { color: red } </style><script>x()</script>"),
    /<style>\np \{ color: red \} <\\\/style><script>x\(\)<\\\/script>\n<\/style>/,
  );
  await assert.rejects(drawn("<div>".repeat(300_000)), /too many elements, or too deep ones, to be drawn/);
});

Deno.test("what is drawn is read as it was judged: nothing that leads elsewhere comes back where the text is read once more", async () => {
  const link = '<link rel=preconnect href=//x><meta http-equiv=refresh content="0;url=//x">';
  const rows = [
    `<form><math><mtext></form><form><mglyph><style></math>${link}`,
    `<form><svg><desc></form><form><math><mtext></form><form><mglyph><style></math></svg>${link}`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;iframe src=//x&gt;">`,
    `<plaintext>${link}`,
    `<svg></p><style><a id="</style>${link}">`,
    `<table><form><math><mtext></form><form><mglyph><style></math>${link}`,
  ];
  for (const html of rows) {
    let text = "";
    try {
      text = await drawn(html);
    } catch (thrown) {
      assert.match(String(thrown), /read its code/, html);
      continue;
    }
    const nodes: DefaultTreeAdapterMap["node"][] = [parse(text, { scriptingEnabled: false })];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      assert.doesNotMatch(node.nodeName, /^(link|meta|iframe|script|base)$/, `${html}\n${text}`);
      if ("childNodes" in node) nodes.push(...node.childNodes);
    }
  }
});
