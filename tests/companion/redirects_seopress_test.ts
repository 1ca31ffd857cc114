/** Redirects in SEOPress's own records, by a stand-in of it: those that people made there, with settings of their own. */
import assert from "node:assert/strict";
import { Companion, cut, type Json, rows, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => (wp = await Companion.start("seopress")));

const R = "_seopress_redirections_";

/** A redirect as people make it in SEOPress. */
async function made(post_title: string, value: string, more: Json = {}): Promise<number> {
  const post = { post_type: "seopress_404", post_status: "publish", post_title };
  const meta = { [`${R}enabled`]: "yes", [`${R}type`]: "301", [`${R}value`]: value, ...more };
  return (await wp.peek({ post, meta })).id;
}

test("a redirect that is kept with a slash at its end is the one that is found, followed and changed", async () => {
  const id = await made("slashed/", "https://example.test/old");
  const found = await wp.call("admin", "GET", "/seo/redirects?source=/slashed");
  assert.deepEqual(rows(found, "redirects"), [
    { id, source: "/slashed", destination: "https://example.test/old", status: 301 },
  ]);
  const body = { source: "/slashed", destination: "/new" };
  const changed = await wp.call("admin", "POST", "/seo/redirects", body);
  assert.deepEqual(cut(changed, "id", "created"), [200, id, false]);
  const loop = await wp.call("admin", "POST", "/seo/redirects", { source: "/new", destination: "/slashed/" });
  assert.deepEqual(cut(loop), [422, "site_ops_redirect_loop"]);
});

test("a redirect holds whatever the query of the request, and one that is changed keeps what it does with it", async () => {
  const param = async (id: unknown) => (await wp.peek({ id })).meta[`${R}param`];
  const put = (source: string) =>
    wp.call("admin", "POST", "/seo/redirects", { source, destination: "https://example.test/" });
  assert.equal(await param((await put("/campaign")).body["id"]), "without_param");
  const id = await made("passes-it-on", "https://example.test/old", { [`${R}param`]: "with_ignored_param" });
  assert.deepEqual(cut(await put("/passes-it-on"), "id"), [200, id]);
  assert.equal(await param(id), "with_ignored_param");
});

test("a path is resolved as visitors are led, patterns included; circles over a pattern are refused", async () => {
  const regex = { [`${R}enabled_regex`]: "yes" };
  await made("^/docs/(.+)$", "/handbook/$1", regex);
  await made("^/SHOP/", "/hello-world/", regex);
  await made("^/members/", "/hello-world/", { ...regex, [`${R}logged_status`]: "only_logged_in" });
  await made("^/off/", "/hello-world/", { ...regex, [`${R}enabled`]: "" });
  await made("(", "/broken", regex);
  const cases: [path: string, leads: string | null][] = [
    ["/docs/a/b", "/handbook/a/b"],
    ["/shop/zzz", "/hello-world/"],
    ["/members/x", null],
    ["/off/x", null],
    ["/slashed", `${wp.site.base_url}/new`],
  ];
  for (const [path, leads] of cases) {
    const { body } = await wp.call("admin", "GET", `/seo/redirects?source=${path}`);
    assert.equal((body["resolves"] as Json | null)?.["destination"] ?? null, leads, path);
  }
  for (const [source, destination] of [["/hello-world", "/shop/zzz"], ["/handbook/a", "/docs/a"]]) {
    const refused = await wp.call("admin", "POST", "/seo/redirects", { source, destination });
    assert.deepEqual(cut(refused), [422, "site_ops_redirect_loop"], source);
  }
});
