/** The root of a site's API comes from the site: nothing but a place on its own host is taken from it. */
import assert from "node:assert/strict";
import { cmsPolicy } from "../../platforms/wordpress/egress.ts";
import type { Outgoing } from "../../platforms/_http/request.ts";
import { site } from "../unit/platforms/_site.ts";
import { type World, world } from "../tools/_stand_in.ts";

/** A world whose front page names that root, `BASE` standing for its address. */
async function rooted(root: string): Promise<World> {
  return await world({
    async fetch(input, init) {
      if (init?.method !== "HEAD") return await fetch(input, init);
      const link = `<${root.replace("BASE", new URL(String(input)).origin)}>; rel="https://api.w.org/"`;
      return new Response(null, { headers: { link } });
    },
  });
}

const ROOTS = [
  "BASE/wp-json/?status=publish",
  "BASE/wp-json/?date_gmt=2020-01-01T00:00:00&_method=DELETE&lang=en",
  "BASE/index.php?rest_route=/&status=publish",
  "http://evil.example/wp-json/?status=publish#x",
];

for (const root of ROOTS) {
  Deno.test(`a draft changed under the root ${root} stays a draft`, async () => {
    await using at = await rooted(root);
    const args = { site_id: "acme", post_id: at.draft.id, title: "Changed", confirm: true };
    const made = await at.kit.gw.call<{ status: string }>("update_draft", args);
    assert.equal(made.status, "draft");
    assert.equal(at.cms.posts.get(at.draft.id)?.status, "draft");
    for (const { query } of at.cms.writes) {
      assert.deepEqual(Object.keys(query).filter((name) => !["_fields", "rest_route"].includes(name)), []);
    }
  });
}

Deno.test("a root whose path looks like a host stays on the site's own", async () => {
  await using at = await rooted("BASE//evil.example/wp-json/");
  await at.kit.gw.end("get_post", { site_id: "acme", post_id: at.draft.id });
  assert.deepEqual([...new Set(at.kit.gw.requests.map(({ url }) => new URL(url).origin))], [at.cms.base_url]);
});

Deno.test("a write carries no query that a CMS would take for a field", () => {
  const CTX = { site: site({}), settings: {}, now: 0 };
  const write = (query: string, path = "/wp-json/wp/v2/posts/7"): Outgoing => ({
    method: "POST",
    effect: "write",
    url: `https://acme.example${path}?${query}`,
    json: { title: "x" },
    live: false,
  });
  for (const name of ["status", "slug[]", "search", "page", "order", "context", "include[]", "roles[]"]) {
    assert.match(cmsPolicy(write(`${name}=publish`), CTX) ?? "", /its query names/, name);
  }
  assert.equal(cmsPolicy(write("_fields=id"), CTX), null);
  assert.equal(cmsPolicy(write("rest_route=/wp/v2/posts/7&_fields=id", "/index.php"), CTX), null);
});
