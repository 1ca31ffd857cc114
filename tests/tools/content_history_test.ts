/** get_content_history: who changed a post, page or file, ten a page, and what differs between two versions. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { keepRevision } from "../../sandbox/wordpress_standin/revisions.ts";
import { type Args, type Refused, refusedCalls } from "../cms_kit.ts";
import { FILES, StaticWorld, test as staticTest } from "./_static.ts";
import { test, type World } from "./_stand_in.ts";

interface Row extends Args {
  readonly id: number | string;
  readonly fields?: readonly string[] | null;
}
interface List extends Args {
  readonly items: readonly Row[];
  readonly next: number | null;
  readonly note?: string;
}
interface Apart extends Args {
  readonly changes: readonly { readonly field: string; readonly from: string; readonly to: string }[];
  readonly next: number | null;
}

const TOOL = "get_content_history";
const BYTES_MAX = 4096;

/** What a person does on the site, a minute later. */
function saves({ cms, kit }: World, id: number, change: Args): void {
  kit.gw.clock.now += 60_000;
  const post = Object.assign(cms.state.posts.get(id)!, change, { modified: kit.gw.clock.now });
  keepRevision(cms.state, post, 2);
}

const bytes = (answer: unknown) => new TextEncoder().encode(JSON.stringify(answer)).length;

test("what a person changed past the gateway is listed with the gateway's own changes, newest first", async (at) => {
  const post_id = at.draft.id;
  const list = () => at.kit.both<List>(TOOL, { site_id: "open", post_id });
  saves(at, post_id, { title: "First" });
  saves(at, post_id, { content: "<p>New</p>", excerpt: "Other" });
  await at.kit.write("rest", "update_draft", { site_id: "open", post_id, title: "By the gateway" });
  const { items, ...rest } = await list();
  assert.deepEqual({ ...rest, texts: null }, { total: 3, next: null, kept: true, texts: null });
  assert.match(
    String(rest["texts"]),
    /from: previous what the newest change did; before the oldest the site/,
  );
  assert.match(String(rest["texts"]), /list_changes with texts has what the gateway replaced$/);
  assert.deepEqual(items.map(({ by, fields }) => [by, fields]), [
    [items[0]!["by"], ["title"]],
    [items[1]!["by"], ["content_html", "excerpt"]],
    [items[1]!["by"], null],
  ]);
  assert.deepEqual(items.map(({ gateway }) => gateway), [true, false, false]);
  assert.equal(items[2]!["at"], "2026-11-21T12:01:00Z");
  at.edit(at.draft, { content: "<p>By a plugin</p>" });
  assert.match(
    (await list()).note ?? "",
    /^What stands there now differs .* in content_html: it was changed without a revision/,
  );
});

test("a page of the list stays short, next names the following one, an autosave is marked", async (at) => {
  const { id: page_id } = addPost(at.cms.state, { type: "page", author: 2, title: "0", content: "x" });
  for (let n = 1; n <= 23; n++) saves(at, page_id, { title: `${n}` });
  keepRevision(at.cms.state, at.cms.state.posts.get(page_id)!, 1, { content: "typed" });
  const list = (page?: number) => at.kit.both<List>(TOOL, { site_id: "open", page_id, page });
  const pages = [await list(), await list(2), await list(3)];
  assert.deepEqual(pages.map(({ items, next }) => [items.length, next]), [[10, 2], [10, 3], [4, null]]);
  assert.deepEqual(pages.map(({ items }) => items.at(-1)!.fields), [["title"], ["title"], null]);
  assert.ok(pages.every((one) => bytes(one) < BYTES_MAX));
  const [unsaved, saved] = pages[0]!.items;
  assert.deepEqual([unsaved!["kind"], unsaved!.fields, saved!["kind"]], [
    "autosave",
    ["content_html"],
    undefined,
  ]);
  assert.deepEqual((await list(4)).items, []);
});

test("two versions are compared by id, in pages of a few KB; without to it is what stands there", async (at) => {
  const post_id = at.draft.id;
  const long = (word: string) =>
    Array.from({ length: 60 }, (_, n) => `<p>${n} ${"same ".repeat(60)}${word}</p>`).join("\n");
  saves(at, post_id, { content: long("old"), title: "A" });
  saves(at, post_id, { content: long("new"), title: "A" });
  saves(at, post_id, { title: "B" });
  const { items: [, newer, older] } = await at.kit.both<List>(TOOL, { site_id: "open", post_id });
  const ask = (more: Args) => at.kit.both<Apart>(TOOL, { site_id: "open", post_id, ...more });
  const previous = await ask({ from: "previous" });
  assert.deepEqual(previous.changes, [{ field: "title", from: "A", to: "B" }]);
  const [newest] = (await ask({})).items as readonly unknown[];
  assert.deepEqual(previous["newest"], newest, "who made it, and when, without another call");
  assert.equal("newest" in await ask({ from: newer!.id }), false);
  assert.deepEqual([(previous["from"] as Args)["id"], (previous["to"] as Args)["id"]], [newer!.id, "now"]);
  const now = await ask({ from: newer!.id });
  assert.deepEqual([now.changes, now.next], [[{ field: "title", from: "A", to: "B" }], null]);
  assert.deepEqual([(now["from"] as Args)["id"], (now["to"] as Args)["id"]], [newer!.id, "now"]);
  const seen: string[] = [];
  let page: number | null = 1;
  while (page !== null) {
    const part: Apart = await ask({ from: older!.id, to: newer!.id, page });
    assert.ok(bytes(part) < BYTES_MAX);
    for (const { from, to } of part.changes) {
      assert.equal(from.replaceAll("old", "new"), to);
      seen.push(from);
    }
    page = part.next;
  }
  assert.equal(seen.length, 60);
  saves(at, post_id, { content: "ü".repeat(30_000) });
  const whole = await ask({ from: newer!.id });
  assert.ok(bytes(whole) < BYTES_MAX);
  assert.match(whole.changes.find(({ field }) => field === "content_html")!.to, /characters left out\)$/);
});

test("a site that keeps no revisions is told, and one that fails to show their texts still lists them", async (at) => {
  const { state } = at.cms;
  const list = (post_id: number) => at.kit.both<List>(TOOL, { site_id: "open", post_id });
  assert.match(
    (await list(at.draft.id)).note ?? "",
    /^It was not changed since it was made, or the site has/,
  );
  saves(at, at.draft.id, { title: "Once" });
  assert.equal((await list(1)).note, "It was not changed since it was made");
  at.cms.inject({ kind: "html" }, { times: 1, path: /revisions/ });
  const bare = await at.kit.gw.call<List>(TOOL, { site_id: "open", post_id: at.draft.id });
  assert.deepEqual([bare.items.length, bare.items[0]!.fields], [1, null]);
  assert.match(bare.note ?? "", /^The site failed to show the texts/);
  state.keeps_revisions = false;
  at.edit(state.posts.get(1)!, { modified: at.kit.gw.clock.now + 1000 });
  const { note, ...off } = await list(at.draft.id);
  assert.deepEqual(off, { items: [], total: 0, next: null, kept: false });
  assert.match(
    note ?? "",
    /^The site has revisions switched off \(WP_POST_REVISIONS in wp-config.php, or a plugin\)/,
  );
});

test("get_content_history says what is wrong with ids, and asks nothing of a site for what cannot be", async (at) => {
  const post_id = at.draft.id;
  const wrong: Refused = {
    [TOOL]: [
      [{}, /post_id/],
      [{ post_id, page_id: 2 }, /post_id/],
      [{ post_id: "7/revisions" }, /^post_id: /],
      [{ post_id, from: "abc" }, /^from: expected a whole number/],
      [{ post_id, to: 3 }, /^to: goes with from/],
      [{ post_id, from: "previous", to: 3 }, /^to: goes with the id of a version/],
      [{ post_id, page: 0 }, /^page: /],
    ],
  };
  for (const [tool, args, says] of refusedCalls(wrong)) {
    await at.kit.refuses(tool, { site_id: "open", ...args }, "E_BAD_INPUT", says);
  }
  await at.kit.refuses(TOOL, { site_id: "open", path: "a.md" }, "E_NOT_SUPPORTED", /path/);
  await at.kit.refuses(TOOL, { site_id: "open", post_id: 2 }, "E_UPSTREAM", /is a page, not a post/, "reads");
  const { id: other } = addPost(at.cms.state, { type: "post", author: 2, title: "Other" });
  saves(at, other, { title: "Changed" });
  const { items: [theirs] } = await at.kit.both<List>(TOOL, { site_id: "open", post_id: other });
  const foreign = { site_id: "open", post_id, from: theirs!.id };
  await at.kit.refuses(TOOL, foreign, "E_NOT_FOUND", /^from: the site has no revision \d+ of post/, "reads");
});

staticTest("a file's history is its git log, and two commits of it are compared", async (at: StaticWorld) => {
  const path = "src/styles/site.css";
  const first = await at.head("main");
  await at.host.commit("acme/site", {
    files: { [path]: "b { color: red }\n" },
    message: "Say who\n\nBecause",
  });
  const second = await at.head("main");
  const main = { site_id: "open", path, content: "b { color: blue }\n", target_branch: "main" };
  const { sha } = await at.both<{ sha: string }>("read_static_file", { site_id: "open", path });
  await at.gw.call("write_static_file", { ...main, sha, allow_overwrite: true, confirm: true });
  const list = (more: Args = {}) => at.both<List>(TOOL, { site_id: "open", path, ...more });
  const { items, ...rest } = await list();
  assert.deepEqual({ ...rest, texts: null }, { total: null, next: null, kept: true, texts: null });
  assert.doesNotMatch(String(rest["texts"]), /before the oldest/, "a repository keeps all");
  assert.deepEqual(items.slice(1).map(({ id }) => id), [second, first]);
  assert.deepEqual(items.map(({ gateway }) => gateway), [true, false, false]);
  assert.equal(items[1]!["message"], "Say who");
  assert.ok(!JSON.stringify(items).includes("@"), "no addresses of people");
  const two = await at.both<Apart>(TOOL, { site_id: "open", path, from: first, to: second });
  assert.deepEqual(two.changes, [{ field: "content", from: FILES[path], to: "b { color: red }\n" }]);
  const now = await at.both<Apart>(TOOL, { site_id: "open", path, from: second });
  assert.deepEqual(now.changes.map(({ to }) => to), ["b { color: blue }\n"]);
  const nothing = await list({ path: "src/none.md" });
  assert.deepEqual(nothing.items, []);
  assert.match(nothing.note ?? "", /^No commit of "main" touched that path/);
  const refused = async (
    args: Args,
    code: "E_BAD_INPUT" | "E_BAD_PATH" | "E_NOT_FOUND" | "E_NOT_SUPPORTED",
    says: RegExp,
  ) =>
    void await at.refuses(
      TOOL,
      { site_id: "open", path, ...args },
      code,
      says,
      code === "E_NOT_FOUND" ? "reads" : undefined,
    );
  await refused({ path: ".env" }, "E_BAD_PATH", /^path: /);
  await refused({ path: "../x" }, "E_BAD_PATH", /^path: /);
  await refused({ ref: "nowhere" }, "E_NOT_FOUND", /^ref: repository/);
  await refused({ from: "main" }, "E_BAD_INPUT", /^from: expected the 40 characters of a commit/);
  await refused({ from: first, to: "main" }, "E_BAD_INPUT", /^to: expected the 40 characters of a commit/);
  const nobodys = "0".repeat(40);
  await refused({ from: nobodys }, "E_NOT_FOUND", /^from: repository/);
  await refused({ from: first, to: nobodys }, "E_NOT_FOUND", /^to: repository/);
  await refused({ path: undefined, post_id: 1 }, "E_NOT_SUPPORTED", /post_id/);
});
