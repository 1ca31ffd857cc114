/** create_static_routes: many pages are one commit on the preview branch, or none at all. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { REPO, StaticWorld, test } from "./_static.ts";

const TOOL = "create_static_routes";
const ON = { site_id: "open" };
const cities = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    route: `locations/city-${n}`,
    html: `<h1>City ${n}</h1>`,
    title: `City ${n}`,
  }));

interface Done {
  readonly pages: readonly { readonly route: string; readonly file_path: string; readonly sha: string }[];
  readonly branch: string;
  readonly commit_sha: string;
}

Deno.test("a hundred pages are one commit, with as many requests as one page takes", async () => {
  for (const door of DOORS) {
    await using at = await StaticWorld.open();
    const main = await at.head("main");
    const { done, proof } = await at.write<Done & Args>(door, TOOL, { ...ON, pages: cities(100) });
    assert.equal(proof.verified, true);
    assert.deepEqual(
      await at.log(done.branch).then((lines) => lines.length),
      (await at.log("main")).length + 1,
    );
    assert.equal(await at.head(done.branch), done.commit_sha);
    assert.equal(await at.head("main"), main, "what is deployed stays");
    const files = await at.host.files(REPO, done.branch);
    assert.deepEqual(done.pages.map(({ route }) => route), cities(100).map(({ route }) => `/${route}`));
    for (const { file_path } of done.pages) assert.match(String(files[file_path]), /City/);
    assert.equal(
      at.host.writes.filter(({ path }) => path.includes("/git/")).length,
      3,
      "a tree, a commit, a branch",
    );
  }
});

test("pages go beside what the preview branch has, each inside the layout as one page does", async (at) => {
  const one = await at.gw.call<Args & { branch: string }>("create_static_route", {
    ...ON,
    route: "alone",
    html: "<p>x</p>",
    confirm: true,
  });
  const parent = await at.head(one.branch);
  const two = ["a", "b"].map((route) => ({ route, html: "<p>x</p>" }));
  await at.write("rest", TOOL, { ...ON, pages: two, message: "Two pages" });
  const source = String((await at.host.files(REPO, one.branch))["src/pages/alone.astro"]);
  const files = { "src/pages/a.astro": source, "src/pages/b.astro": source };
  await at.wrote({ branch: one.branch, parent, line: "Two pages", files });
});

test("one route that is taken, twice there or unfit refuses them all, and nothing is written", async (at) => {
  const page = { route: "new", html: "<p>x</p>" };
  const live: [readonly Args[], Code, RegExp][] = [
    [
      [page, { ...page, route: "notes" }, { ...page, route: "" }],
      "E_ROUTE_EXISTS",
      /^pages\[1\]\.route: "\/notes" is served by "src\/pages\/notes\.md".*; pages\[2\]\.route: "\/" .*nothing was written/,
    ],
  ];
  for (const [pages, code, says] of live) await at.refuses(TOOL, { ...ON, pages }, code, says, "reads");
  const early: [readonly Args[], Code, RegExp][] = [
    [
      [page, { ...page, route: "/NEW/" }],
      "E_BAD_INPUT",
      /^pages\[1\]\.route: "\/new" is the route of pages\[0\] already/,
    ],
    [[page, { ...page, route: "a/../b" }], "E_BAD_ROUTE", /^pages\[1\]\.route: /],
    [[page, { ...page, route: "b", html: "a\u0000b" }], "E_BAD_INPUT", /^pages\[1\]\.html/],
    [cities(101), "E_BAD_INPUT", /pages/],
    [[], "E_BAD_INPUT", /pages/],
  ];
  for (const [pages, code, says] of early) await at.refuses(TOOL, { ...ON, pages }, code, says);
  await at.refuses(TOOL, { ...ON, pages: [page], target_branch: "main" }, "E_BAD_INPUT", /target_branch/);
});

test("a route that somebody takes after it was shown is refused, other pages than shown too", async (at) => {
  const first = await at.gw.call<{ branch: string }>("create_static_route", {
    ...ON,
    route: "first",
    html: "<p>x</p>",
    confirm: true,
  });
  const pages = [{ route: "x", html: "<p>1</p>" }, { route: "y", html: "<p>2</p>" }];
  const { confirm_token } = await at.gw.call<{ confirm_token: string }>(TOOL, { ...ON, pages });
  const other = [pages[0], { route: "y", html: "<p>another</p>" }];
  await at.refuses(TOOL, { ...ON, pages: other, confirm_token }, "E_CONFIRM_INVALID", /pages/);
  await at.host.commit(REPO, { branch: first.branch, files: { "src/pages/y.md": "# Theirs\n" } });
  await at.refuses(TOOL, { ...ON, pages, confirm_token }, "E_ROUTE_EXISTS", /"src\/pages\/y\.md"/, "reads");
});

test("an answer that is lost after the branch was made leaves one commit, and a token is spent once", async (at) => {
  const args = { ...ON, pages: cities(3) };
  const { confirm_token } = await at.gw.call<{ confirm_token: string }>(TOOL, args);
  at.host.inject({ kind: "reset", applied: true }, { method: "POST", path: /\/git\/refs$/ });
  const call = { ...args, confirm: true, confirm_token };
  const done = await at.gw.call<Done & Args>(TOOL, call);
  const again = await at.gw.call<Done & Args>(TOOL, call);
  assert.deepEqual([again["replayed"], again.commit_sha], [true, done.commit_sha]);
  assert.equal(await at.head(done.branch), done.commit_sha);
  assert.equal((await at.log(done.branch)).length, (await at.log("main")).length + 1);
});

test("script in any of the pages counts for more, and the preview names the page", async (at) => {
  const pages = [{ route: "x", html: "<p>1</p>" }, { route: "y", html: "<p onclick=a()>2</p>" }];
  const { tier, warnings } = await at.gw.call<{ tier: number; warnings: string[] }>(TOOL, { ...ON, pages });
  assert.equal(tier, 2);
  assert.match(warnings.join(), /pages\[1\]\.html holds the event handler onclick/);
});
