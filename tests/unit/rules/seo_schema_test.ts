/** What may be the structured data of a page, and what its types are. */
import assert from "node:assert/strict";
import type { Code } from "../../../core/errors.ts";
import { hasContext, pageSchema, typesOf } from "../../../rules/seo_schema.ts";

const KIB = 1024;
const nested = (levels: number): unknown => levels === 0 ? "x" : { "@type": "A", in: nested(levels - 1) };

const GOOD: readonly (readonly [given: unknown, types: string[]])[] = [
  [{ "@type": "Article", name: "x" }, ["Article"]],
  [{ "@type": ["Article", "NewsArticle"] }, ["Article, NewsArticle"]],
  [[{ "@type": "A" }, { "@type": "B" }], ["A", "B"]],
  [{ "@context": "https://schema.org", "@graph": [{ "@type": "A" }, { "@type": "B" }] }, ["A", "B"]],
  ['{"@type": "Article", "empty": {}, "list": []}', ["Article"]],
  ['[{"@type": "A"}]', ["A"]],
  [nested(32), ["A"]],
  [{ "@type": "A", t: 'q" \\ \\\\ud83d \u{1f600} </script>' }, ["A"]],
  [{ "@type": "A", t: "x".repeat(100 * KIB - 20) }, ["A"]],
];

for (const [given, types] of GOOD) {
  Deno.test(`structured data is ${JSON.stringify(given).slice(0, 60)}`, () => {
    const data = pageSchema(given);
    assert.deepEqual(data, typeof given === "string" ? JSON.parse(given) : given);
    assert.deepEqual(typesOf(data), types);
  });
}

const BAD: readonly (readonly [given: unknown, code: Code, says: RegExp])[] = [
  ["{not json", "E_BAD_INPUT", /^schema: the text is not JSON/],
  ["", "E_BAD_INPUT", /^schema: the text is not JSON/],
  ["7", "E_BAD_INPUT", /^schema: expected an object/],
  ["null", "E_BAD_INPUT", /^schema: expected an object/],
  ['"{}"', "E_BAD_INPUT", /^schema: expected an object/],
  [true, "E_BAD_INPUT", /^schema: expected an object/],
  [[], "E_BAD_INPUT", /^schema: expected an object, or a list of at least one/],
  [[{ "@type": "A" }, 1], "E_BAD_INPUT", /^schema: expected an object, or a list/],
  [[[{ "@type": "A" }]], "E_BAD_INPUT", /^schema: expected an object, or a list/],
  [{}, "E_BAD_INPUT", /^schema: holds nothing/],
  [{ type: "Article" }, "E_BAD_INPUT", /"@type"/],
  [{ "@type": "" }, "E_BAD_INPUT", /"@type"/],
  [{ "@type": [] }, "E_BAD_INPUT", /"@type"/],
  [{ "@type": ["A", 1] }, "E_BAD_INPUT", /"@type"/],
  [{ "@type": { a: 1 } }, "E_BAD_INPUT", /"@type"/],
  [[{ "@type": "A" }, {}], "E_BAD_INPUT", /"@type"/],
  [{ "@graph": [] }, "E_BAD_INPUT", /"@type"/],
  [{ "@graph": [{ "@type": "A" }, {}] }, "E_BAD_INPUT", /"@type"/],
  [nested(34), "E_BAD_INPUT", /^schema: nested deeper than 32 levels/],
  [
    "[".repeat(100_000) + "]".repeat(100_000),
    "E_BAD_INPUT",
    /^schema: (nested deeper|the text is not JSON|expected an object)/,
  ],
  [{ "@type": "A", t: "\ud83d" }, "E_BAD_INPUT", /^schema: holds an unpaired surrogate/],
  ['{"@type": "A", "t": "\\udc00"}', "E_BAD_INPUT", /^schema: holds an unpaired surrogate/],
  [
    { "@type": "A", t: "x".repeat(100 * KIB - 19) },
    "E_PAYLOAD_TOO_LARGE",
    /^schema: 102401 bytes of UTF-8, at most/,
  ],
  [{ "@type": "A", t: "\u00fc".repeat(52 * KIB) }, "E_PAYLOAD_TOO_LARGE", /^schema: \d+ bytes of UTF-8/],
  [" ".repeat(500 * KIB), "E_PAYLOAD_TOO_LARGE", /^schema: 512000 characters/],
];

for (const [given, code, says] of BAD) {
  const shown = (JSON.stringify(given) ?? "").slice(0, 50);
  Deno.test(`structured data is not ${shown} (${code})`, () => {
    assert.throws(() => pageSchema(given), (thrown: Error & { code?: Code }) => {
      assert.deepEqual([thrown.code, says.test(thrown.message)], [code, true], thrown.message);
      return true;
    });
  });
}

Deno.test("without @context search engines do not know what is meant", () => {
  assert.equal(hasContext({ "@type": "A" }), false);
  assert.equal(hasContext({ "@context": "https://schema.org", "@type": "A" }), true);
  assert.equal(hasContext([{ "@context": "x", "@type": "A" }, { "@type": "B" }]), false);
});
