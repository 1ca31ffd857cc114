/** What becomes of a preview branch once it was merged, by each way there is: the next write begins a new one and says so. */
import assert from "node:assert/strict";
import type { Clone } from "./_clone.ts";
import { compareUrl, REPO, type StaticWorld, test } from "./_static.ts";

interface Done {
  readonly branch: string;
  readonly commit_sha: string;
  readonly note?: string;
  readonly compare_url?: string;
}

/** Writes one file to the preview of the token. */
async function write(at: StaticWorld, file: string): Promise<Done> {
  const args = { site_id: "closed", path: `public/${file}`, content: file, allow_overwrite: true };
  return (await at.write<Done>("rest", "write_static_file", args)).done;
}

/** Merges as a person does in a clone, whose `origin/<branch>` is the preview, and pushes the deployed branch. */
const MERGES: Readonly<Record<string, (clone: Clone, branch: string) => Promise<unknown>>> = {
  "a merge": (clone, branch) => clone.git("merge", "--quiet", "--no-ff", "-m", "Merged", `origin/${branch}`),
  "a fast-forward": (clone, branch) => clone.git("merge", "--quiet", "--ff-only", `origin/${branch}`),
  async "a squash"(clone, branch) {
    await clone.git("merge", "--quiet", "--squash", `origin/${branch}`);
    await clone.git("commit", "--quiet", "-m", "About us (#1)");
  },
  async "a squash beside others' commits"(clone, branch) {
    await beside(clone, "before.txt");
    await MERGES["a squash"]!(clone, branch);
    await beside(clone, "after.txt");
  },
  async "a rebase"(clone, branch) {
    await beside(clone, "before.txt");
    await clone.git("cherry-pick", `HEAD~1..origin/${branch}`);
  },
  async "a squash that was gone on from"(clone, branch) {
    await MERGES["a squash"]!(clone, branch);
    await Deno.writeTextFile(`${clone.folder}/public/a`, "another text since\n");
    await clone.git("commit", "--quiet", "--all", "-m", "Later");
  },
};

async function beside(clone: Clone, file: string): Promise<void> {
  await Deno.writeTextFile(`${clone.folder}/${file}`, file);
  await clone.git("add", file);
  await clone.git("commit", "--quiet", "-m", file);
}

for (const [how, merge] of Object.entries(MERGES)) {
  test(`after ${how} the next write begins a new branch at the deployed one's head`, async (at) => {
    const { branch } = await write(at, "a");
    assert.equal((await write(at, "b")).branch, branch);
    await using clone = await at.clone("main");
    await merge(clone, branch);
    await clone.git("push", "--quiet", "origin", "HEAD:main");
    const [main, old] = [await at.head("main"), await at.head(branch)];
    const args = { site_id: "closed", path: "public/c", content: "c" };
    const { summary } = await at.preview("write_static_file", args);
    assert.ok(summary.endsWith(`on a new preview branch, as "${branch}" has been merged`), summary);
    const done = await write(at, "c");
    assert.notEqual(done.branch, branch);
    const began = `The preview branch "${branch}" has been merged, so this began a new one from "main".`;
    assert.ok(done.note!.startsWith(began), done.note);
    assert.equal(done.compare_url, compareUrl(done.branch));
    await at.wrote({ branch: done.branch, parent: main, line: "Add public/c", files: { "public/c": "c" } });
    assert.deepEqual([await at.head("main"), await at.head(branch)], [main, old], "both are left alone");
    const next = await write(at, "d");
    assert.equal(next.branch, done.branch, "and the next goes on there");
    assert.doesNotMatch(next.note!, /merged/);
  });
}

test("a branch with a change that the deployed one has not got is gone on with, whatever others commit", async (at) => {
  const { branch } = await write(at, "a");
  await write(at, "b");
  await at.host.commit(REPO, { files: { "public/a": "a" }, message: "The half of it" });
  const half = await write(at, "c");
  assert.equal(half.branch, branch);
  assert.doesNotMatch(half.note!, /merged/);
  await at.host.commit(REPO, { files: { "public/a": "a", "public/b": "b", "public/c": "another" } });
  const other = await write(at, "d");
  assert.equal(other.branch, branch);
  assert.doesNotMatch(other.note!, /merged/);
});

test("whether it was merged is asked once for each head of the deployed branch", async (at) => {
  await write(at, "a");
  const looks = () =>
    at.host.requests.filter(({ method, path }) => method === "GET" && path.endsWith("/commits")).length;
  at.host.clear();
  await write(at, "b");
  assert.equal(looks(), 0, "it stands on the deployed head, as its commits say");
  await at.host.commit(REPO, { files: { "meanwhile.txt": "x" } });
  await write(at, "c");
  assert.equal(looks(), 2, "what each of the two branches leads to");
  await write(at, "d");
  assert.equal(looks(), 2);
});
