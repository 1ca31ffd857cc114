/** The last look at what pages send: drafts of known fields to known routes, and nothing beside. */
import assert from "node:assert/strict";
import wordpress from "../../../platforms/wordpress/connector.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";

const ROOT = "https://acme.example/wp-json";
const AUTH = { authorization: "Basic x" };
const SCOPE = "so-0123456789";

const look = (out: Partial<Outgoing>) =>
  verdict(wordpress, site({}), { method: "GET", effect: "read", url: ROOT, headers: AUTH, ...out }, {
    now: Date.parse("2026-11-21T12:00:00Z"),
  });

const read = (path: string): Partial<Outgoing> => ({ url: `${ROOT}/${path}` });
const write = (path: string, json: unknown): Partial<Outgoing> => ({
  method: "POST",
  effect: "write",
  url: `${ROOT}/${path}`,
  json,
  live: false,
});
const clone = (more: Record<string, unknown>) => ({
  template_id: 9,
  variables: { A: "x" },
  title: "x",
  ...more,
});
const code = (more: Record<string, unknown>) => ({ title: "x", html: "y", scope_class: SCOPE, ...more });

const PASSES: Record<string, Partial<Outgoing>> = {
  "a page draft": write("wp/v2/pages", {
    title: "x",
    content: "y",
    slug: "z",
    parent: 2,
    template: "t",
    status: "draft",
  }),
  "a change of a page": write("wp/v2/pages/7", { title: "x", parent: 0, template: "" }),
  "the plugin's report": read("site-ops/v1/health"),
  "the plugin's search": read("site-ops/v1/find?parts[]=a&parts[]=b&between=few&below=7"),
  "a list of what was changed since, by whom": read(
    "wp/v2/pages?modified_after=2026-01-01T00:00:00Z&site_ops_changed_not_by=0&_fields=id,site_ops_changed",
  ),
  "the plugin's report under plain permalinks": {
    url: "https://acme.example/?rest_route=/site-ops/v1/health",
  },
  "the plugin's report under another name of the API": { url: "https://acme.example/api/site-ops/v1/health" },
  "a page from code": write("site-ops/v1/code-pages", code({ slug: "s", parent: 2, css: "", js: "" })),
  "a look at one": read("site-ops/v1/code-pages/7"),
  "a change of one": write("site-ops/v1/code-pages/7", { title: "x", html: "", css: "", js: "" }),
  "templates": read("site-ops/v1/builder/templates?search=a&page=1&per_page=20"),
  "a template": read("site-ops/v1/builder/templates/9"),
  "a clone": write("site-ops/v1/builder/pages", clone({ slug: "s", parent: 2 })),
  "a clone over a page": write("site-ops/v1/builder/pages/7", clone({})),
};

const REFUSED: Record<string, Partial<Outgoing>> = {
  "a write to the plugin's search": write("site-ops/v1/find", { parts: ["a"] }),
  "the plugin's search with a pattern": read("site-ops/v1/find?pattern=.*"),
  "what is below the plugin's search": read("site-ops/v1/find/7"),
  "a page made public": write("wp/v2/pages", { title: "x", status: "publish" }),
  "a page without a state": write("wp/v2/pages", { title: "x" }),
  "a page made scheduled": write("wp/v2/pages", {
    title: "x",
    status: "future",
    date_gmt: "2030-01-01T00:00:00Z",
  }),
  "a page with a date": write("wp/v2/pages", { title: "x", status: "draft", date: "2030-01-01T00:00:00" }),
  "a page with meta": write("wp/v2/pages", { title: "x", status: "draft", meta: { _site_ops_js: "x" } }),
  "a page with a password": write("wp/v2/pages", { title: "x", status: "draft", password: "x" }),
  "a page with an author": write("wp/v2/pages", { title: "x", status: "draft", author: 2 }),
  "a change of a page with a state": write("wp/v2/pages/7", { title: "x", status: "publish" }),
  "a change of a page's terms": write("wp/v2/pages/7", { tags: [1] }),
  "a change of a page's meta": write("wp/v2/pages/7", { meta: {} }),
  "a parent of a post": write("wp/v2/posts/7", { parent: 2 }),
  "a page from code with a state": write("site-ops/v1/code-pages", code({ status: "publish" })),
  "a page from code without a class": write("site-ops/v1/code-pages", { title: "x", html: "y" }),
  "a page from code with another class": write("site-ops/v1/code-pages", code({ scope_class: "so-0 x" })),
  "a page from code whose HTML is no text": write("site-ops/v1/code-pages", code({ html: { raw: "x" } })),
  "a page from code below a name": write("site-ops/v1/code-pages", code({ parent: "2" })),
  "a change of one with a class": write("site-ops/v1/code-pages/7", { scope_class: SCOPE }),
  "a change of one with a slug": write("site-ops/v1/code-pages/7", { slug: "x" }),
  "a change of one with a state": write("site-ops/v1/code-pages/7", { html: "x", status: "publish" }),
  "a page from code by its query": write("site-ops/v1/code-pages?status=publish", code({})),
  "a clone without a template": write("site-ops/v1/builder/pages", { variables: {}, title: "x" }),
  "a clone of a name": write("site-ops/v1/builder/pages", clone({ template_id: "9" })),
  "a clone with a list of variables": write("site-ops/v1/builder/pages", clone({ variables: ["x"] })),
  "a clone with variables that are no texts": write(
    "site-ops/v1/builder/pages",
    clone({ variables: { A: { b: 1 } } }),
  ),
  "a clone with a state": write("site-ops/v1/builder/pages", clone({ status: "publish" })),
  "a template written": write("site-ops/v1/builder/templates/9", { title: "x" }),
  "a template deleted": { ...read("site-ops/v1/builder/templates/9"), method: "DELETE", effect: "write" },
  "a code page put": { ...write("site-ops/v1/code-pages/7", { html: "x" }), method: "PUT" },
  "a route of the plugin nobody knows": read("site-ops/v1/options"),
  "a route that climbs": read("site-ops/v1/code-pages/7/../../../wp/v2/settings"),
  "a list of code pages": read("site-ops/v1/code-pages"),
};

for (const [what, out] of Object.entries(PASSES)) {
  Deno.test(`of pages a CMS may be sent ${what}`, () => {
    assert.equal(look(out), "passes");
  });
}

for (const [what, out] of Object.entries(REFUSED)) {
  Deno.test(`of pages a CMS is never sent ${what}`, () => {
    assert.match(look(out), /was not sent: /);
  });
}
