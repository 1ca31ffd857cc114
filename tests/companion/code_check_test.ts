/** What may not stand in a page made from code, judged as a browser reads it and not by searching the text. */
import assert from "node:assert/strict";
import { printed } from "./php.ts";
import { ignore } from "./site.ts";

type Kind = "html" | "css";

type Cases = readonly (readonly [Kind, string])[];

const judge = (cases: Cases) => printed<(string | null)[]>("code_check.php", cases);

const BAD_HTML = [
  "<script src=x></script>",
  "<SCRIPT/SRC='x'></SCRIPT>",
  "<script\n\tsrc\n=\nx></script>",
  "<script =src src=x></script>",
  "<iframe src=x></iframe>",
  "<IfRaMe>",
  "<iframe\n>",
  "</p/><iframe/src=x>",
  "<div srcdoc='x'>",
  "<object data=x></object>",
  "<embed src=x>",
  "<frameset><frame src=x></frameset>",
  "<base href=//evil.test/>",
  "<a href='javascript:alert(1)'>x</a>",
  "<a href=' \u0001JaVa\tScRiPt\n:x'>x</a>",
  "<a href='&#106;avascript&colon;x'>x</a>",
  "<a href='&#106avascript:x'>x</a>",
  "<a href='&#x6A&#x61vascript:x'>x</a>",
  "<a href='java&Tab;script&NewLine;:x'>x</a>",
  "<form action=javascript:x><button formaction=javascript:y>",
  "<meta http-equiv=refresh content='0; url=javascript:x'>",
  "<svg><script>1</script></svg>",
  "<svg><script href=x /></svg>",
  "<svg/><svg><g><script xlink:href=x></script></g></svg>",
  "<svg><a xlink:href='javascript:x'>x</a></svg>",
  "<svg><animate attributeName=href values='a;javascript:x'/></svg>",
  "<svg><title><iframe src=x></title></svg>",
  "<svg><desc><iframe src=x></desc></svg>",
  "<svg><textarea><div><iframe src=x>",
  "<math><mtext><iframe src=x></mtext></math>",
  "<select><style></select><iframe src=x></style>",
  "<select><svg><textarea><!--</textarea><iframe src=x>--></textarea></svg>",
  "<style><!--</style><iframe src=x>--></style>",
  "<noscript><!--</noscript><iframe src=x>--></noscript>",
  "<noscript><iframe src=x></iframe></noscript>",
  "<template><iframe src=x></iframe></template>",
  "<!--><iframe src=x>-->",
  "<!---><iframe src=x>-->",
  "<!-- --!><iframe src=x>-->",
  "<!x><iframe src=x>",
  "<?x><iframe src=x>",
  "</3><iframe src=x>",
  "<![CDATA[><iframe src=x>]]>",
  "<svg><![CDATA[><iframe src=x>]]></svg>",
  `<p title="x"><iframe src=x>">`,
  "<style>@import url(https://x.test/a.css);</style>",
  "<style>@\\69mport 'x';</style>",
  "<p style='background:url(javascript:x)'>",
  "<link rel='preload StyleSheet' href=x>",
  "<!-- /wp:html --><p>x",
  "<!--wp:paragraph-->",
  "<!-- open",
  "<div title='open",
  "<textarea>open",
  "<script>open",
  "<plaintext>",
  "<script>'<!--<script>'</script>",
];
const GOOD_HTML = [
  "",
  "just text & more, 1 < 2, a <1, iframe, javascript:",
  "<p>a &lt;iframe src=x&gt; b</p>",
  "<!-- <iframe src=x> <script src=x> -->",
  "<p title=\"<iframe src='x'>\">x</p>",
  "<pre>@import url(https://x.test)</pre>",
  "<a href='https://example.test/?next=javascript:x' title='javascript: why'>x</a>",
  "<img src='data:image/png;base64,AAAA' alt=x srcset='a.png 1x, b.png 2x'>",
  "<script>if (a < b && c > d) document.write('<iframe>');</script>",
  '<script type=\'application/ld+json\'>{"a":"<b>"}</script>',
  "<style>.a > .b::after{content:'@import url(x)'}</style>",
  "<textarea>x</textarea><title>x</title><noscript>off</noscript>",
  "<svg viewBox='0 0 1 1'><title>A</title><style>.a>b{}</style><g><path d='M0'/></g></svg><script>a<b;'<p>'</script>",
  "<form><select><option>1</select></form><svg><circle r=1></circle></svg><script>'<b>'</script>",
  "<button onclick='go()'>x</button>",
  "<video src=a.mp4 poster=a.png></video>",
];
const BAD_CSS = [
  "@import url(https://x.test/a.css);",
  "@IMPORT 'x';",
  "@\\69mport 'x';",
  "@\\000069 mport 'x';",
  "@im\\70 ort 'x';",
  "/**/@import/**/url(x)",
  "@layer a; @import 'x';",
  "<!-- @import 'x'; -->",
  "a{} @import url(x);",
  '@foo url(a"b); @import \'x\'; "y"',
  '@foo #url( x" )" ); @import \'x\'; "',
  "@foo u\\72l(a'b); @import 'x'; '",
  "a{b:'\n@import 'x';",
  "a{b:url(javascript:x)}",
  'a{b:url( "java\\73 cript:x" )}',
  "a{b:u\\72 l(javascript:x)}",
  "a{}\u0000",
];
const GOOD_CSS = [
  "",
  '/* @import url(x) */ a{content:"@import url(x)"}',
  "a::after{content:'javascript:'}",
  '@media (min-width:1px){.x{background:url("data:image/svg+xml,%3Csvg%3E")}}',
  "@imports{} #import{} .\\@import{} a{color:var(--import)}",
  "a{b:'\\'@import \\\"'}",
  "a{background:url(a\\)b.png)}",
];

const TABLES: readonly [Kind, readonly string[], boolean][] = [
  ["html", BAD_HTML, false],
  ["html", GOOD_HTML, true],
  ["css", BAD_CSS, false],
  ["css", GOOD_CSS, true],
];
for (const [kind, texts, fine] of TABLES) {
  Deno.test({
    name: `${kind} is ${fine ? "taken" : "refused"}: ${texts.length} cases${
      ignore ? " (not run: no PHP)" : ""
    }`,
    ignore,
    async fn() {
      const faults = await judge(texts.map((text) => [kind, text] as const));
      const wrong = texts.map((text, at) => [text, faults[at]]).filter(([, fault]) =>
        (fault === null) !== fine
      );
      assert.deepEqual(wrong, []);
    },
  });
}

Deno.test({
  name: `twice the text takes at most twice the steps to judge${ignore ? " (not run: no PHP)" : ""}`,
  ignore,
  async fn() {
    const full = (text: string, kib: number): string => text.repeat(Math.ceil((kib * 1024) / text.length));
    const html = [
      "<p class=a>x</p>",
      "<",
      "<a ",
      "<!",
      "<!--",
      "<svg><a>",
      "<noscript>",
      "<script>",
      "a='",
      "</",
    ];
    const css = [".a{b:c}", '"\\', "/*", "@", "url(", "\\", "a\\", "#", "'"];
    const texts = [
      ...html.map((text) => ["html", text] as const),
      ...css.map((text) => ["css", text] as const),
    ];
    const taken = (kib: number) =>
      printed<number[]>("code_steps.php", texts.map(([kind, text]) => [kind, full(text, kib)] as const));
    const [once, twice] = [await taken(10), await taken(20)];
    const faults = texts.flatMap(([, text], at) =>
      twice[at]! <= 2.1 * once[at]! + 4 * 1024 ? [] : [`${text}: ${once[at]} and ${twice[at]}`]
    );
    assert.deepEqual(faults, []);
    assert.ok(once.every((steps) => steps > 100), `${once}`);
  },
});
