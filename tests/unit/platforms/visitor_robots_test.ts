/** What robots are told, by the rules of a page and of a header. */
import assert from "node:assert/strict";
import { robotsIn, tellsRobots } from "../../../platforms/visitor/page.ts";

Deno.test("noindex is told by itself, by none, for one crawler alone, and by no value of another rule", () => {
  const cases: readonly [text: string, noindex: boolean][] = [
    ["noindex, follow", true],
    ["none", true],
    ["googlebot: noindex", true],
    ["googlebot:none", true],
    ["index, max-image-preview:none", false],
    ["googlebot: max-image-preview: none", false],
    ["max-snippet:-1, max-video-preview:-1", false],
    ["unavailable_after: noindex", false],
    ["noindexed", false],
  ];
  for (const [text, noindex] of cases) {
    assert.equal(tellsRobots(robotsIn(text), "noindex"), noindex, text);
    assert.equal(tellsRobots(robotsIn(text), "nofollow"), text.includes("none") && noindex, text);
  }
});
