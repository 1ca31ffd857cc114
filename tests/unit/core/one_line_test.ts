/** Parts of our own sentences: numbers of things agree with their nouns and verbs. */
import assert from "node:assert/strict";
import { counted, formOf } from "../../../core/one_line.ts";

Deno.test("a number of things stands with the form of the word that it takes", () => {
  const words = [0, 1, 2].map((count) => `${counted(count, "row")} ${formOf(count, "is", "are")} read`);
  assert.deepEqual(words, ["0 rows are read", "1 row is read", "2 rows are read"]);
  assert.deepEqual([1, 3].map((count) => counted(count, "entry", "entries")), ["1 entry", "3 entries"]);
});
