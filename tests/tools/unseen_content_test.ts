/** Content that a visual builder would keep from being seen is refused, however the site tells that it does. */
import assert from "node:assert/strict";
import type { Post } from "../../sandbox/wordpress_standin/state.ts";
import type { Args } from "../cms_kit.ts";
import { addCompanionPages } from "../../sandbox/wordpress_standin/companion_pages.ts";
import { pagesWorld } from "./_pages.ts";
import { world } from "./_stand_in.ts";

const MODE = "_elementor_edit_mode";

/** What an Elementor puts out that opens none of its meta to REST. */
function takeOver(post: Post): void {
  post.built = `<div data-elementor-type="wp-page" data-elementor-id="${post.id}">A layout</div>`;
}

interface Planned {
  readonly summary: string;
  readonly warnings?: readonly string[];
}

Deno.test("a page whose builder only shows in what it puts out is not written over", async () => {
  await using at = await pagesWorld({ plugin: false });
  const args = { site_id: "acme", page_id: at.draft.id, content_html: "<p>y</p>" };
  takeOver(at.draft);
  await at.kit.preview("update_page_draft", args); // without a builder's namespace it is the theme's own markup
  at.cms.state.namespaces.push("elementor/v1");
  at.kit.gw.clock.now += 61_000;
  const says = new RegExp(
    `^Page ${at.draft.id} was taken over .*nobody would see this content_html: .*clone it anew .*block editor`,
  );
  for (const confirm of [false, true]) {
    await at.kit.refuses("update_page_draft", { ...args, confirm }, "E_BUILDER_MISMATCH", says, "reads");
  }
  assert.equal(at.draft.content, "<p>Old</p>");
  const titled = { site_id: "acme", page_id: at.draft.id, title: "T" };
  await at.kit.write("mcp", "update_page_draft", titled);
  takeOver(at.scheduled);
  at.scheduled.built = at.scheduled.built!.replace(String(at.scheduled.id), "77");
  const other = { site_id: "acme", page_id: at.scheduled.id, content_html: "<p>y</p>" };
  await at.kit.preview("update_page_draft", other); // a template within the content is not the page's own
  const read = await at.kit.both<Args>("get_page", { site_id: "acme", page_id: at.draft.id });
  assert.equal(read["page_builder"], null);
});

Deno.test("a site that does not tell who shows the page is warned of, and not asked in vain where the plugin tells", async () => {
  await using at = await pagesWorld({ plugin: false });
  at.cms.state.namespaces.push("elementor/v1");
  const args = { site_id: "acme", page_id: at.draft.id, content_html: "<p>y</p>" };
  const rendered = (url: string) => url.includes("content.rendered");
  await using broken = await pagesWorld({
    plugin: false,
    fetch: (input, init) =>
      rendered(decodeURIComponent(String(input)))
        ? Promise.resolve(new Response("<p>Fatal error</p>", { status: 500 }))
        : fetch(input, init),
  });
  broken.cms.state.namespaces.push("elementor/v1");
  const unsure = await broken.kit.gw.call<Planned>("update_page_draft", {
    ...args,
    page_id: broken.draft.id,
  });
  assert.match(
    unsure.warnings!.join(),
    /^content_html: the site does not tell whether a visual builder shows it, and where one does/,
  );
  const before = at.kit.gw.requests.length;
  await at.kit.gw.call("update_page_draft", args);
  assert.ok(at.kit.gw.requests.slice(before).some(({ url }) => rendered(decodeURIComponent(url))));
  await using told = await pagesWorld();
  told.cms.state.namespaces.push("elementor/v1");
  await told.kit.gw.call("update_page_draft", { ...args, page_id: told.draft.id });
  assert.ok(!told.kit.gw.requests.some(({ url }) => rendered(decodeURIComponent(url))));
});

Deno.test("a page of the visual builder reads as such where the plugin or the builder tells", async () => {
  await using at = await pagesWorld();
  const read = async () =>
    (await at.kit.both<Args>("get_page", { site_id: "acme", page_id: at.draft.id }))["page_builder"];
  assert.equal(await read(), "block");
  at.draft.meta[MODE] = "builder";
  assert.equal(await read(), "visual");
  at.plugin.options.visual = false;
  assert.equal(await read(), "block", "a builder that is switched off shows nothing");
});

Deno.test("a post that the visual builder shows is not written over either", async () => {
  await using at = await world();
  addCompanionPages(at.cms.app, at.cms.state);
  const args = { site_id: "acme", post_id: at.draft.id, content_html: "<p>y</p>" };
  await at.kit.preview("update_draft", args);
  at.draft.meta[MODE] = "builder";
  for (const confirm of [false, true]) {
    const says =
      /^Post \d+ was taken over .*nobody would see this content_html: .*block editor in the CMS first$/;
    await at.kit.refuses("update_draft", { ...args, confirm }, "E_BUILDER_MISMATCH", says, "reads");
  }
  await at.kit.write("rest", "update_draft", { site_id: "acme", post_id: at.draft.id, title: "T" });
  assert.ok(
    !("page_builder" in await at.kit.both<Args>("get_post", { site_id: "acme", post_id: at.draft.id })),
  );
});

Deno.test("a page that was given back to the block editor is read and written as its own text, whatever the builder keeps", async () => {
  for (const plugin of [{}, false] as const) {
    await using at = await pagesWorld({ plugin });
    at.cms.state.namespaces.push("elementor/v1");
    const kept = '[{"id":"1234567","elType":"container","settings":{},"elements":[]}]';
    Object.assign(at.draft.meta, { ...(plugin ? { [MODE]: "" } : {}), _elementor_data: kept });
    const page = { site_id: "acme", page_id: at.draft.id };
    const read = await at.kit.both<Args>("get_page", page);
    assert.deepEqual([read["page_builder"], read["content_html"]], [plugin ? "block" : null, "<p>Old</p>"]);
    const args = { ...page, content_html: "<p>New</p>", confirm: true };
    const done = await at.kit.gw.call<Args>("update_page_draft", args);
    assert.equal(done["verified"], true, JSON.stringify(done));
    assert.match(at.draft.content, /<p>New<\/p>/);
    assert.equal(at.draft.meta["_elementor_data"], kept);
  }
});
