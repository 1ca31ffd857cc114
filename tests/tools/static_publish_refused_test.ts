/** publish_static_preview: what is refused, with nothing sent; what happens between preview and yes; what the host does wrong. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { scenes } from "../scenes.ts";
import { type Answer, ON, Publishing, TOOL } from "./_publish.ts";
import { REPO } from "./_static.ts";

const test = scenes(() => Publishing.open());
const PAGE = "src/pages/new.astro";

const PERSON = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];

/** A refusal, and what leads to it. */
interface Row {
  readonly before: (here: Publishing) => unknown;
  readonly code: Code;
  readonly says: RegExp;
}

const ready = async (here: Publishing, then: (branch: string) => unknown) => {
  const { branch } = await here.ready();
  await then(branch);
  here.built();
};
/** A person pushes onto the preview branch. */
const pushed = (files: Readonly<Record<string, string>>) => (here: Publishing) =>
  ready(here, (branch) => here.at.host.commit(REPO, { branch, files }));

const ROWS: Readonly<Record<string, Row>> = {
  "no preview": { before: () => {}, code: "E_NOT_FOUND", says: /no preview branch .* create_static_route/ },
  "a preview whose branch is gone": {
    before: (here) =>
      ready(here, (branch) => here.at.host.git(REPO, "update-ref", "-d", `refs/heads/${branch}`)),
    code: "E_NOT_FOUND",
    says: /has no branch "mcp\/.* begins a new one/,
  },
  "a commit that nobody has noticed yet": {
    before: (here) => here.wrote("create_static_route", { route: "new", html: "x" }),
    code: "E_NOT_BUILT",
    says: /is not known to the hosting as a preview; ask check_static_deploy/,
  },
  "a build that goes on": {
    before: async (here) => {
      await here.wrote("create_static_route", { route: "new", html: "x" });
      here.here.hosting.clock.advance(20);
    },
    code: "E_NOT_BUILT",
    says: /is being built; wait with check_static_deploy/,
  },
  "a build that failed": {
    before: async (here) => {
      const log = ["Expected a closing tag", "in src/pages/new.astro:3"];
      await here.wrote("create_static_route", { route: "new", html: "x" }, {
        kind: "failure",
        stage: "build",
        log,
      });
      here.built();
    },
    code: "E_NOT_BUILT",
    says:
      /ended as failure: .*Expected a closing tag \| in src\/pages\/new\.astro:3 \| build: failure\. Mend it/,
  },
  "a build that was canceled": {
    before: async (here) => {
      await here.wrote("create_static_route", { route: "new", html: "x" }, {
        kind: "canceled",
        stage: "build",
      });
      here.built();
    },
    code: "E_NOT_BUILT",
    says: /ended as canceled/,
  },
  "an older commit that was built": {
    before: (here) =>
      ready(here, () => {}).then(() => here.wrote("create_static_route", { route: "b", html: "x" })),
    code: "E_NOT_BUILT",
    says: /is not known to the hosting/,
  },
  "a branch for pull requests alone": {
    before: (here) => ready(here, () => here.at.host.rules(REPO, "main", { pull_request: true })),
    code: "E_MAIN_BRANCH_LOCKED",
    says: /only changed by pull requests.*propose_static_changes/,
  },
  "a branch for a merge queue": {
    before: (here) => ready(here, () => here.at.host.rules(REPO, "main", { more: ["merge_queue"] })),
    code: "E_MAIN_BRANCH_LOCKED",
    says: /propose_static_changes/,
  },
  "a branch for few accounts": {
    before: (here) => ready(here, () => here.at.host.rules(REPO, "main", { more: ["update"] })),
    code: "E_MAIN_BRANCH_LOCKED",
    says: /only changed by accounts that its rules name/,
  },
  "a file that both changed": {
    before: (here) => ready(here, () => here.at.host.commit(REPO, { files: { [PAGE]: "theirs" } })),
    code: "E_SHA_MISMATCH",
    says:
      /^"src\/pages\/new\.astro" \(there last by "Somebody" at .*, commit [0-9a-f]{40}\): changed on branch "main" and/,
  },
  "a file where the other made a folder": {
    before: (here) => ready(here, () => here.at.host.commit(REPO, { files: { [`${PAGE}/x.md`]: "theirs" } })),
    code: "E_SHA_MISMATCH",
    says: /changed on branch "main" and on the preview branch/,
  },
  "a workflow that a person pushed": {
    before: pushed({ ".github/workflows/run.yml": "on: push\n" }),
    code: "E_BAD_PATH",
    says: /changes "\.github\/workflows\/run\.yml", which this service never writes/,
  },
  "a key that a person pushed": {
    before: pushed({ "deploy.pem": "k" }),
    code: "E_BAD_PATH",
    says: /"deploy\.pem"/,
  },
  "a link that a person pushed": {
    before: (here) =>
      ready(here, async (branch) => {
        const head = await here.at.head(branch);
        const blob = (await here.at.host.git(REPO, "rev-parse", `${head}:README.md`)).trim();
        const listed = await here.at.host.git(REPO, "ls-tree", head);
        const made = await mktree(here, `${listed}120000 blob ${blob}\tlinked\n`);
        const commit =
          (await here.at.host.git(REPO, ...PERSON, "commit-tree", made, "-p", head, "-m", "Link")).trim();
        await here.at.host.git(REPO, "update-ref", `refs/heads/${branch}`, commit);
        here.here.hosting.deploy("site", { branch, commit });
      }),
    code: "E_BAD_PATH",
    says: /changes "linked"/,
  },
};

/** Makes a tree of those rows. */
async function mktree(here: Publishing, rows: string): Promise<string> {
  const command = new Deno.Command("git", {
    args: [`--git-dir=${await here.at.host.path(REPO)}`, "mktree"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = command.stdin.getWriter();
  await writer.write(new TextEncoder().encode(rows));
  await writer.close();
  return new TextDecoder().decode((await command.output()).stdout).trim();
}

for (const [what, { before, code, says }] of Object.entries(ROWS)) {
  test(`refused, and nothing is sent: ${what}`, async (here) => {
    await before(here);
    await here.refused(code, says);
  });
}

test("refused before anything is asked: a site that may not, a site without a project", async (here) => {
  await here.at.refuses(TOOL, { site_id: "shut" }, "E_MAIN_BRANCH_LOCKED", /allow_main_branch_push/);
  await here.at.refuses(TOOL, { site_id: "open" }, "E_HOSTING_PROJECT_MISSING", /no hosting project/);
});

Deno.test("what lies outside the site's folder is never published with it", async () => {
  await using here = await Publishing.open();
  const { at } = here;
  await at.gw.store.sites.update("live", { repo_prefix: "docs" });
  await here.wrote("write_static_file", { path: "public/a.txt", content: "a" });
  here.built();
  const shown = await here.shown();
  assert.deepEqual(shown.changes.map(({ field }) => field).slice(0, 3), [
    "main",
    "files",
    "docs/public/a.txt",
  ]);
  const { preview_branch: branch, request_id } = await here.publish();
  assert.ok((await here.files()).includes("docs/public/a.txt"));
  await at.gw.call("undo_change", { ...ON, request_id, confirm: true });
  assert.ok(!(await here.files()).includes("docs/public/a.txt"));
  await at.host.commit(REPO, { branch, files: { "other/b.txt": "b" } });
  here.built();
  await here.refused("E_BAD_PATH", /"other\/b\.txt".*outside the site's folder/);
});

test("a branch that moves between preview and yes is stale, whichever it is", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  const live = () => at.host.commit(REPO, { files: { "public/theirs.txt": "t" } });
  await here.fails("E_STALE_PREVIEW", /"main"/, live);
  assert.deepEqual(here.moves(), [], "no branch was moved");
  assert.equal((await here.publish()).state, "joined");
  here.built();
  const { confirm_token } = await here.shown();
  await at.host.commit(REPO, { branch, files: { "public/mine.txt": "m" } });
  here.built();
  await at.gw.fails(
    TOOL,
    { ...ON, confirm: true, confirm_token },
    "E_STALE_PREVIEW",
    new RegExp(`"${branch}"`),
  );
});

test("a branch that moves in the very request is stale, and it is not tried again", async (here) => {
  const { at } = here;
  await here.ready();
  at.host.inject({ kind: "moved", when: "within" }, { method: "PATCH", path: "/git/refs/heads/main" });
  const said = await here.fails(
    "E_STALE_PREVIEW",
    /Branch "main" was moved by somebody else.*nothing was published/,
    () => {},
  );
  assert.match(said, /preview again/);
  assert.equal(here.moves().length, 1, "sent once");
  const head = await at.head("main");
  assert.equal(
    (await at.host.git(REPO, "log", "-1", "--format=%s", head)).trim(),
    "Meanwhile",
    "theirs stands",
  );
});

test("a preview branch that moves while it is joined is left as it is", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  await at.host.commit(REPO, { files: { "public/theirs.txt": "t" } });
  at.host.inject({ kind: "moved", branch, when: "within" }, { method: "PATCH", path: "/git/refs/heads/mcp" });
  await here.fails("E_STALE_PREVIEW", /Branch "mcp\/.*nothing was published/, () => {});
  assert.equal((await at.log(branch))[0], "Meanwhile");
});

test("after a lost answer the branch itself tells what is true", async (here) => {
  const { at } = here;
  const { commit_sha } = await here.ready();
  at.host.inject({ kind: "html", status: 502, applied: true }, {
    method: "PATCH",
    path: "/git/refs/heads/main",
  });
  const done = await here.publish();
  assert.deepEqual([done.state, done.verified, await at.head("main")], ["published", true, commit_sha]);
});

test("a host that fails without moving the branch is reported as it is, and nothing is tried again", async (here) => {
  const { at } = here;
  await here.ready();
  const live = await at.head("main");
  at.host.inject({ kind: "html", status: 502 }, { method: "PATCH", path: "/git/refs/heads/main", times: 1 });
  await here.fails("E_UPSTREAM", /failed to move branch "main", which is where it was/, () => {});
  assert.equal(here.moves().length, 1);
  assert.equal(await at.head("main"), live);
  assert.equal((await here.publish()).state, "published", "and it can be called again");
});

test("a rule that only the host knows is told with the way that is open", async (here) => {
  const { at } = here;
  await here.ready();
  at.host.rules(REPO, "main", { by: "classic", pull_request: true });
  assert.match((await here.shown()).warnings.join("\n"), /protected by rules that the app cannot read/);
  const live = await at.head("main");
  await here.fails(
    "E_MAIN_BRANCH_LOCKED",
    /Changes must be made through a pull request.*propose_static_changes/,
    () => {},
  );
  assert.equal(await at.head("main"), live);
  const [row] = await at.rows(1);
  assert.deepEqual([row?.error, row?.outcome], ["E_MAIN_BRANCH_LOCKED", "none"]);
});

test("a required check is named before the yes, and the host's word is told after", async (here) => {
  const { at } = here;
  const { commit_sha } = await here.ready();
  at.host.rules(REPO, "main", { status_checks: ["build", "links"] });
  assert.match(
    (await here.shown()).warnings.join("\n"),
    /has passed "build", "links"; where it has not, the host refuses/,
  );
  await here.fails("E_MAIN_BRANCH_LOCKED", /Required status check "build" is expected/, () => {});
  for (const check of ["build", "links"]) at.host.pass(REPO, commit_sha, check);
  assert.equal((await here.publish()).state, "published");
});

test("what people have merged is nothing to publish any more", async (here) => {
  const { at } = here;
  at.host.install("acme", { permissions: { contents: "write", metadata: "read", pull_requests: "write" } });
  const { branch } = await here.ready();
  const page = (await at.host.files(REPO, branch))[PAGE]!;
  await at.host.commit(REPO, { files: { [PAGE]: page }, message: "Squashed" });
  assert.equal((await here.publish()).state, "unchanged");
  assert.deepEqual(here.moves(), []);
});

test("the same yes twice publishes once", async (here) => {
  const { at } = here;
  await here.ready();
  const { confirm_token } = await here.shown();
  const call = () =>
    at.gw.call<Answer & { replayed?: boolean }>(TOOL, { ...ON, confirm: true, confirm_token });
  const both = await Promise.all([call(), call()]);
  assert.deepEqual(both.map(({ state }) => state), ["published", "published"]);
  assert.deepEqual(both.map(({ replayed }) => replayed ?? false).toSorted(), [false, true]);
  assert.equal(here.moves().length, 1);
});
