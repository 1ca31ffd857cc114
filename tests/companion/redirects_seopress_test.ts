/** Redirects in SEOPress's own records, by a stand-in of it: those that people made there, with settings of their own. */
import assert from "node:assert/strict";
import { Companion, cut, ignore, type Json, on, rows } from "./site.ts";

let wp: Companion;
Deno.test.beforeAll(async () => {
  if (!ignore) wp = await Companion.start("seopress");
});
Deno.test.afterAll(async () => await wp?.site.stop());

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `${name}, ${on}`, ignore, fn });
}

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
