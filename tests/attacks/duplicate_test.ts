/** A draft that the site did not make is no reason to take down what it answered instead. */
import assert from "node:assert/strict";
import { type World, world } from "../tools/_stand_in.ts";

const DAY_MS = 86_400_000;

/** A world whose site answers a new post with one that it has, as a plugin against duplicates does. */
async function deduplicating(id: () => number): Promise<World> {
  return await world({
    async fetch(input, init) {
      const url = new URL(String(input));
      if (init?.method !== "POST" || !url.pathname.endsWith("/wp/v2/posts")) return await fetch(input, init);
      url.pathname += `/${id()}`;
      url.searchParams.set("context", "edit");
      const standing = await fetch(url, { headers: init.headers });
      return new Response(standing.body, { status: 201, headers: standing.headers });
    },
  });
}

Deno.test("a live post that the site answers in place of a new draft is left as it is", async () => {
  let live = 0;
  await using at = await deduplicating(() => live);
  const { kit: { gw }, cms, draft } = at;
  cms.publish(draft.id);
  live = draft.id;
  const draftAgain = { site_id: "acme", title: "Before", content_html: "x", confirm: true };
  gw.clock.now += DAY_MS;
  const message = await gw.refuses("create_draft", draftAgain, "E_UPSTREAM", { door: "rest" });
  assert.match(
    message,
    /made no draft but answered Post \d+, which was there before and is "published"/,
  );
  assert.equal(cms.posts.get(live)?.status, "publish");
  assert.deepEqual(cms.writes, []);
});
