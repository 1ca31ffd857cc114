/** Many calls at once at a site builder that refuses more than ten requests a second: all are carried out. */
import assert from "node:assert/strict";
import { API_RATE, startDuda } from "../../sandbox/duda/start.ts";
import { gateway, NOW, site } from "../kit.ts";

Deno.test("twenty drafts at once are all made, none of them refused as one too many", async () => {
  let now = () => NOW;
  await using duda = startDuda({ now: () => now(), limits: { rate: API_RATE } });
  duda.site("1a2b3c4d", "acme.example");
  const waiting: { at: number; wake: () => void }[] = [];
  await using gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    settings: { upstream: duda.env },
    sites: [site("open", "sitebuilder", { base_url: null, site_alias: "1a2b3c4d" })],
    http: {
      sleep: (ms) =>
        new Promise((wake) => waiting.push({ at: gw.clock.now + Math.ceil(ms), wake: () => wake() })),
    },
  });
  now = () => gw.clock.now;
  const make = (at: number) =>
    gw.call("create_draft", {
      site_id: "open",
      title: `T${at}`,
      content_html: "<p>x</p>",
      tags: ["a"],
      confirm: true,
    });
  let left = 20;
  const all = Promise.all(Array.from({ length: left }, (_, at) => make(at).finally(() => left--)));
  // Time passes only while every call that is left waits for its turn.
  while (left > 0) {
    if (waiting.length < left) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      continue;
    }
    gw.clock.now = Math.min(...waiting.map(({ at }) => at));
    for (const one of waiting.splice(0)) one.at <= gw.clock.now ? one.wake() : waiting.push(one);
  }
  await all;
  assert.equal(duda.writes.length, 40, "each is made and given its tags, once");
  assert.equal(duda.state.sites.get("1a2b3c4d")!.posts.size, 20);
});
