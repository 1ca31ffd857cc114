/** What a person pushed is never replaced by a call that nobody was shown: real git, and a person at work beside it. */
import assert from "node:assert/strict";
import { type Args, DOORS } from "../cms_kit.ts";
import { FILES, REPO, StaticWorld, test } from "./_static.ts";

const MARK = "// site-ops-gateway:generated v1";
const PAGE = "src/pages/about.astro";
const MAIN = { site_id: "open", target_branch: "main" } as const;

interface Seen {
  readonly confirm_token: string;
  readonly warnings: readonly string[];
}

const edited = (text: string) =>
  text.replace("---\n", "---\n// by a person\n").replace(
    /^---\n\/\/ by a person\n(.*)\n/,
    `---\n$1\n// by a person\n`,
  );

/** A page this service made on the deployed branch, and then whatever a person makes of it. */
async function pageMade(at: StaticWorld): Promise<string> {
  await at.gw.call("create_static_route", { ...MAIN, route: "about", html: "<p>Ours</p>", confirm: true });
  return (await at.host.files(REPO))[PAGE]!;
}

const CALLS: readonly (readonly [tool: string, args: Args])[] = [
  ["update_static_route", { ...MAIN, route: "about", html: "<p>Later</p>" }],
  ["delete_static_route", { site_id: "open", route: "about" }],
];

for (const door of DOORS) {
  Deno.test(`a page that a person edited since is replaced or deleted only by who saw it, through ${door}`, async () => {
    for (const [tool, args] of CALLS) {
      await using at = await StaticWorld.open();
      const theirs = edited(await pageMade(at));
      assert.ok(theirs.includes(MARK) && theirs.includes("by a person"));
      const sha = await at.host.commit(REPO, { files: { [PAGE]: theirs }, message: "By hand" });
      const refused = { confirm: true, ...args };
      const says = new RegExp(
        `^route: "${PAGE}" was changed by ".+" at \\S+ \\(commit ${sha}\\) since this service wrote it; .*` +
          "confirm_token, or set force to true",
      );
      await at.refuses(tool, refused, "E_NOT_MCP_MANAGED", says, "reads");
      assert.equal((await at.host.files(REPO))[PAGE], theirs);
      const { confirm_token } = await at.gw.call<Seen>(tool, args, { door });
      await at.host.commit(REPO, { files: { [PAGE]: `${theirs}\n<p>Later still</p>\n` } });
      const late = { ...refused, confirm_token };
      await at.refuses(tool, late, "E_STALE_PREVIEW", /changed since the preview/, "reads");
      const again = await at.gw.call<Seen>(tool, args, { door });
      await at.gw.call(tool, { ...refused, confirm_token: again.confirm_token }, { door });
      assert.notEqual((await at.host.files(REPO))[PAGE], theirs);
    }
  });
}

Deno.test("its sha, or force, lets a page go that a person edited since; its sha does not make a hand-made page ours", async () => {
  for (const [tool, args] of CALLS) {
    for (const force of [true, false]) {
      await using at = await StaticWorld.open();
      const theirs = edited(await pageMade(at));
      await at.host.commit(REPO, { files: { [PAGE]: theirs } });
      const { sha } = await at.both<{ sha: string }>("read_static_file", { site_id: "open", path: PAGE });
      await at.gw.call(tool, { ...args, confirm: true, ...force ? { force } : { sha } });
      assert.notEqual((await at.host.files(REPO))[PAGE], theirs);
      const hand = { site_id: "open", path: "src/pages/hand.astro" };
      const read = await at.both<{ sha: string }>("read_static_file", hand);
      const call = { ...args, route: "hand", sha: read.sha };
      for (const confirm of [true, false]) {
        const says = /"src\/pages\/hand.astro" was not made by this service/;
        await at.refuses(tool, { ...call, confirm }, "E_NOT_MCP_MANAGED", says, "reads");
      }
    }
  }
});

test("a page is ours where its blob is one this service wrote, whoever brought it to the branch", async (at) => {
  const call = { site_id: "open", route: "about" };
  const { branch } = await at.gw.call<{ branch: string }>(
    "create_static_route",
    { ...call, html: "<p>Ours</p>", confirm: true },
  );
  const ours = (await at.host.files(REPO, branch))[PAGE]!;
  // A squash merge: the person is the author of the commit on the deployed branch.
  await at.host.commit(REPO, { files: { [PAGE]: ours }, message: "About us (#1)" });
  await at.gw.call("update_static_route", { ...MAIN, route: "about", html: "<p>1</p>", confirm: true });
  // And what a person takes back to how it was made.
  await at.host.commit(REPO, { files: { [PAGE]: ours }, message: "Revert" });
  await at.gw.call("update_static_route", { ...MAIN, route: "about", html: "<p>2</p>", confirm: true });
  assert.match((await at.host.files(REPO))[PAGE]!, /<p>2|u003cp>2/);
});

test("a page is ours where our app made its last commit, though the gateway has forgotten; not once a person made that anew", async (at) => {
  const ours = await pageMade(at);
  const theirs = edited(ours);
  const { bot } = await signatures(at);
  await forget(at);
  await at.gw.call("update_static_route", { ...MAIN, route: "about", html: "<p>1</p>", confirm: true });
  await forget(at);
  await using clone = await at.clone();
  await Deno.writeTextFile(`${clone.folder}/${PAGE}`, theirs);
  await clone.git("add", "-A");
  // The author stays our app, the committer is the person.
  await clone.git("commit", "--amend", "--no-edit", "--no-verify", `--author=${bot}`);
  await clone.git("push", "--force", "origin", "HEAD:main");
  for (const [tool, args] of CALLS) {
    const says = /was changed by .* since this service wrote it/;
    await at.refuses(tool, { ...args, confirm: true }, "E_NOT_MCP_MANAGED", says, "reads");
  }
  assert.equal((await at.host.files(REPO))[PAGE], theirs);
});

/** The gateway remembers nothing of what it wrote. */
async function forget({ gw }: StaticWorld): Promise<void> {
  const { managedFiles } = gw.store;
  const ten = Array.from({ length: 10 }, (_, n) => String(n).repeat(40));
  for (const blob of ten) await managedFiles.add(REPO, [{ path: PAGE, blob }]);
}

async function signatures({ host }: StaticWorld): Promise<{ bot: string }> {
  return { bot: (await host.git(REPO, "log", "-1", "--format=%an <%ae>", "main")).trim() };
}

Deno.test("a token that skips the gate is shown nothing, and replaces nothing that a person edited", async () => {
  await using at = await StaticWorld.open({ tokens: { skipping: { skip_write_confirm: true } } });
  const theirs = edited(await pageMade(at));
  await at.host.commit(REPO, { files: { [PAGE]: theirs } });
  for (const [tool, args] of CALLS) {
    await at.gw.refuses(tool, args, "E_NOT_MCP_MANAGED", { as: "skipping" });
  }
  const files = [{ path: "package.json", content: "{}" }];
  await at.gw.refuses("bulk_write_static_files", { ...MAIN, files }, "E_FILE_EXISTS", { as: "skipping" });
  assert.equal((await at.host.files(REPO))[PAGE], theirs);
});

Deno.test("where a preview is asked for all the same, the page that a person edited is shown, not refused", async () => {
  await using at = await StaticWorld.open({ tokens: { careful: { confirm_policy: "preview" } } });
  await at.host.commit(REPO, { files: { [PAGE]: edited(await pageMade(at)) } });
  for (const [tool, args] of CALLS) {
    if (tool === "delete_static_route") continue;
    const seen = await at.gw.call<Args>(tool, { ...args, confirm: true }, { as: "careful" });
    assert.equal(seen["needs_confirmation"], true);
  }
});

const HAND = "src/pages/hand.astro";
const CONFIG = "package.json";

for (const door of DOORS) {
  test(`a bulk write replaces a file only where that file says so, or somebody was shown it, through ${door}`, async (at) => {
    const tool = "bulk_write_static_files";
    const file = (path: string, more: Args = {}) => ({ path, content: "mine\n", ...more });
    const fresh = file("src/new.txt");
    const says = (at: number, path: string) =>
      new RegExp(`^files\\[${at}\\]\\.path: "${path}" is there \\(sha \\w{40}\\)`);
    for (const target_branch of ["main", "preview"]) {
      const call = { site_id: "open", target_branch };
      for (const path of [HAND, CONFIG]) {
        const args = { ...call, files: [fresh, file(path)] };
        await at.refuses(tool, args, "E_FILE_EXISTS", says(1, path), "reads");
      }
      const one = [file(HAND, { allow_overwrite: true }), file(CONFIG)];
      await at.refuses(tool, { ...call, files: one }, "E_FILE_EXISTS", says(1, CONFIG), "reads");
      const wrong = [file(HAND, { sha: "0".repeat(40) })];
      for (const confirm of [true, false]) {
        const args = { ...call, files: wrong, confirm };
        await at.refuses(tool, args, "E_SHA_MISMATCH", /^files\[0\]\.sha: .* has changed/, "reads");
        const gone = { ...call, files: [file("src/gone.txt", { sha: "0".repeat(40) })], confirm };
        await at.refuses(tool, gone, "E_SHA_MISMATCH", /^files\[0\]\.sha: there is no file/, "reads");
      }
    }
    const known = await at.both<{ sha: string }>("read_static_file", { site_id: "open", path: CONFIG });
    const told = [fresh, file(HAND, { allow_overwrite: true }), file(CONFIG, { sha: known.sha })];
    await at.write(door, tool, { ...MAIN, files: told });
    const same = await at.write<Args>(door, tool, { ...MAIN, files: [fresh, file(HAND)] });
    assert.equal(same.done["unchanged"], true, "what stands there already is replaced by nothing");
    const files = [file("src/styles/site.css")];
    const { confirm_token, warnings } = await at.gw.call<Seen>(tool, { ...MAIN, files }, { door });
    assert.match(warnings.join(), /"src\/styles\/site\.css" is there already and would be replaced/);
    await at.gw.call(tool, { ...MAIN, files, confirm: true, confirm_token }, { door });
    assert.equal((await at.host.files(REPO))["src/styles/site.css"], "mine\n");
  });
}

test("a push between the look and the write of a bulk stays, whatever its files say", async (at) => {
  const tool = "bulk_write_static_files";
  const { sha } = await at.both<{ sha: string }>("read_static_file", { site_id: "open", path: HAND });
  const cases = [
    [{ sha }, "E_SHA_MISMATCH"],
    [{ allow_overwrite: true }, "E_STALE_PREVIEW"],
  ] as const;
  for (const [more, code] of cases) {
    const theirs = `${FILES[HAND]}<!-- ${code} -->\n`;
    at.host.inject({ kind: "moved", files: { [HAND]: theirs } }, { method: "PATCH" });
    const files = [{ path: HAND, content: "mine", ...more }, { path: `src/${code}.txt`, content: "x" }];
    await at.gw.refuses(tool, { ...MAIN, files, confirm: true }, code, { door: "rest" });
    const now = await at.host.files(REPO);
    assert.deepEqual([now[HAND], now[`src/${code}.txt`]], [theirs, undefined]);
    await at.host.commit(REPO, { files: { [HAND]: FILES[HAND] as string } });
  }
});
