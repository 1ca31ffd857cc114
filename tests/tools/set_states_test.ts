/** Items of a set on the same post: what the items before have changed, or made public, is no drift. */
import assert from "node:assert/strict";
import { PNG } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { type SeoOptions, type SeoWorld, seoWorld } from "./_seo.ts";

interface Done {
  readonly confirm_token: string;
  readonly state: string;
  readonly warnings: readonly string[];
  readonly items: readonly {
    readonly state: string;
    readonly tier?: number;
    readonly plan?: string;
    readonly warnings?: readonly string[];
    readonly error?: { readonly code: string; readonly message: string };
  }[];
}

type Change = readonly [tool: string, args: Record<string, unknown>];

const AT = "2026-12-24T10:00:00Z";
const LATER = "2026-12-31T10:00:00Z";
const ARTICLE = { "@context": "https://schema.org", "@type": "Article", name: "x" };
const TERMS = { content_html: "<p>x</p>", tags: ["Of the set"], categories: ["Also of the set"] };
const FROM = { post_id: { $from: 1 } };

/** Sets, by what they do; of `post_id: null` the post is a draft that is there. */
const SETS: Readonly<Record<string, readonly Change[]>> = {
  "a new name, then publish": [["update_draft", { title: "Other" }], ["publish_post", {}]],
  "SEO fields, then publish": [["set_seo_meta", { title: "Seo" }], ["publish_post", {}]],
  "structured data, then publish": [["set_seo_schema", { schema: ARTICLE }], ["publish_post", {}]],
  "publish, then SEO fields and structured data": [
    ["publish_post", {}],
    ["set_seo_meta", { title: "Seo" }],
    ["set_seo_schema", { schema: ARTICLE }],
  ],
  "two entries of structured data": [
    ["set_seo_schema", { schema: ARTICLE }],
    ["set_seo_schema", { schema: { ...ARTICLE, "@type": "Offer" } }],
  ],
  "publish, then a correction": [["publish_post", {}], ["revise_published", { title: "Corrected" }]],
  "schedule, another moment, SEO fields, another text, and back": [
    ["schedule_draft", { scheduled_at: AT }],
    ["schedule_draft", { scheduled_at: LATER }],
    ["set_seo_meta", { title: "Seo" }],
    ["update_draft", { excerpt: "Short" }],
    ["unschedule", {}],
  ],
  "two drafts that make the same terms": [
    ["create_draft", { title: "One", ...TERMS }],
    ["create_draft", { title: "Two", ...TERMS }],
  ],
  "a category, then a draft in it": [
    ["create_taxonomy", { taxonomy: "category", name: "Fresh" }],
    ["create_draft", { title: "In it", content_html: "<p>x</p>", categories: ["Fresh"] }],
  ],
  "a new post, its SEO fields, published, described": [
    ["create_draft", { title: "New", content_html: "<p>x</p>" }],
    ["set_seo_meta", { ...FROM, title: "Seo" }],
    ["publish_post", FROM],
    ["set_seo_meta", { ...FROM, description: "What it is" }],
  ],
};

const MAKES = ["create_draft", "create_taxonomy"];

const changesOf = (at: SeoWorld, changes: readonly Change[]) =>
  changes.map(([tool, args]) => ({
    tool,
    arguments: { site_id: "both", ...MAKES.includes(tool) ? {} : { post_id: at.draft.id }, ...args },
  }));

async function worldOf(guarded: boolean, more: SeoOptions = {}): Promise<SeoWorld> {
  const at = await seoWorld({ ...more, ...guarded ? { guarded } : {} });
  const { username, application_password } = at.cms.users.admin;
  const { store } = at.kit.gw;
  const credentials = { cms: { username, application_password } };
  const seo = { enabled: true, channel: "plugin" } as const;
  const common = { base_url: at.cms.base_url, credentials, seo };
  const flags = { allow_publish: true, allow_seo_on_published: true };
  await store.sites.create(site("both", "cms", { ...common, flags }));
  await store.sites.create(site("publish", "cms", { ...common, flags: { allow_publish: true } }));
  return at;
}

for (const guarded of [true, false]) {
  for (const [name, sets] of Object.entries(SETS)) {
    Deno.test(`${name}, ${guarded ? "with" : "without"} the guarded routes`, async () => {
      await using at = await worldOf(guarded);
      const order = { title: name, changes: changesOf(at, sets) };
      const { confirm_token } = await at.kit.gw.call<Done>("prepare_changes", order);
      const done = await at.kit.gw.call<Done>("prepare_changes", { ...order, confirm: true, confirm_token });
      const found = done.items.map(({ state, error }) => error?.message ?? state);
      assert.deepEqual(found, sets.map(() => "done"), JSON.stringify(done));
    });
  }
}

Deno.test("what an earlier item makes public is shown as such, and needs its flag", async () => {
  await using at = await worldOf(true);
  const { gw } = at.kit;
  const changes = changesOf(at, [["publish_post", {}], ["set_seo_meta", { title: "Seo" }]]);
  const shown = await gw.call<Done>("prepare_changes", { title: "Both", changes });
  assert.deepEqual(shown.items.map(({ tier }) => tier), [3, 3]);
  assert.deepEqual(shown.items[1]!.warnings, [
    "item 1 publishes it, and visitors get this change at once",
  ]);
  const lesser = changes.map((one) => ({ ...one, arguments: { ...one.arguments, site_id: "publish" } }));
  const says =
    /item 2 \(set_seo_meta\): E_FORBIDDEN_OP, .*allow_seo_on_published.*because item 1 publishes it/;
  await at.kit.refuses(
    "prepare_changes",
    { title: "Both", changes: lesser },
    "E_FORBIDDEN_OP",
    says,
    "reads",
  );
});

Deno.test("what no longer fits once an earlier item is done is refused before anything is", async () => {
  await using at = await worldOf(true);
  const cases: readonly (readonly [readonly Change[], RegExp])[] = [
    [
      [["publish_post", {}], ["update_draft", { title: "Late" }]],
      /item 1 makes it published by then, and "update_draft"/,
    ],
    [[["publish_post", {}], ["schedule_draft", { scheduled_at: AT }]], /item 1 makes it published/],
    [
      [["create_draft", { title: "N", content_html: "x" }], ["unschedule", FROM]],
      /item 1 leaves it a draft by then/,
    ],
  ];
  for (const [changes, says] of cases) {
    const order = { title: "Wrong order", changes: changesOf(at, changes) };
    await at.kit.refuses("prepare_changes", order, "E_FORBIDDEN_OP", says, "reads");
  }
});

Deno.test("a person's change between two items of a set still stops the second", async () => {
  const person: { edits?: (method: string) => void } = {};
  await using at = await worldOf(true, {
    fetch: async (input, init) => {
      person.edits?.(init?.method ?? "GET");
      return await fetch(input, init);
    },
  });
  const { gw } = at.kit;
  const changes = changesOf(at, [["publish_post", {}], ["revise_published", { title: "Corrected" }]]);
  const order = { title: "Both", changes };
  const { confirm_token } = await gw.call<Done>("prepare_changes", order);
  person.edits = (method) => {
    if (at.draft.status === "publish" && method === "GET") at.draft.title = "A person's";
  };
  const done = await gw.call<Done>("prepare_changes", { ...order, confirm: true, confirm_token });
  assert.equal(done.items[1]!.error?.code, "E_STALE_PREVIEW", JSON.stringify(done));
});

Deno.test("what follows an item that failed is not begun, whatever goes on", async () => {
  await using at = await worldOf(true);
  const { gw } = at.kit;
  const changes = changesOf(at, [["publish_post", {}], ["revise_published", { title: "Corrected" }]]);
  const order = { title: "Both", changes, on_failure: "continue" };
  const { confirm_token } = await gw.call<Done>("prepare_changes", order);
  at.draft.title = "A person's";
  const done = await gw.call<Done>("prepare_changes", { ...order, confirm: true, confirm_token });
  assert.deepEqual(done.items.map(({ state }) => state), ["failed", "not_begun"], JSON.stringify(done));
});

Deno.test("an item that is not stored as it was asked for is named", async () => {
  await using at = await worldOf(true);
  const { gw } = at.kit;
  const image = { filename: "a.png", content_base64: PNG, site_id: "both" };
  await gw.call("upload_media", { ...image, confirm: true });
  const changes = [{ tool: "upload_media", arguments: { ...image, alt_text: "Other" } }];
  const order = { title: "Again", changes };
  const { confirm_token } = await gw.call<Done>("prepare_changes", order);
  const done = await gw.call<Done>("prepare_changes", { ...order, confirm: true, confirm_token });
  assert.equal(done.warnings[0], "Item 1: done, but not as it was asked for");
  assert.match(done.warnings[1] ?? "", /^Item 1: alt_text: not set/);
});

Deno.test("a reason that several items are refused for is said once", async () => {
  await using at = await worldOf(true);
  const changes = changesOf(at, [["update_draft", { title: " " }], ["publish_post", {}], ["update_draft", {
    title: " ",
  }]]);
  const says =
    /^2 of 3 items cannot be done, and nothing was changed; items 1, 3 \(update_draft\): E_BAD_INPUT, title[^;]*$/;
  await at.kit.refuses("prepare_changes", { title: "Thrice", changes }, "E_BAD_INPUT", says, "reads");
});

Deno.test("a redirect to a page that the set publishes is made, though WordPress leads there by its own guess", async () => {
  await using at = await worldOf(true);
  at.draft.slug = "spring-offer";
  const made = (destination: string) => ({
    tool: "set_seo_redirect",
    arguments: { site_id: "both", source: "/spring", destination },
  });
  const order = {
    title: "Redirect",
    changes: [...changesOf(at, [["publish_post", {}]]), made("/spring-offer")],
  };
  const { confirm_token, items } = await at.kit.gw.call<Done>("prepare_changes", order);
  assert.deepEqual(items.map(({ tier }) => tier), [3, 1]);
  const done = await at.kit.gw.call<Done>("prepare_changes", { ...order, confirm: true, confirm_token });
  assert.deepEqual(done.items.map(({ state }) => state), ["done", "done"], JSON.stringify(done));
  const elsewhere = await at.kit.preview("set_seo_redirect", {
    ...made("/other").arguments,
    source: "/spring-o",
  });
  assert.equal(elsewhere.tier, 3, "visitors would be sent elsewhere than today");
});
