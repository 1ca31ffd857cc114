/** A static site to try: an empty repository in real git, and a hosting project whose deployments come of its commits. */
import { Builder } from "./cloudflare_pages/builder.ts";
import { Packages, type PackagesOptions } from "./cloudflare_pages/packages.ts";
import { type PagesStandIn, startPages } from "./cloudflare_pages/start.ts";
import { type GitHubStandIn, startGitHub } from "./github/start.ts";

/** The repository, and the hosting project's name. */
export const REPO = "demo/site";
export const PROJECT = "demo-site";

/** A running pair; `env` are the settings that lead to it. */
export interface StaticProject {
  readonly repo: GitHubStandIn;
  readonly hosting: PagesStandIn;
  /** The bare repository, for `git clone`. */
  readonly folder: string;
  /** Where the newest production is served; null where nothing is built. */
  readonly address: string | null;
  readonly builder: Builder | null;
  readonly env: Readonly<Record<string, string>>;
  /** Leaves nothing behind. */
  stop(): Promise<void>;
}

/**
 * Starts both, kept below `folder`; null where git is missing. With `packages` the hosting really builds what is
 * committed; without, deployments go by the clock and nothing is served.
 */
export async function startProject(
  folder: string,
  packages?: PackagesOptions,
): Promise<StaticProject | null> {
  if (!await hasGit()) return null;
  const repo = await startGitHub({ folder });
  await repo.make(REPO, { empty: true });
  const permissions = { contents: "write", metadata: "read", pull_requests: "write" } as const;
  repo.install(REPO.split("/")[0]!, { permissions });
  const builder = packages === undefined
    ? null
    : new Builder({ packages: new Packages(packages), source: (name) => repo.path(name) });
  const hosting = await startPages({ host: repo, ...builder && { builder } });
  hosting.project(PROJECT, { repo: REPO });
  return {
    repo,
    hosting,
    folder: await repo.path(REPO),
    address: builder?.address(PROJECT) ?? null,
    builder,
    env: projectEnv(repo, hosting),
    async stop() {
      await hosting.stop();
      await builder?.[Symbol.asyncDispose]();
      await repo.stop();
    },
  };
}

/** What leads a gateway to that host of repositories and to that hosting. */
export const projectEnv = (
  repo: Pick<GitHubStandIn, "base_url" | "app">,
  hosting: Pick<PagesStandIn, "base_url" | "api_token" | "account_id">,
) => ({
  REPO_API_BASE: repo.base_url,
  REPO_APP_ID: String(repo.app.id),
  REPO_APP_PRIVATE_KEY: repo.app.private_key,
  HOSTING_API_BASE: hosting.base_url,
  HOSTING_API_TOKEN: hosting.api_token,
  HOSTING_ACCOUNT_ID: hosting.account_id,
});

async function hasGit(): Promise<boolean> {
  try {
    return (await new Deno.Command("git", { args: ["--version"], stdout: "null", stderr: "null" }).output())
      .success;
  } catch {
    return false;
  }
}
