/** CSS scoped to one class: what each selector becomes, what is renamed, and what is refused and where. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../../core/errors.ts";
import { scopeSheets } from "../../../../rules/code_pages/scope.ts";

const S = ".so-0123456789";
const N = "so-0123456789";
const IN = `:is(${S},${S} *)`;

const scopeCss = (text: string, scope: string) => scopeSheets([{ text, label: "css" }], scope)[0]!;

/** What goes in, what comes out; `§` stands for the class's selector, `¤` for its name. */
const SCOPED: readonly (readonly [string, string])[] = [
  ["a{b:c}", "§ a{b:c}"],
  ["  a , b{c:d}", "  § a , § b{c:d}"],
  ["*{a:b}", "§ *{a:b}"],
  ["*,*::before,*::after{a:b}", "§ *,§ *::before,§ *::after{a:b}"],
  [".a.b#c[d='e'i]:hover{f:g}", "§ .a.b#c[d='e'i]:hover{f:g}"],
  ["a>b+c~d e{f:g}", "§ a>b+c~d e{f:g}"],
  ["a/*,*/,b /* { */ c{d:e}", "§ a/*,*/,§ b /* { */ c{d:e}"],
  // the page's root
  [":root{--x:1}", "§{--x:1}"],
  ["html{a:b}", "§{a:b}"],
  ["body{a:b}", "§{a:b}"],
  ["HTML,BoDy{a:b}", "§,§{a:b}"],
  ["html body{a:b}", "§{a:b}"],
  ["html > body > .x{a:b}", "§ > .x{a:b}"],
  ["body .x{a:b}", "§ .x{a:b}"],
  ["html:root{a:b}", "§§{a:b}"],
  [":scope{a:b}", "§{a:b}"],
  ["&{a:b}", "§{a:b}"],
  ["body::before{a:b}", "§::before{a:b}"],
  ["body:before{a:b}", "§:before{a:b}"],
  ["html::-webkit-scrollbar{a:b}", "§::-webkit-scrollbar{a:b}"],
  // conditions on the page stay conditions
  ["html.dark .card{a:b}", "html.dark § .card{a:b}"],
  [":root[data-theme=dark]{--x:1}", ":root[data-theme=dark] §{--x:1}"],
  ["body.home > main p::first-line{a:b}", "body.home § > main p::first-line{a:b}"],
  ["body:hover::after{a:b}", "body:hover §::after{a:b}"],
  [":root:has(.x) a{b:c}", ":root:has(.x) § a{b:c}"],
  // what would reach beside the page's element
  ["body ~ footer{a:b}", "§ body ~ footer{a:b}"],
  [":root + x{a:b}", "§ :root + x{a:b}"],
  [":is(html) ~ footer{a:b}", "§ :is(html) ~ footer{a:b}"],
  [":where(.a,body) + x y{a:b}", "§ :where(.a,body) + x y{a:b}"],
  [".a body .b{c:d}", "§ .a body .b{c:d}"],
  ["§ ~ footer{a:b}", "§ § ~ footer{a:b}"],
  ["§ + §{a:b}", "§ + §{a:b}"],
  [":not(a){b:c}", "§ :not(a){b:c}"],
  [":has(a){b:c}", "§ :has(a){b:c}"],
  // lists in selectors
  [":is(h1,h2) a{b:c}", "§ :is(h1,h2) a{b:c}"],
  [":is(html,.a) .b{c:d}", ":is(§,§ .a) .b{c:d}"],
  [":WHERE( body , p > a ){b:c}", ":WHERE( § , § p > a ){b:c}"],
  [":where(:is(html)){b:c}", "§ :where(:is(html)){b:c}"],
  ["a:not(.b,:has(> c)):where(d,e){f:g}", "§ a:not(.b,:has(> c)):where(d,e){f:g}"],
  ["a:nth-child(2n + 1 of .b){c:d}", "§ a:nth-child(2n + 1 of .b){c:d}"],
  // rules around rules
  ["@media (min-width:1px){a{b:c}}", "@media (min-width:1px){§ a{b:c}}"],
  ["@MEDIA print{@supports (a:b){a{b:c}}}", "@MEDIA print{@supports (a:b){§ a{b:c}}}"],
  ["@container x (width>1px){a{b:c}}", "@container x (width>1px){§ a{b:c}}"],
  ["@layer a,b;@layer c{a{b:c}}", "@layer a,b;@layer c{§ a{b:c}}"],
  ["@starting-style{a{b:c}}", "@starting-style{§ a{b:c}}"],
  ["@later (x){a{b:c}}", "@later (x){§ a{b:c}}"],
  ["@font-face{font-family:x;src:url(a.woff2)}", "@font-face{font-family:x;src:url(a.woff2)}"],
  ["@page :first{margin:1cm;@top-left{content:'x'}}", "@page :first{margin:1cm;@top-left{content:'x'}}"],
  ["@property --x{syntax:'*';inherits:false}", "@property --x{syntax:'*';inherits:false}"],
  ["@charset 'utf-8';a{b:c}", "@charset 'utf-8';§ a{b:c}"],
  ["@scope (.a) to (.b){img{a:b}:scope{c:d}& e{f:g}}", "@scope (§ .a) to (.b){img{a:b}:scope{c:d}& e{f:g}}"],
  ["@scope{img{a:b}}", "@scope (§){img{a:b}}"],
  [`@scope (body){:scope + x{a:b}}`, `@scope (§){:scope + x${IN}{a:b}}`],
  // nesting
  [".a{color:red;&:hover{b:c}.d{e:f}> g{h:i}}", "§ .a{color:red;&:hover{b:c}.d{e:f}> g{h:i}}"],
  [".a{b:hover{c:d}color:blue}", "§ .a{b:hover{c:d}color:blue}"],
  [".a{@media x{color:red;.y{z:w}}}", "§ .a{@media x{color:red;.y{z:w}}}"],
  [".a{.dark &{b:c}& > .x ~ .y{b:c}}", "§ .a{.dark &{b:c}& > .x ~ .y{b:c}}"],
  [".a{.z:not(&){b:c}}", `§ .a{.z:not(&)${IN}{b:c}}`],
  ["body{& ~ footer{b:c}}", `§{& ~ footer${IN}{b:c}}`],
  ["body{+ x::before{b:c}}", `§{+ x${IN}::before{b:c}}`],
  ["a{html:has(&){b:c}}", `§ a{html:has(&)${IN}{b:c}}`],
  // spellings
  ["a\\:b .\\31 x{c:d}", "§ a\\:b .\\31 x{c:d}"],
  ["\\62 ody{a:b}", "§{a:b}"],
  ["@\\6dedia x{a{b:c}}", "@\\6dedia x{§ a{b:c}}"],
  ["@\\66ont-face{a:b}", "@\\66ont-face{a:b}"],
  ["a{\\--x:{b:c}}", "§ a{\\--x:{b:c}}"],
  ["svg|a,*|*,|b{c:d}", "§ svg|a,§ *|*,§ |b{c:d}"],
  [
    "a{*zoom:1;_height:1px;filter:progid:X.Y(a='b',c=1)}",
    "§ a{*zoom:1;_height:1px;filter:progid:X.Y(a='b',c=1)}",
  ],
  ["a{--x:{b:c};--y:</style>;d:e}", "§ a{--x:{b:c};--y:<\\/style>;d:e}"],
  ["a{content:'</STYLE><script>'}/* </style */", "§ a{content:'<\\/STYLE><script>'}/* <\\/style */"],
  ["<!-- a{b:c} -->", "<!-- § a{b:c} -->"],
  ['a{b:url(x.png)}c{d:url( "a b;{}" )}', '§ a{b:url(x.png)}§ c{d:url( "a b;{}" )}'],
  ["a{b:'\\'};c{'}", "§ a{b:'\\'};c{'}"],
  ["", ""],
  [" /* nothing */ ", " /* nothing */ "],
  ["a{}\r\nb{}", "§ a{}\r\n§ b{}"],
];

const filled = (text: string) => text.replaceAll("§", S).replaceAll("¤", N);

for (const [given, expected] of SCOPED) {
  Deno.test(`CSS is scoped: ${given}`, () => {
    const scoped = scopeCss(filled(given), N);
    assert.equal(scoped, filled(expected));
    assert.equal(scopeCss(scoped, N), scoped, "what is scoped stays as it is");
  });
}

const ANIMATED: readonly (readonly [string, string])[] = [
  [
    "@keyframes spin{from{a:b}50.5%{c:d}to{e:f}}a{animation:spin 1s linear}",
    "@keyframes ¤-spin{from{a:b}50.5%{c:d}to{e:f}}§ a{animation:¤-spin 1s linear}",
  ],
  [
    "a{animation-name:spin,other,spin}@keyframes spin{}",
    "§ a{animation-name:¤-spin,other,¤-spin}@keyframes ¤-spin{}",
  ],
  [
    "@-webkit-keyframes x{}a{-webkit-animation:1s x;-webkit-animation-name:x}",
    "@-webkit-keyframes ¤-x{}§ a{-webkit-animation:1s ¤-x;-webkit-animation-name:¤-x}",
  ],
  ["@keyframes 'my x'{}a{animation:\"my x\" 1s}", "@keyframes '¤-my x'{}§ a{animation:\"¤-my x\" 1s}"],
  ["@\\6b eyframes x{from{a:b}}a{animation:x}", "@\\6b eyframes ¤-x{from{a:b}}§ a{animation:¤-x}"],
  ["@keyframes \\31 x{}a{animation:\\31 x}", "@keyframes ¤-\\31 x{}§ a{animation:¤-\\31 x}"],
  [
    "@keyframes x{}a{--n:x;animation:1s var(--n, x)}b{--m:x}",
    "@keyframes ¤-x{}§ a{--n:¤-x;animation:1s var(--n, ¤-x)}§ b{--m:x}",
  ],
  [
    "@media x{@keyframes y{}}a{&:hover{animation:y}}",
    "@media x{@keyframes ¤-y{}}§ a{&:hover{animation:¤-y}}",
  ],
  [
    "@keyframes x{}a{transition:x 1s;color:x;animation-duration:x}",
    "@keyframes ¤-x{}§ a{transition:x 1s;color:x;animation-duration:x}",
  ],
  ["@keyframes X{}a{animation:x}", "@keyframes ¤-X{}§ a{animation:x}"],
  ["@keyframes linear{}a{animation:linear 1s}", "@keyframes linear{}§ a{animation:linear 1s}"],
  ["a{animation:elsewhere 1s}", "§ a{animation:elsewhere 1s}"],
  ["@keyframes ¤-x{}a{animation:¤-x}", "@keyframes ¤-x{}§ a{animation:¤-x}"],
];

for (const [given, expected] of ANIMATED) {
  Deno.test(`animations get names of their own: ${given}`, () => {
    assert.equal(scopeCss(filled(given), N), filled(expected));
  });
}

const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ["a{", "1:2", /never closed/],
  ["a{color:red", "1:2", /never closed/],
  ["a{b:c}\n}", "2:1", /closes nothing/],
  ["a{b:(c}", "1:7", /closes nothing/],
  ["a{b:c)}", "1:6", /closes nothing/],
  ["a[b{c:d}", "1:2", /never closed/],
  ["a{b:'c\n}d{e:f}", "1:5", /string/],
  ['a{b:"c', "1:5", /string/],
  ["/* x", "1:1", /comment/],
  ["a{b:url(c d)}", "1:5", /url\(\)/],
  ["a{b:url(c", "1:5", /url/],
  ["a{};b{}", "1:4", /selector/],
  ["a{color}", "1:3", /neither a declaration nor a rule/],
  ["a{{b:c}}", "1:3", /selector is missing/],
  [",a{}", "1:1", /selector is missing/],
  ["a,{}", "1:3", /selector is missing/],
  ["> a{}", "1:1", /combinator/],
  ["a >{}", "1:2", /combinator/],
  ["a > + b{}", "1:5", /unexpected/],
  ["a:{}", "1:2", /unexpected/],
  ["a..b{}", "1:2", /unexpected/],
  [".1a{}", "1:1", /unexpected/],
  ["50%{}", "1:1", /unexpected/],
  ["a b", "1:1", /without a block/],
  ["@media x;", "1:1", /@media without a block/],
  ["a{}\r\n\tb\n  c d", "2:2", /without a block/],
  ["a{b:c}\\", "1:7", /backslash/],
  ["a{b:u\\72l({}')} evil{} x{y:')}", "1:5", /escapes/],
  ["a{".repeat(80) + "}".repeat(80), "1:131", /too deep/],
];

for (const [css, where, why] of BROKEN) {
  Deno.test(`CSS that cannot be read is refused with its place: ${JSON.stringify(css.slice(0, 40))}`, () => {
    assert.throws(() => scopeCss(css, N), (thrown: unknown) => {
      assert.ok(thrown instanceof GatewayError, String(thrown));
      assert.equal(thrown.code, "E_BAD_INPUT", thrown.message);
      assert.match(thrown.message, new RegExp(`^css: no CSS that can be read, at ${where}: `));
      assert.match(thrown.message, why);
      return true;
    });
  });
}

const FOREIGN = [
  "@import url(https://evil.example/a.css);",
  "@import 'https://evil.example/a.css' screen;",
  '@IMPORT\turl( "//evil.example" );',
  "@\\69mport url(https://evil.example);",
  "@\\000049\n\\6D port 'x';",
  "a{b:c}\n@import/**/'x';",
  "@media x{@import 'x';}",
  "@layer a;@import url(x) layer(b);",
  "a{@import 'x';}",
  "a{b:url(javascript:x)}",
  "a{b:url(' JavaScript:x')}",
  "a{b:src('\\6a avascript:x')}",
];

for (const css of FOREIGN) {
  Deno.test(`CSS from elsewhere is refused: ${JSON.stringify(css)}`, () => {
    assert.throws(() => scopeCss(css, N), (thrown: unknown) => {
      assert.ok(thrown instanceof GatewayError, String(thrown));
      assert.equal(thrown.code, "E_DISALLOWED_CONTENT", thrown.message);
      return /^css: an .* at \d+:\d+; leave it out$/.test(thrown.message);
    });
  });
}

Deno.test("what only looks like an import is none", () => {
  for (
    const css of [
      "/*@import 'x';*/",
      "a{content:'@import x'}",
      "a{--x:'javascript'}",
      ".import,#import{a:b}",
      "a{content:'javascript:'}",
    ]
  ) {
    scopeCss(css, N);
  }
});

Deno.test("sheets of one page share their animations, and use those of what is stored", () => {
  const [css, style, attribute, unread] = scopeSheets(
    [
      { text: "@keyframes a{}", label: "css" },
      { text: "b{animation:a 1s,old 2s}", label: "style" },
      { text: "animation:a 1s; color:red", label: "attribute", attribute: true },
      { text: "animation:a 'x", label: "attribute", attribute: true },
    ],
    N,
    `@keyframes ${N}-old{}@keyframes foreign{}`,
  );
  assert.deepEqual([css, style, attribute, unread], [
    `@keyframes ${N}-a{}`,
    `${S} b{animation:${N}-a 1s,${N}-old 2s}`,
    `animation:${N}-a 1s; color:red`,
    "animation:a 'x",
  ]);
});
