/** The guarded write of content of a site's own types: those that REST shows as posts are, with each type's own rights. */
import assert from "node:assert/strict";
import type { CmsLogin } from "../../sandbox/wordpress/start.ts";
import { startWordPress } from "../wordpress.ts";
import { Companion, cut, fixture, type Json, PLUGIN, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => {
  const site = await startWordPress({ plugins: [PLUGIN, fixture("peek"), fixture("content-types")] });
  return wp = new Companion(site);
});

type Hashes = Record<string, string>;
const made = async (post_type: string, more: Json = {}) =>
  (await wp.peek({
    post: {
      post_type,
      post_title: "Soup",
      post_content: "old",
      post_status: "draft",
      post_author: 2,
      ...more,
    },
  }))
    .id;
const at = (place: string, id: number) => `/guarded/types/${place}/${id}`;
const read = (place: string, id: number, login: CmsLogin = "ed") => wp.call(login, "GET", at(place, id));
const write = (
  place: string,
  id: number,
  expected: Hashes,
  fields: Json,
  login: CmsLogin = "ed",
  more: Json = {},
) => wp.call(login, "POST", at(place, id), { expected, fields, ...more });

test("content of a type is read in parts and written while it is as expected", async () => {
  for (const [type, place] of [["recipe", "recipes"], ["note", "note"]] as const) {
    const id = await made(type);
    const { body } = await read(place, id);
    const parts = body["parts"] as Hashes;
    assert.deepEqual([(body["record"] as Json)["id"], Object.keys(parts).length > 15], [id, true]);
    const done = await write(place, id, { title: parts["title"]! }, { title: "Stew" });
    assert.deepEqual([done.status, ((done.body["record"] as Json)["title"] as Json)["raw"]], [200, "Stew"]);
    const late = await write(place, id, parts, { title: "Mine" });
    assert.deepEqual([cut(late), (late.body["data"] as Json)["differ"]], [[409, "site_ops_stale"], [
      "title",
    ]]);
    assert.equal((await wp.peek({ id })).post["post_title"], "Stew");
  }
});

test("it is published and what is live is changed only as the gateway was allowed to", async () => {
  const id = await made("recipe");
  const { status } = (await read("recipes", id)).body["parts"] as Hashes;
  const publish = { status: "publish" };
  const refused = await write("recipes", id, { status: status! }, publish);
  assert.deepEqual(cut(refused), [403, "site_ops_not_allowed"]);
  const done = await write("recipes", id, { status: status! }, publish, "ed", { allow_publish: true });
  assert.equal((done.body["record"] as Json)["status"], "publish");
  const { title } = (await read("recipes", id)).body["parts"] as Hashes;
  assert.deepEqual(cut(await write("recipes", id, { title: title! }, { title: "x" })), [
    409,
    "site_ops_published",
  ]);
});

test("what is no content of that place, or of no type that REST shows as posts are, is not found", async () => {
  const recipe = await made("recipe");
  const post = await wp.draft("ed");
  const hidden = ["event", "product", "elementor_library", "lead", "story", "wp_block"];
  const elsewhere: [string, number][] = [["note", recipe], ["recipes", post], ["recipe", recipe], [
    "nothing",
    post,
  ]];
  for (const type of hidden.filter((one) => one !== "product")) {
    elsewhere.push([type === "wp_block" ? "blocks" : type, await made(type)]);
  }
  for (const [place, id] of elsewhere) {
    assert.deepEqual(cut(await read(place, id, "admin")), [404, "site_ops_post_not_found"], place);
    const answer = await write(place, id, { title: "0".repeat(64) }, { title: "x" }, "admin");
    assert.deepEqual(cut(answer), [404, "site_ops_post_not_found"], place);
  }
});

test("each type's own rights are asked for, and told", async () => {
  const book = await made("book");
  assert.deepEqual(
    cut(await read("book", book)),
    [403, "rest_forbidden"],
    "an editor has no rights over books",
  );
  const other = await made("recipe", { post_author: 1 });
  for (const [login, code] of [["auth", 403], ["sub", 403]] as const) {
    assert.deepEqual(cut(await read("recipes", other, login)), [code, "rest_forbidden"]);
    const answer = await write("recipes", other, { title: "0".repeat(64) }, { title: "x" }, login);
    assert.deepEqual(cut(answer), [code, "rest_forbidden"]);
  }
  const own = await made("recipe", { post_author: 3 });
  const { user } = (await read("recipes", own, "auth")).body;
  const may = (user as Json)["capabilities"] as Json;
  assert.deepEqual([may["publish_posts"], may["edit_others_posts"]], [true, false]);
});
