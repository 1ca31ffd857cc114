/** view_live and `live` on a site builder: pages and posts by their ids, at the address that the site was registered with. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { parted } from "../proof.ts";
import { DOMAIN, dudaWorld } from "./_duda.ts";
import { html, PUBLIC } from "./_visited.ts";

const BASE = `https://${DOMAIN}`;

/** The world, with a site that visitors reach. */
async function built(page: (path: string) => Response) {
  const visits: string[] = [];
  const at = await dudaWorld({
    fetch: async (input, init) => {
      const url = new URL(String(input));
      if (url.hostname !== DOMAIN) return await fetch(input, init);
      visits.push(url.pathname);
      return page(url.pathname);
    },
    http: { lookup: () => Promise.resolve([PUBLIC]) },
  });
  await at.gw.store.sites.update("open", { base_url: BASE });
  return Object.assign(at, { visits });
}

Deno.test("view_live finds a page and a post of a site builder by their ids", async () => {
  await using at = await built(() => html("<title>Seen</title>"));
  for (const id of [at.livePage.uuid, at.live.id]) {
    const seen = await at.gw.call<Args>("view_live", { site_id: "open", id });
    assert.equal(seen["title"], "Seen");
  }
  await at.gw.refuses(
    "view_live",
    { site_id: "open", id: at.draft.id },
    "E_BAD_INPUT",
    /visitors do not see it/,
  );
  await at.gw.refuses("view_live", { site_id: "closed", path: "/" }, "E_BAD_INPUT", /has no base_url/);
});

Deno.test("publishing on a site builder tells what visitors get, and without an address that nobody knows", async () => {
  await using at = await built(() => html("<h1>Before</h1>"));
  const answer = await at.gw.call("publish_post", { site_id: "open", post_id: at.draft.id, confirm: true });
  const { proof } = parted(answer);
  assert.equal(proof.live?.as_expected, true);
  assert.equal(at.visits.length, 2);
  await using bare = await dudaWorld();
  const other = await bare.gw.call("publish_post", {
    site_id: "open",
    post_id: bare.draft.id,
    confirm: true,
  });
  assert.match(parted(other).proof.live_reason!, /no base_url/);
});
