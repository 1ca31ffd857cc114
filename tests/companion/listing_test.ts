/** Lists of posts tell who changed each last and the SEO values in effect, and are narrowed to one account's changes, by the companion plugin. */
import assert from "node:assert/strict";
import { Companion, type Json, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => wp = await Companion.start("yoast"));

const FIELDS = "_fields=id,title,site_ops_changed,site_ops_seo&context=edit&per_page=100&status=any";

async function list(query = ""): Promise<Json[]> {
  const { status, body } = await wp.send("admin", "GET", `/wp-json/wp/v2/posts?${FIELDS}${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Json[];
}

const byOf = (row: Json | undefined) =>
  ((row?.["site_ops_changed"] as Json | null)?.["by"] as Json | null)?.["id"];

test("who changed a post last is told, and a list is narrowed to it or to everybody else", async () => {
  const { ed, admin } = wp.site.users;
  const made = async () =>
    Number((await wp.rest("ed", "POST", "/posts", { title: "Made", content: "a" })).body["id"]);
  const [own, other] = [await made(), await made()];
  await wp.rest("ed", "POST", `/posts/${own}`, { content: "b" });
  await wp.rest("admin", "POST", `/posts/${other}`, { content: "c" });
  const rows = await list();
  assert.deepEqual([own, other].map((id) => byOf(rows.find((row) => row["id"] === id))), [ed.id, admin.id]);
  const ids = async (query: string) => (await list(query)).map(({ id }) => id);
  const by = await ids(`&site_ops_changed_by=${ed.id}`);
  assert.deepEqual([by.includes(own), by.includes(other)], [true, false]);
  const not = await ids(`&site_ops_changed_not_by=${ed.id}`);
  assert.deepEqual([not.includes(own), not.includes(other)], [false, true]);
  // An autosave is no change.
  await wp.rest("admin", "POST", `/posts/${own}/autosaves`, { content: "typed" });
  assert.equal((await ids(`&site_ops_changed_by=${ed.id}`)).includes(own), true);
  const { headers } = await wp.send(
    "admin",
    "GET",
    `/wp-json/wp/v2/posts?${FIELDS}&site_ops_changed_by=${ed.id}`,
  );
  assert.equal(headers.get("x-wp-total"), String(by.length));
});

test("a person of whom nothing is kept may have been anybody but the account asked for", async () => {
  const { id } = await wp.peek({ post: { post_title: "Bare", post_status: "publish" } });
  await wp.peek({
    db: ["query", `DELETE FROM wp_posts WHERE post_parent = ${id} AND post_type = 'revision'`],
  });
  const rows = await list("&site_ops_changed_not_by=1");
  const row = rows.find((one) => one["id"] === id);
  assert.deepEqual([row !== undefined, byOf(row)], [true, undefined]);
  assert.equal((await list("&site_ops_changed_by=1")).some((one) => one["id"] === id), false);
});

test("SEO values are those that visitors get", async () => {
  const { body } = await wp.rest("ed", "POST", "/posts", { title: "Seen", status: "publish" });
  const id = Number(body["id"]);
  await wp.call("admin", "POST", `/seo/meta/${id}`, {
    title: "Own title",
    description: "About",
    robots: { noindex: true },
    allow_published: true,
  });
  const row = (await list()).find((one) => one["id"] === id);
  const { title, description, noindex } = row!["site_ops_seo"] as Json;
  assert.deepEqual([title, description, noindex], ["Own title", "About", true]);
});

test("the fields are told only where they are named, and the parameters hold only for writers", async () => {
  const { body: rows } = await wp.send("admin", "GET", "/wp-json/wp/v2/posts?context=edit");
  const [row] = rows as unknown as Json[];
  assert.deepEqual([row?.["site_ops_changed"], row?.["site_ops_seo"]], [null, null]);
  const { body } = await wp.send(null, "GET", "/wp-json/wp/v2/posts?site_ops_changed_by=99999&_fields=id");
  assert.ok((body as unknown as Json[]).length > 0, "the parameter is not heeded");
  const { status } = await wp.send("admin", "GET", "/wp-json/wp/v2/posts?site_ops_changed_by=x");
  assert.equal(status, 400);
});
