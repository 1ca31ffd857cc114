/** init_static_project: the project of a static site, scaffolded in one commit. */
import { GatewayError } from "../../core/errors.ts";
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { branchName } from "../../rules/branch.ts";
import type { Site } from "../../core/model.ts";
import type { View } from "../../platforms/github/client.ts";
import { commitMessage, PREVIEW_PREFIX } from "../../platforms/github/names.ts";
import github from "../../platforms/github/connector.ts";
import { recordingPages } from "../../platforms/github/managed.ts";
import { offenders, projectFiles, type ProjectParts } from "../../platforms/astro/project.ts";
import { previewOf, seenLater } from "./_target.ts";
import { compared, type Raise, tool } from "../../registry/tool.ts";
import { plannedOn, planOf, SHOWN_ON_BRANCH } from "./_plan.ts";
import { ONLY_MADE } from "./_restore.ts";
import { routeIn } from "./_routes.ts";

type Wanted = Omit<ProjectParts, "existing">;

/** What the project is made of; without a name it is the registered site's, and its address is that site's. */
function wantedOf(
  { homepage_html = "", extra_pages = [], site_name, language, blog }: Partial<Wanted>,
  site: Site,
  deployed_branch?: string,
): Wanted {
  const address = URL.parse(site.base_url ?? "")?.origin;
  return {
    homepage_html,
    extra_pages,
    site_name: site_name || site.name,
    language,
    blog,
    address,
    deployed_branch,
  };
}

/** The project's files. Throws E_REPO_NOT_EMPTY where the repository holds more than it may. */
async function decide(view: View, wanted: Wanted) {
  const paths = await view.paths();
  const found = offenders(paths);
  if (found.length === 0) {
    const text = projectFiles({ ...wanted, existing: paths });
    return text.map(({ path, content }) => ({ path, bytes: new TextEncoder().encode(content) }));
  }
  const more = found.length > 5 ? ` and ${found.length - 5} more` : "";
  throw new GatewayError(
    "E_REPO_NOT_EMPTY",
    `The repository holds ${
      found.slice(0, 5).map((path) => JSON.stringify(path)).join(", ")
    }${more}; a project begins ` +
      "in one that holds no more than a readme, a license, ignore and attributes files and workflows",
  );
}

function checkBranch(branch: string): void {
  branchName(branch, "branch");
  if (!branch.startsWith(PREVIEW_PREFIX)) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    `branch: names that begin with "${PREVIEW_PREFIX}" are kept for previews; choose another`,
  );
}

const pushesTo = (branch: string): Raise => ({
  tier: 3,
  flags: ["allow_main_branch_push"],
  because: `"${branch}" is the deployed branch, or may be`,
});

export default tool("init_static_project", {
  check({ branch, ...args }, { site }) {
    if (branch !== undefined) checkBranch(branch);
    const wanted = wantedOf(args, site);
    projectFiles({ ...wanted, existing: [] });
    routeIn(site, "/", "homepage_html");
    for (const [at, { route }] of wanted.extra_pages.entries()) {
      routeIn(site, route, `extra_pages[${at}].route`);
    }
  },
  raises: ({ homepage_html, extra_pages }) => scriptRaises({ homepage_html, extra_pages }, SHOWN_ON_BRANCH),
  async plan({ branch: named, ...args }, ctx) {
    const client = await ctx.use(github);
    const deployed = await client.deployedBranch();
    const branch = named ?? deployed;
    if (branch !== deployed && ctx.site.repo_branch === null) {
      throw new GatewayError(
        "E_BAD_INPUT",
        "branch: set repo_branch of the site first, so that it is known which branch is deployed",
      );
    }
    const isDefault = branch !== deployed && branch === await client.defaultBranch();
    if (branch !== deployed && await ctx.sites.deployedFrom(branch, isDefault)) {
      throw new GatewayError(
        "E_MAIN_BRANCH_LOCKED",
        `branch: another site is deployed from "${branch}"; begin its project with that site's site_id`,
      );
    }
    const view = await client.head(branch) === null ? await client.view(deployed) : await client.view(branch);
    if (view.commit === null && branch !== deployed) {
      throw new GatewayError("E_BAD_INPUT", `branch: the repository is empty, so begin on "${deployed}"`);
    }
    await client.requireWrite();
    if (view.commit === null) await client.requireFirst(branch);
    const wanted = wantedOf(args, ctx.site, deployed);
    const files = await decide(view, wanted);
    const shown = files.map(({ path, bytes }) => ({ path, sha: null, size: null, bytes: bytes.byteLength }));
    const what = `Scaffold the project of ${ctx.site.name}, ${files.length} files,`;
    // The default branch may be deployed without a site that is registered here.
    const raises = branch === deployed || isDefault ? [pushesTo(branch)] : [];
    const plan = planOf(what, { branch }, shown);
    return {
      ...plan,
      raises,
      final: ONLY_MADE,
      state: { branch, from: deployed, wanted, planned: plannedOn({ view }, plan) },
    };
  },
  async run({ message }, ctx, { changes, state: { branch, from, wanted, planned } }) {
    const { grant } = ctx;
    const client = await ctx.use(github);
    const line = commitMessage(message ?? "Scaffold the project", ctx.caller.token.id);
    const target = { branch, from, grant, message: line, planned, made: ctx.made };
    const pushed = await client.push(target, recordingPages(ctx.managed, (view) => decide(view, wanted)));
    ctx.annotate({ result_id: pushed.commit_sha, changes });
    const { commit_sha, proof } = pushed;
    const files = [...pushed.shas.keys()];
    const preview = await previewOf(pushed, ctx);
    return await seenLater(
      compared({ commit_sha, branch: pushed.branch, files, ...preview, ...proof }),
      pushed,
      ctx,
    );
  },
});
