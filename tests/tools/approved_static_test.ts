/** Writes of repositories that approved_test.ts cannot make over and over: beginnings, preview branches, what is forgotten. */
import assert from "node:assert/strict";
import { type Args, DOORS } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { type Ground, ground, SOURCES } from "./_ground.ts";
import { OPEN_FLAGS } from "./_static_sites.ts";

const SCAFFOLD = "init_static_project";

async function approved(at: Ground, tool: string, args: Args): Promise<Args> {
  const { confirm_token } = await at.gw.call<{ confirm_token: string }>(tool, args);
  return { ...args, confirm: true, confirm_token };
}

async function refused(at: Ground, tool: string, call: Args, code: string): Promise<string> {
  const ending = await at.gw.end(tool, call);
  assert.ok("code" in ending && ending.code === code, JSON.stringify(ending));
  return ending.message;
}

/** A site of an empty repository of its own. */
async function begun(at: Ground, id: string): Promise<{ repo: string; args: Args }> {
  const repo = `acme/${id}`;
  await at.host!.make(repo, { empty: true });
  await at.gw.store.sites.create(site(id, "static", { repo, repo_branch: "main", flags: OPEN_FLAGS }));
  return { repo, args: { site_id: id, homepage_html: "<p>Hello</p>" } };
}

const filesOf = (at: Ground, repo: string) => at.host!.files(repo);

Deno.test("a project is begun once by equal calls, and never over what somebody put there meanwhile", async () => {
  await using at = await ground({ repositories: true });
  const theirs = { "src/pages/index.astro": "theirs" };

  const first = await begun(at, "one");
  const call = await approved(at, SCAFFOLD, first.args);
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) => at.gw.call<Args>(SCAFFOLD, call, { door: DOORS[n % 2] })),
  );
  assert.equal(new Set(all.map(({ commit_sha }) => commit_sha)).size, 1);
  assert.equal(all.filter(({ replayed }) => replayed !== true).length, 1);
  assert.equal((await at.host!.git(first.repo, "log", "--format=%s", "main")).trim(), "Scaffold the project");

  const second = await begun(at, "two");
  const late = await approved(at, SCAFFOLD, second.args);
  await at.host!.commit(second.repo, { files: theirs });
  const before = at.writes();
  await refused(at, SCAFFOLD, late, "E_REPO_NOT_EMPTY");
  assert.equal(at.writes(), before);

  const third = await begun(at, "three");
  await at.host!.commit(third.repo, { files: { "README.md": "# Theirs\n" } });
  const latest = await approved(at, SCAFFOLD, third.args);
  at.beforeWrite(() => at.host!.commit(third.repo, { files: theirs }));
  const told = await refused(at, SCAFFOLD, latest, "E_STALE_PREVIEW");
  assert.match(told, /^"src\/pages\/index.astro": was made by somebody else/);
  assert.deepEqual(await filesOf(at, third.repo), { "README.md": "# Theirs\n", ...theirs });
});

Deno.test("a file of a preview branch is not written over what somebody left there", async () => {
  await using at = await ground({ repositories: true });
  const path = "public/a.txt";
  const args = { site_id: "static", path, content: "mine", allow_overwrite: true };
  const { branch } = await at.gw.call<{ branch: string }>("write_static_file", { ...args, confirm: true });
  const later = { ...args, content: "mine, later" };
  const call = await approved(at, "write_static_file", later);
  await at.host!.commit(SOURCES, { branch, files: { [path]: "theirs" } });
  const told = await refused(at, "write_static_file", call, "E_STALE_PREVIEW");
  assert.ok(told.includes(path), told);
  const again = await approved(at, "write_static_file", later);
  at.beforeWrite(() => at.host!.commit(SOURCES, { branch, files: { [path]: "theirs, later" } }));
  await refused(at, "write_static_file", again, "E_STALE_PREVIEW");
  assert.equal((await at.host!.files(SOURCES, branch))[path], "theirs, later");
  const last = await approved(at, "write_static_file", later);
  await at.host!.commit(SOURCES, { branch, files: { "public/b.txt": "elsewhere" } });
  await at.gw.call("write_static_file", last);
  assert.equal((await at.host!.files(SOURCES, branch))[path], "mine, later");
});

Deno.test("the preview branch that was shown is forgotten, once, and no other", async () => {
  await using at = await ground({ repositories: true });
  const tool = "reset_static_preview_branch";
  const args = { site_id: "static" };
  const write = (path: string) =>
    at.gw.call<Args>("write_static_file", { ...args, path, content: "x", confirm: true });
  const nothing = await approved(at, tool, args);
  const { branch } = await write("public/a.txt");
  assert.match(await refused(at, tool, nothing, "E_STALE_PREVIEW"), /^"branch": changed since the preview/);
  const call = await approved(at, tool, args);
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) => at.gw.call<Args>(tool, call, { door: DOORS[n % 2] })),
  );
  for (const one of all) assert.equal(one["forgotten"], branch);
  assert.equal(all.filter(({ replayed }) => replayed !== true).length, 1);
});
