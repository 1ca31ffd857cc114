/** Words of the pages of requests. */
import assert from "node:assert/strict";
import { isTyped, lasting, typedWord } from "../../../../console/admin/approval_words.ts";
import type { Site } from "../../../../core/model.ts";

const namesOf = (name: string) => ({
  people: new Map<string, string>(),
  sites: new Map([["acme", { id: "acme", name } as Site]]),
});

Deno.test("where something goes live the name is asked for, or the id where the name is long; both are taken", () => {
  assert.deepEqual(typedWord(["acme"], namesOf("Acme Roofs")), { word: "Acme Roofs", also: "acme" });
  const long = "The website of Acme Roofs and Gutters";
  const wanted = typedWord(["acme"], namesOf(long));
  assert.deepEqual(wanted, { word: "acme", also: long });
  assert.ok(isTyped("ACME ", wanted!) && isTyped(long.toLowerCase(), wanted!));
});

Deno.test("one second is one, and no second is none", () => {
  assert.deepEqual([0, 1000, 2000].map(lasting), ["0 seconds", "1 second", "2 seconds"]);
});
