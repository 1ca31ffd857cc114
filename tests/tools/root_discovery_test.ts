/** Where a site's API begins is found out once, whatever asks and however many ask at once. */
import assert from "node:assert/strict";
import type { KitOptions } from "../kit.ts";
import type { WordPressOptions } from "../../sandbox/wordpress_standin/start.ts";
import { world } from "./_stand_in.ts";

const CODE = { title: "Coded", html: "<p>Hi</p>" };

/** A call of every kind of client of the site: posts, people, SEO, structured data, pages, code pages, a write. */
const calls = (draft: number) =>
  [
    ["get_post", { post_id: draft }],
    ["list_drafts", {}],
    ["list_cms_users", {}],
    ["get_seo_meta", { post_id: draft }],
    ["get_custom_schema", { id: draft }],
    ["list_page_templates", {}],
    ["create_page_from_code", CODE],
    ["ping_site", {}],
    ["list_taxonomies", { taxonomy: "tag" }],
    ["create_draft", { title: "Made", content_html: "<p>Text</p>", confirm: true }],
  ] as const;

const isDiscovery = ({ method }: { readonly method: string }) => method === "HEAD";

async function opened(options: KitOptions = {}, site: WordPressOptions = {}) {
  const one = await world(options, site);
  await one.kit.gw.store.sites.update("open", {
    seo: { enabled: true, channel: "plugin" },
    available_builders: ["block", "visual"],
  });
  return one;
}

Deno.test("ten tools one after another find the root of a site's API once", async () => {
  await using one = await opened();
  const { gw } = one.kit;
  for (const [tool, args] of calls(one.draft.id)) {
    const before = gw.requests.length;
    await gw.end(tool, { site_id: "open", ...args });
    assert.ok(gw.requests.length > before, `${tool} asked the site`);
  }
  assert.equal(gw.requests.filter(isDiscovery).length, 1);
});

Deno.test("ten tools at once find the root of a site's API once, and another site's once more", async () => {
  await using one = await opened();
  const { gw } = one.kit;
  const answers = await Promise.all(
    calls(one.draft.id).map(([tool, args]) => gw.end(tool, { site_id: "open", ...args })),
  );
  const lacking = answers.filter((answer) => "code" in answer && !/_REQUIRED$/.test(answer.code));
  assert.deepEqual(lacking, [], "every one was answered by the site, with what it has or lacks");
  assert.equal(gw.requests.filter(isDiscovery).length, 1);
  await Promise.all([1, 2, 3].map(() => gw.call("list_drafts", { site_id: "acme" })));
  assert.equal(gw.requests.filter(isDiscovery).length, 2);
  gw.clock.now += 1000;
  await gw.store.sites.update("open", { name: "Renamed" });
  await gw.call("list_drafts", { site_id: "open" });
  assert.equal(gw.requests.filter(isDiscovery).length, 3, "a site that changed is asked anew");
});

Deno.test("of a site that answers nothing of use, one call at a time finds that out, and the next call asks anew", async () => {
  let down = true;
  let [atOnce, most] = [0, 0];
  await using one = await opened({
    async fetch(input, init) {
      const request = new Request(input, init);
      if (!down) return await fetch(request);
      if (!isDiscovery(request)) return new Response("", { status: 404 });
      most = Math.max(most, ++atOnce);
      await Promise.resolve();
      atOnce--;
      return new Response("", { status: 404 });
    },
  });
  const { gw } = one.kit;
  const list = () => gw.end("list_drafts", { site_id: "open" });
  for (const answer of await Promise.all(Array.from({ length: 10 }, list))) {
    assert.ok("code" in answer && answer.code === "E_UPSTREAM", JSON.stringify(answer));
  }
  assert.equal(most, 1);
  down = false;
  const before = gw.requests.filter(isDiscovery).length;
  assert.ok("value" in await list());
  assert.equal(gw.requests.filter(isDiscovery).length, before + 1);
});

Deno.test("a front page that is refused does not keep the API from being found, with plain permalinks too", async () => {
  const shut: typeof fetch = async (input, init) => {
    if (init?.method !== "HEAD") return await fetch(input, init);
    return new Response(null, { status: 403 });
  };
  for (const plain_permalinks of [false, true]) {
    await using one = await opened({ fetch: shut }, { plain_permalinks });
    const { done } = await one.kit.write("rest", "create_draft", {
      site_id: "open",
      title: "T",
      content_html: "x",
    });
    assert.equal(done.status, "draft");
  }
});
