/** Structured data: what is taken, what a text means, and what a CMS keeps as the same. */
import assert from "node:assert/strict";
import {
  checkStructured,
  dataIn,
  isFlat,
  sameData,
  type StructuredData,
} from "../../../rules/structured_data.ts";

const nested = (levels: number): unknown => levels === 0 ? 1 : { a: nested(levels - 1) };

const TAKEN: readonly StructuredData[] = [
  '{"@type":"A"}',
  ' \n[{"@type":"A"}]\t',
  '<script>{"@type":"A"}</script>',
  '\n<SCRIPT type="application/ld+json" id=\'x\' class="a b">\n{"@type":"A"}\n</script >\n',
  "<script type=application/ld+json>[1]</script>",
  '<script>{"a":"</script>"}</script>',
  [{ "@type": "A" }],
  ["x", null, 1, true, [[]]],
  { "@graph": [{}], ["__proto__"]: null, "": "" },
  { a: "\u{1f600} \u2028 </script>" },
  JSON.stringify(nested(32)),
  nested(32) as StructuredData,
  `{"a":"${"x".repeat(102_392)}"}`,
];

Deno.test("structured data is taken as text, in one script element, as a list and as an object", () => {
  for (const value of TAKEN) checkStructured(value, "value");
});

const REFUSED: readonly (readonly [StructuredData, RegExp])[] = [
  ["", /is not JSON/],
  ["x", /is not JSON/],
  ["{'a':1}", /is not JSON/],
  ['{"a":1}{"b":2}', /is not JSON/],
  ['\ufeff{"a":1}', /is not JSON/],
  ['{"a":1} <!-- -->', /is not JSON/],
  ['<script>{"a":1}', /is not JSON/],
  ['<script>{"a":1}</script><script>{"b":1}</script>', /is not JSON/],
  ['<script onload="x">{"a":1}</script>', /is not JSON/],
  ["<script></script>", /is not JSON/],
  ['<p>{"a":1}</p>', /is not JSON/],
  ['"text"', /neither an object nor a list/],
  ["1", /neither/],
  ["true", /neither/],
  ["<script>null</script>", /neither/],
  ["{}", /holds nothing/],
  [" [ ] ", /holds nothing/],
  ["<script>{}</script>", /holds nothing/],
  [{}, /holds nothing/],
  [[], /holds nothing/],
  [nested(33) as StructuredData, /deeper than 32 levels/],
  [JSON.stringify(nested(33)), /deeper than 32 levels/],
  [`${"[".repeat(50_000)}${"]".repeat(50_000)}`, /deeper than 32 levels/],
  ['{"a":"\\udc00"}', /unpaired surrogate/],
  [{ "\ud800": 1 }, /unpaired surrogate/],
  ['{"\\u0000a":1}', /NUL/],
  [{ a: [{ b: "x\0" }] }, /NUL/],
];

Deno.test("what is no structured data is refused by the field's name", () => {
  for (const [value, message] of REFUSED) {
    const shown = JSON.stringify(value).slice(0, 60);
    assert.throws(() => checkStructured(value, "schema"), { code: "E_BAD_INPUT", message }, shown);
    assert.throws(() => checkStructured(value, "schema"), { message: /^schema: [^.]*[^.]$/ }, shown);
  }
});

Deno.test("more bytes of UTF-8 than the limit are refused, whatever they are", () => {
  const large: StructuredData[] = [
    `{"a":"${"x".repeat(102_393)}"}`,
    `{"a":"${"\u{1f600}".repeat(25_599)}"}`,
    "{".repeat(102_401),
    { a: "é".repeat(51_197) },
    ["x".repeat(102_397)],
  ];
  for (const value of large) {
    const says = { code: "E_PAYLOAD_TOO_LARGE", message: /^value: 1024\d\d bytes .* at most 102400/ };
    assert.throws(() => checkStructured(value, "value"), says);
  }
});

Deno.test("a text that is made to be slow to read is read at once", () => {
  const spaces = " ".repeat(100_000);
  const texts = [
    `<script${spaces}`,
    `<script>${spaces}`,
    `<script>${"</script ".repeat(11_000)}`,
    `<script${' id="x"'.repeat(14_000)}`,
    `${spaces}<script>`,
    `<script>${"</".repeat(50_000)}`,
  ];
  for (const text of texts) assert.throws(() => checkStructured(text, "value"), { code: "E_BAD_INPUT" });
});

Deno.test("a text means the object or list it holds, anything else itself", () => {
  const means: [unknown, unknown][] = [
    ['{"a":[1]}', { a: [1] }],
    ["<script>\n[1]\n</script>\n", [1]],
    ["7", "7"],
    ["null", "null"],
    ["plain", "plain"],
    ["", ""],
    [7, 7],
    [null, null],
    [{ a: "{}" }, { a: "{}" }],
  ];
  for (const [value, data] of means) assert.deepEqual(dataIn(value), data);
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  assert.equal(dataIn(deep), deep, "what is too deep to compare stays a text");
});

Deno.test("levels are counted from the outermost", () => {
  assert.deepEqual(
    [isFlat(1, 0), isFlat({}, 0), isFlat({ a: 1 }, 1), isFlat({ a: {} }, 1), isFlat([[]], 2)],
    [
      true,
      false,
      true,
      false,
      true,
    ],
  );
});

Deno.test("two values are the same as a CMS keeps them: {} as [], names in any order, lists in theirs", () => {
  const same: [unknown, unknown][] = [
    [{ a: 1, b: { c: {} } }, { b: { c: [] }, a: 1 }],
    [{ 0: "a", 1: "b" }, ["a", "b"]],
    [-0, 0],
    [1.0, 1],
    ["é", "\u00e9"],
    [undefined, undefined],
    [undefined, null],
  ];
  for (const [one, other] of same) assert.ok(sameData(one, other), JSON.stringify([one, other]));
  const different: [unknown, unknown][] = [
    [["a", "b"], ["b", "a"]],
    [{ 1: "a" }, ["a"]],
    [{ a: 1 }, { a: "1" }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: null }, {}],
    [{ ["__proto__"]: 1 }, {}],
    ["é", "e\u0301"],
    ["[]", []],
    [null, []],
  ];
  for (const [one, other] of different) assert.ok(!sameData(one, other), JSON.stringify([one, other]));
});
