/** edit_static_file: one text of one file of the preview branch is replaced, as it was shown and as often as was said. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { Args } from "../cms_kit.ts";
import { DOORS } from "../cms_kit.ts";
import { blobName } from "../../platforms/github/names.ts";
import { compareUrl, FILES, REPO, StaticWorld, test } from "./_static.ts";

const TOOL = "edit_static_file";
const ON = { site_id: "open" };
const CSS = "src/styles/site.css";
const NAV = "src/content/nav.md";
const NAV_TEXT = "# Café\n\n[Menu](/menu) and [Menu](/menu)\n\nMenu: daily 🍰 Menu\n";
const files = { ...FILES, [NAV]: NAV_TEXT, "public/crlf.txt": "one\r\ntwo\r\n" };

interface Preview {
  readonly tier: number;
  readonly confirm_token: string;
  readonly summary: string;
  readonly undoable: boolean;
  readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
}

const shown = (at: StaticWorld, args: Args) => at.gw.call<Preview>(TOOL, { ...ON, ...args });
const shaOf = (text: string) => blobName(new TextEncoder().encode(text));

Deno.test("a text is replaced in one commit on the preview branch, through both doors, and the rest stays", async () => {
  for (const door of DOORS) {
    await using at = await StaticWorld.open({ files });
    const main = await at.head("main");
    const args = { ...ON, path: CSS, find: "red", replace: "blue" };
    const { done, proof } = await at.write(door, TOOL, args);
    const branch = String(done["branch"]);
    assert.match(branch, /^mcp\//);
    const commit_sha = await at.wrote({
      branch,
      parent: main,
      line: `Replace a text of ${CSS}`,
      files: { [CSS]: "p { color: blue }\n" },
    });
    const sha = await shaOf("p { color: blue }\n");
    for (const [key, value] of Object.entries({ path: CSS, sha, commit_sha, branch, replaced: 1 })) {
      assert.equal(done[key], value, key);
    }
    assert.equal(proof.verified, true);
    assert.equal(await at.head("main"), main, "what is deployed stays");
  }
});

Deno.test("the preview shows each place with its line, as it stands and as it would", async () => {
  await using at = await StaticWorld.open({ files });
  const { changes, summary, undoable, tier } = await shown(at, {
    path: NAV,
    find: "Menu",
    replace: "Speisekarte",
    count: 4,
  });
  assert.match(
    summary,
    /^Replace a text in 4 places of the file "src\/content\/nav\.md" of .* on a new preview branch$/,
  );
  assert.deepEqual([undoable, tier], [true, 1]);
  const places = changes.filter(({ field }) => field.startsWith(`${NAV}, line `));
  assert.deepEqual(places.map(({ field }) => field.slice(NAV.length + 2)), [
    "line 3",
    "line 3",
    "line 5",
    "line 5",
  ]);
  for (const { from, to } of places) {
    assert.ok(String(from).includes("Menu"), String(from));
    assert.ok(String(to).includes("Speisekarte"), String(to));
  }
  assert.match(String(places[3]!.to), /daily 🍰 Speisekarte\\n"$/, "the places before it have moved it");
  const { done } = await at.write("rest", TOOL, {
    ...ON,
    path: NAV,
    find: "Menu",
    replace: "Speisekarte",
    count: 4,
  });
  assert.equal(done["replaced"], 4);
  assert.equal(
    (await at.host.files(REPO, String(done["branch"])))[NAV],
    NAV_TEXT.replaceAll("Menu", "Speisekarte"),
  );
});

Deno.test("it goes on where the preview branch stands, not where main does", async () => {
  await using at = await StaticWorld.open({ files });
  const { done } = await at.write("rest", TOOL, { ...ON, path: CSS, find: "red", replace: "blue" });
  const branch = String(done["branch"]);
  const parent = await at.head(branch);
  await at.host.commit(REPO, { files: { [CSS]: "p { color: red; order: 1 }\n" } });
  await at.refuses(
    TOOL,
    { ...ON, path: CSS, find: "red", replace: "green" },
    "E_BAD_INPUT",
    /nowhere/,
    "reads",
  );
  await at.write("rest", TOOL, { ...ON, path: CSS, find: "blue", replace: "", message: "No color" });
  await at.wrote({ branch, parent, line: "No color", files: { [CSS]: "p { color:  }\n" } });
});

Deno.test("what is not as the call says is refused with the way out, and nothing is written", async () => {
  await using at = await StaticWorld.open({ files });
  const edit = { ...ON, path: CSS, find: "red", replace: "blue" };
  const other = "0".repeat(40);
  const live: [Args, Code, RegExp][] = [
    [
      { path: NAV, find: "Menu" },
      "E_BAD_INPUT",
      /^find: "Menu" stands there 4 times, not once: .*give count 4, or more/,
    ],
    [{ path: NAV, find: "Menu", count: 5 }, "E_BAD_INPUT", /4 times, not 5 times/],
    [{ find: "RED" }, "E_BAD_INPUT", /nowhere, not once; nothing is replaced: .*read_static_file shows it/],
    [{ path: "src/styles/gone.css" }, "E_NOT_FOUND", /^path: there is no file .*write_static_file makes one/],
    [{ path: "src/styles/SITE.css" }, "E_BAD_PATH", /but there is/],
    [{ path: "public/logo.bin" }, "E_NOT_SUPPORTED", /is not text in UTF-8; write_static_file/],
    [{ sha: other }, "E_SHA_MISMATCH", /has changed since it was read/],
  ];
  for (const [args, code, says] of live) await at.refuses(TOOL, { ...edit, ...args }, code, says, "reads");
  const early: [Args, Code, RegExp][] = [
    [{ replace: "red" }, "E_BAD_INPUT", /^replace: is the same as find/],
    [{ replace: "\ud800" }, "E_BAD_INPUT", /surrogate/],
    [{ path: "src/pages/hand.astro" }, "E_BAD_PATH", /is a page/],
    [{ path: "package.json" }, "E_BAD_PATH", /outside the folders/],
    [{ path: ".env" }, "E_BAD_PATH", /blocked/],
    [{ count: 51 }, "E_BAD_INPUT", /count/],
    [{ target_branch: "main" }, "E_BAD_INPUT", /target_branch/],
  ];
  for (const [args, code, says] of early) await at.refuses(TOOL, { ...edit, ...args }, code, says);
});

test("a file that changed after it was shown is refused, and a place shown is written once alone", async (at) => {
  const first = await at.gw.call<{ branch: string }>("write_static_file", {
    ...ON,
    path: "public/a.txt",
    content: "one two\n",
    confirm: true,
  });
  const args = { ...ON, path: "public/a.txt", find: "two", replace: "three" };
  const { confirm_token } = await shown(at, args);
  await at.host.commit(REPO, { branch: first.branch, files: { "public/a.txt": "one two, theirs\n" } });
  await at.refuses(TOOL, { ...args, confirm_token }, "E_STALE_PREVIEW", /public\/a\.txt/, "reads");
  const again = await shown(at, args);
  await at.refuses(
    TOOL,
    { ...args, replace: "four", confirm_token: again.confirm_token },
    "E_CONFIRM_INVALID",
    /replace/,
  );
  const done = await at.gw.call<Args>(TOOL, { ...args, confirm: true, confirm_token: again.confirm_token });
  const head = await at.head(first.branch);
  const replayed = await at.gw.call<Args>(TOOL, {
    ...args,
    confirm: true,
    confirm_token: again.confirm_token,
  });
  assert.deepEqual([replayed["replayed"], replayed["commit_sha"]], [true, done["commit_sha"]]);
  assert.equal(await at.head(first.branch), head);
  assert.equal((await at.host.files(REPO, first.branch))["public/a.txt"], "one three, theirs\n");
});

test("an answer that is lost after the branch has moved leaves one commit", async (at) => {
  const args = { ...ON, path: CSS, find: "red", replace: "blue" };
  const first = await at.gw.call<{ branch: string }>(TOOL, { ...args, confirm: true });
  const commits = (await at.log(first.branch)).length;
  at.host.inject({ kind: "reset", applied: true }, { method: "PATCH", path: /\/git\/refs\// });
  await at.gw.call(TOOL, { ...ON, path: CSS, find: "blue", replace: "green", confirm: true });
  assert.equal((await at.log(first.branch)).length, commits + 1);
  assert.equal((await at.host.files(REPO, first.branch))[CSS], "p { color: green }\n");
});

test("an edit is taken back as it was", async (at) => {
  const args = { ...ON, path: CSS, find: "red", replace: "blue", confirm: true };
  const { request_id, branch } = await at.gw.call<{ request_id: string; branch: string }>(TOOL, args);
  await at.gw.call("undo_change", { ...ON, request_id, confirm: true });
  assert.equal((await at.host.files(REPO, branch))[CSS], FILES[CSS]);
});

test("a file whose edit the build or a browser would run counts for more, and the preview says what", async (at) => {
  const args = { path: "src/layouts/Base.astro", find: "<slot />", replace: "<slot /><p>x</p>" };
  const built = await shown(at, args) as Preview & { warnings: string[] };
  assert.equal(built.tier, 2);
  assert.match(built.warnings.join(), /Base\.astro" is source that the build of the branch runs/);
});

test("every write to the preview branch says where it is compared with the deployed one, and no other does", async (at) => {
  const page = { html: "<p>x</p>" };
  const writes: [string, Args][] = [
    [TOOL, { path: CSS, find: "red", replace: "blue" }],
    ["write_static_file", { path: "public/a.txt", content: "a" }],
    ["bulk_write_static_files", { files: [{ path: "public/b.txt", content: "b" }] }],
    ["create_static_route", { ...page, route: "one" }],
    ["create_static_routes", { pages: [{ ...page, route: "two" }] }],
    ["update_static_route", { ...page, route: "" }],
  ];
  for (const [tool, args] of writes) {
    const done = await at.gw.call<Args & { branch: string }>(tool, { ...ON, ...args, confirm: true });
    assert.equal(done["compare_url"], compareUrl(done.branch), tool);
  }
  const again = await at.gw.call<Args>("write_static_file", {
    ...ON,
    path: "public/a.txt",
    content: "a",
    allow_overwrite: true,
    confirm: true,
  });
  assert.deepEqual([again["unchanged"], again["compare_url"]], [true, undefined], "no commit was made");
  const main = await at.gw.call<Args>("write_static_file", {
    ...ON,
    path: "public/c.txt",
    content: "c",
    target_branch: "main",
    confirm: true,
  });
  assert.equal(main["compare_url"], undefined);
});
