/** Markdown files of a repository: saved, read, listed and given a status through both doors, a clone as the witness. */
import assert from "node:assert/strict";
import { blobName } from "../../platforms/github/names.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { FILES, JOURNAL, REPO, StaticWorld, test } from "./_static.ts";

const SHA = /^[0-9a-f]{40}$/;
const shaOf = (text: string) => blobName(new TextEncoder().encode(text));
const FIRST = FILES["src/content/first.md"] as string;
const NEW = "---\ntitle: New\nslug: new\n---\nText $& \u{1f600}\n";
const PATH = "src/content/first.md";
/** Sites a markdown write goes through: a CMS's journal, and a static site that may push to its branch. */
const SITES = [["journal", 1, JOURNAL], ["open", 3, REPO]] as const;
for (const [site_id, tier, repo] of SITES) {
  for (const door of DOORS) {
    test(`save_md_to_repo makes and replaces one file in one commit: ${site_id}, ${door}`, async (at) => {
      const args = { site_id, path: "posts/new.md", content: NEW };
      const preview = await at.preview("save_md_to_repo", args);
      assert.deepEqual([preview.tier, preview.summary], [
        tier,
        `Make "posts/new.md" on branch "main" of ${repo}`,
      ]);
      assert.deepEqual(preview.changes, [
        { field: "posts/new.md", from: null, to: { bytes: new TextEncoder().encode(NEW).length } },
        { field: "posts/new.md (text)", text_of: "posts/new.md", from: null, to: NEW },
      ]);
      const parent = await at.head("main", repo);
      const { done, row } = await at.write(door, "save_md_to_repo", args);
      const sha = await shaOf(NEW);
      const commit_sha = await at.wrote({
        repo,
        branch: "main",
        parent,
        line: "Add posts/new.md",
        files: { "posts/new.md": NEW },
      });
      assert.match(String(done["html_url"]), /\/acme\/\w+\/blob\/[0-9a-f]{40}\/posts\/new\.md$/);
      assert.deepEqual(
        done,
        { path: "posts/new.md", sha, commit_sha, created: true, branch: "main", html_url: done["html_url"] },
      );
      assert.deepEqual([row.tier, row.result_id], [tier, "posts/new.md"]);

      const newer = NEW.replaceAll("\n", "\r\n");
      const again = { ...args, content: newer, sha, message: "Windows" };
      const { done: replaced } = await at.write(door, "save_md_to_repo", again);
      assert.deepEqual([replaced["created"], replaced["sha"]], [false, await shaOf(newer)]);
      await at.wrote({
        repo,
        branch: "main",
        parent: commit_sha,
        line: "Windows",
        files: { "posts/new.md": newer },
      });

      const head = await at.head("main", repo);
      const same = await at.write(door, "save_md_to_repo", { ...again, sha: await shaOf(newer) });
      assert.deepEqual([same.done["unchanged"], same.done["commit_sha"]], [true, head]);
      assert.equal(await at.head("main", repo), head, "no commit where nothing changes");
    });

    Deno.test(`update_md_status changes one line in one commit: ${site_id}, ${door}`, async () => {
      const before = "---\r\n# note\r\ntitle: A\r\nslug: a\r\nstatus: draft # why\r\n---\r\nBody  \r\n\ttext";
      const after = before.replace("draft", "published");
      await using at = await StaticWorld.open({ files: { ...FILES, [PATH]: before } });
      const args = { site_id, path: PATH, status: "published" };
      const preview = await at.preview("update_md_status", args);
      assert.deepEqual([preview.tier, preview.changes], [
        tier,
        [{ field: "status", from: "draft", to: "published" }],
      ]);
      const parent = await at.head("main", repo);
      const { done, row } = await at.write(door, "update_md_status", args);
      const line = `Set the status of ${PATH} to published`;
      const commit_sha = await at.wrote({ repo, branch: "main", parent, line, files: { [PATH]: after } });
      const sha = await shaOf(after);
      const written = { path: PATH, sha, status: "published", commit_sha, branch: "main" };
      assert.deepEqual(done, { ...written, previous_status: "draft" });
      assert.deepEqual([row.tier, row.result_id], [tier, PATH]);

      const { done: same } = await at.write(door, "update_md_status", { ...args, sha });
      assert.deepEqual(
        same,
        { ...written, previous_status: "published", unchanged: true },
      );
      assert.equal(await at.head("main", repo), commit_sha);
    });
  }
}

Deno.test("update_md_status sets other keys in the same commit, and every other byte stays", async () => {
  const before =
    "---\ntitle: A # as shown\nslug: a\nstatus: draft\nauthor: 'Office'\ntags: [garden]\n---\nBody\n";
  const after =
    "---\ntitle: A # as shown\nslug: a\nstatus: review\nauthor: Maria Lindner\ntags: [garden]\nhidden: true\n---\nBody\n";
  await using at = await StaticWorld.open({ files: { ...FILES, [PATH]: before } });
  const set = { author: "Maria Lindner", hidden: true };
  const args = { site_id: "journal", path: PATH, status: "review", set };
  const preview = await at.preview("update_md_status", args);
  assert.deepEqual(preview.changes, [
    { field: "status", from: "draft", to: "review" },
    { field: "author", from: "Office", to: "Maria Lindner" },
    { field: "hidden", from: null, to: true },
  ]);
  const parent = await at.head("main", JOURNAL);
  const { done } = await at.write("mcp", "update_md_status", args);
  const line = `Set the status of ${PATH} to review`;
  await at.wrote({ repo: JOURNAL, branch: "main", parent, line, files: { [PATH]: after } });
  assert.deepEqual([done["status"], done["previous_status"], done["set"]], ["review", "draft", [
    "author",
    "hidden",
  ]]);
  const refused: readonly (readonly [Args, RegExp, ("reads" | "nothing")?])[] = [
    [{ tags: "x" }, /^set\.tags: holds a list or an object .*save_md_to_repo/, "reads"],
    [{ type: "news" }, /^set: type of the frontmatter is "news"/, "reads"],
    [{ status: "x" }, /^set: "status": give it as status/],
    [{ deployments: "x" }, /^set: "deployments": deploy_md_to_site writes it/],
    [{ "a: b": "x" }, /^set: "a: b": a key has letters/],
    [{ author: "a\nb" }, /^set\.author: expected a text without/],
    [{ author: ["a"] }, /^set\.author/],
    [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, n])), /^set: at most 20 keys/],
  ];
  for (const [more, says, sends = "nothing"] of refused) {
    await at.refuses("update_md_status", { ...args, set: more }, "E_BAD_INPUT", says, sends);
  }
});

Deno.test("the same keys of several files are set by one set, confirmed once", async () => {
  const page = (author: string) => `---\ntitle: A\nslug: a\nstatus: draft\nauthor: ${author}\n---\nBody\n`;
  const paths = ["posts/one.md", "posts/two.md", "posts/three.md"];
  await using at = await StaticWorld.open({
    files: { ...FILES, ...Object.fromEntries(paths.map((path) => [path, page("Office")])) },
  });
  const changes = paths.map((path) => ({
    tool: "update_md_status",
    arguments: { site_id: "journal", path, status: "draft", set: { author: "Maria" } },
  }));
  const set = { title: "Authors", changes };
  const { confirm_token } = await at.gw.call<{ confirm_token: string }>("prepare_changes", set);
  const done = await at.gw.call<{ counts: unknown }>("prepare_changes", {
    ...set,
    confirm: true,
    confirm_token,
  });
  assert.deepEqual(done.counts, { done: 3 });
  for (const path of paths) {
    const found = await at.both<{ frontmatter: Args }>("read_md_from_repo", { site_id: "journal", path });
    assert.equal(found.frontmatter["author"], "Maria");
  }
});

Deno.test("a block with comments is answered as it stands beside its values, one without is not", async () => {
  const block = "# for the spring\ntitle: A # as shown\nslug: a\n";
  const body = "<!-- a note -->\nText\n";
  await using at = await StaticWorld.open({ files: { ...FILES, [PATH]: `---\n${block}---\n${body}` } });
  const found = await at.both("read_md_from_repo", { site_id: "journal", path: PATH });
  assert.deepEqual([found["frontmatter"], found["frontmatter_text"], found["body"]], [
    { title: "A", slug: "a" },
    block,
    body,
  ]);
});

Deno.test("an empty repository takes a first markdown file, below the site's folder", async () => {
  const linked = { base_url: "https://a.example", repo: "acme/none", repo_branch: "main" };
  await using at = await StaticWorld.open({
    sites: [{ id: "below", name: "Below", platform: "crm", ...linked, repo_prefix: "sites/a" }],
  });
  await at.host.make("acme/none", { empty: true });
  assert.deepEqual(
    await at.both("list_md_from_repo", { site_id: "below" }),
    { items: [], truncated: false, total_files: 0 },
  );
  const { done } = await at.write("mcp", "save_md_to_repo", { site_id: "below", path: "n.md", content: NEW });
  assert.equal(done["created"], true);
  await at.wrote({
    repo: "acme/none",
    branch: "main",
    parent: null,
    line: "Add n.md",
    files: { "sites/a/n.md": NEW },
  });
  const found = await at.both("read_md_from_repo", { site_id: "below", path: "n.md" });
  assert.equal(found["sha"], await shaOf(NEW));
});

test("read_md_from_repo answers frontmatter and body, at the branch or any ref", async (at) => {
  assert.deepEqual(await at.both("read_md_from_repo", { site_id: "closed", path: PATH }), {
    path: PATH,
    frontmatter: { title: "First", slug: "first", status: "draft" },
    body: "Text\n",
    sha: await shaOf(FIRST),
  });
  const before = await at.head("main");
  await at.host.commit(REPO, { files: { [PATH]: NEW } });
  for (const [ref, title] of [[before, "First"], ["main", "New"]]) {
    const found = await at.both<{ frontmatter: Args }>(
      "read_md_from_repo",
      { site_id: "closed", path: PATH, ref },
    );
    assert.equal(found.frontmatter["title"], title);
  }
});

Deno.test("list_md_from_repo answers what may be read, narrowed by prefix, status and number", async () => {
  const files = {
    ...FILES,
    "posts/b.mdx": "---\ntitle: B\ntype: post\nstatus: live\n---\n",
    "posts/c.MARKDOWN": "no frontmatter",
    "posts/d.md": "---\ntitle: [x\n---\n",
    "posts/e.md": "---\ntitle: 7\nstatus: live\n---\n",
    "node_modules/x.md": NEW,
  };
  await using at = await StaticWorld.open({ files });
  const list = async (args: Args) => {
    const found = await at.both<{ items: Args[]; truncated: boolean; total_files: number }>(
      "list_md_from_repo",
      { site_id: "closed", ...args },
    );
    return [found.items.map(({ path }) => path), found.truncated, found.total_files];
  };
  const all = [
    "README.md",
    "posts/b.mdx",
    "posts/c.MARKDOWN",
    "posts/d.md",
    "posts/e.md",
    PATH,
    "src/pages/notes.md",
  ];
  assert.deepEqual(await list({}), [all, false, 7]);
  assert.deepEqual(await list({ limit: 2 }), [all.slice(0, 2), true, 7]);
  assert.deepEqual(await list({ limit: 7 }), [all, false, 7]);
  assert.deepEqual(await list({ prefix: "posts/" }), [all.slice(1, 5), false, 4]);
  assert.deepEqual(await list({ prefix: "posts" }), [all.slice(1, 5), false, 4]);
  assert.deepEqual(await list({ status: "live" }), [["posts/b.mdx", "posts/e.md"], false, 7]);
  assert.deepEqual(await list({ status: "live", limit: 1 }), [["posts/b.mdx"], true, 7]);
  assert.deepEqual(await list({ status: "none" }), [[], false, 7]);
  const { items } = await at.both<{ items: Args[] }>("list_md_from_repo", {
    site_id: "closed",
    prefix: "posts/",
  });
  assert.deepEqual(items, [
    {
      path: "posts/b.mdx",
      sha: await shaOf(files["posts/b.mdx"]),
      title: "B",
      slug: null,
      type: "post",
      status: "live",
    },
    {
      path: "posts/c.MARKDOWN",
      sha: await shaOf("no frontmatter"),
      title: null,
      slug: null,
      type: null,
      status: null,
    },
    {
      path: "posts/d.md",
      sha: await shaOf(files["posts/d.md"]),
      title: null,
      slug: null,
      type: null,
      status: null,
    },
    {
      path: "posts/e.md",
      sha: await shaOf(files["posts/e.md"]),
      title: "7",
      slug: null,
      type: null,
      status: "live",
    },
  ]);
});

Deno.test("a file that was listed before is not read again until it changes", async () => {
  const text = (title: string) => `---\ntitle: ${title} ${crypto.randomUUID()}\n---\n`;
  const files = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p/${at}.md`, text(`T${at}`)]));
  await using at = await StaticWorld.open({ files });
  const blobs = () => at.host.requests.filter(({ path }) => path.includes("/git/blobs/")).length;
  const list = () => at.gw.call<{ items: Args[] }>("list_md_from_repo", { site_id: "closed" });
  const first = await list();
  assert.equal(blobs(), 9);
  assert.deepEqual(await list(), first);
  assert.equal(blobs(), 9);
  await at.host.commit(REPO, { files: { "p/4.md": text("Newer") } });
  const { items } = await list();
  assert.match(String(items[4]?.["title"]), /^Newer /);
  assert.equal(blobs(), 10);
});

Deno.test("bytes that are not those git names so are not taken for the file", async () => {
  await using at = await StaticWorld.open({ files: { ...FILES, "p/a.md": NEW } });
  const other = {
    content: btoa(NEW.replace("\u{1f600}", "    ")),
    encoding: "base64",
    size: 36,
    sha: await shaOf(NEW),
  };
  at.host.inject({ kind: "answer", body: JSON.stringify(other) }, { path: "/git/blobs/" });
  const head = await at.head("main", JOURNAL);
  const args = { site_id: "journal", path: "p/a.md", status: "x", confirm: true };
  await at.gw.refuses("update_md_status", args, "E_UPSTREAM", /acme\/journal/, { door: "rest" });
  assert.equal(await at.head("main", JOURNAL), head);
});

test("of two who save one file at once one is told that it has changed, and both files of two are kept", async (at) => {
  const sha = await shaOf(FIRST);
  const save = (content: string, more: Args = {}) =>
    at.gw.end("save_md_to_repo", { site_id: "journal", path: PATH, sha, content, confirm: true, ...more });
  const texts = [NEW, NEW.replace("New", "Other")];
  const ends = await Promise.all(texts.map((text) => save(text)));
  const codes = ends.map((one) => "code" in one ? one.code : "made").toSorted();
  assert.deepEqual(codes, ["E_SHA_MISMATCH", "made"]);
  const won = texts[ends.findIndex((one) => !("code" in one))];
  assert.equal((await at.host.files(JOURNAL))[PATH], won);
  assert.equal((await at.log("main", JOURNAL)).length, 2, "one commit on the first");

  const both = await Promise.all(["a.md", "b.md"].map((path) => save(NEW, { path, sha: undefined })));
  assert.ok(both.every((one) => !("code" in one)), JSON.stringify(both));
  const files = await at.host.files(JOURNAL);
  assert.deepEqual([files["a.md"], files["b.md"]], [NEW, NEW]);
  for (const one of ends) if (!("code" in one)) assert.match(String((one.value as Args)["sha"]), SHA);
});
