/** What a post, its states and the library go through, looked up in a real WordPress; for each kind of site. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { ahead, type Args, type DOORS, freshPng } from "../cms_kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { fresh, HIDDEN, PUBLIC, Real } from "./_wordpress.ts";

type Door = (typeof DOORS)[number];

/** A draft is made, read and changed. */
export async function postThrough(door: Door, site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const title = fresh("Fish & <em>Chips</em>");
  const tags = [fresh("R&D"), fresh("Größe")];
  const made = await at.kit.write(door, "create_draft", {
    site_id: "open",
    title,
    content_html: '<p class="a">Hi</p>',
    excerpt: "Short",
    tags,
    categories: ["Uncategorized"],
    author_id: site.users.auth.id,
  });
  const { id } = made.done;
  assert.deepEqual(made.done, { id, status: "draft", url: `${site.base_url}/?p=${id}` });
  assert.equal(made.row.result_id, id);
  const first = await at.stored(id);
  assert.deepEqual(
    [first["status"], (first["title"] as Json)["raw"], (first["content"] as Json)["raw"], first["author"]],
    ["draft", title, '<p class="a">Hi</p>', site.users.auth.id],
  );
  assert.deepEqual(await at.visitor(id), HIDDEN);

  const post = { site_id: "open", post_id: id };
  const read = await at.kit.both<Args & { tags: { name: string }[] }>("get_post", post);
  assert.deepEqual([read["title"], read["status"], read["excerpt"]], [title, "draft", "Short"]);
  assert.deepEqual(read.tags.map(({ name }) => name).toSorted(), tags.toSorted());

  const changed = await at.kit.write(door, "update_draft", { ...post, title: "New", tags: [] });
  assert.deepEqual([changed.done.id, changed.done.status, changed.proof.verified], [id, "draft", true]);
  const second = await at.stored(id);
  assert.deepEqual([(second["title"] as Json)["raw"], second["tags"], second["categories"]], ["New", [], [
    1,
  ]]);
  assert.equal((second["content"] as Json)["raw"], '<p class="a">Hi</p>', "what was not given stays");
}

/** A draft is scheduled, taken back and published. */
export async function statesThrough(door: Door, site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const id = await at.ask.draft("ed", { title: fresh("Soon"), content: "x" });
  const post = { site_id: "open", post_id: id };
  const scheduled_at = ahead(7200);
  const planned = await at.kit.write(door, "schedule_draft", { ...post, scheduled_at });
  assert.deepEqual([planned.done.status, planned.proof.verified], ["scheduled", true]);
  const future = await at.stored(id);
  assert.deepEqual([future["status"], `${future["date_gmt"]}Z`], ["future", scheduled_at]);
  assert.deepEqual(await at.visitor(id), HIDDEN);
  const moved = await at.kit.write(door, "schedule_draft", { ...post, scheduled_at: ahead(9000) });
  const edited = await at.kit.write(door, "update_draft", { ...post, title: "Still scheduled" });
  assert.deepEqual([moved.done.status, edited.done.status], ["scheduled", "scheduled"]);
  await at.kit.write(door, "schedule_draft", { ...post, scheduled_at });
  const drafts = async (args: Args) =>
    (await at.kit.both<{ posts: Args[] }>("list_drafts", { site_id: "open", per_page: 100, ...args })).posts
      .find((row) => row["id"] === id);
  assert.equal((await drafts({ status: "scheduled" }))?.["scheduled_at"], scheduled_at);

  const back = await at.kit.write(door, "unschedule", post);
  assert.deepEqual([back.done.status, back.proof.verified], ["draft", true]);
  const draft = await at.stored(id);
  assert.equal(draft["status"], "draft");
  assert.ok(Date.parse(`${draft["date_gmt"]}Z`) < Date.now() + 5000, "the date ahead is gone");
  await site.runCron();
  assert.deepEqual(await at.visitor(id), HIDDEN, "nothing makes it public by itself");

  const shut = await at.kit.gw.end("publish_post", { ...post, site_id: "acme", confirm: true }, { door });
  assert.ok("code" in shut && shut.code === "E_PUBLISH_NOT_ALLOWED");
  assert.deepEqual(await at.visitor(id), HIDDEN);
  const live = await at.kit.write(door, "publish_post", post);
  assert.deepEqual([live.done.status, live.row.tier, live.proof.verified], ["published", 3, true]);
  assert.equal((await at.stored(id))["status"], "publish");
  assert.deepEqual(await at.visitor(id), PUBLIC);
  assert.equal(await drafts({}), undefined, "never a published one");
}

/** An image is uploaded, and terms are made. */
export async function libraryThrough(door: Door, site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const post_id = await at.ask.draft("auth", { title: fresh("Pictured"), content: "x" });
  const content_base64 = freshPng();
  const { done, proof } = await at.kit.write<Args & { id: number; url: string }>(door, "upload_media", {
    site_id: "author",
    post_id,
    filename: "../../Über uns.php.PNG",
    content_base64,
    alt_text: "A dot",
    title: "Dot",
  });
  assert.deepEqual([done["mime_type"], done["width"], done["height"]], ["image/png", 1, 1]);
  assert.deepEqual([proof.verified, proof.warnings], [true, []]);
  const fetched = await fetch(done.url);
  assert.equal(fetched.headers.get("content-type"), "image/png");
  assert.equal((await fetched.bytes()).toBase64(), content_base64);
  const medium = await at.stored(done.id, "media");
  assert.match(done.url, /\/Uber-uns-php(-\d+)?\.png$/);
  assert.deepEqual(
    [medium["alt_text"], (medium["title"] as Json)["raw"], medium["post"]],
    ["A dot", "Dot", post_id],
  );
  const made = await at.kit.write(
    door,
    "create_draft",
    { site_id: "author", title: fresh("With an image"), content_html: "x", featured_media_id: done.id },
  );
  assert.deepEqual([made.proof.verified, made.proof.warnings], [true, []]);
  assert.equal((await at.stored(made.done.id))["featured_media"], done.id);

  const category = { site_id: "acme", taxonomy: "category" };
  const parent = await at.kit.write<Args>(door, "create_taxonomy", { ...category, name: fresh("Parent") });
  const below = {
    ...category,
    name: fresh("Child"),
    parent_id: `${parent.done["id"]}`,
    description: "Below",
  };
  const child = await at.kit.write<Args>(door, "create_taxonomy", below);
  assert.deepEqual([child.done["parent_id"], child.done["created"]], [parent.done["id"], true]);
  const name = fresh("Salt & Vinegar");
  const term = { site_id: "acme", taxonomy: "tag", name };
  const first = await at.kit.write<Args>(door, "create_taxonomy", term);
  assert.deepEqual([first.done["name"], first.done["created"], first.proof.verified], [name, true, true]);
  const again = await at.kit.write<Args>(door, "create_taxonomy", { ...term, name: name.toUpperCase() });
  assert.deepEqual([again.done["id"], again.done["created"]], [first.done["id"], false]);
  const found = await at.kit.both<{ terms: Args[]; total: number }>(
    "list_taxonomies",
    { site_id: "acme", taxonomy: "tag", search: name },
  );
  assert.deepEqual([found.total, found.terms[0]?.["name"]], [1, name]);
  const { body } = await at.ask.rest(null, "GET", `/tags/${first.done["id"]}`);
  assert.equal(body["name"], name.replace("&", "&amp;"), "as WordPress stores it");
}
