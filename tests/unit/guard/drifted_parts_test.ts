/** What counts as drift of a change that is to be taken back. */
import assert from "node:assert/strict";
import { driftedParts } from "../../../guard/changes.ts";

Deno.test("parts that differ, came or went are drift; one that plans have told only since then is none", () => {
  assert.deepEqual(driftedParts({ title: "a", status: "b" }, { title: "a", status: "c" }), ["status"]);
  assert.deepEqual(driftedParts({ title: "a" }, { title: "a", entries: "b" }), ["entries"]);
  assert.deepEqual(driftedParts({ title: "a", provider: "x" }, { title: "a" }), ["provider"]);
  assert.deepEqual(driftedParts({ provider: "x" }, { provider: "y" }), ["provider"]);
  assert.deepEqual(driftedParts({ title: "a" }, { title: "a", provider: "x", password: "y" }), []);
});
