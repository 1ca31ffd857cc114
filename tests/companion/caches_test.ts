/** Which page caches the companion plugin asks to drop a page that it changed, and that its answer names them. */
import assert from "node:assert/strict";
import type { CmsLogin } from "../../sandbox/wordpress/start.ts";
import { startWordPress } from "../wordpress.ts";
import { type Answer, Companion, fixture, type Json, PLUGIN, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => {
  const plugins = [PLUGIN, fixture("peek"), fixture("caches-standin")];
  wp = new Companion(await startWordPress({ plugins }));
  return wp;
});

const NAMED = "WP Rocket, WP Fastest Cache, LiteSpeed Cache, SiteGround Optimizer";
const named = ({ headers }: Answer) => headers.get("x-site-ops-caches");

/** What the caches were asked by a write. */
async function askedBy(login: CmsLogin, path: string, body: Json) {
  await wp.peek({ options: { caches_standin: [] } });
  const answer = await wp.call(login, "POST", path, body);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  const { options } = await wp.peek({ ask: ["caches_standin"] });
  return { answer, asked: options["caches_standin"] as [string, unknown][] };
}

test("a change that visitors see is told to every page cache that is there, one that fails is not named", async () => {
  const id = await wp.published("posts");
  const { link } = (await wp.rest("ed", "GET", `/posts/${id}`)).body;
  const { answer, asked } = await askedBy("ed", `/seo/meta/${id}`, { title: "T", allow_published: true });
  assert.equal(named(answer), NAMED);
  assert.deepEqual(asked, [["rocket_clean_post", id], ["wpfc", id], ["litespeed", id], ["sg", link]]);
});

test("a draft is told to none, nor is a read", async () => {
  const draft = await wp.draft("ed");
  const { answer, asked } = await askedBy("ed", `/seo/meta/${draft}`, { title: "T" });
  assert.deepEqual([named(answer), asked], [null, []]);
  assert.equal(named(await wp.call("ed", "GET", `/seo/meta/${draft}`)), null);
});

test("a post that goes live by a guarded write is told to them, and the source of a redirect by its address", async () => {
  const draft = await wp.draft("ed");
  const { body } = await wp.call("ed", "GET", `/guarded/posts/${draft}`);
  const { status } = body["parts"] as Json;
  const fields = { expected: { status }, fields: { status: "publish" }, allow_publish: true };
  assert.equal(named((await askedBy("ed", `/guarded/posts/${draft}`, fields)).answer), NAMED);
  const redirect = await askedBy("admin", "/seo/redirects", { source: "/gone/", destination: "/here/" });
  assert.equal(named(redirect.answer), "WP Rocket, SiteGround Optimizer");
  assert.deepEqual(redirect.asked.map(([name]) => name), ["rocket_clean_files", "sg"]);
  const asked = redirect.asked.map(([, address]) => new URL(String(address)).pathname);
  assert.deepEqual(asked, ["/gone/", "/gone/"], "as the site's permalinks end");
  const file = await askedBy("admin", "/seo/redirects", { source: "/gone.html", destination: "/here/" });
  assert.equal(new URL(String(file.asked[0]![1])).pathname, "/gone.html");
});
