/** check_static_deploy: which environment a deployment is of, and whether one is to be expected at all. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { scenes } from "../scenes.ts";
import { ask, world } from "./_deploy.ts";
import { REPO } from "./_static.ts";

const test = scenes(() => world());

test("a preview's success is not production's, and each can be asked for alone", async (here) => {
  const { hosting } = here;
  const live = hosting.deploy("site", { branch: "main" });
  hosting.clock.advance(60);
  const preview = hosting.deploy("site", { branch: "draft" });
  hosting.clock.advance(60);
  const newest = await ask(here);
  assert.deepEqual([newest["deployment_id"], newest["environment"], newest["live"]], [
    preview.id,
    "preview",
    false,
  ]);
  assert.match(String(newest["note"]), /^This is a preview/);
  const production = await ask(here, { environment: "production" });
  assert.deepEqual([production["deployment_id"], production["live"], production["note"]], [
    live.id,
    true,
    undefined,
  ]);
  assert.equal(hosting.requests.at(-1)!.query["env"], "production");
  const none = await ask(here, { commit_sha: preview.commit, environment: "production" });
  assert.equal(none["found"], false);
});

/** What the project's settings say, whether a deployment is to be expected, and a word of the reason. */
const SETTINGS: readonly (readonly [builds: Args, expected: boolean | null, word: RegExp])[] = [
  [{ preview_deployment_setting: "none" }, null, /builds pushes to the branch "main" alone, and no previews/],
  [{ preview_deployment_setting: "custom" }, null, /builds the branch "main" and some other branches only/],
  [{ production_deployments_enabled: false }, null, /builds no pushes to the branch "main"/],
  [{ deployments_enabled: false }, false, /builds nothing that is pushed/],
  [{ path_includes: ["site/*"] }, null, /only where it changes certain files \(its build watch paths\)/],
  [{ path_excludes: ["docs/*"] }, null, /only where it changes certain files/],
  [
    { path_includes: [], path_excludes: [] },
    true,
    /takes some seconds to show, .*within some minutes, none will/,
  ],
  [{ owner: "agency", repo_name: "other" }, false, /from the repository "agency\/other", and the site's is/],
];

test("where nothing will be built the answer says so, and why, by the project's own settings", async (here) => {
  for (const [builds, expected, word] of SETTINGS) {
    here.hosting.project("site", { repo: REPO, builds });
    const found = await ask(here, { commit_sha: "12".repeat(20) });
    assert.deepEqual([found["found"], found["status"], found["expected"]], [false, null, expected]);
    assert.match(String(found["note"]), word);
  }
  here.hosting.project("site");
  assert.match(String((await ask(here))["note"]), /connected to no repository, so no commit is built/);
  here.hosting.project("site", { repo: REPO });
  here.hosting.inject({ kind: "html" }, { times: 9, path: /\/site$/ });
  const unknown = await ask(here);
  assert.equal(unknown["expected"], null);
  assert.match(
    String(unknown["note"]),
    /^The project has no deployment yet\. Whether one will come is not known, for the project's settings could not be read: Hosting answered/,
  );
  here.hosting.clear();
});
