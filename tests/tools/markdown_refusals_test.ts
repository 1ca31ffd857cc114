/** What the markdown tools refuse: each code of the specification, with what was sent before it. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { blobName } from "../../platforms/github/names.ts";
import type { NewSite } from "../../store/store.ts";
import type { Args } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { FILES, REPO, StaticWorld, test } from "./_static.ts";

const shaOf = (text: string) => blobName(new TextEncoder().encode(text));
const FIRST = FILES["src/content/first.md"] as string;
const NEW = "---\ntitle: New\nslug: new\n---\nText $& \u{1f600}\n";
const PATH = "src/content/first.md";
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
  [
    { content: "---\ntitle: A\nslug: 7\n---\n" },
    "E_BAD_INPUT",
    /^content: slug of the frontmatter is not a text; .* in quotes$/,
  ],
  ...["product", "Post", "[post]", "7", "{ a: 1 }", "true"].map((type): [Args, Code, RegExp] => [
    { content: `---\ntitle: A\nslug: a\ntype: ${type}\n---\n` },
    "E_BAD_INPUT",
    /^content: type of the frontmatter is .*; allowed are "post" and "page"$/,
  ]),
  [{ content: "---\ntitle: '  '\nslug: a\n---\n" }, "E_BAD_INPUT", /^content: the frontmatter has no title/],
  [
    { content: LARGE.slice(0, 900 * 1024 + 1) },
    "E_FILE_TOO_LARGE",
    /^content: has 921601 bytes, over the 921600/,
  ],
  [{ content: `${NEW}\ud800` }, "E_BAD_INPUT", /^content: holds an unpaired surrogate/],
  [{ content: `${NEW}\0` }, "E_BAD_INPUT", /^content: holds a NUL/],
  [{ sha: "abc" }, "E_BAD_INPUT", /^sha/],
  [{ message: "a\nX-Gateway-Token: forged" }, "E_BAD_INPUT", /^message/],
];

test("save_md_to_repo refuses what is no markdown document before anything is asked", async (at) => {
  const args = { site_id: "journal", path: "posts/new.md", content: NEW };
  for (const [more, code, says] of UNSAVED) {
    await at.refuses("save_md_to_repo", { ...args, ...more }, code, says);
  }
  const { done } = await at.write("rest", "save_md_to_repo", { ...args, content: EXACT });
  assert.equal(done["created"], true);
});

test("every markdown tool refuses a path that is blocked or no markdown, before anything is asked", async (at) => {
  const tools: [string, Args][] = [
    ["save_md_to_repo", { content: NEW }],
    ["read_md_from_repo", {}],
    ["update_md_status", { status: "live" }],
    ["deploy_md_to_site", {}],
  ];
  for (const [tool, args] of tools) {
    for (const path of ["", ...BLOCKED, ...NO_MARKDOWN]) {
      await at.refuses(tool, { site_id: "journal", path, ...args }, "E_BAD_PATH", /^path: /);
    }
  }
  for (const prefix of ["../", "/a", ".github/workflows", "node_modules/", "a\\b"]) {
    const args = { site_id: "journal", prefix };
    await at.refuses("list_md_from_repo", args, "E_BAD_PATH", /^prefix: /);
  }
});

test("a sha that is not the file's is refused, with the one that stands", async (at) => {
  const standing = await shaOf(FIRST);
  const save = { site_id: "journal", path: PATH, content: NEW };
  const status = { site_id: "journal", path: PATH, status: "live" };
  const says = new RegExp(`^sha: .*${standing}`);
  const notes = await shaOf("# Notes\n");
  await at.refuses("save_md_to_repo", save, "E_SHA_MISMATCH", says, "reads");
  for (const sha of [OTHER, notes]) {
    await at.refuses("save_md_to_repo", { ...save, sha }, "E_SHA_MISMATCH", says, "reads");
    await at.refuses("update_md_status", { ...status, sha }, "E_SHA_MISMATCH", says, "reads");
  }
  const absent = { ...save, path: "posts/gone.md", sha: standing };
  const left = /^sha: there is no file "posts\/gone.md"; leave sha out to make it$/;
  await at.refuses("save_md_to_repo", absent, "E_SHA_MISMATCH", left, "reads");
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
    await at.refuses(tool, call(tool, path), code, says, "reads");
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
    await at.refuses(tool, { site_id: "closed", ...args }, "E_MAIN_BRANCH_LOCKED", /allow_main_branch_push/);
    await at.refuses(tool, { site_id: "bulk", ...args }, "E_MAIN_BRANCH_LOCKED", /allow_main_branch_push/);
    await at.refuses(tool, { site_id: "unlinked", ...args }, "E_REPO_NOT_LINKED", /repo/);
    await at.refuses(tool, { site_id: "open", ...args }, "E_SCOPE_DENIED", {
      says: /3/,
      as: "careful",
      audit: "risk_capped",
    });
    await at.refuses(tool, { site_id: "elsewhere", ...args }, "E_REPO_APP_NOT_INSTALLED", /nobody/, "reads");
  }
  for (const [tool, args] of [["list_md_from_repo", {}], ["read_md_from_repo", { path: PATH }]] as const) {
    await at.refuses(tool, { site_id: "unlinked", ...args }, "E_REPO_NOT_LINKED", /repo/);
    await at.refuses(tool, { site_id: "elsewhere", ...args }, "E_REPO_APP_NOT_INSTALLED", /nobody/, "reads");
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
    await at.refuses("save_md_to_repo", { site_id, ...save }, "E_MAIN_BRANCH_LOCKED", says);
    const status = { site_id, path: PATH, status: "live" };
    await at.refuses("update_md_status", status, "E_MAIN_BRANCH_LOCKED", says);
    const deploy = { site_id, path: PATH, append_deployment: true };
    await at.refuses("deploy_md_to_site", deploy, "E_MAIN_BRANCH_LOCKED", says);
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
