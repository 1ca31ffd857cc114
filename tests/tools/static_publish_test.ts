/** publish_static_preview: a built preview goes live as it was shown, once, and can be taken back. */
import assert from "node:assert/strict";
import { scenes } from "../scenes.ts";
import { type Answer, ON, Publishing, TOOL } from "./_publish.ts";
import { FILES, REPO } from "./_static.ts";

const test = scenes(() => Publishing.open());
const PAGE = "src/pages/new.astro";
const CSS = "src/styles/site.css";

test("a built preview is shown whole, moves the deployed branch to exactly its commit, and is taken back by one commit", async (here) => {
  const { at } = here;
  const live = await at.head("main");
  await here.wrote("write_static_file", { path: CSS, content: "p { color: blue }\n", allow_overwrite: true });
  const { branch, commit_sha } = await here.ready();
  const shown = await here.shown();
  assert.equal(shown.tier, 3);
  assert.match(shown.summary, /^Publish 2 files of live: move branch "main" to branch "mcp\//);
  assert.deepEqual(shown.changes.slice(0, 4).map(({ field, from, to }) => [field, from, to]), [
    ["main", live, commit_sha],
    ["files", null, { added: 1, changed: 1, removed: 0 }],
    [PAGE, null, { bytes: (await at.host.files(REPO, branch))[PAGE]!.length }],
    [CSS, { bytes: 17 }, { bytes: 18 }],
  ]);
  const text = shown.changes.find(({ field }) => field === `${CSS} (text)`);
  assert.deepEqual([text?.from, text?.to], [FILES[CSS], "p { color: blue }\n"]);
  assert.equal(shown.undoable, true);
  const sent = at.host.writes.length;
  const done = await at.gw.call<Answer>(TOOL, { ...ON, confirm: true, confirm_token: shown.confirm_token });
  assert.deepEqual(here.moves().at(-1), ["main", { sha: commit_sha, force: false }]);
  assert.equal(at.host.writes.length - sent, 1, "one request, no commit");
  assert.equal(await at.head("main"), commit_sha);
  assert.deepEqual(
    [
      done.state,
      done.branch,
      done.preview_branch,
      done.commit_sha,
      done.previous_sha,
      done.files,
      done.verified,
    ],
    ["published", "main", branch, commit_sha, live, 2, true],
  );
  assert.deepEqual(
    done.deployment,
    { found: false, status: null, log_url: null },
    "it takes seconds to be known",
  );
  const [row] = await at.rows(1);
  assert.deepEqual([row?.tool, row?.tier, row?.status, row?.result_id], [TOOL, 3, "ok", commit_sha]);
  const undo = await here.shown("undo_change", { request_id: done.request_id });
  assert.deepEqual(undo.warnings.filter((one) => one.includes("will stay")), [], "what it made goes too");
  const back = await at.gw.call<Answer>("undo_change", {
    ...{ ...ON, request_id: done.request_id, confirm: true, confirm_token: undo.confirm_token },
  });
  assert.equal(back.verified, true);
  const tree = (commit: string) => at.host.git(REPO, "rev-parse", `${commit}^{tree}`);
  assert.equal(await tree("main"), await tree(live), "the branch holds exactly what it held");
  assert.deepEqual(await here.parents("main"), [commit_sha], "by a commit, not by a step back");
  assert.deepEqual((await here.files(branch)).includes(PAGE), true, "the preview branch has it still");
  await at.gw.call("undo_change", { ...ON, request_id: back.request_id, confirm: true });
  assert.equal(await tree("main"), await tree(commit_sha), "and the undo is taken back");
});

test("without the token of a preview nothing is published, whatever the policy is", async (here) => {
  await here.ready();
  const said = await here.at.quietly(() =>
    here.at.gw.call<{ needs_confirmation: boolean }>(TOOL, { ...ON, confirm: true })
  );
  assert.equal(said.needs_confirmation, true);
});

test("a branch that has gained commits is joined first, on the preview branch, and published once that is built", async (here) => {
  const { at } = here;
  const { branch, commit_sha } = await here.ready();
  await at.host.commit(REPO, {
    files: { [CSS]: "p { color: green }\n", "public/theirs.txt": "t", "src/pages/notes.md": null },
  });
  const live = await at.head("main");
  const shown = await here.shown();
  assert.match(shown.summary, /Bring what "main" has gained into branch .*; nothing goes live yet/);
  assert.deepEqual(shown.changes.map(({ field }) => field), [
    branch,
    "files",
    "src/pages/notes.md",
    "public/theirs.txt",
    CSS,
  ]);
  assert.equal(shown.undoable, false);
  const joined = await at.gw.call<Answer>(TOOL, { ...ON, confirm: true, confirm_token: shown.confirm_token });
  assert.deepEqual([joined.state, joined.preview_branch], ["joined", branch]);
  assert.equal(await at.head("main"), live, "nothing is live");
  assert.deepEqual(await here.parents(joined.commit_sha), [commit_sha, live]);
  const files = await at.host.files(REPO, branch);
  assert.deepEqual([files[CSS], files["public/theirs.txt"], PAGE in files, "src/pages/notes.md" in files], [
    ...["p { color: green }\n", "t", true, false],
  ]);
  await here.refused("E_NOT_BUILT", /being built|not known/);
  here.built();
  const done = await here.publish();
  assert.deepEqual([done.state, done.commit_sha, done.files], ["published", joined.commit_sha, 1]);
  assert.equal(await at.head("main"), joined.commit_sha);
});

test("where the history must be linear, it is one commit on a new preview branch, which later writes go on", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  at.host.rules(REPO, "main", { linear_history: true });
  await at.host.commit(REPO, { files: { "public/theirs.txt": "t" } });
  const live = await at.head("main");
  const joined = await here.publish();
  assert.equal(joined.state, "joined");
  assert.notEqual(joined.preview_branch, branch);
  assert.deepEqual(await here.parents(joined.commit_sha), [live]);
  const more = await here.wrote("write_static_file", { path: "public/more.txt", content: "m" });
  assert.equal(more.branch, joined.preview_branch);
  here.built();
  assert.equal((await here.publish()).state, "published");
  assert.deepEqual((await here.files()).filter((path) => /new|theirs|more/.test(path)), [
    ...["public/more.txt", "public/theirs.txt", PAGE],
  ]);
  assert.equal((await at.host.git(REPO, "log", "--merges", "--format=%H", "main")).trim(), "");
});

test("what a person took out of the preview is named before it goes off the live site, and comes back with the rest", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  await at.host.commit(REPO, { branch, files: { "src/pages/notes.md": null } });
  here.built();
  const shown = await here.shown();
  assert.deepEqual(shown.changes[1]?.to, { added: 1, changed: 0, removed: 1 });
  assert.match(shown.warnings.join("\n"), /^Taken off the live site: "src\/pages\/notes\.md"$/m);
  const { request_id } = await here.publish();
  assert.ok(!(await here.files()).includes("src/pages/notes.md"));
  await at.gw.call("undo_change", { ...ON, request_id, confirm: true });
  const files = await at.host.files(REPO);
  assert.deepEqual([files["src/pages/notes.md"], files[PAGE]], [FILES["src/pages/notes.md"], undefined]);
});

test("workflows that people changed meanwhile come along without a right to change them", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  const workflow = ".github/workflows/build.yml";
  await at.host.commit(REPO, { files: { [workflow]: "on: [push, pull_request]\n" } });
  const joined = await here.publish();
  assert.equal(joined.state, "joined");
  assert.notEqual(
    joined.preview_branch,
    branch,
    "a branch that had the old ones may not be moved to the new ones",
  );
  here.built();
  assert.equal((await here.publish()).state, "published");
  assert.equal((await at.host.files(REPO))[workflow], "on: [push, pull_request]\n");
});

test("a preview that holds a merge is made straight before a linear branch gets it", async (here) => {
  const { at } = here;
  await here.ready();
  await at.host.commit(REPO, { files: { "public/theirs.txt": "t" } });
  assert.equal((await here.publish()).state, "joined");
  here.built();
  at.host.rules(REPO, "main", { linear_history: true });
  const straight = await here.publish();
  assert.equal(straight.state, "joined");
  assert.deepEqual(await here.parents(straight.commit_sha), [await at.head("main")]);
  here.built();
  assert.equal((await here.publish()).state, "published");
});

test("what both branches have changed alike is nothing to refuse, and what is all there is nothing to publish", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  const page = (await at.host.files(REPO, branch))[PAGE]!;
  await at.host.commit(REPO, { files: { [PAGE]: page, "public/theirs.txt": "t" } });
  const live = await at.head("main");
  const shown = await here.shown();
  assert.match(shown.summary, /branch "main" has had everything of branch .* already/);
  const done = await at.quietly(() =>
    at.gw.call<Answer>(TOOL, { ...ON, confirm: true, confirm_token: shown.confirm_token })
  );
  assert.deepEqual([done.state, done.commit_sha, done.files], ["unchanged", live, 0]);
});

test("what was taken back is not published again by itself: the undo is taken back, or the pages are made anew", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  const undo = async (request_id: string) =>
    await at.gw.call<{ request_id: string }>("undo_change", { ...ON, request_id, confirm: true });
  const back = await undo((await here.publish()).request_id);
  const again = await here.publish() as Answer & { readonly next: string };
  assert.deepEqual([again.state, again.files], ["unchanged", 0]);
  assert.match(again.next, /taken back since comes back with undo_change of the change that took it back/);
  const more = await here.wrote("write_static_file", { path: "public/more.txt", content: "m" });
  assert.notEqual(more.branch, branch, "what was published is gone on from as it is live now");
  here.built();
  const fields = (await here.shown()).changes.map(({ field }) => field);
  assert.ok(fields.includes("public/more.txt") && !fields.includes(PAGE), fields.join());
  await undo(back.request_id);
  assert.ok((await here.files()).includes(PAGE));
});

test("a file that was changed live since keeps a publication from being taken back", async (here) => {
  const { at } = here;
  await here.ready();
  const { request_id } = await here.publish();
  await at.host.commit(REPO, { files: { "public/other.txt": "o" } });
  assert.equal(
    (await here.shown("undo_change", { request_id })).undoable,
    true,
    "another file is nobody's matter",
  );
  await at.host.commit(REPO, { files: { [PAGE]: "<p>By hand</p>" } });
  await at.refuses("undo_change", { ...ON, request_id }, "E_STALE_PREVIEW", {
    ...{ says: /src\/pages\/new\.astro/, sends: "reads" },
  });
});

test("of many files as many are listed as can be shown, with their counts and where the rest is seen", async (here) => {
  const { at } = here;
  const files = Object.fromEntries(Array.from({ length: 260 }, (_, n) => [`public/many/${n}.txt`, `${n}`]));
  const { branch } = await here.ready();
  await at.host.commit(REPO, { branch, files });
  here.built();
  const shown = await here.shown();
  assert.deepEqual(shown.changes[1]?.to, { added: 261, changed: 0, removed: 0 });
  assert.equal(shown.changes[2]?.field, PAGE, "pages come first");
  assert.equal(shown.changes.filter(({ field }) => /^public\/many\/\d+\.txt$/.test(field)).length, 199);
  assert.match(
    shown.warnings.join("\n"),
    /61 of 261 files are not listed; all are at https:\/\/github\.com\/.*compare/,
  );
  assert.equal((await here.publish()).files, 261);
});
