/** When a push to a site's branch counts as one to what visitors get: by the repository and branch of every other site. */
import assert from "node:assert/strict";
import type { Site } from "../../../core/model.ts";
import { effectivePlatform, isDeployed } from "../../../guard/pipeline/deployed.ts";
import { CONNECTORS } from "../../connectors.ts";
import { site } from "../platforms/_site.ts";

const HERE = { id: "here", platform: "cms", repo: "acme/site", repo_branch: "main" } as const;
const OTHER = { id: "other", platform: "static", repo: "acme/site", repo_branch: "main" } as const;

const among = (...all: Partial<Site>[]) => ({ list: () => Promise.resolve(all.map(site)) });

const SITES: readonly (readonly [what: string, here: Partial<Site>, other: Partial<Site>, counts: string])[] =
  [
    ["the same branch", {}, {}, "static"],
    ["a branch that this site does not name", { repo_branch: null }, {}, "static"],
    ["a branch that the other does not name", {}, { repo_branch: null }, "static"],
    ["another branch", {}, { repo_branch: "release" }, "cms"],
    ["another repository", {}, { repo: "acme/other" }, "cms"],
    ["no repository", {}, { repo: null }, "cms"],
    ["the same branch, of a site that is not deployed from it", {}, { platform: "cms" }, "cms"],
  ];

for (const [what, here, other, counts] of SITES) {
  Deno.test(`beside a site of ${what} a push counts as one to a ${counts} site`, async () => {
    const own = { ...HERE, ...here };
    const sites = among(own, { ...OTHER, ...other });
    assert.equal(await effectivePlatform(sites, CONNECTORS, { links: ["repo"] }, site(own)), counts);
    assert.equal(await effectivePlatform(sites, CONNECTORS, { links: [] }, site(own)), "cms", "no push");
  });
}

Deno.test("a branch is deployed where a site is built from it, by name or as the default one", async () => {
  const is = (other: Partial<Site>, isDefault = false) =>
    isDeployed(among(HERE, { ...OTHER, ...other }), CONNECTORS, site(HERE), "main", isDefault);
  assert.equal(await is({}), true);
  assert.equal(await is({ repo_branch: null }, true), true);
  assert.equal(await is({ repo_branch: null }), false);
  assert.equal(await is({ repo_branch: "release" }, true), false);
  assert.equal(await is({ repo: "acme/other" }), false);
  assert.equal(await is({ platform: "cms" }), false);
});
