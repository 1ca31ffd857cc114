/** What a guarded write changes of other posts that visitors see: taken back, or named where it was allowed. */
import assert from "node:assert/strict";
import { startWordPress } from "../wordpress.ts";
import { type Answer, Companion, cut, fixture, type Json, PLUGIN, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => {
  const plugins = [PLUGIN, ...["peek", "dump", "in-step", "plugin-states"].map(fixture)];
  return (wp = new Companion(await startWordPress({ plugins })));
});

const ALL = ["dates", "terms", "meta"];
/** Its date is of no save of the test. */
const LIVE = { status: "publish", date: "2026-01-02T03:04:05" };

interface Pair {
  readonly own: number;
  readonly other: number;
}

/** A post, and another of its group; these of their fields are kept in step from then on. */
async function pair(what: readonly string[], own: Json = {}, other: Json = LIVE): Promise<Pair> {
  await wp.peek({ options: { in_step_what: [] } });
  const made = {
    own: await wp.draft("admin", own),
    other: await wp.draft("admin", { title: "Other", ...other }),
  };
  await wp.peek({ options: { in_step_what: what, in_step_pairs: [[made.own, made.other]] } });
  return made;
}

/** Every row of the database that is somebody's. */
const rows = async () => (await wp.send("admin", "GET", "/wp-json/dump/v1/rows")).body;

async function write(path: string, more: Json): Promise<Answer> {
  const { body } = await wp.call("admin", "GET", `/guarded/${path}`);
  return await wp.call("admin", "POST", `/guarded/${path}`, { expected: body["parts"], ...more });
}

let serial = 0;
const category = async () =>
  Number((await wp.rest("admin", "POST", "/categories", { name: `Kind ${++serial}` })).body["id"]);
const others = ({ body }: Answer) => (body["data"] as Json)["others"] as Json[];
const named = ({ headers }: Answer) => headers.get("x-site-ops-elsewhere");
const REFUSED = [409, "site_ops_elsewhere"];

test("a draft's write that a plugin carries over to what is live is taken back to the row", async () => {
  const image = await wp.image("step");
  const cases: [what: string, fields: Json, parts: string[]][] = [
    ["dates", { title: "Later" }, ["date", "date_gmt"]],
    ["terms", { categories: [await category()] }, ["categories"]],
    ["meta", { featured_media: image.id }, ["featured_media"]],
  ];
  for (const [what, fields, parts] of cases) {
    const { own, other } = await pair([what]);
    const before = await rows();
    const answer = await write(`posts/${own}`, { fields });
    assert.deepEqual(cut(answer), REFUSED, what);
    assert.equal(others(answer).length, 1);
    const { parts: changed, ...who } = others(answer)[0]!;
    assert.deepEqual([who, (changed as string[]).toSorted()], [
      { id: other, type: "post", title: "Other" },
      parts,
    ]);
    assert.deepEqual(await rows(), before, `${what}: no row is another`);
    assert.equal(named(answer), null);
  }
});

test("a meta that is removed, and SEO fields of a draft, are watched too", async () => {
  const image = await wp.image("gone");
  const { own } = await pair([], { featured_media: image.id }, { ...LIVE, featured_media: image.id });
  await wp.peek({ options: { in_step_what: ALL } });
  const before = await rows();
  assert.deepEqual(cut(await write(`posts/${own}`, { fields: { featured_media: 0 } })), REFUSED);
  assert.deepEqual(cut(await write(`seo/meta/${own}`, { title: "Mine" })), REFUSED);
  assert.deepEqual(await rows(), before);
});

test("where visitors see none of the others, and where nothing of them changes, the write is made", async () => {
  const kind = await category();
  for (const other of [{ status: "draft" }, { status: "pending" }, { status: "pitch" }]) {
    const { own } = await pair(ALL, {}, other);
    const answer = await write(`posts/${own}`, { fields: { categories: [kind] } });
    assert.deepEqual(cut(answer, "record.categories"), [200, [kind]], other.status);
    assert.equal(named(answer), null);
  }
  const same = await pair(["terms"], { categories: [kind] }, { ...LIVE, categories: [kind] });
  assert.deepEqual(cut(await write(`posts/${same.own}`, { fields: { title: "Alone" } })), [200]);
});

test("what visitors see by a plugin's state counts as live", async () => {
  const kind = await category();
  for (const status of ["archived", "inhouse", "private"]) {
    const { own } = await pair(["terms"], {}, { status });
    assert.deepEqual(cut(await write(`posts/${own}`, { fields: { categories: [kind] } })), REFUSED, status);
  }
});

test("what another plugin saves along with a page is watched as well", async () => {
  const id = await wp.draft("admin", { title: "Own" }, "pages");
  const other = await wp.draft("admin", { title: "In step", ...LIVE }, "pages");
  await wp.peek({ options: { peek_in_step: other } });
  const same = await write(`pages/${id}`, { fields: { title: "Again" } });
  assert.deepEqual(cut(same), [200], "saved again as it is");
  await wp.rest("admin", "POST", `/pages/${other}`, { title: "Another" });
  const before = await rows();
  const answer = await write(`pages/${id}`, { fields: { title: "Once more" } });
  assert.deepEqual(cut(answer), REFUSED);
  assert.deepEqual(others(answer)[0]!["parts"], ["title"]);
  assert.deepEqual(await rows(), before);
  await wp.peek({ options: { peek_in_step: 0 } });
});

test("a write that was allowed to be seen stays, and names the others in its header", async () => {
  const kind = await category();
  const live = await pair(["terms"], LIVE);
  const revised = await write(`posts/${live.own}`, { fields: { categories: [kind] }, allow_publish: true });
  assert.deepEqual([...cut(revised), named(revised)], [200, `${live.other} categories`]);
  assert.deepEqual((await wp.rest("admin", "GET", `/posts/${live.other}`)).body["categories"], [kind]);
  const dated = await pair(["dates"]);
  const published = await write(`posts/${dated.own}`, { fields: { status: "publish" }, allow_publish: true });
  assert.deepEqual(cut(published, "record.status"), [200, "publish"]);
  assert.match(named(published) ?? "", new RegExp(`^${dated.other} date`));
  const seo = await pair(["meta"], LIVE);
  assert.deepEqual(cut(await write(`seo/meta/${seo.own}`, { title: "Seen" })), [409, "site_ops_published"]);
  const told = await write(`seo/meta/${seo.own}`, { title: "Seen", allow_published: true });
  assert.deepEqual([...cut(told), named(told)], [200, `${seo.other} seo`]);
});

test("a state of a plugin's is live by what it is registered as, whatever its name", async () => {
  const states = { archived: true, inhouse: true, pitch: false, review: false, nowhere: true };
  for (const [status, live] of Object.entries(states)) {
    const id = await wp.draft("admin");
    await wp.peek({ id, columns: { post_status: status } });
    const { body } = await wp.call("admin", "GET", `/seo/meta/${id}`);
    assert.equal(body["post_live"], live, status);
    const refused = [409, "site_ops_published"];
    const title = { fields: { title: "x" } };
    assert.deepEqual(cut(await write(`posts/${id}`, title)), live ? refused : [200], status);
    assert.deepEqual(cut(await write(`seo/meta/${id}`, { title: "x" })), live ? refused : [200], status);
  }
  await wp.peek({ options: { plugin_states_public_drafts: 1 } });
  const draft = await wp.draft("admin");
  assert.deepEqual(cut(await write(`posts/${draft}`, { fields: { title: "x" } })), [
    409,
    "site_ops_published",
  ]);
  await wp.peek({ options: { plugin_states_public_drafts: 0 } });
});
