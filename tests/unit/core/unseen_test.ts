/** What nobody sees in a text is named, and what is only unusual stays. */
import assert from "node:assert/strict";
import { seen, seenParts } from "../../../core/unseen.ts";

const ROWS: readonly [text: string, shown: string][] = [
  ["plain, two\nlines\tand a tab\r\n", "plain, two\nlines\tand a tab\r\n"],
  ["a\u202egnp.exe\u202c", "a[U+202E turned right to left]gnp.exe[U+202C end of a turn]"],
  ["\u2066x\u2069", "[U+2066 left to right from here]x[U+2069 end of a turn]"],
  ["a\0b\x1b[31m", "a[U+0000]b[U+001B][31m"],
  ["a\rb", "a[U+000D]b"],
  ["zero\u200bwidth\ufeff", "zero[U+200B hidden blank]width[U+FEFF hidden mark]"],
  ["tag \u{e0041}\u{e007f}", "tag [U+E0041][U+E007F]"],
  ["\ud800", "[U+D800]"],
  ["line\u2028end", "line[U+2028]end"],
  ["👨‍👩‍👧 می‌خواهم ❤️", "👨‍👩‍👧 می‌خواهم ❤️"],
  ["עברית and عربي", "עברית and عربي"],
];

Deno.test("a text is shown with the numbers of what nobody sees in it", () => {
  for (const [text, shown] of ROWS) assert.equal(seen(text), shown);
});

Deno.test("joiners are named where that is asked for", () => {
  assert.deepEqual(seenParts("می‌خواهم", true), ["می", { sign: "U+200C" }, "خواهم"]);
});
