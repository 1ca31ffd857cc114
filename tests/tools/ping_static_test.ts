/** ping_site on static sites: the repository behind them, and what is wrong with the way there. */
import assert from "node:assert/strict";
import type { GitHubStandIn } from "../../sandbox/github/start.ts";
import { site } from "../kit.ts";
import { REPO, settingsAt, StaticWorld, test } from "./_static.ts";

interface Ping {
  readonly ok: boolean;
  readonly platform: string;
  readonly authenticated: boolean;
  readonly repository: { readonly branch: string; readonly commit: string | null };
  readonly can: { readonly write: boolean };
  readonly latency_ms: number;
}

async function ping({ gw }: StaticWorld, site_id: string): Promise<Ping> {
  const [rest, mcp] = [
    await gw.call<Ping>("ping_site", { site_id }),
    await gw.call<Ping>("ping_site", { site_id }, { door: "mcp" }),
  ];
  assert.deepEqual({ ...mcp, latency_ms: 0 }, { ...rest, latency_ms: 0 });
  assert.ok(rest.latency_ms >= 0);
  return rest;
}

const headOf = async (host: GitHubStandIn, branch: string) =>
  (await host.git(REPO, "rev-parse", branch)).trim();

test("a static site answers with its deployed branch, where that stands, and whether it can be written to", async (at) => {
  const commit = await headOf(at.host, "main");
  for (const site_id of ["closed", "default"]) {
    const { latency_ms: _, ...told } = await ping(at, site_id);
    assert.deepEqual(told, {
      ok: true,
      platform: "static",
      authenticated: true,
      repository: { branch: "main", commit },
      can: { write: true },
    });
  }
  assert.deepEqual((await ping(at, "empty")).repository, { branch: "main", commit: null });
  at.host.install("acme", { permissions: { contents: "read", metadata: "read" } });
  assert.deepEqual((await ping(at, "open")).can, { write: false });
  assert.deepEqual(at.host.writes, []);
});

Deno.test("what is wrong with the way to a static site's repository is told by its code", async () => {
  await using at = await StaticWorld.open({
    sites: [site("typo", "static", { repo: REPO, repo_branch: "mian" })],
  });
  const refuses = (site_id: string, code: Parameters<typeof at.gw.refuses>[2]) =>
    at.gw.refuses("ping_site", { site_id }, code);
  assert.match(await refuses("unlinked", "E_REPO_NOT_LINKED"), /Site "unlinked" has no repository/);
  assert.match(await refuses("elsewhere", "E_REPO_APP_NOT_INSTALLED"), /not installed for "nobody\/there"/);
  assert.match(await refuses("typo", "E_NOT_FOUND"), /^The site's repo_branch: .*no branch.*"mian"/);
  const lost = at.host.state.repositories.get(REPO)!;
  at.host.state.repositories.delete(REPO);
  try {
    for (const site_id of ["closed", "default"]) {
      assert.match(
        await refuses(site_id, "E_REPO_APP_NOT_INSTALLED"),
        /not for a repository "site": it is not there.*check the site's repo/,
      );
    }
  } finally {
    at.host.state.repositories.set(REPO, lost);
  }
  at.host.inject({ kind: "html" }, { path: "/git/ref/", times: 6 });
  assert.match(await refuses("closed", "E_UPSTREAM"), /answered 502/);
  at.host.uninstall("acme");
  assert.match(await refuses("closed", "E_REPO_APP_NOT_INSTALLED"), /not installed for "acme\/site"/);
});

test("a gateway without the app's secrets says which one is missing, and asks nothing", async (at) => {
  for (const name of ["REPO_APP_ID", "REPO_APP_PRIVATE_KEY"]) {
    const settings = settingsAt(at.host, { [name]: null });
    await using without = await StaticWorld.open({ settings });
    await without.gw.refuses("ping_site", { site_id: "closed" }, "E_MISSING_SECRET", new RegExp(name));
    assert.deepEqual([without.gw.requests, without.host.requests], [[], []]);
  }
});
