/** The last look at what SEO sends: known fields to known routes, and nothing of published posts without leave. */
import assert from "node:assert/strict";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import wordpress from "../../../platforms/wordpress/connector.ts";
import type { Site } from "../../../core/model.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";

const ROOT = "https://acme.example/wp-json";
const AUTH = { authorization: "Basic x" };
const PLAIN = site({});
const LIVE = site({ flags: { ...PLAIN.flags, allow_seo_on_published: true } });

const look = (out: Partial<Outgoing>, on: Site) =>
  verdict(wordpress, on, { method: "GET", effect: "read", url: ROOT, headers: AUTH, ...out }, {
    now: Date.parse("2026-11-21T12:00:00Z"),
  });

const read = (path: string): Partial<Outgoing> => ({ url: `${ROOT}/${path}` });
const write = (path: string, json: unknown, method: "POST" | "PUT" = "POST"): Partial<Outgoing> => ({
  method,
  effect: "write",
  url: `${ROOT}/${path}`,
  json,
});
const plugin = (path: string, json: unknown) => write(`site-ops/v1/seo/${path}`, json);
const seopress = (part: string, json: unknown) => write(`seopress/v1/posts/7/${part}`, json, "PUT");
const rankMath = (meta: unknown, more = {}) =>
  write("rankmath/v1/updateMeta", { objectType: "post", objectID: 7, meta, ...more });
const yoast = (meta: unknown, more = {}) => write("wp/v2/posts/7", { meta, ...more });
const redirect = (more: Record<string, unknown>) =>
  plugin("redirects", { source: "/a", destination: "/b", status: 301, ...more });

const PASSES: Record<string, Partial<Outgoing>> = {
  "fields": read("site-ops/v1/seo/meta/7"),
  "structured data": read("site-ops/v1/seo/schema/7"),
  "redirects": read("site-ops/v1/seo/redirects?source=%2Fa"),
  "the sitemap": read("site-ops/v1/seo/sitemap"),
  "the sitemap under plain permalinks": { url: "https://acme.example/?rest_route=/site-ops/v1/seo/sitemap" },
  "SEOPress's texts": read("seopress/v1/posts/7/title-description-metas"),
  "SEOPress's switches": read("seopress/v1/posts/7/meta-robot-settings"),
  "SEOPress's texts under another name of the API": {
    url: "https://acme.example/api/seopress/v1/posts/7/social-settings",
  },
  "a change of fields": plugin("meta/7", {
    title: "x",
    canonical: "",
    robots: { noindex: true },
    og: { title: "", image: "" },
    twitter: { description: "x" },
  }),
  "new structured data": plugin("schema/7", { schema: { "@type": "A" } }),
  "other structured data": plugin("schema/7", { schema: [{ "@type": "A" }], entry_id: "so-1" }),
  "a redirect": redirect({ status: 308 }),
  "a rebuild": plugin("sitemap/rebuild", {}),
  "SEOPress's texts written": seopress("title-description-metas", { title: "x", description: "" }),
  "SEOPress's keywords written": seopress("target-keywords", { _seopress_analysis_target_kw: "a" }),
  "SEOPress's switches written": seopress("meta-robot-settings", { _seopress_robots_index: "yes" }),
  "Rank Math's fields written": rankMath({ rank_math_title: "x", rank_math_robots: ["index", "nofollow"] }),
  "Yoast's fields written": yoast({ _yoast_wpseo_title: "x", _yoast_wpseo_metadesc: "" }),
};

const REFUSED: Record<string, Partial<Outgoing>> = {
  "fields with a state": plugin("meta/7", { title: "x", post_status: "publish" }),
  "a field that is no text": plugin("meta/7", { title: { raw: "x" } }),
  "a field nobody knows": plugin("meta/7", { og: { url: "x" } }),
  "a switch nobody knows": plugin("meta/7", { robots: { index: true } }),
  "a switch that is no switch": plugin("meta/7", { robots: { noindex: "yes" } }),
  "fields of a post by name": plugin("meta/x", { title: "x" }),
  "fields without a list": plugin("meta/7", ["title"]),
  "structured data as text": plugin("schema/7", { schema: "{}" }),
  "structured data with a state": plugin("schema/7", { schema: {}, status: "publish" }),
  "a redirect with another status": redirect({ status: 303 }),
  "a redirect with a status as text": redirect({ status: "301" }),
  "a redirect with a line break": redirect({ destination: "/b\r\nX: y" }),
  "a redirect with a pattern": redirect({ comparison: "regex" }),
  "a rebuild with arguments": plugin("sitemap/rebuild", { all: true }),
  "a redirect by its query": { ...redirect({}), url: `${ROOT}/site-ops/v1/seo/redirects?source=/x` },
  "a redirect changed by number": plugin("redirects/7", { status: 301 }),
  "a redirect put": write(
    "site-ops/v1/seo/redirects",
    { source: "/a", destination: "/b", status: 301 },
    "PUT",
  ),
  "SEOPress's texts posted": write("seopress/v1/posts/7/title-description-metas", { title: "x" }),
  "SEOPress's redirects": seopress("redirection-settings", { _seopress_redirections_enabled: "yes" }),
  "SEOPress's redirects read": read("seopress/v1/posts/7/redirection-settings"),
  "SEOPress's options": write("seopress/v1/options/titles-settings", {}, "PUT"),
  "another field of SEOPress": seopress("meta-robot-settings", { _seopress_robots_primary_cat: "3" }),
  "fields on the wrong route of SEOPress": seopress("target-keywords", { title: "x" }),
  "a post put": write("wp/v2/posts/7", { title: "x" }, "PUT"),
  "Rank Math's permalink": rankMath({ permalink: "x" }),
  "Rank Math's schemas": write("rankmath/v1/updateSchemas", { objectType: "post", objectID: 7 }),
  "Rank Math's fields of a term": rankMath({ rank_math_title: "x" }, { objectType: "term" }),
  "Rank Math's fields of no number": rankMath({ rank_math_title: "x" }, { objectID: "7" }),
  "Rank Math's switches nobody knows": rankMath({ rank_math_robots: ["all"] }),
  "more beside Rank Math's fields": rankMath({}, { content: "x" }),
  "Rank Math's head": read("rankmath/v1/getHead?url=x"),
  "other meta": yoast({ _wp_page_template: "x" }),
  "a slug as meta": yoast({ _yoast_wpseo_title: ["x"] }),
  "meta with a title": yoast({ _yoast_wpseo_title: "x" }, { title: "x" }),
  "meta with a state": yoast({ _yoast_wpseo_title: "x" }, { status: "publish" }),
  "meta that is a list": yoast([]),
  "meta of media": write("wp/v2/media/7", { meta: { _yoast_wpseo_title: "x" } }),
  "meta in a new post": write("wp/v2/posts", { status: "draft", meta: { _yoast_wpseo_title: "x" } }),
};

for (const [what, out] of Object.entries(PASSES)) {
  Deno.test(`of SEO a CMS is sent ${what}`, () => assert.equal(look(out, PLAIN), "passes"));
}

for (const [what, out] of Object.entries(REFUSED)) {
  Deno.test(`of SEO a CMS is never sent ${what}`, () => {
    for (const on of [PLAIN, LIVE]) assert.match(look(out, on), /was not sent: /);
  });
}

Deno.test("that a post may be published is said only where the site allows it", () => {
  const says = /was not sent: SEO of published posts needs the site's leave/;
  for (
    const [path, body] of [["meta/7", { title: "x" }], ["schema/7", { schema: { "@type": "A" } }]] as const
  ) {
    const out = plugin(path, { ...body, allow_published: true });
    assert.match(look(out, PLAIN), says);
    assert.equal(look(out, LIVE), "passes");
    assert.match(look(plugin(path, { ...body, allow_published: "yes" }), LIVE), says);
  }
  assert.match(look(redirect({ allow_published: true }), LIVE), /"allow_published" is never set/);
});
