/** Markdown files of a repository: saved, read, listed and given a status through both doors, a clone as the witness. */
import assert from "node:assert/strict";
import type { Code } from "../../errors.ts";
import { blobName } from "../../platforms/repo/git.ts";
import type { NewSite } from "../../store/store.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { FILES, JOURNAL, REPO, StaticWorld } from "./_static.ts";

const SHA = /^[0-9a-f]{40}$/;
const shaOf = (text: string) => blobName(new TextEncoder().encode(text));
const FIRST = FILES["src/content/first.md"] as string;
const NEW = "---\ntitle: New\nslug: new\n---\nText $& \u{1f600}\n";
const PATH = "src/content/first.md";
/** Sites a markdown write goes through: a CMS's journal, and a static site that may push to its branch. */
const SITES = [["journal", 1, JOURNAL], ["open", 3, REPO]] as const;
const NO_MARKDOWN = ["a.txt", "md", ".md", "a.md/b", "src/content/", "a.md.exe"];
const BLOCKED = [
  "../a.md",
  "/a.md",
  "a/../../b.md",
  "%2e%2e/a.md",
  "a\\b.md",
  "a\u0000.md",
  ".github/workflows/a.md",
  ".GITHUB/workflows/a.md",
  "node_modules/x/README.md",
  "dist/a.md",
  ".git/a.md",
  ".env.md",
  `${"x".repeat(248)}.md`,
];

for (const [site_id, tier, repo] of SITES) {
  for (const door of DOORS) {
    Deno.test(`save_md_to_repo makes and replaces one file in one commit: ${site_id}, ${door}`, async () => {
      await using at = await StaticWorld.open();
      const args = { site_id, path: "posts/new.md", content: NEW };
      const preview = await at.preview("save_md_to_repo", args);
      assert.deepEqual([preview.tier, preview.summary], [
        tier,
        `Make "posts/new.md" on branch "main" of ${repo}`,
      ]);
      assert.deepEqual(preview.changes, [
        { field: "posts/new.md", from: null, to: { bytes: new TextEncoder().encode(NEW).length } },
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
      assert.deepEqual(done, {
        path: "posts/new.md",
        sha,
        commit_sha,
        created: true,
        branch: "main",
        html_url: done["html_url"],
      });
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
      assert.deepEqual(done, { path: PATH, sha, status: "published", previous_status: "draft", commit_sha });
      assert.deepEqual([row.tier, row.result_id], [tier, PATH]);

      const { done: same } = await at.write(door, "update_md_status", { ...args, sha });
      assert.deepEqual(same, {
        path: PATH,
        sha,
        status: "published",
        previous_status: "published",
        commit_sha,
        unchanged: true,
      });
      assert.equal(await at.head("main", repo), commit_sha);
    });
  }
}

Deno.test("an empty repository takes a first markdown file, below the site's folder", async () => {
  const linked = { base_url: "https://a.example", repo: "acme/none", repo_branch: "main" };
  await using at = await StaticWorld.open({
    sites: [{ id: "below", name: "Below", platform: "crm", ...linked, repo_prefix: "sites/a" }],
  });
  await at.host.make("acme/none", { empty: true });
  assert.deepEqual(await at.both("list_md_from_repo", { site_id: "below" }), {
    items: [],
    truncated: false,
    total_files: 0,
  });
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

Deno.test("read_md_from_repo answers frontmatter and body, at the branch or any ref", async () => {
  await using at = await StaticWorld.open();
  assert.deepEqual(await at.both("read_md_from_repo", { site_id: "closed", path: PATH }), {
    path: PATH,
    frontmatter: { title: "First", slug: "first", status: "draft" },
    body: "Text\n",
    sha: await shaOf(FIRST),
  });
  const before = await at.head("main");
  await at.host.commit(REPO, { files: { [PATH]: NEW } });
  for (const [ref, title] of [[before, "First"], ["main", "New"]]) {
    const found = await at.both<{ frontmatter: Args }>("read_md_from_repo", {
      site_id: "closed",
      path: PATH,
      ref,
    });
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
  const blobs = () => at.host.exchanges.filter(({ path }) => path.includes("/git/blobs/")).length;
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
  at.host.misbehave({ kind: "garbage", body: JSON.stringify(other) }, { path: "/git/blobs/" });
  const head = await at.head("main", JOURNAL);
  const args = { site_id: "journal", path: "p/a.md", status: "x", confirm: true };
  const message = await at.gw.refuses("update_md_status", args, "E_UPSTREAM", { door: "rest" });
  assert.match(message, /acme\/journal/);
  assert.equal(await at.head("main", JOURNAL), head);
});

const LARGE = `---\ntitle: A\nslug: a\n---\n${"x".repeat(900 * 1024)}`;
const EXACT = LARGE.slice(0, 900 * 1024);
const OTHER = "0123456789012345678901234567890123456789";

/** What save refuses before anything is asked. */
const UNSAVED: readonly [Args, Code, RegExp][] = [
  [{ content: "Text" }, "E_MISSING_FRONTMATTER", /^content: does not start with a frontmatter block/],
  [{ content: "---\ntitle: A\nslug: a\n" }, "E_MISSING_FRONTMATTER", /^content: .*not closed/],
  [{ content: "---\ntitle: [\n---\n" }, "E_MISSING_FRONTMATTER", /^content: .*no YAML/],
  [{ content: "---\nslug: a\n---\n" }, "E_BAD_INPUT", /^content: the frontmatter has no title/],
  [{ content: "---\ntitle: A\n---\n" }, "E_BAD_INPUT", /^content: the frontmatter has no slug/],
  [{ content: "---\ntitle: A\nslug: 7\n---\n" }, "E_BAD_INPUT", /^content: .*something else as slug/],
  [
    { content: LARGE.slice(0, 900 * 1024 + 1) },
    "E_FILE_TOO_LARGE",
    /^content: has 921601 bytes, over the 921600/,
  ],
  [{ content: `${NEW}\ud800` }, "E_BAD_INPUT", /^content: holds half a character/],
  [{ content: `${NEW}\0` }, "E_BAD_INPUT", /^content: holds a NUL/],
  [{ sha: "abc" }, "E_BAD_INPUT", /^sha/],
  [{ message: "a\nX-Gateway-Token: forged" }, "E_BAD_INPUT", /^message/],
];

Deno.test("save_md_to_repo refuses what is no markdown document before anything is asked", async () => {
  await using at = await StaticWorld.open();
  const args = { site_id: "journal", path: "posts/new.md", content: NEW };
  for (const [more, code, says] of UNSAVED) {
    await at.refuses("save_md_to_repo", { ...args, ...more }, code, { says });
  }
  const { done } = await at.write("rest", "save_md_to_repo", { ...args, content: EXACT });
  assert.equal(done["created"], true);
});

Deno.test("every markdown tool refuses a path that is blocked or no markdown, before anything is asked", async () => {
  await using at = await StaticWorld.open();
  const tools: [string, Args][] = [
    ["save_md_to_repo", { content: NEW }],
    ["read_md_from_repo", {}],
    ["update_md_status", { status: "live" }],
    ["deploy_md_to_site", {}],
  ];
  for (const [tool, args] of tools) {
    for (const path of [...BLOCKED, ...NO_MARKDOWN]) {
      await at.refuses(tool, { site_id: "journal", path, ...args }, "E_BAD_PATH", { says: /^path: / });
    }
  }
  for (const prefix of ["../", "/a", ".github/workflows", "node_modules/", "a\\b"]) {
    const args = { site_id: "journal", prefix };
    await at.refuses("list_md_from_repo", args, "E_BAD_PATH", { says: /^prefix: / });
  }
});

Deno.test("a sha that is not the file's is refused, with the one that stands", async () => {
  await using at = await StaticWorld.open();
  const standing = await shaOf(FIRST);
  const save = { site_id: "journal", path: PATH, content: NEW };
  const status = { site_id: "journal", path: PATH, status: "live" };
  const says = new RegExp(`^sha: .*${standing}`);
  const notes = await shaOf("# Notes\n");
  await at.refuses("save_md_to_repo", save, "E_SHA_MISMATCH", { says, sends: "reads" });
  for (const sha of [OTHER, notes]) {
    await at.refuses("save_md_to_repo", { ...save, sha }, "E_SHA_MISMATCH", { says, sends: "reads" });
    await at.refuses("update_md_status", { ...status, sha }, "E_SHA_MISMATCH", { says, sends: "reads" });
  }
  const absent = { ...save, path: "posts/gone.md", sha: standing };
  const left = /^sha: there is no file "posts\/gone.md"; leave sha out to make it$/;
  await at.refuses("save_md_to_repo", absent, "E_SHA_MISMATCH", { says: left, sends: "reads" });
});

Deno.test("what is not there, is no file, or has no frontmatter is refused", async () => {
  const files = {
    ...FILES,
    "a.md/b.md": NEW,
    "large.md": LARGE,
    "latin.md": new Uint8Array([45, 45, 45, 10, 0xe9]),
  };
  await using at = await StaticWorld.open({ files });
  const cases: [string, string, Code, RegExp][] = [
    ["read_md_from_repo", "posts/gone.md", "E_NOT_FOUND", /posts\/gone.md/],
    ["update_md_status", "posts/gone.md", "E_NOT_FOUND", /posts\/gone.md.*list_md_from_repo/],
    ["deploy_md_to_site", "posts/gone.md", "E_NOT_FOUND", /posts\/gone.md/],
    ["read_md_from_repo", "a.md", "E_BAD_PATH", /a folder/],
    ["update_md_status", "a.md", "E_BAD_PATH", /a folder/],
    ["save_md_to_repo", "a.md", "E_BAD_PATH", /a folder/],
    ["read_md_from_repo", "README.md", "E_MISSING_FRONTMATTER", /^path: does not start/],
    ["update_md_status", "README.md", "E_MISSING_FRONTMATTER", /^path: does not start/],
    ["deploy_md_to_site", "README.md", "E_MISSING_FRONTMATTER", /^path: does not start/],
    ["read_md_from_repo", "latin.md", "E_MISSING_FRONTMATTER", /not UTF-8/],
    ["update_md_status", "latin.md", "E_MISSING_FRONTMATTER", /not UTF-8/],
    ["read_md_from_repo", "large.md", "E_FILE_TOO_LARGE", /^path: /],
    ["update_md_status", "large.md", "E_FILE_TOO_LARGE", /^path: /],
  ];
  const more: Record<string, Args> = {
    save_md_to_repo: { content: NEW },
    update_md_status: { status: "live" },
  };
  const call = (tool: string, path: string): Args => ({ site_id: "journal", path, ...more[tool] });
  for (const [tool, path, code, says] of cases) {
    await at.refuses(tool, call(tool, path), code, { says, sends: "reads" });
  }
  for (const status of [" live", "live ", "a\nb", "a\u0000b", "x".repeat(41), ""]) {
    await at.refuses("update_md_status", { ...call("update_md_status", PATH), status }, "E_BAD_INPUT", {
      says: /^status/,
    });
  }
});

Deno.test("a static site that may not push to its branch keeps markdown off it, and an unlinked one has none", async () => {
  await using at = await StaticWorld.open({ tokens: { careful: { max_risk: 2 } } });
  const calls: [string, Args][] = [
    ["save_md_to_repo", { path: "n.md", content: NEW }],
    ["update_md_status", { path: PATH, status: "live" }],
  ];
  for (const [tool, args] of calls) {
    await at.refuses(tool, { site_id: "closed", ...args }, "E_MAIN_BRANCH_LOCKED", {
      says: /allow_main_branch_push/,
    });
    await at.refuses(tool, { site_id: "bulk", ...args }, "E_MAIN_BRANCH_LOCKED", {
      says: /allow_main_branch_push/,
    });
    await at.refuses(tool, { site_id: "unlinked", ...args }, "E_REPO_NOT_LINKED", { says: /repo/ });
    await at.refuses(tool, { site_id: "open", ...args }, "E_SCOPE_DENIED", {
      says: /3/,
      as: "careful",
      audit: "risk_capped",
    });
    await at.refuses(tool, { site_id: "elsewhere", ...args }, "E_REPO_APP_NOT_INSTALLED", {
      says: /nobody/,
      sends: "reads",
    });
  }
  for (const [tool, args] of [["list_md_from_repo", {}], ["read_md_from_repo", { path: PATH }]] as const) {
    await at.refuses(tool, { site_id: "unlinked", ...args }, "E_REPO_NOT_LINKED", { says: /repo/ });
    await at.refuses(tool, { site_id: "elsewhere", ...args }, "E_REPO_APP_NOT_INSTALLED", {
      says: /nobody/,
      sends: "reads",
    });
  }
});

Deno.test("a CMS that shares a static site's branch keeps markdown off it as that site would", async () => {
  const shares = (id: string, more: Partial<NewSite>) => site(id, "cms", { repo: REPO, ...more });
  await using at = await StaticWorld.open({
    sites: [
      shares("same", { repo_branch: "main" }),
      shares("nameless", {}),
      shares("spelled", { repo: "ACME/Site", repo_branch: "main", repo_prefix: "posts" }),
      shares("allowed", { repo_branch: "main", flags: { allow_main_branch_push: true } }),
    ],
    tokens: { careful: { max_risk: 2 } },
  });
  const save = { path: "n.md", content: NEW };
  const says =
    /needs allow_main_branch_push .*, because a static site is deployed from its branch; a super-admin/;
  for (const site_id of ["same", "nameless", "spelled"]) {
    await at.refuses("save_md_to_repo", { site_id, ...save }, "E_MAIN_BRANCH_LOCKED", { says });
    const status = { site_id, path: PATH, status: "live" };
    await at.refuses("update_md_status", status, "E_MAIN_BRANCH_LOCKED", { says });
    const deploy = { site_id, path: PATH, append_deployment: true };
    await at.refuses("deploy_md_to_site", deploy, "E_MAIN_BRANCH_LOCKED", { says });
    assert.equal(
      (await at.both("read_md_from_repo", { site_id: "same", path: PATH }))["sha"],
      await shaOf(FIRST),
    );
  }
  const args = { site_id: "allowed", ...save };
  await at.refuses("save_md_to_repo", args, "E_SCOPE_DENIED", {
    says: /3/,
    as: "careful",
    audit: "risk_capped",
  });
  assert.equal((await at.write("rest", "save_md_to_repo", args)).row.tier, 3);
});

Deno.test("of two who save one file at once one is told that it has changed, and both files of two are kept", async () => {
  await using at = await StaticWorld.open();
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
