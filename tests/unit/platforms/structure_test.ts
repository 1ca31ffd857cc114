/** What a site's server says of the elements of a page, where it cannot be so. */
import assert from "node:assert/strict";
import { isWithin, structureOf } from "../../../platforms/tool_servers/structure.ts";

Deno.test("an element that is said to stand within itself is looked for no deeper than pages are read", () => {
  const page = structureOf({ elements: [{ id: "a", elements: [{ id: "b", elements: [{ id: "a" }] }] }] });
  assert.equal(isWithin("b", new Set(["a"]), page), true);
  assert.equal(isWithin("b", new Set(["c"]), page), false);
});
