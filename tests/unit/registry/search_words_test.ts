/** How a request is read: stems in three languages, and meanings of words alone and together. */
import assert from "node:assert/strict";
import { SearchWords, searchWords } from "../../../registry/search_words.ts";

const known = new SearchWords({
  meanings: { page: "page, Seite", published: "published, veröffentlichte", draft: "draft, not published" },
  deeds: "published",
  asking: "which, welche, tell me, can you tell",
  polite: "can kannst",
});
const meanings = (text: string) => known.read(text).flatMap((word) => word.meanings);

Deno.test("a word means the same in each language, whatever its ending, case and accents", () => {
  for (const text of ["pages", "Page", "SEITEN", "Seite"]) assert.deepEqual(meanings(text), ["page"], text);
  for (const text of ["veröffentlichte", "Veroeffentlichten", "published"]) {
    assert.deepEqual(meanings(text), ["published"], text);
  }
});

Deno.test("words that mean something together do not mean what they would alone", () => {
  assert.deepEqual(meanings("a page that is not published"), ["page", "draft"]);
  assert.deepEqual(meanings("published, not a draft"), ["published", "draft"]);
});

Deno.test("a request says whether something is asked or to be done", () => {
  assert.equal(known.asks("Welche Seiten?"), true);
  assert.equal(known.asks("Seiten, welche"), false);
  assert.equal(known.asks("Is the page published?"), true);
  assert.equal(known.asks("Can you publish the page?"), false);
  assert.equal(known.asks("Can you tell me which page is published?"), true);
  assert.equal(known.asks("Tell Me: ist es so"), true);
  assert.equal(known.asks("tell mein"), false);
  assert.equal(known.does(known.read("published page")), true);
  assert.equal(known.does(known.read("page")), false);
});

Deno.test("words that say nothing are left out, and those that are too long", () => {
  assert.deepEqual(known.read(`please ${"x".repeat(41)} !`), []);
});

Deno.test("the product's own synonyms can be read", async () => {
  assert.ok((await searchWords()).stems.length > 1000);
});
