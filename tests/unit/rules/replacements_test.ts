/** Exact replacements: as often as was said, all at once, and what a reader would not see is told. */
import assert from "node:assert/strict";
import { type Replacement, replacing } from "../../../rules/replacements.ts";

const DONE: readonly (readonly [text: string, replacements: readonly Replacement[], made: string])[] = [
  ["one two", [{ find: "two", replace: "2" }], "one 2"],
  ["one two", [{ find: " two", replace: "" }], "one"],
  ["a a a", [{ find: "a", replace: "aa", count: 3 }], "aa aa aa"],
  ["aaaa", [{ find: "aa", replace: "b", count: 2 }], "bb"],
  // What one puts there is not found by another.
  ["x y", [{ find: "x", replace: "y" }, { find: "y", replace: "x" }], "y x"],
  ["b a", [{ find: "a", replace: "1" }, { find: "b", replace: "2" }], "2 1"],
  ["a.c", [{ find: ".", replace: "$&" }], "a$&c"],
  ["(x)", [{ find: "(x)", replace: "\\1" }], "\\1"],
  ["ä😀", [{ find: "😀", replace: "é" }], "äé"],
];

Deno.test("a text is replaced where it stands, byte by byte and all at once", () => {
  for (const [text, replacements, made] of DONE) {
    assert.equal(replacing(text, replacements).text, made, JSON.stringify([text, replacements]));
  }
});

Deno.test("another number than was said is refused with the number and the places", () => {
  const says = (text: string, ...replacements: Replacement[]) => {
    try {
      replacing(text, replacements);
    } catch (thrown) {
      assert.equal((thrown as { code: string }).code, "E_BAD_INPUT");
      return (thrown as Error).message;
    }
    return assert.fail(`${text} was replaced`);
  };
  assert.equal(
    says("ab ab", { find: "ab", replace: "" }),
    'replacements[0].find: "ab" stands there 2 times, not once: at 0 "ab ab", at 3 "ab ab"; nothing is replaced: give ' +
      "count 2, or more of the text around the place that is meant",
  );
  assert.match(
    says("ab", { find: "ab", replace: "", count: 2 }),
    /stands there once, not 2 times: at 0 "ab"/,
  );
  assert.match(
    says("ab", { find: "AB", replace: "" }),
    /"AB" stands there nowhere, not once; nothing is replaced: give it as/,
  );
  assert.match(says("ab", { find: "a\u0301b", replace: "" }), /stands there nowhere/);
  assert.match(
    says("x".repeat(9), { find: "x", replace: "" }),
    /9 times, not once: (at \d ".+?", ){4}at 4 ".+", and 4 more;/,
  );
  assert.match(
    says("abc", { find: "ab", replace: "" }, { find: "bc", replace: "" }),
    /^replacements\[1\]\.find: .* also found by replacements\[0\]/,
  );
  assert.match(says("abc", { find: "abc", replace: "" }, { find: "b", replace: "" }), /also found by/);
  const long = says("y".repeat(5000) + "z", { find: "y".repeat(4000), replace: "", count: 2 });
  assert.ok(long.length < 600, String(long.length));
});

Deno.test("places within a tag or a comment are told", () => {
  const told = (text: string, find: string, count = 1) =>
    replacing(text, [{ find, replace: "", count }]).warnings;
  assert.deepEqual(told("<p>a</p>", "a"), []);
  assert.deepEqual(told("a > b", "b"), []);
  assert.match(
    told('<a href="/x">x</a>', "x", 2).join(),
    /^replacements\[0\]: 1 of its 2 places is inside a tag/,
  );
  assert.match(
    told("<!-- wp:x --><p>x</p><!-- /wp:x -->", "x", 3).join(),
    /2 of its 3 places are inside a tag or a comment/,
  );
});
