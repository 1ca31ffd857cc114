/** check_static_deploy: how the newest deployment, or that of a commit, is doing. */
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import type { BuildSettings, Deployment, HostingClient } from "../../platforms/cloudflare_pages/client.ts";
import cloudflarePages from "../../platforms/cloudflare_pages/connector.ts";
import { tool } from "../../registry/tool.ts";
import { PREVIEW as PREVIEW_BRANCH } from "../../rules/branch.ts";

const PREVIEW = "This is a preview: what visitors of the site get is not changed by it";
const FOLLOWS =
  "; preview_url follows its branch, so hand that out; a write's own preview_url (deployment_url here) stays with its commit";

const OVER: ReadonlySet<string> = new Set(["success", "failure", "canceled"]);
/** What nobody has seen yet may still come. */
const isOver = (found: Deployment | null) => found !== null && OVER.has(found.status);

export default tool(
  "check_static_deploy",
  async ({ commit_sha, environment, wait_seconds, ...args }, ctx) => {
    if (commit_sha !== undefined && args.branch !== undefined) {
      throw new GatewayError(
        "E_BAD_INPUT",
        "branch: a commit is on one; give commit_sha or branch, not both",
      );
    }
    const client = await ctx.use(cloudflarePages);
    const branch = args.branch === PREVIEW_BRANCH ? await ctx.previews.get() ?? args.branch : args.branch;
    const look = () =>
      commit_sha !== undefined
        ? client.ofCommit(commit_sha, environment)
        : branch === undefined
        ? client.latest(environment)
        : client.ofBranch(branch, environment);
    let found = await look();
    let hope = found === null ? await expectation(client, ctx.site) : null;
    if (hope?.expected !== false) {
      found = await ctx.waitFor({ seconds: wait_seconds, found, look, isOver });
    }
    if (found === null) {
      const asked = commit_sha === undefined ? {} : { commit_sha };
      const { expected, because } = hope ??= await expectation(client, ctx.site);
      const what = commit_sha === undefined
        ? `The project has no ${environment === undefined ? "" : `${environment} `}deployment${
          branch === undefined ? "" : ` of the branch "${branch}" among its newest hundred`
        } yet`
        : "No deployment of that commit is known";
      const note = because === null
        ? commit_sha === undefined
          ? what
          : `${what}; one that was just pushed takes some seconds to show, so ask again. Where none shows within some ` +
            "minutes, none will: the host was not told of it (look at its connection to the repository), or it is older " +
            "than the newest hundred deployments"
        : `${what}. ${because}`;
      return { found: false, status: null, stage: null, log_url: null, ...asked, expected, note };
    }
    const { id, url, own_url, note, ...rest } = found;
    const took = isOver(found) ? null : client.tookSeconds();
    const said = note ??
      (isOver(found)
        ? rest.environment === "preview" && rest.status === "success"
          ? url === own_url ? PREVIEW : PREVIEW + FOLLOWS
          : null
        : goingOn(took));
    return {
      found: true,
      deployment_id: id,
      ...rest,
      live: rest.environment === "production" && rest.status === "success",
      ...(url === null ? {} : { preview_url: url }),
      ...(own_url === null ? {} : { deployment_url: own_url }),
      ...(took === null ? {} : { builds_took_seconds: took }),
      ...(said === null ? {} : { note: said }),
      ...(rest.status === "failure" ? await logOf(client, id) : {}),
    };
  },
);

/** What to do about one that is not over. */
const goingOn = (took: number | null): string =>
  "It is not over yet: call again with the same arguments and wait_seconds: 40" +
  (took === null ? "" : `; the project's newest builds took about ${took} s from the push to the end`);

/** The last lines of a build that failed; where they cannot be read the answer says so, and is no failure. */
async function logOf(
  client: HostingClient,
  id: string,
): Promise<{ log_tail?: readonly string[]; note?: string }> {
  try {
    return { log_tail: await client.logTail({ id }) };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
    return { note: `What the build said could not be read (${thrown.message}); log_url leads to it` };
  }
}

/** Whether what is pushed will be built, by the project's own settings: null where that depends on the branch. */
interface Expectation {
  readonly expected: boolean | null;
  /** Why not, or not always. */
  readonly because: string | null;
}

async function expectation(client: HostingClient, { repo }: Pick<Site, "repo">): Promise<Expectation> {
  try {
    return expectedOf(await client.builds(), repo);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "E_UPSTREAM") {
      const because =
        `Whether one will come is not known, for the project's settings could not be read: ${thrown.message}`;
      return { expected: null, because };
    }
    throw thrown;
  }
}

function expectedOf(builds: BuildSettings, repo: string | null): Expectation {
  const { production_branch, builds_production, builds_previews } = builds;
  const branch = production_branch === null ? "the production branch" : `the branch "${production_branch}"`;
  const change = "its settings at the host change that";
  if (builds.repo === null) {
    return {
      expected: false,
      because:
        "The project is connected to no repository, so no commit is built: connect one at the host, or upload there",
    };
  }
  if (repo !== null && builds.repo.toLowerCase() !== repo.toLowerCase()) {
    return {
      expected: false,
      because:
        `The project is built from the repository "${builds.repo}", and the site's is "${repo}": one of them is wrong`,
    };
  }
  if (!builds_production && builds_previews === "none") {
    return { expected: false, because: `The project builds nothing that is pushed; ${change}` };
  }
  if (builds_previews === "none") {
    return {
      expected: null,
      because: `The project builds pushes to ${branch} alone, and no previews; ${change}`,
    };
  }
  if (!builds_production) {
    return { expected: null, because: `The project builds no pushes to ${branch}; ${change}` };
  }
  if (builds_previews === "some") {
    return {
      expected: null,
      because:
        `The project builds ${branch} and some other branches only; ${change}. If it builds this one, ask again in some seconds`,
    };
  }
  if (builds.builds_paths === "some") {
    return {
      expected: null,
      because:
        `The project builds a commit only where it changes certain files (its build watch paths); ${change}. If this one ` +
        "does, ask again in some seconds",
    };
  }
  return { expected: true, because: null };
}
