/** What is kept of an item's answer: as many fields as fit, and whether visitors get it in any case. */
import assert from "node:assert/strict";
import { shortened } from "../../../guard/sets/result.ts";

const long = "x".repeat(2000);
const differs = [{ field: "title", expected: long, seen: null }];

Deno.test("what visitors get is kept as a verdict where the whole is too long, so that a canary is judged by it", () => {
  for (const as_expected of [true, false, null]) {
    const kept = shortened({
      id: 7,
      url: "https://a.example/7",
      verified: true,
      live: { as_expected, differs },
    }, 7);
    const live = { as_expected, left_out: "what differs" };
    assert.deepEqual(kept, { url: "https://a.example/7", verified: true, live });
  }
  const short = { as_expected: false, differs: [{ field: "title", expected: "A", seen: "B" }] };
  assert.deepEqual(shortened({ verified: true, live: short }, null), { verified: true, live: short });
});

Deno.test("of an answer as much is kept as fits, and what is too long is left out by itself", () => {
  assert.deepEqual(shortened({ id: 7, url: long, verified: null, warnings: [long] }, null), {
    id: 7,
    verified: null,
  });
  assert.deepEqual([shortened("text", 1), shortened(null, 1), shortened({ warnings: [] }, 1)], [{}, {}, {}]);
});
