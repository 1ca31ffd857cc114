/** A static site whose project is at a stand-in of the hosting, and the one tool that asks it. */
import assert from "node:assert/strict";
import { type PagesStandIn, startPages } from "../../sandbox/cloudflare_pages/start.ts";
import { startGitHub } from "../../sandbox/github/start.ts";
import type { Args } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { OPEN_FLAGS, REPO, StaticWorld, type WorldOptions } from "./_static.ts";

export const TOOL = "check_static_deploy";
export const NOON = Date.UTC(2026, 4, 4, 12);

/** Such a site's gateway, and the stand-in. */
export interface World extends AsyncDisposable {
  readonly at: StaticWorld;
  readonly hosting: PagesStandIn;
}

/**
 * The site "built" has the project "site", which is deployed from the repository, "live" and "shut" too; "shut" may
 * not publish; "astray" has one that is not there. A commit's deployment is known after so many seconds.
 */
export async function world(
  env: Readonly<Record<string, string | null>> = {},
  clock: Pick<WorldOptions, "realClock" | "start" | "http" | "delay" | "tokens"> = {},
  registers_after = 3,
): Promise<World> {
  const host = await startGitHub();
  const hosting = await startPages({ host, now: () => NOON, registers_after });
  hosting.project("site", { repo: REPO });
  const linked = { repo: REPO, repo_branch: "main" };
  const at = await StaticWorld.open({
    host,
    ...clock,
    env: {
      HOSTING_API_BASE: hosting.base_url,
      HOSTING_API_TOKEN: hosting.api_token,
      HOSTING_ACCOUNT_ID: hosting.account_id,
      ...env,
    },
    sites: [
      site("built", "static", { ...linked, hosting_project: "site", flags: OPEN_FLAGS }),
      site("live", "static", { ...linked, hosting_project: "site", flags: OPEN_FLAGS }),
      site("shut", "static", { ...linked, hosting_project: "site" }),
      site("astray", "static", { ...linked, hosting_project: "gone" }),
    ],
  });
  return {
    at,
    hosting,
    async [Symbol.asyncDispose]() {
      for (const { method, path, headers } of hosting.requests) {
        assert.match(
          `${method} ${path}`,
          /^GET .*\/pages\/projects\/(site|gone|short)(\/deployments(\/[^/]+\/history\/logs)?)?$/,
        );
        assert.match(headers["authorization"] ?? "", /^Bearer /);
      }
      await at[Symbol.asyncDispose]();
      await hosting.stop();
    },
  };
}

/** The call's answer, the same through both doors, none of it a secret. */
export async function ask({ at, hosting }: World, args: Args = {}): Promise<Args> {
  const found = await at.both(TOOL, { site_id: "built", ...args });
  const text = JSON.stringify([found, await at.gw.audit()]);
  for (const secret of [hosting.secret, hosting.api_token]) assert.ok(!text.includes(secret));
  return found;
}
