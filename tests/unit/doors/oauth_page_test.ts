/** The words for groups of tools: one phrase for each group there is, and none for others. */
import assert from "node:assert/strict";
import { GROUP_WORDS, groupWords, inShownOrder } from "../../../identity/oauth/group_words.ts";
import { gateway } from "../../kit.ts";

Deno.test("each group of the registry has one plain phrase of its own, and so have the tools of sites", async () => {
  await using gw = await gateway();
  const groups = new Set(gw.gateway.catalog.entries().map(({ group }) => group));
  assert.deepEqual(
    Object.keys(GROUP_WORDS).toSorted(),
    [...groups, "proxied"].toSorted(),
    "console/oauth_page.tsx names the groups",
  );
  const phrases = Object.values(GROUP_WORDS);
  assert.equal(new Set(phrases).size, phrases.length);
  for (const phrase of phrases) assert.match(phrase, /^[A-Z][a-z]+,?( [a-z]+,?)+$/);
});

Deno.test("a group without a phrase goes by its name, after the others", () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));
  assert.equal(groupWords("fax"), "fax");
  assert.equal(groupWords("constructor"), "constructor");
  assert.deepEqual(inShownOrder(named("fax", "crm", "posts")), named("posts", "crm", "fax"));
});
