/** What a write to a preview branch answers of it: its commit's own address, and what of the deployed branch it lacks. */
import assert from "node:assert/strict";
import { type Args, DOORS } from "../cms_kit.ts";
import { scenes } from "../scenes.ts";
import { type World, world } from "./_deploy.ts";
import { compareUrl, REPO } from "./_static.ts";

const ON = { site_id: "built" };
const PAGE = { html: "<p>x</p>" };

/** Every tool that writes to a preview branch. */
const WRITES: readonly (readonly [tool: string, args: Args])[] = [
  ["write_static_file", { path: "public/a.txt", content: "a" }],
  ["edit_static_file", { path: "public/a.txt", find: "a", replace: "b" }],
  ["bulk_write_static_files", { files: [{ path: "public/b.txt", content: "b" }] }],
  ["create_static_route", { ...PAGE, route: "one" }],
  ["create_static_routes", { pages: [{ ...PAGE, route: "two" }] }],
  ["update_static_route", { ...PAGE, route: "" }],
];

/** Hosting whose deployments are known as soon as a commit is pushed. */
const test = scenes(() => world({}, {}, 0));

async function write({ at }: World, tool: string, args: Args): Promise<Args & { branch: string }> {
  return await at.gw.call<Args & { branch: string }>(tool, { ...ON, ...args, confirm: true });
}

const file = (content: string) => ({ path: "public/f.txt", content, allow_overwrite: true });

/** The comparisons that were asked for, and the questions to the hosting, since the last clear. */
const asked = ({ at, hosting }: World) => [
  at.host.requests.filter(({ path }) => path.includes("/compare/")).length,
  hosting.requests.length,
];

/** Forgets what was asked. */
function clear({ at, hosting }: World): void {
  at.host.clear();
  hosting.clear();
}

test("every write to a preview answers the own address of its commit, for one question to the hosting", async (here) => {
  for (const [tool, args] of WRITES) {
    clear(here);
    const done = await write(here, tool, args);
    const newest = here.hosting.deployments("site").at(-1)!;
    assert.equal(newest.commit, done["commit_sha"], tool);
    assert.deepEqual(
      [done["preview_url"], done["compare_url"], done["behind"]],
      [`https://${newest.id.slice(0, 8)}.site.pages.dev`, compareUrl(done.branch), undefined],
      tool,
    );
    assert.match(
      String(done["note"]),
      /^Its deployment is not ready \(pending\); a build takes about 45 s: check_static_deploy with/,
    );
    assert.deepEqual(asked(here), [0, 1], `${tool}: the branch is known to lack nothing`);
  }
  here.hosting.clock.advance(60);
  const [, args] = WRITES[2]!;
  const again = await write(here, "bulk_write_static_files", args);
  const stands = here.hosting.deployments("site").at(-1)!;
  assert.deepEqual([again["unchanged"], again["commit_sha"]], [true, stands.commit]);
  assert.deepEqual(
    [again["preview_url"], again["note"], again["compare_url"]],
    [`https://${stands.id.slice(0, 8)}.site.pages.dev`, undefined, undefined],
  );
});

for (const door of DOORS) {
  Deno.test(`a commit that the hosting does not know yet has no address, and the answer says who tells it: ${door}`, async () => {
    await using here = await world();
    const { done } = await here.at.write<Args>(door, "write_static_file", { ...ON, ...file("a") });
    assert.equal(done["preview_url"], null);
    assert.match(
      String(done["note"]),
      /^No deployment of this commit is known yet, .*: check_static_deploy with this commit_sha tells its address/,
    );
    assert.ok(!("behind" in done));
  });
}

test("a preview that lacks commits of the deployed branch says how many, asked once and without its files", async (here) => {
  const first = await write(here, "write_static_file", file("a"));
  await here.at.host.commit(REPO, { files: { "one.txt": "1" } });
  await here.at.host.commit(REPO, { files: { "two.txt": "2" } });
  clear(here);
  const second = await write(here, "write_static_file", file("b"));
  assert.deepEqual([second.branch, second["behind"]], [first.branch, 2]);
  assert.ok(
    String(second["note"]).endsWith(
      `Branch "${first.branch}" lacks 2 commits of "main", so the preview does not show what was changed there since.`,
    ),
  );
  assert.deepEqual(asked(here), [1, 1]);
  const [compared] = here.at.host.requests.filter(({ path }) => path.includes("/compare/"));
  assert.deepEqual(compared?.query, { per_page: "1", page: "2" });
  await here.at.gw.call("reset_static_preview_branch", { ...ON, confirm: true });
  clear(here);
  const fresh = await write(here, "write_static_file", file("c"));
  assert.ok(!("behind" in fresh) && fresh.branch !== first.branch, "a new branch begins at what is deployed");
  assert.deepEqual(asked(here), [0, 1]);
});

test("what was compared once is known until the deployed branch moves", async (here) => {
  await write(here, "write_static_file", file("a"));
  await here.at.host.commit(REPO, { files: { "one.txt": "1" } });
  const lacking = await write(here, "write_static_file", file("b"));
  assert.equal(lacking["behind"], 1);
  assert.match(String(lacking["note"]), /lacks 1 commit of "main"/);
  const main = await here.at.head("main");
  // A person brings the deployed branch into the preview.
  await using clone = await here.at.clone(lacking.branch);
  await clone.git("merge", "--no-edit", main);
  await clone.git("push", "origin", `HEAD:${lacking.branch}`);
  // Where a write goes has been looked at already: it tells that nothing is lacking.
  for (const name of ["c", "d"]) {
    clear(here);
    const done = await write(here, "write_static_file", file(name));
    assert.deepEqual([done["behind"], asked(here)[0]], [undefined, 0]);
  }
});

test("how long a build takes is said by the project's newest ones, for no further question", async (here) => {
  await write(here, "write_static_file", file("a"));
  here.hosting.clock.advance(100);
  clear(here);
  const done = await write(here, "write_static_file", file("b"));
  assert.deepEqual(asked(here), [0, 1]);
  const { commit_sha } = done as Args;
  const told = await here.at.gw.call<Args>("check_static_deploy", { ...ON, commit_sha });
  assert.equal(typeof told["builds_took_seconds"], "number");
  assert.ok(String(done["note"]).includes(`a build takes about ${told["builds_took_seconds"]} s:`));
});

test("a hosting or a comparison that fails leaves the write as it is, and claims nothing", async (here) => {
  await write(here, "write_static_file", file("a"));
  await here.at.host.commit(REPO, { files: { "one.txt": "1" } });
  here.hosting.inject({ kind: "refused", status: 500, message: "No" }, { times: 9 });
  here.at.host.inject({ kind: "html" }, { path: "/compare/", times: 9 });
  const done = await write(here, "write_static_file", file("b"));
  assert.equal(await here.at.head(done.branch), done["commit_sha"]);
  assert.deepEqual([done["preview_url"], "behind" in done], [null, false]);
  assert.match(String(done["note"]), /^No deployment of this commit is known yet/);
  assert.doesNotMatch(String(done["note"]), /lacks/);
});

test("a write to the deployed branch answers nothing of a preview, and asks nothing for it", async (here) => {
  clear(here);
  const done = await write(here, "write_static_file", { ...file("a"), target_branch: "main" });
  for (const key of ["preview_url", "compare_url", "behind", "note"]) assert.ok(!(key in done), key);
  assert.deepEqual(asked(here), [0, 0]);
});
