/** Projects of static sites begun through both doors: in empty repositories, beside a readme, and on another branch. */
import assert from "node:assert/strict";
import { projectFiles, type ProjectParts } from "../../platforms/astro/project.ts";
import { DOORS, type RefusedRow } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { EMPTY, OPEN_FLAGS, REPO, StaticWorld, test } from "./_static.ts";

const HOME = "<h1>{Home}</h1><style>a{b:c}</style>";
const PAGES = [{ route: "/About/", html: "<p>About</p>", title: "About us" }, { route: "a/b", html: "x" }];
const NAMES = [
  ".gitignore",
  ".node-version",
  "README.md",
  "astro.config.mjs",
  "package.json",
  "public/_headers",
  "public/favicon.svg",
  "public/robots.txt",
  "src/components/Navigation.astro",
  "src/content/site.json",
  "src/layouts/Base.astro",
  "src/pages/404.astro",
  "src/pages/index.astro",
  "src/styles/global.css",
  "tsconfig.json",
];
/** What a repository may hold before a project begins in it. */
const KEPT = {
  "Readme.rst": "Ours\n",
  "LICENSE": "MIT\n",
  ".gitignore": "ours/\n",
  ".gitattributes": "* text\n",
  ".github/workflows/build.yml": "on: push\n",
};

/** The files of a project as text by their paths; its site is registered under that id. */
const project = (id: string, parts: Partial<ProjectParts> = {}) => {
  const known = { address: `https://${id}.example`, deployed_branch: "main" };
  const page = { homepage_html: HOME, site_name: id, extra_pages: [], existing: [] };
  return Object.fromEntries(
    projectFiles({ ...page, ...known, ...parts }).map(({ path, content }) => [path, content]),
  );
};

for (const door of DOORS) {
  test(`init_static_project through ${door} gives an empty repository one commit with the whole project`, async (at) => {
    const { done, row } = await at.write(
      door,
      "init_static_project",
      { site_id: "empty", homepage_html: HOME, site_name: "Müller & Söhne", extra_pages: PAGES },
    );
    const files = project("empty", { site_name: "Müller & Söhne", extra_pages: PAGES });
    const line = "Scaffold the project";
    const sha = await at.wrote({ repo: EMPTY, branch: "main", parent: null, line, files });
    const names = [...NAMES, "src/pages/about.astro", "src/pages/a/b.astro"].toSorted();
    assert.deepEqual(Object.keys(files), names);
    assert.deepEqual(done, { commit_sha: sha, branch: "main", files: names });
    assert.deepEqual([row.tier, row.result_id], [3, sha]);
    assert.deepEqual(await at.log("main", EMPTY), [line], "there is no other commit");
    assert.match(files["src/pages/index.astro"]!, /^---\n\/\/ site-ops-gateway:generated v1\n/);
    const { name, language, navigation } = JSON.parse(files["src/content/site.json"]!);
    assert.deepEqual([name, language, navigation], ["Müller & Söhne", "en", [{ route: "/about" }]]);
    const { routes } = await at.both<{ routes: { route: string; managed: boolean }[] }>(
      "list_static_routes",
      { site_id: "empty" },
    );
    assert.deepEqual(routes.map(({ route, managed }) => `${route} ${managed}`), [
      "/ true",
      "/404 true",
      "/a/b true",
      "/about true",
    ]);
  });

  Deno.test(`init_static_project through ${door} keeps the readme, license, ignore file and workflows there are`, async () => {
    await using at = await StaticWorld.open({ files: KEPT });
    const parent = await at.head("main");
    const { done } = await at.write(door, "init_static_project", {
      site_id: "default",
      homepage_html: HOME,
      message: "Begin",
    });
    const files = project("default", { existing: Object.keys(KEPT) });
    const sha = await at.wrote({ branch: "main", parent, line: "Begin", files });
    assert.deepEqual([done["commit_sha"], done["files"]], [sha, Object.keys(files)]);
    assert.ok(!("README.md" in files) && !(".gitignore" in files));
    const now = await at.host.files(REPO);
    for (const [path, text] of Object.entries(KEPT)) assert.equal(now[path], text, path);
  });

  Deno.test(`init_static_project through ${door} begins on another branch without the right to the deployed one`, async () => {
    await using at = await StaticWorld.open({ files: { "README.md": "# Ours\n" } });
    const parent = await at.head("main");
    const args = { site_id: "bulk", homepage_html: HOME, branch: "redesign/2027" };
    const { done } = await at.write(door, "init_static_project", args);
    const files = project("bulk", { existing: ["README.md"] });
    const line = "Scaffold the project";
    const sha = await at.wrote({ branch: "redesign/2027", parent, line, files });
    assert.deepEqual([done["commit_sha"], done["branch"]], [sha, "redesign/2027"]);
    assert.equal(await at.head("main"), parent);
    await at.refuses("init_static_project", args, "E_REPO_NOT_EMPTY", /holds "/, "reads");
  });
}

Deno.test("below a prefix a project begins beside what stands elsewhere in the repository, or in an empty one", async () => {
  const flags = OPEN_FLAGS;
  const below = { repo_branch: "main", repo_prefix: "sites/two", flags };
  await using at = await StaticWorld.open({
    files: { "package.json": "{}", "sites/two/LICENSE": "MIT", "sites/twofold/a.txt": "x" },
    sites: [
      site("two", "static", { repo: REPO, ...below }),
      site("fresh", "static", { repo: EMPTY, ...below }),
    ],
  });
  const line = "Scaffold the project";
  for (
    const [site_id, repo, parent] of [["two", REPO, await at.head("main")], ["fresh", EMPTY, null]] as const
  ) {
    const { done } = await at.write("rest", "init_static_project", { site_id, homepage_html: HOME });
    const files = Object.entries(project(site_id)).map(([path, text]) => [`sites/two/${path}`, text]);
    await at.wrote({ repo, branch: "main", parent, line, files: Object.fromEntries(files) });
    assert.deepEqual(done["files"], NAMES);
  }
  const now = await at.host.files(REPO);
  assert.deepEqual(
    [now["package.json"], now["sites/two/LICENSE"], now["sites/twofold/a.txt"]],
    ["{}", "MIT", "x"],
  );
  const again = { site_id: "two", homepage_html: HOME };
  const says = /holds "(README\.md|\.node-version)", "/;
  await at.refuses("init_static_project", again, "E_REPO_NOT_EMPTY", says, "reads");
});

test("a project with a blog is in the language that was named, and markdown is written into its collection", async (at) => {
  const args = { site_id: "empty", homepage_html: HOME, language: "de-AT", blog: true };
  const { done } = await at.write<{ files: string[] }>("mcp", "init_static_project", args);
  const files = project("empty", { language: "de-AT", blog: true });
  assert.deepEqual(done.files, Object.keys(files));
  const now = await at.host.files(EMPTY);
  for (const [path, text] of Object.entries(files)) assert.equal(now[path], text, path);
  const content = "---\ntitle: Erster Beitrag\nslug: erster\nstatus: published\n---\n\nText\n";
  const post = { site_id: "empty", path: "src/content/blog/erster.md", content };
  const saved = await at.write("rest", "save_md_to_repo", post);
  assert.equal(saved.done["created"], true);
});

Deno.test("the preview of a project names its branch and every file, and is read live", async () => {
  await using at = await StaticWorld.open({ files: { "LICENSE": "MIT\n" } });
  const args = { site_id: "open", homepage_html: HOME };
  const found = await at.preview("init_static_project", args);
  assert.deepEqual([found.summary, found.tier], [
    'Scaffold the project of open, 15 files, on branch "main"',
    3,
  ]);
  const files = project("open");
  assert.deepEqual(
    found.changes,
    [
      { field: "branch", from: null, to: "main" },
      ...NAMES.map((field) => ({ field, from: null, to: { bytes: new Blob([files[field]!]).size } })),
    ],
  );
  await at.host.commit(REPO, { files: { "README": "x" } });
  const later = await at.preview("init_static_project", args);
  assert.ok(!later.changes.some(({ field }) => field === "README.md"), "the readme there is now is kept");
});

test("a repository that holds more is not begun in, its first files being named", async (at) => {
  for (const confirm of [false, true]) {
    const args = { site_id: "open", homepage_html: HOME, confirm };
    const says =
      /^The repository holds ".env", "package.json", "public\/logo.bin", .* and \d+ more; a project begins/;
    await at.refuses("init_static_project", args, "E_REPO_NOT_EMPTY", says, "reads");
  }
  const files = { "README.md": "x", "docs/LICENSE": "x", ".github/dependabot.yml": "x" };
  await using other = await StaticWorld.open({ files });
  await other.refuses("init_static_project", { site_id: "open", homepage_html: HOME }, "E_REPO_NOT_EMPTY", {
    says: /^The repository holds ".github\/dependabot.yml", "docs\/LICENSE"; a project/,
    sends: "reads",
  });
});

const page = (route: string) => ({ route, html: "x" });

test("what is wrong with a project is refused before anything is asked", async (at) => {
  const over = "x".repeat(900 * 1024 + 1);
  const cases: readonly RefusedRow[] = [
    [{ homepage_html: "" }, /^homepage_html: /],
    [{ homepage_html: undefined }, /^homepage_html is required/],
    [{ homepage_html: "a\0" }, /^homepage_html: /],
    [{ homepage_html: "\ud800" }, /^homepage_html: /],
    [{ homepage_html: "x".repeat(2 ** 20) }, /^homepage_html: /, "E_FILE_TOO_LARGE"],
    [{ extra_pages: [page("a"), page("a//b")] }, /^extra_pages\[1\]\.route: /, "E_BAD_ROUTE"],
    [{ extra_pages: [{ route: "a", html: "\0" }] }, /^extra_pages\[0\]\.html: /],
    [{ extra_pages: [{ route: "a", html: "x", title: "\ud800" }] }, /^extra_pages\[0\]\.title: /],
    [{ homepage_html: over }, /^homepage_html: 921601 bytes/, "E_FILE_TOO_LARGE"],
    [
      { extra_pages: [page("a"), { route: "b", html: over }] },
      /^extra_pages\[1\]\.html: /,
      "E_FILE_TOO_LARGE",
    ],
    [{ extra_pages: [page("a/../b")] }, /^extra_pages\[0\]\.route: .*holds "\.\."/, "E_BAD_ROUTE"],
    [{ extra_pages: [page("a"), page("[slug]")] }, /^extra_pages\[1\]\.route: /, "E_BAD_ROUTE"],
    [
      { extra_pages: [page("a"), page("/A/")] },
      /^extra_pages\[1\]\.route: "\/A\/" is a page/,
      "E_ROUTE_EXISTS",
    ],
    [{ extra_pages: [page("/")] }, /^extra_pages\[0\]\.route: .*homepage_html$/, "E_ROUTE_EXISTS"],
    [{ extra_pages: [page("index")] }, /^extra_pages\[0\]\.route: /, "E_ROUTE_EXISTS"],
    [{ extra_pages: Array.from({ length: 51 }, (_, n) => page(`p${n}`)) }, /^extra_pages: .*at most 50/],
    [{ branch: "a..b" }, /^branch: expected a branch name/],
    [{ branch: "main " }, /^branch: expected a branch name/],
    [{ target_branch: "main" }, /^target_branch: unknown argument/],
    [{ site_name: "a\0" }, /^site_name: /],
    [{ language: "german" }, /^language: /],
    [{ language: "de_AT" }, /^language: /],
    [{ blog: "yes" }, /^blog: /],
    [{ blog: true, extra_pages: [page("blog")] }, /^extra_pages\[0\]\.route: .*blog: true/, "E_ROUTE_EXISTS"],
    [{ site_id: "closed" }, /needs allow_full_repo_write on site "closed"/, "E_FULL_REPO_WRITE_NOT_ALLOWED"],
  ];
  for (const [args, says, code = "E_BAD_INPUT"] of cases) {
    const call = { site_id: "open", homepage_html: HOME, ...args };
    await at.refuses("init_static_project", call, code, says);
  }
});

Deno.test("the deployed branch is begun only where the site allows it, and another only where it is known which that is", async () => {
  await using at = await StaticWorld.open({
    files: { "README.md": "x" },
    sites: [site("odd", "static", { repo: EMPTY, repo_branch: "release", flags: OPEN_FLAGS })],
  });
  const locked = /needs allow_main_branch_push/;
  const cases: readonly RefusedRow[] = [
    [{ site_id: "bulk" }, locked, "E_MAIN_BRANCH_LOCKED"],
    [{ site_id: "bulk", branch: "main" }, locked, "E_MAIN_BRANCH_LOCKED"],
    [{ site_id: "locked" }, locked, "E_MAIN_BRANCH_LOCKED"],
    [{ site_id: "default", branch: "other" }, /^branch: set repo_branch of the site first/],
    [{ site_id: "empty", branch: "other" }, /^branch: the repository is empty, so begin on "main"/],
    [{ site_id: "odd" }, /is empty, so it can only begin with its default branch "main", not "release"/],
  ];
  for (const [args, says, code = "E_BAD_INPUT"] of cases) {
    for (const confirm of [false, true]) {
      const call = { homepage_html: HOME, confirm, ...args };
      await at.refuses("init_static_project", call, code, says, "reads");
    }
  }
  const files = [{ path: "a.txt", content: "x" }];
  await at.refuses("bulk_write_static_files", { site_id: "odd", files, confirm: false }, "E_BAD_INPUT", {
    says: /can only begin with its default branch/,
    sends: "reads",
  });
});
