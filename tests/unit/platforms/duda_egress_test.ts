/** What may be sent to a site builder: listed routes, known fields, and nothing published without a grant. */
import assert from "node:assert/strict";
import duda from "../../../platforms/duda/connector.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const GRANT = {} as PublishGrant;
const BASE = "https://api.duda.co/api";
const SITE = `${BASE}/sites/multiscreen/1a2b3c4d`;
const PAGE = "8b2f6f0e-3c52-4b6e-9d0a-5a1c2d3e4f50";
const POST = "post_7";

function look(out: Partial<Outgoing>, site_alias: string | null = "1a2b3c4d", genuine = true): string {
  const whole = { method: "GET", effect: "read", url: SITE, ...out } as const;
  const built = site({ platform: "sitebuilder", base_url: null, site_alias });
  return verdict(duda, built, whole, { granted: () => genuine, now: NOW });
}

const write = (method: Outgoing["method"], path: string, json?: unknown, more: Partial<Outgoing> = {}) => ({
  method,
  effect: "write",
  url: `${SITE}${path}`,
  ...json === undefined ? {} : { json },
  ...more,
} as const);
const grant = { grant: GRANT };
const page = { title: "x", path: "x" };

const PASSES: Record<string, Partial<Outgoing>> = {
  "the site": {},
  "its pages": { url: `${SITE}/pages` },
  "a page": { url: `${SITE}/pages/${PAGE}` },
  "its elements": { url: `${SITE}/pages/${PAGE}/elements` },
  "posts": { url: `${SITE}/blog/posts?limit=100&offset=0` },
  "a post": { url: `${SITE}/blog/posts/${POST}` },
  "a section": { url: `${BASE}/sections/${PAGE}` },
  "a new page": write("POST", "/pages", { page: { ...page, draft_status: "DRAFT" } }),
  "a change": write("PUT", `/pages/${PAGE}`, { title: "x", draft_status: "DRAFT" }),
  "a staged page": write("PUT", `/pages/${PAGE}`, { draft_status: "STAGED_DRAFT" }),
  "a page published under a grant": write("PUT", `/pages/${PAGE}`, { draft_status: "PUBLISHED" }, grant),
  "a copy": write("POST", `/pages/${PAGE}/duplicate`, { draft_status: "DRAFT" }),
  "a section on a page": write("POST", `/pages/${PAGE}/elements`, {
    type: "SECTION",
    element_source_id: "s",
  }),
  "an import": write("POST", "/blog/posts/import", { title: "x", description: "y", content: "eA==" }),
  "a change of a post": write("PATCH", `/blog/posts/${POST}`, { title: "x", tags: [] }),
  "a schedule": write("PATCH", `/blog/posts/${POST}`, { schedule_publish_date: "2026-11-21T12:01:00" }),
  "a schedule taken back": write("PATCH", `/blog/posts/${POST}`, { schedule_publish_date: null }),
  "a post published under a grant": write("POST", `/blog/posts/${POST}/publish`, undefined, grant),
  "a post unpublished": write("POST", `/blog/posts/${POST}/unpublish`),
};

const REFUSED: Record<string, Partial<Outgoing>> = {
  "a deleted page": write("DELETE", `/pages/${PAGE}`),
  "a deleted post": write("DELETE", `/blog/posts/${POST}`),
  "the site published": write("POST", "", undefined, { url: `${BASE}/sites/multiscreen/publish/1a2b3c4d` }),
  "the site unpublished": write("POST", "", undefined, {
    url: `${BASE}/sites/multiscreen/unpublish/1a2b3c4d`,
  }),
  "the site reset": write("POST", "", undefined, { url: `${BASE}/sites/multiscreen/reset/1a2b3c4d` }),
  "another site": { url: `${BASE}/sites/multiscreen/ffffffff` },
  "another origin": { url: "https://api.example/api/sites/multiscreen/1a2b3c4d" },
  "a path that climbs": { url: `${SITE}/pages/../../../accounts` },
  "an escaped path": { url: `${SITE}/pages%2f${PAGE}` },
  "a longer path": { url: `${SITE}/pages/${PAGE}/elements/x` },
  "a page that is no uuid": { url: `${SITE}/pages/home` },
  "another query": { url: `${SITE}/pages?limit=1` },
  "a query twice": { url: `${SITE}/blog/posts?limit=1&limit=2` },
  "a new page without its state": write("POST", "/pages", { page }),
  "a new page that is staged": write("POST", "/pages", { page: { ...page, draft_status: "STAGED_DRAFT" } }),
  "a new page with more": write("POST", "/pages", {
    page: { ...page, draft_status: "DRAFT" },
    type: "DYNAMIC",
  }),
  "a copy without its state": write("POST", `/pages/${PAGE}/duplicate`, {}),
  "a change without a state": write("PUT", `/pages/${PAGE}`, { title: "x" }),
  "a page published without a grant": write("PUT", `/pages/${PAGE}`, { draft_status: "PUBLISHED" }),
  "a page published with more": write(
    "PUT",
    `/pages/${PAGE}`,
    { draft_status: "PUBLISHED", title: "x" },
    grant,
  ),
  "an element of another type": write("POST", `/pages/${PAGE}/elements`, {
    type: "HTML",
    element_source_id: "s",
  }),
  "a section with more": write("POST", `/pages/${PAGE}/elements`, {
    type: "SECTION",
    element_source_id: "s",
    html: "<p>",
  }),
  "an import that is not Base64": write("POST", "/blog/posts/import", { title: "x", content: "<p>" }),
  "a date of publication": write("PATCH", `/blog/posts/${POST}`, { publish_date: "2026-01-01" }),
  "a schedule too close": write("PATCH", `/blog/posts/${POST}`, {
    schedule_publish_date: "2026-11-21T12:00:59",
  }),
  "a schedule that is no date": write("PATCH", `/blog/posts/${POST}`, { schedule_publish_date: "soon" }),
  "a schedule with more": write("PATCH", `/blog/posts/${POST}`, { schedule_publish_date: null, title: "x" }),
  "a post's status": write("PATCH", `/blog/posts/${POST}`, { status: "PUBLISHED" }),
  "a post published without a grant": write("POST", `/blog/posts/${POST}/publish`),
  "a body where none belongs": write("POST", `/blog/posts/${POST}/unpublish`, {}),
  "a body that is not JSON": { ...write("PATCH", `/blog/posts/${POST}`), body: "title=x" },
  "a write reported as a read": {
    ...write("POST", "/pages", { page: { ...page, draft_status: "DRAFT" } }),
    effect: "read",
  },
};

for (const [what, out] of Object.entries(PASSES)) {
  Deno.test(`passes to a site builder: ${what}`, () => assert.equal(look(out), "passes"));
}
for (const [what, out] of Object.entries(REFUSED)) {
  Deno.test(`never sent to a site builder: ${what}`, () => assert.match(look(out), /was not sent: |delete/i));
}

Deno.test("a grant that is not genuine publishes nothing, and a site without an alias is not reached", () => {
  for (const what of ["a page published under a grant", "a post published under a grant"]) {
    assert.match(look(PASSES[what]!, undefined, false), /not genuine/);
  }
  assert.match(look({}, null), /no site alias/);
});

Deno.test("an alias that names what the API does with whole sites cannot be registered", () => {
  const { schema } = duda.siteFields!["site_alias"]!;
  for (
    const alias of ["publish", "unpublish", "reset", "duplicate", "switchTemplate", "a/b", "", "..", "a b"]
  ) {
    assert.equal(schema.safeParse(alias).success, false, alias);
  }
  for (const alias of ["1a2b3c4d", "published", "my-site_1"]) {
    assert.equal(schema.safeParse(alias).success, true, alias);
  }
});
