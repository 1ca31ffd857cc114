/** Pages of a static site: made, changed, listed and deleted through both doors, a clone telling what was committed. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { blobName } from "../../platforms/github/names.ts";
import { FILES, previewOf, StaticWorld, test } from "./_static.ts";

const MARK = "// site-ops-gateway:generated v1";
const HAND = "src/pages/hand.astro";
const HOME = "src/pages/index.astro";
const shaOf = (text: string) => blobName(new TextEncoder().encode(text));
const standing = (path: string) => shaOf(FILES[path] as string);

/** The file of a fragment in the site's layout, with that many steps up to it. */
const inLayout = (html: string, { up = "../", props = "", values = "" } = {}) =>
  `---\n${MARK}\nimport Base from "${up}layouts/Base.astro";\nconst html = ${html};\n${values}---\n` +
  `<Base${props}><Fragment set:html={html} /></Base>\n`;

for (const door of DOORS) {
  test(`create_static_route through ${door} commits one page to a preview branch, or to main where allowed`, async (at) => {
    const main = await at.head("main");
    const html = '<p class="a">{b} `c` --- </p><script>if (a<b) { }</script>';
    const args = { route: "/Blog/First-Post/", html, title: "T & t", description: "D" };
    const first = await at.write(door, "create_static_route", { site_id: "closed", ...args });
    const path = "src/pages/blog/first-post.astro";
    const literal = '"\\u003cp class=\\"a\\">{b} `c` -\\u002d- \\u003c/p>\\u003cscript>if (a\\u003cb) { }' +
      '\\u003c/script>"';
    const source = inLayout(literal, {
      up: "../../",
      props: " title={title} description={description}",
      values: 'const title = "T & t";\nconst description = "D";\n',
    });
    const branch = String(first.done["branch"]);
    const line = "Add the page /blog/first-post";
    const sha = await at.wrote({ branch, parent: main, line, files: { [path]: source } });
    assert.deepEqual(first.done, {
      route: "/blog/first-post",
      file_path: path,
      sha: await shaOf(source),
      commit_sha: sha,
      branch,
      ...previewOf(branch, "closed"),
      target_branch: "preview",
    });
    assert.deepEqual([first.row.tier, first.row.result_id], [2, path]);
    assert.equal(await at.head("main"), main);
    const document = "<!doctype html><title>x</title><p>y";
    const second = await at.write(door, "create_static_route", {
      site_id: "open",
      route: "start",
      html: document,
      title: "not of a document",
      target_branch: "main",
      message: "A page of our own",
    });
    const whole =
      `---\n${MARK}\nconst html = "\\u003c!doctype html>\\u003ctitle>x\\u003c/title>\\u003cp>y";\n` +
      `---\n<Fragment set:html={html} />\n`;
    const files = { "src/pages/start.astro": whole };
    const pushed = await at.wrote({ branch: "main", parent: main, line: "A page of our own", files });
    const { done, row } = second;
    assert.deepEqual([done["commit_sha"], done["branch"], done["target_branch"]], [pushed, "main", "main"]);
    assert.deepEqual([row.tier, row.changes], [3, [
      { field: "branch", from: null, to: "main" },
      { field: "src/pages/start.astro", from: null, to: { bytes: whole.length } },
    ]]);
  });

  test(`update_static_route through ${door} replaces one page and says what it was`, async (at) => {
    const main = await at.head("main");
    const args = { site_id: "open", route: "", html: "<p>New</p>", target_branch: "main" };
    const { done, row } = await at.write(door, "update_static_route", args);
    const source = inLayout('"\\u003cp>New\\u003c/p>"');
    const line = "Replace the start page";
    const sha = await at.wrote({ branch: "main", parent: main, line, files: { [HOME]: source } });
    assert.deepEqual(done, {
      route: "/",
      file_path: HOME,
      sha: await shaOf(source),
      previous_sha: await standing(HOME),
      commit_sha: sha,
      branch: "main",
      target_branch: "main",
    });
    assert.deepEqual([row.tier, row.result_id], [3, HOME]);
    assert.deepEqual(row.changes?.at(-1), {
      field: HOME,
      from: { sha: await standing(HOME), bytes: (FILES[HOME] as string).length },
      to: { bytes: source.length },
    });
    const again = await at.write(door, "update_static_route", { ...args, sha: done["sha"] });
    assert.deepEqual(again.done, { ...done, previous_sha: done["sha"], unchanged: true });
    assert.equal(await at.head("main"), sha, "nothing to change is no commit");
    const hand = await at.write(door, "update_static_route", {
      site_id: "closed",
      route: "hand",
      html: "<p>x</p>",
      sha: await standing(HAND),
      force: true,
      message: "Taken over",
    });
    const branch = String(hand.done["branch"]);
    const files = { [HAND]: inLayout('"\\u003cp>x\\u003c/p>"') };
    await at.wrote({ branch, parent: sha, line: "Taken over", files });
    assert.deepEqual([hand.done["route"], hand.done["file_path"], hand.row.tier], ["/hand", HAND, 1]);
  });

  test(`delete_static_route through ${door} takes one page out of the deployed branch and keeps its history`, async (at) => {
    const main = await at.head("main");
    const args = { site_id: "closed", route: "/", sha: await standing(HOME) };
    const { done, row } = await at.write(door, "delete_static_route", args);
    const line = "Delete the start page";
    const sha = await at.wrote({ branch: "main", parent: main, line, files: { [HOME]: null } });
    assert.deepEqual(done, { route: "/", file_path: HOME, deleted: true, commit_sha: sha });
    assert.deepEqual([row.tier, row.result_id], [4, HOME]);
    assert.deepEqual(row.changes, [
      { field: "branch", from: null, to: "main" },
      { field: HOME, from: { sha: await standing(HOME), bytes: (FILES[HOME] as string).length }, to: null },
    ]);
    const forced = { site_id: "closed", route: "notes", force: true };
    await at.write(door, "delete_static_route", forced);
    const files = { "src/pages/notes.md": null };
    await at.wrote({ branch: "main", parent: sha, line: "Delete the page /notes", files });
    await using clone = await at.clone();
    assert.equal(await clone.git("show", `${main}:src/pages/notes.md`), FILES["src/pages/notes.md"]);
  });
}

test("list_static_routes tells the pages, and which of them were made here", async (at) => {
  const row = async (route: string, file_path: string, managed: boolean) => ({
    route,
    file_path,
    sha: await standing(file_path),
    managed,
  });
  const rows = [
    await row("/", HOME, true),
    await row("/hand", HAND, false),
    await row("/notes", "src/pages/notes.md", false),
  ];
  assert.deepEqual(await at.both("list_static_routes", { site_id: "closed" }), {
    routes: rows,
    truncated: false,
  });
  for (const prefix of ["n", "/n", "N", "notes"]) {
    const found = await at.both("list_static_routes", { site_id: "closed", prefix });
    assert.deepEqual(found["routes"], [rows[2]], prefix);
  }
  await at.host.commit("acme/site", {
    files: {
      "src/pages/[slug].astro": "x",
      "src/pages/_draft.astro": "x",
      "src/pages/_parts/a.astro": "x",
      "src/pages/api.ts": "x",
      "src/pages/blog/index.md": "<!-- site-ops-gateway:generated v1 -->\n# Blog",
      "src/pages/late.astro": `${"x".repeat(400)}\n${MARK}\n`,
      "public/plain.html": "x",
    },
  });
  const { routes } = await at.both<{ routes: { route: string; managed: boolean }[] }>("list_static_routes", {
    site_id: "closed",
  });
  assert.deepEqual(routes.map(({ route, managed }) => `${route} ${managed}`), [
    "/ true",
    "/blog true",
    "/hand false",
    "/late false",
    "/notes false",
  ]);
  const { done } = await at.write("rest", "create_static_route", {
    site_id: "closed",
    route: "new",
    html: "x",
  });
  const now = await at.both<{ routes: unknown[] }>("list_static_routes", { site_id: "closed" });
  assert.equal(now.routes.length, routes.length, "what stands on a preview branch is not of the site yet");
  const file = { site_id: "closed", path: "src/pages/new.astro", ref: done["branch"] };
  assert.match(String((await at.both("read_static_file", file))["content"]), /generated v1/);
  assert.deepEqual(await at.both("list_static_routes", { site_id: "empty" }), {
    routes: [],
    truncated: false,
  });
});

test("the previews of pages are read live and name branch, file and bytes", async (at) => {
  const html = "<p>x</p>";
  const size = inLayout('"\\u003cp>x\\u003c/p>"').length;
  const from = { sha: await standing(HOME), bytes: (FILES[HOME] as string).length };
  const cases: [string, Args, string, number, unknown, unknown][] = [
    [
      "create_static_route",
      { route: "about", html },
      "Make the page /about of open on a new preview branch",
      1,
      null,
      { bytes: size },
    ],
    [
      "update_static_route",
      { route: "/", html, target_branch: "main" },
      'Replace the start page of open on branch "main"',
      3,
      from,
      { bytes: size },
    ],
    [
      "delete_static_route",
      { route: "index" },
      'Delete the start page of open, which takes it off the live site, on branch "main"',
      4,
      from,
      null,
    ],
  ];
  for (const [tool, args, summary, tier, was, becomes] of cases) {
    const found = await at.preview(tool, { site_id: "open", ...args });
    assert.deepEqual([found.summary, found.tier], [summary, tier]);
    assert.deepEqual([found.changes.at(-2)?.from, found.changes.at(-2)?.to], [was, becomes]);
  }
  await at.host.commit("acme/site", { files: { [HOME]: `${MARK}\nlonger than before\n` } });
  const later = await at.preview("delete_static_route", { site_id: "open", route: "" });
  assert.deepEqual(later.changes.at(-2)?.from, {
    sha: await shaOf(`${MARK}\nlonger than before\n`),
    bytes: MARK.length + 20,
  });
});

const BAD_ROUTES = [
  "a/../b",
  "..",
  "[slug]",
  "a]",
  "a\\b",
  "a?b",
  "a#b",
  "a%2fb",
  "a//b",
  "//",
  "-a",
  "a-",
  "a/-b",
  "a_b",
  "a b",
  "a.html",
  "ä",
  "\u0430bout",
  "a\u0000",
  "index.astro",
  "_draft",
];

test("a route that is none is refused by every tool before anything is asked", async (at) => {
  for (const route of [...BAD_ROUTES, "a/".repeat(124), "a".repeat(251), `${"a-".repeat(500_000)}!`]) {
    for (const tool of ["create_static_route", "update_static_route", "delete_static_route"]) {
      const html = tool === "delete_static_route" ? {} : { html: "x", target_branch: "main" };
      await at.refuses(tool, { site_id: "open", route, ...html }, "E_BAD_ROUTE", /^route: /);
    }
  }
});

Deno.test("a route that is served already, in whatever form, is not made again", async () => {
  const taken: Record<string, string> = {
    "one": "src/pages/one.astro",
    "two": "src/pages/Two.MD",
    "three": "src/pages/three/index.mdx",
    "four": "src/pages/four.html",
    "five": "src/pages/five.ts",
    "six": "public/six.html",
    "seven": "public/seven/index.html",
    "": "src/pages/index.md",
    "eight/nine": "src/pages/Eight/nine/index.astro",
  };
  const ways = [
    [/\.astro$/, "update_static_route"],
    [/\.(md|mdx|markdown)$/i, "save_md_to_repo"],
    [/^public\//, "write_static_file"],
    [/./, "bulk_write_static_files"],
  ] as const;
  await using at = await StaticWorld.open({
    files: Object.fromEntries(Object.values(taken).map((path) => [path, "x"])),
  });
  for (const [route, path] of Object.entries(taken)) {
    for (const target_branch of ["preview", "main"]) {
      const args = { site_id: "open", route: route.toUpperCase(), html: "x", target_branch };
      const way = ways.find(([form]) => form.test(path))?.[1];
      const says = new RegExp(`is served by "${path}"; change it with ${way}$`);
      await at.refuses("create_static_route", args, "E_ROUTE_EXISTS", says, "reads");
      await at.refuses("create_static_route", { ...args, confirm: false }, "E_ROUTE_EXISTS", says, "reads");
    }
  }
});

Deno.test("of two files for one route the page is the one that is changed", async () => {
  await using at = await StaticWorld.open({
    files: { "public/a.html": "x", "src/pages/a.html": "x", "src/pages/a.astro": `${MARK}\n` },
  });
  const { done } = await at.write("rest", "update_static_route", {
    site_id: "open",
    route: "a",
    html: "<p>New</p>",
  });
  assert.equal(done["file_path"], "src/pages/a.astro");
});

Deno.test("a page that is published as it is, or answered by code, is deleted only by force and not changed", async () => {
  await using at = await StaticWorld.open({ files: { "public/a.html": "x", "src/pages/b.ts": "x", c: "c" } });
  for (const [route, path] of [["a", "public/a.html"], ["b", "src/pages/b.ts"]] as const) {
    const args = { site_id: "open", route };
    const says = { says: new RegExp(`"${path}"`), sends: "reads" } as const;
    await at.refuses("delete_static_route", args, "E_NOT_MCP_MANAGED", says);
    await at.refuses("update_static_route", { ...args, html: "x" }, "E_NOT_MCP_MANAGED", says);
    await at.refuses("update_static_route", { ...args, html: "x", force: true }, "E_NOT_SUPPORTED", says);
    const parent = await at.head("main");
    await at.write("rest", "delete_static_route", { ...args, force: true });
    await at.wrote({ branch: "main", parent, line: `Delete the page /${route}`, files: { [path]: null } });
  }
});

test("pages are changed and deleted only as they are known, and only what was made here", async (at) => {
  const known = await standing(HOME);
  const cases: [Args, Code, RegExp][] = [
    [{ route: "gone" }, "E_NOT_FOUND", /^route: there is no page "\/gone"; list_static_routes names/],
    [{ route: "hand" }, "E_NOT_MCP_MANAGED", /^route: "src\/pages\/hand.astro" was not made by this service/],
    [{ route: "notes" }, "E_NOT_MCP_MANAGED", /set force to true to go on$/],
    [{ route: "", sha: "0".repeat(40) }, "E_SHA_MISMATCH", new RegExp(`is ${known} now; read it again$`)],
    [{ route: "", sha: await standing(HAND) }, "E_SHA_MISMATCH", /has changed since it was read/],
    [{ route: "hand", sha: known, force: true }, "E_SHA_MISMATCH", /"src\/pages\/hand.astro" has changed/],
  ];
  for (const [args, code, says] of cases) {
    for (const tool of ["update_static_route", "delete_static_route"]) {
      const html = tool === "delete_static_route" ? {} : { html: "x", target_branch: "main" };
      const call = { site_id: "open", ...html, ...args };
      await at.refuses(tool, call, code, says, "reads");
      await at.refuses(tool, { ...call, confirm: false }, code, says, "reads");
    }
  }
  const notes = { site_id: "open", route: "notes", html: "x", force: true };
  await at.refuses("update_static_route", notes, "E_NOT_SUPPORTED", {
    says: /is served by "src\/pages\/notes.md", which no html is put into; .*save_md_to_repo$/,
    sends: "reads",
  });
});

test("what else is wrong with a page is refused before anything is asked", async (at) => {
  const over = "x".repeat(900 * 1024 + 1);
  const cases: [Args, Code, RegExp][] = [
    [{ html: over }, "E_FILE_TOO_LARGE", /^html: 921601 bytes of UTF-8, at most 921600/],
    [{ html: "é".repeat(450 * 1024 + 1) }, "E_FILE_TOO_LARGE", /^html: /],
    [{ html: "a\ud800" }, "E_BAD_INPUT", /^html: /],
    [{ html: "a\0" }, "E_BAD_INPUT", /^html: /],
    [{ title: "a\0" }, "E_BAD_INPUT", /^title: /],
    [{ html: "" }, "E_BAD_INPUT", /^html: /],
    [{ target_branch: "release" }, "E_BAD_INPUT", /^target_branch: /],
    [{ message: "two\nlines" }, "E_BAD_INPUT", /^message: /],
    [{ branch: "main" }, "E_BAD_INPUT", /^branch: unknown argument/],
    [{ site_id: "closed", target_branch: "main" }, "E_MAIN_BRANCH_LOCKED", /needs allow_main_branch_push/],
    [{ site_id: "bulk", target_branch: "main" }, "E_MAIN_BRANCH_LOCKED", /needs allow_main_branch_push/],
  ];
  for (const [args, code, says] of cases) {
    for (const tool of ["create_static_route", "update_static_route"]) {
      await at.refuses(tool, { site_id: "open", route: "a", html: "x", ...args }, code, says);
    }
  }
});
