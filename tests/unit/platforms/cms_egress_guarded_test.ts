/** What the egress policy lets pass of guarded writes: what it lets pass past the plugin, and hashes beside it. */
import assert from "node:assert/strict";
import wordpress from "../../../platforms/wordpress/connector.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const GRANT = {} as PublishGrant;
const ROUTE = "https://acme.example/wp-json/site-ops/v1/guarded";
const HASH = "a".repeat(64);

function look(out: Partial<Outgoing>, genuine = true): string {
  const headers = { authorization: "Basic x" };
  const whole = { method: "GET", effect: "read", url: `${ROUTE}/posts/7`, headers, ...out } as const;
  return verdict(wordpress, site({}), whole, { granted: () => genuine, now: NOW });
}

const send = (json: unknown, more: Partial<Outgoing> = {}): Partial<Outgoing> => ({
  method: "POST",
  effect: "write",
  url: `${ROUTE}/posts/7`,
  json,
  live: false,
  ...more,
});
const write = (fields: unknown, more: object = {}, out: Partial<Outgoing> = {}) =>
  send({ expected: { title: HASH }, fields, ...more }, out);
const onPage = { url: `${ROUTE}/pages/7` };
const onRecipe = { url: `${ROUTE}/types/recipes/7` };
const granted = { grant: GRANT };
const marked = { allow_publish: true };
const LATER = "2026-11-21T13:00:00Z";

const PASSES: Record<string, Partial<Outgoing>> = {
  "a read of a post": {},
  "a read of a page": onPage,
  "fields of a post": write({ title: "x", content: "y", tags: [1], author: 2 }),
  "fields of a page": write({ title: "x", parent: 3, template: "wide" }, {}, onPage),
  "a schedule": write({ status: "future", date_gmt: LATER }),
  "a draft without its date": write({ status: "draft", date: null }),
  "a publication under a grant, marked": write({ status: "publish" }, marked, granted),
  "fields of what is live under a grant, marked": write({ title: "x" }, marked, { ...granted, live: true }),
  "a read of content of a type of the site's own": onRecipe,
  "fields of it": write({ title: "x", tags: [1] }, {}, onRecipe),
  "its publication under a grant, marked": write({ status: "publish" }, marked, { ...granted, ...onRecipe }),
  "those of a page": write({ content: "x" }, marked, { ...granted, ...onPage, live: true }),
};
const REFUSED: Record<string, Partial<Outgoing>> = {
  "a publication without a grant": write({ status: "publish" }, marked),
  "a publication that is not marked": write({ status: "publish" }, {}, granted),
  "what is live without a grant": write({ title: "x" }, marked, { live: true }),
  "what is live unmarked": write({ title: "x" }, {}, { ...granted, live: true }),
  "a slug of what is live": write({ slug: "x" }, marked, { ...granted, live: true }),
  "a state of what is live": write({ status: "publish" }, marked, { ...granted, live: true }),
  "a mark on something else": write({ title: "x" }, marked, granted),
  "a mark on a schedule": write({ status: "future", date_gmt: LATER }, marked, granted),
  "a mark that is no yes": write({ status: "publish" }, { allow_publish: 1 }, granted),
  "a publication with other fields": write({ status: "publish", title: "x" }, marked, granted),
  "a state in capitals": write({ status: "PUBLISH" }, marked, granted),
  "a private state": write({ status: "private" }),
  "a state without a value": write({ status: undefined }),
  "a schedule too close": write({ status: "future", date_gmt: "2026-11-21T12:00:59Z" }),
  "a schedule without a date": write({ status: "future" }),
  "a date alone": write({ date_gmt: LATER }),
  "meta": write({ meta: { x: 1 } }),
  "a password": write({ password: "x" }),
  "a page's field on a post": write({ parent: 3 }),
  "a post's field on a page": write({ tags: [1] }, {}, onPage),
  "a page's field on a type's own": write({ parent: 3 }, {}, onRecipe),
  "a publication of a type's own without a grant": write({ status: "publish" }, marked, onRecipe),
  ...Object.fromEntries(
    [
      "types/products/x",
      "types/product/7",
      "types/blocks/7",
      "types/posts/7",
      "types/pages/7",
      "types/users/7",
      "types/recipes",
      "types/recipes/07",
      "types/recipes/7/revisions",
      "types//7",
      "types/a.b/7",
    ].flatMap((path) => [
      [`a read at ${path}`, { url: `${ROUTE}/${path}` }],
      [`a write at ${path}`, write({ title: "x" }, {}, { url: `${ROUTE}/${path}` })],
    ]),
  ),
  "no fields": write({}),
  "fields that are a list": write([]),
  "nothing expected": send({ expected: {}, fields: { title: "x" } }),
  "an expectation that is no hash": send({ expected: { title: "x" }, fields: { title: "x" } }),
  "fields outside": send({ expected: { title: HASH }, fields: { title: "x" }, status: "publish" }, granted),
  "another id in the body": write({ title: "x" }, { id: 9 }),
  "a name in the query": write({ title: "x" }, {}, { url: `${ROUTE}/posts/7?status=publish` }),
  "another kind": { url: `${ROUTE}/media/7` },
  "an id that is none": { url: `${ROUTE}/posts/07` },
  "a PUT": write({ title: "x" }, {}, { method: "PUT" }),
};

for (const [name, out] of Object.entries(PASSES)) {
  Deno.test(`a guarded request passes: ${name}`, () => assert.equal(look(out), "passes"));
}
for (const [name, out] of Object.entries(REFUSED)) {
  Deno.test(`a guarded request is never sent: ${name}`, () => assert.notEqual(look(out), "passes"));
}
const TWINS: Readonly<Record<string, [path: string, body: Record<string, unknown>]>> = {
  "SEO fields": ["seo/meta/7", { title: "x", robots: { noindex: true } }],
  "structured data": ["seo/schema/7", { schema: { "@type": "A" }, entry_id: "so-1" }],
  "a redirect": ["seo/redirects", { source: "/a", destination: "/b", status: 301 }],
  "custom schema": ["schema/entries/7", { value: "{}", expect_value_type: "string" }],
  "a page from code": ["code-pages", { title: "x", slug: "x", html: "y", scope_class: "so-0123456789" }],
  "its parts": ["code-pages/7", { css: "x" }],
  "a clone": ["builder/pages", { title: "x", template_id: 3, variables: { A: "b" } }],
  "a page cloned anew": ["builder/pages/7", { template_id: 3, variables: {} }],
};
for (const [name, [path, body]] of Object.entries(TWINS)) {
  Deno.test(`a guarded write of the plugin's own is judged as without the guard: ${name}`, () => {
    const url = `${ROUTE}/${path}`;
    const expected = { title: HASH };
    assert.equal(look(send({ ...body, expected }, { url })), "passes");
    assert.equal(look({ url }), "passes", "and is read there");
    for (
      const json of [
        body,
        { ...body, expected: {} },
        { ...body, expected: { title: "x" } },
        { ...body, expected: [HASH] },
        { ...body, expected, status: "publish" },
        { ...body, expected, post_status: "publish" },
        { ...body, expected, allow_published: true },
        { ...body, expected, allow_publish: true },
        { expected: { body }, ...body },
        [expected],
      ]
    ) {
      assert.notEqual(look(send(json, { url })), "passes", JSON.stringify(json));
    }
    assert.notEqual(look(send({ ...body, expected }, { url, method: "PUT" })), "passes");
    assert.notEqual(look(send({ ...body, expected }, { url: `${url}?title=x` })), "passes");
  });
}
Deno.test("what has no guard is not written below guarded/ either", () => {
  const sends = ["seo/sitemap/rebuild", "health", "media/7"].map((path) => `${ROUTE}/${path}`);
  for (const url of sends) assert.notEqual(look(send({ expected: { title: HASH } }, { url })), "passes", url);
});
Deno.test("a grant that nobody made publishes nothing through the plugin either", () => {
  assert.match(look(write({ status: "publish" }, marked, granted), false), /not genuine/);
});
