/** What the egress policy lets pass to a CMS: a short list of routes, names and states, and nothing else. */
import assert from "node:assert/strict";
import wordpress from "../../../platforms/wordpress/connector.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";
import web from "../../../platforms/web/connector.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const GRANT = {} as PublishGrant;
const API = "https://acme.example/wp-json/wp/v2";
const SHOP = "https://acme.example/wp-json/shop/v3";
const AUTH = { authorization: "Basic x" };
const IMAGE = { ...AUTH, "content-type": "image/png", "content-disposition": 'attachment; filename="a.png"' };

function attempt(
  out: Partial<Outgoing>,
  connector: typeof wordpress | typeof web = wordpress,
  grant = true,
): string {
  const whole = { method: "GET", effect: "read", url: `${API}/posts/7`, headers: AUTH, ...out } as const;
  return verdict(connector, site({}), whole, { granted: () => grant, now: NOW });
}

const write = (path: string, json: unknown, more: Partial<Outgoing> = {}): Partial<Outgoing> => ({
  method: "POST",
  effect: "write",
  url: `${API}/${path}`,
  json,
  live: false,
  ...more,
});
const update = (json: unknown, more: Partial<Outgoing> = {}) => write("posts/7", json, more);

const ID = "0123456789abcdef".repeat(2);
/** What stood there, written back under that header. */
const back = (hold: string, more: Partial<Outgoing> = {}): Partial<Outgoing> => ({
  method: "POST",
  effect: "write",
  url: "https://acme.example/wp-json/site-ops/v1/setbacks",
  headers: { ...AUTH, ...hold === "" ? {} : { "x-site-ops-hold": hold } },
  json: { image: "x" },
  ...more,
});

const PASSES: Record<string, Partial<Outgoing>> = {
  "a post": {},
  "a list": {
    url: `${API}/posts?status=draft,future&context=edit&orderby=modified&order=desc&page=1&per_page=20`,
  },
  "a list of revisions": { url: `${API}/posts/7/revisions?context=edit&offset=10&per_page=13&include[]=8` },
  "a post with its terms": { url: `${API}/posts/7?_embed=wp:term` },
  "a post with its terms and its author": { url: `${API}/posts/7?_embed=wp:term,author` },
  "terms by slug": { url: `${API}/tags?slug[]=a&slug[]=b&_fields=id,name` },
  "the index": { url: "https://acme.example/wp-json/" },
  "the index of plain permalinks": { url: "https://acme.example/index.php?rest_route=/&_fields=name" },
  "a post of plain permalinks": {
    url: "https://acme.example/index.php?rest_route=/wp/v2/posts/7&context=edit",
  },
  "a site in a folder": { url: "https://acme.example/blog/wp-json/wp/v2/posts/7" },
  "the index under another name": { url: "https://acme.example/api/?_fields=name,namespaces" },
  "another name of the API": { url: "https://acme.example/api/wp/v2/posts/7" },
  "the types of posts": { url: `${API}/types?context=edit` },
  "what of a plugin's type is public": {
    url: "https://acme.example/wp-json/shop/v3/works?orderby=modified&order=desc&per_page=100" +
      "&status=publish,future&_fields=id,status,link,date_gmt,modified_gmt",
  },
  "the front page": { method: "HEAD", url: "https://acme.example/", headers: {} },
  "content of a type of the site's own": { url: `${API}/works/7?context=edit` },
  "a list of it": { url: `${API}/works?status=draft&context=edit` },
  "a list of its revisions": { url: `${API}/works/7/revisions?context=edit` },
  "a draft of it": write("works", { title: "x", content: "y", status: "draft" }),
  "a change of it": write("works/7", { title: "x" }),
  "a publication of it under a grant": write("works/7", { status: "publish" }, { grant: GRANT }),
  "a draft": write("posts", { title: "x", content: "y", status: "draft", tags: [1] }),
  "a change": update({ title: "x", categories: [] }),
  "a schedule": update({ status: "future", date_gmt: "2026-11-21T12:01:00Z" }),
  "a schedule taken back": update({ status: "draft", date: null }),
  "a publication under a grant": update({ status: "publish" }, { grant: GRANT }),
  "one that clears a date": update({ status: "publish", date: null }, { grant: GRANT }),
  "a change of what is live under a grant": update({ title: "x", content: "y", tags: [1] }, {
    grant: GRANT,
    live: true,
  }),
  "one of a page": write("pages/9", { title: "x", content: "y", featured_media: 3 }, {
    grant: GRANT,
    live: true,
  }),
  "a page's schedule taken back": write("pages/9", { status: "draft", date: null }),
  "a tag": write("tags", { name: "x" }),
  "a tag of a language": write("tags?lang=de", { name: "x" }),
  "terms of a language": { url: `${API}/tags?slug[]=a&lang=de` },
  "an upload": { ...write("media", undefined), body: new Uint8Array(1), headers: IMAGE },
  "an image's texts": write("media/3", { alt_text: "x", post: 7 }),
  "what stood there, shown": back(`dry; id=${ID}`, { effect: "read" }),
  "a draft set back": back(`hold; id=${ID}; allow=draft,own; expect=${ID}`),
  "what is live set back under a grant": back(
    `hold; id=${ID}; allow=draft,live,structure,site,settings,own; expect=${ID}`,
    { grant: GRANT },
  ),
};

const REFUSED: Record<string, Partial<Outgoing>> = {
  "what stood there, without a hold": back(""),
  "what stood there, not as it was shown": back(`hold; id=${ID}; allow=draft,own`),
  "what stood there, with another kind of effect": back(`hold; id=${ID}; allow=draft,code,own; expect=${ID}`),
  "what is live set back without a grant": back(
    `hold; id=${ID}; allow=draft,live,structure,site,settings,own; expect=${ID}`,
  ),
  "what stood there, as a write that is only shown": back(`dry; id=${ID}`),
  "what stood there, with another field": back(`hold; id=${ID}; allow=draft,own; expect=${ID}`, {
    json: { image: "x", rows: [] },
  }),
  "drafts of a plugin's type at a place of its own": {
    url: `${SHOP}/works?status=draft&_fields=id,status,link,date_gmt,modified_gmt`,
  },
  "more of such a type": { url: `${SHOP}/works?status=publish&_fields=id,content` },
  "a record of such a type": {
    url: `${SHOP}/works/7?status=publish&_fields=id,status,link,date_gmt,modified_gmt`,
  },
  ...Object.fromEntries(
    ["settings", "users", "blocks", "templates", "navigation", "menu-items", "comments", "product", "PRODUCT"]
      .flatMap((
        base,
      ): [string, Partial<Outgoing>][] => [
        [`a draft at ${base}`, write(base, { title: "x", status: "draft" })],
        [`a change at ${base}`, write(`${base}/7`, { title: "x" })],
        [`a publication at ${base}`, write(`${base}/7`, { status: "publish" }, { grant: GRANT })],
      ]),
  ),
  "revisions of a type's content written": write("works/7/revisions", { title: "x" }),
  "a revision of a type's content by its own address": { url: `${API}/works/7/revisions/8` },
  "what is below a type's content": write("works/7/parts", { title: "x" }),
  "a type's content by no number": write("works/07", { title: "x" }),
  "a type's content that is no draft": write("works", { title: "x", status: "publish" }),
  "a type's content published without a grant": write("works/7", { status: "publish" }),
  "a type's own field": write("works/7", { price: 1 }),
  "a type's content taken away": { method: "DELETE", effect: "write", url: `${API}/works/7` },
  "DELETE": { method: "DELETE", effect: "write" },
  "a post with anything else along with it": { url: `${API}/posts/7?_embed=wp:term,replies` },
  "a write with anything along with it": update({ title: "x" }, { url: `${API}/posts/7?_embed=wp:term` }),
  "DELETE by query": update({}, { url: `${API}/posts/7?_method=DELETE` }),
  "force": update({}, { url: `${API}/posts/7?force=true` }),
  "force in the body": update({ force: true }),
  "PUT": update({ title: "x" }, { method: "PUT" }),
  "PATCH": update({ title: "x" }, { method: "PATCH" }),
  "a write called a read": update({ title: "x" }, { effect: "read" }),
  "a read called a write": { effect: "write" },
  "a post published": update({ status: "publish" }),
  "a post published as private": update({ status: "private" }),
  "a post binned": update({ status: "trash" }),
  "a post pending": update({ status: "pending" }),
  "an unknown state": update({ status: "wc-live" }),
  "a state in capitals": update({ status: "PUBLISH" }, { grant: GRANT }),
  "a state that is a list": update({ status: ["publish"] }),
  "a state that is null": update({ status: null }),
  "a state that is undefined": update({ status: undefined, title: "x" }),
  "post_status": update({ post_status: "publish" }),
  "a publication with other fields": update({ status: "publish", title: "x" }, { grant: GRANT }),
  "a publication with a date": update({ status: "publish", date: "2020-01-01T00:00:00" }, { grant: GRANT }),
  "a change of what is live without a grant": update({ title: "x" }, { live: true }),
  "a change that does not say whether it is of what is live": update({ title: "x" }, { live: undefined }),
  "one under a grant": update({ title: "x" }, { live: undefined, grant: GRANT }),
  "a change of a draft under a grant": update({ title: "x" }, { grant: GRANT }),
  "a slug of what is live": update({ slug: "x" }, { grant: GRANT, live: true }),
  "an author of what is live": update({ author: 2 }, { grant: GRANT, live: true }),
  "a date of what is live": update({ date: "2020-01-01T00:00:00" }, { grant: GRANT, live: true }),
  "a state of what is live": update({ status: "draft" }, { grant: GRANT, live: true }),
  "the same state of what is live": update({ status: "publish" }, { grant: GRANT, live: true }),
  "a parent of a live page": write("pages/9", { parent: 2 }, { grant: GRANT, live: true }),
  "a draft made public": write("posts", { title: "x", status: "publish" }),
  "a draft made public under a grant": write("posts", { title: "x", status: "publish" }, { grant: GRANT }),
  "a draft made scheduled": write("posts", {
    title: "x",
    status: "future",
    date_gmt: "2030-01-01T00:00:00Z",
  }),
  "a draft without a state": write("posts", { title: "x" }),
  "a schedule without a date": update({ status: "future" }),
  "a schedule 59 s ahead": update({ status: "future", date_gmt: "2026-11-21T12:00:59Z" }),
  "a schedule in the past": update({ status: "future", date_gmt: "2020-01-01T00:00:00Z" }),
  "a schedule without a zone": update({ status: "future", date_gmt: "2030-01-01T00:00:00" }),
  "a schedule by local date": update({ status: "future", date: "2030-01-01T00:00:00" }),
  "a schedule with other fields": update({ status: "future", date_gmt: "2030-01-01T00:00:00Z", title: "x" }),
  "a date alone": update({ date_gmt: "2020-01-01T00:00:00Z" }),
  "a date cleared alone": update({ date: null }),
  "meta": update({ meta: { _x: 1 } }),
  "a password": update({ password: "x" }),
  "sticky": update({ sticky: true }),
  "a body that is a list": update([{ title: "x" }]),
  "a body that is text": { ...update(undefined), body: '{"title":"x"}' },
  "no body": update(undefined),
  "an id that is no number": update({ title: "x" }, { url: `${API}/posts/abc` }),
  "an id with a path behind": { url: `${API}/posts/7/autosaves` },
  "a revision by its own address": { url: `${API}/posts/7/revisions/8` },
  "an id that climbs": { url: "https://acme.example/?rest_route=/wp/v2/posts/7/../../users" },
  "an escaped path": { url: `${API}/posts%2F7` },
  "users written": write("users", { name: "x" }),
  "settings": { url: `${API}/settings` },
  "settings written": write("settings", { title: "x" }),
  "plugins written": write("plugins", { slug: "x" }),
  "batch": { ...write("", {}), url: "https://acme.example/wp-json/batch/v1" },
  "the page of an admin": { url: "https://acme.example/wp-admin/post.php?action=trash" },
  "the front page with credentials": { method: "HEAD", url: "https://acme.example/" },
  "a folder of WordPress's own, as if it were the index": {
    url: "https://acme.example/wp-admin/?_fields=name",
  },
  "the index under another name, asked for more": { url: "https://acme.example/api/?_fields=name&page=1" },
  "a page, as if it were the index": { url: "https://acme.example/about?_fields=name" },
  "the front page, as if it were the index": { url: "https://acme.example/?_fields=name" },
  "a write to the index under another name": {
    ...write("", {}),
    url: "https://acme.example/api/?_fields=name",
  },
  "a path outside the API": { url: "https://acme.example/?p=7" },
  "a route by two names": { url: "https://acme.example/wp-json/wp/v2/posts/7?rest_route=/wp/v2/settings" },
  "a route twice": { url: "https://acme.example/?rest_route=/wp/v2/posts&rest_route=/wp/v2/settings" },
  "a route by PHP's spelling": { url: `${API}/posts/7?rest.route=/wp/v2/settings` },
  "an envelope": { url: `${API}/posts/7?_envelope=1` },
  "credentials to another origin": { url: "https://www.acme.example/wp-json/wp/v2/posts/7" },
  "credentials over http": { url: "http://acme.example/wp-json/wp/v2/posts/7" },
  "an upload that is no image": {
    ...write("media", undefined),
    body: new Uint8Array(1),
    headers: { ...IMAGE, "content-type": "image/svg+xml" },
  },
  "an upload with a path in its name": {
    ...write("media", undefined),
    body: new Uint8Array(1),
    headers: { ...IMAGE, "content-disposition": 'attachment; filename="../a.php"' },
  },
  "an upload of text": { ...write("media", undefined), body: "x", headers: IMAGE },
  "a post of a language": write("posts?lang=de", { title: "x", content: "y", status: "draft" }),
  "a tag's parent by another name": write("tags", { name: "x", meta: {} }),
};

for (const [what, out] of Object.entries(PASSES)) {
  Deno.test(`a CMS may be sent ${what}`, () => {
    assert.equal(attempt(out), "passes");
  });
}

for (const [what, out] of Object.entries(REFUSED)) {
  Deno.test(`a CMS is never sent ${what}`, () => {
    assert.match(attempt(out), /was not sent: /);
  });
}

Deno.test("a grant that nobody made publishes nothing", () => {
  assert.match(attempt(update({ status: "publish" }, { grant: GRANT }), wordpress, false), /not genuine/);
  assert.match(
    attempt(update({ title: "x" }, { grant: GRANT, live: true }), wordpress, false),
    /not genuine/,
  );
});

Deno.test("the open web is read without credentials and at public addresses only", () => {
  const file = { url: "https://files.example/a.png", headers: { accept: "*/*" }, public_only: true };
  assert.equal(attempt(file, web), "passes");
  assert.match(attempt({ ...file, headers: AUTH }, web), /no credentials/);
  assert.match(attempt({ ...file, public_only: false }, web), /private/);
  assert.match(attempt({ ...file, method: "POST", effect: "write" }, web), /only read/);
  assert.match(attempt({ ...file, headers: { cookie: "a=b" } }, web), /no credentials/);
});
