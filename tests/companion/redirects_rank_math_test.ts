/** Redirects in Rank Math's own table, by a stand-in of it: many of them, and several sources in one. */
import assert from "node:assert/strict";
import { Companion, cut, ignore, type Json, on, rows } from "./site.ts";

let wp: Companion;
Deno.test.beforeAll(async () => {
  if (!ignore) wp = await Companion.start("rankmath");
});
Deno.test.afterAll(async () => await wp?.site.stop());

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `${name}, ${on}`, ignore, fn });
}

/** A redirection of Rank Math's with those sources. */
const redirection = (id: number, to: string, ...patterns: string[]) => ({
  id,
  sources: patterns.map((pattern) => ({ pattern, comparison: "exact", ignore: "case" })),
  url_to: to,
  header_code: "301",
  status: "active",
});

/** How often Rank Math has been asked for redirections. */
async function asked(): Promise<number> {
  const { options } = await wp.peek({ ask: ["rankmath_standin_asked"] });
  return Number(options["rankmath_standin_asked"]);
}

test("a redirect is found behind any number of others that hold its path, and soon", async () => {
  const many = Array.from({ length: 5000 }, (_, at) => redirection(1 + at, "/x", `blog/${at}`));
  const all = [...many, redirection(6000, "/y", "blog")];
  const rankmath_standin_redirections = Object.fromEntries(all.map((one) => [one.id, one]));
  await wp.peek({ options: { rankmath_standin_redirections } });
  const before = await asked();
  const found = await wp.call("admin", "GET", "/seo/redirects?source=/blog");
  assert.deepEqual(rows(found, "redirects").map(({ id, destination }) => [id, destination]), [[6000, "/y"]]);
  assert.equal(await asked() - before, 6);
  const loop = await wp.call("admin", "POST", "/seo/redirects", { source: "/y", destination: "/blog" });
  assert.deepEqual(cut(loop), [422, "site_ops_redirect_loop"]);
});

test(
  "a redirect that has several sources keeps the others when one is led elsewhere",
  async () => {
    const ask = ["rankmath_standin_redirections"];
    const both = redirection(1, "/together", "one", "two", "three");
    await wp.peek({ options: { rankmath_standin_redirections: { 1: both } } });
    const body = { source: "/two", destination: "/alone", status: 302 };
    const made = await wp.call("admin", "POST", "/seo/redirects", body);
    assert.deepEqual(cut(made, "id", "created"), [200, 2, false]);
    const stored = (await wp.peek({ ask })).options["rankmath_standin_redirections"] as Record<string, Json>;
    assert.deepEqual(stored["1"], redirection(1, "/together", "one", "three"));
    const list = await wp.call("admin", "GET", "/seo/redirects");
    const leads = rows(list, "redirects").map(({ source, destination, status }) =>
      `${source} ${destination} ${status}`.replace(wp.site.base_url, "")
    );
    assert.deepEqual(leads, ["/one /together 301", "/three /together 301", "/two /alone 302"]);
    const again = await wp.call("admin", "POST", "/seo/redirects", { ...body, destination: "/other" });
    assert.deepEqual(cut(again, "id"), [200, 2]);
  },
);

test("for a redirect to the home page not all the others are read", async () => {
  await wp.call("admin", "POST", "/seo/redirects", {
    source: "/to-home",
    destination: "https://example.test/",
  });
  const before = await asked();
  await wp.call("admin", "POST", "/seo/redirects", { source: "/to-home", destination: "/" });
  assert.equal(await asked() - before, 1, "for the source, and not for the home page");
});
