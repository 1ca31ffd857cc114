/** GitHub, as an app: the repository a site names, and the platform of static sites. */
import { GatewayError } from "../../core/errors.ts";
import { PLAIN_BRANCH } from "../../rules/branch.ts";
import type { Site } from "../../core/model.ts";
import { type Configured, connector, provide, type SiteContext } from "../_connector/connector.ts";
import { history } from "../_content/history.ts";
import { textSearch } from "../_content/text_search.ts";
import { base, given, labelled, pem, secret, word } from "../_connector/settings.ts";
import { appPolicy, repoPolicy } from "./egress.ts";
import { appOf, type RepoSettings } from "./settings.ts";

/** Throws E_REPO_NOT_LINKED, E_MISSING_SECRET. */
function assertConfigured({ site, settings }: Configured<RepoSettings>): void {
  if (!site || site.repo === null) {
    throw new GatewayError(
      "E_REPO_NOT_LINKED",
      `Site "${site?.id}" has no repository; its operator can set one with deno task admin site update ${site?.id} --repo …`,
    );
  }
  appOf({ settings });
}

// What reaches a repository is large, and not needed to start.
async function repositoryOf(ctx: SiteContext<RepoSettings>) {
  assertConfigured(ctx);
  return (await import("./client.ts")).repositoryOf(ctx);
}

async function historyOf(ctx: SiteContext) {
  const own = ctx as unknown as SiteContext<RepoSettings>;
  assertConfigured(own);
  return (await import("./history.ts")).historyOf(own);
}

async function textSearchOf(ctx: SiteContext) {
  const own = ctx as unknown as SiteContext<RepoSettings>;
  assertConfigured(own);
  return (await import("./search.ts")).textSearchOf(own);
}

const source = ({ repo, repo_branch }: Site) =>
  repo === null ? null : { place: repo.toLowerCase(), branch: repo_branch };

export default connector({
  name: "github",
  product: "GitHub",
  kinds: ["static"],
  form: {
    title: "A static site on GitHub and Cloudflare Pages",
    needs:
      "Its repository, on which the gateway's GitHub App is installed, and its project at Cloudflare Pages",
  },
  scope: "site",
  watch: [{
    api: "GitHub REST API",
    version: "2022-11-28",
    field: "repo",
    sunset: "2028-03-12", // supported until then at least
    change: "install a version of the gateway that uses a newer one, such as 2026-03-10",
    source: "https://github.blog/changelog/2026-03-12-rest-api-version-2026-03-10-is-now-available",
    checked: "2026-11-28",
  }],
  settings: {
    REPO_API_BASE: base("https://api.github.com", "GitHub"),
    REPO_APP_ID: given("Id of the GitHub App that reads and writes repositories", word),
    REPO_APP_PRIVATE_KEY: secret("Its private key (PEM; line ends may be written \\n)", pem),
  },
  siteFields: {
    repo: labelled(
      "Repository",
      "a repository as owner/repo, without .git",
      /^(?!.*(\.\.|\.git$))[A-Za-z0-9-]{1,39}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/i,
    ),
    repo_branch: labelled("Branch", "a branch name such as main", PLAIN_BRANCH),
    repo_prefix: labelled(
      "Folder in the repository",
      "a folder such as content/posts, without a leading or trailing slash",
      /^(?![/ ])(?!.*(\/\/|[/ ]$))(?!(.*\/)?\.{1,2}(\/|$))[^\p{Cc}\\]{1,200}$/u,
    ),
  },
  present: (site) => ({ repo: site.repo !== null }),
  links: { repo: assertConfigured },
  origins: ({ settings }) => [settings.REPO_API_BASE],
  policy: (out, { site, settings, cleaning }) =>
    site ? repoPolicy(out, site, cleaning) : appPolicy(out, settings.REPO_API_BASE),
  probes: {
    repo: {
      what: "GitHub REST API",
      field: "repo",
      async run(ctx, see) {
        assertConfigured(ctx);
        await (await import("./health.ts")).repositoryProbe(ctx, see);
      },
    },
  },
  previews: {
    async look(ctx, order) {
      assertConfigured(ctx);
      return await (await import("./previews.ts")).lookAtPreviews(ctx, order);
    },
    async remove(ctx, named) {
      assertConfigured(ctx);
      return await (await import("./previews.ts")).removePreview(ctx, named);
    },
  },
  connect: repositoryOf,
  provides: [provide(history, historyOf), provide(textSearch, textSearchOf)],
  async ping(ctx) {
    const client = await repositoryOf(ctx);
    const began = ctx.now();
    const branch = await client.deployedBranch();
    return {
      repository: { branch, commit: (await client.view()).commit },
      can: { write: await client.mayWrite() },
      latency_ms: ctx.now() - began,
    };
  },
  checks: [{
    kinds: ["static"],
    names: [
      "repository",
      "repo_app",
      "repo_installation",
      "repo_branch",
      "repo_write",
      "allow_main_branch_push",
      "allow_full_repo_write",
    ],
    run: async (ctx, limitMs) =>
      await (await import("./checks.ts")).repositoryChecks(ctx, limitMs, assertConfigured),
  }],
  deployment: { kind: "static", link: "repo", source },
  overview: async (ctx) => await (await import("./app.ts")).readApp(ctx),
});
