/** publish_static_preview: the deployed branch is moved forward to the commit of the preview branch that the hosting has built. */
import { counted } from "../../core/one_line.ts";
import { allOrThrow } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Change, Site } from "../../core/model.ts";
import type { Deployment, HostingClient } from "../../platforms/cloudflare_pages/client.ts";
import cloudflarePages from "../../platforms/cloudflare_pages/connector.ts";
import type { BranchRules, Differing } from "../../platforms/github/client.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import github from "../../platforms/github/connector.ts";
import { newPreview } from "../../platforms/github/target.ts";
import { compared, type ContextOf, type Plan, tool, type WriteResult } from "../../registry/tool.ts";
import {
  type Branches,
  branchesOf,
  checkRules,
  leftOut,
  ownPath,
  removedWarnings,
  rowsOf,
  ruleWarnings,
  type Standing,
  standingFiles,
  standingOf,
  textsBetween,
} from "./_publish.ts";
import { keptFor, revertingFiles } from "./_restore.ts";
import { seenLater } from "./_target.ts";

type Context = ContextOf<{ site: "required"; publishes: "always" }>;

/**
 * `none`: everything is live. `join`: what the deployed branch has gained is brought into the preview first, which is built
 * anew then. `live`: the deployed branch is moved.
 */
type Way = "none" | "join" | "live";

interface State extends Omit<Branches, "client"> {
  readonly way: Way;
  /** Of `join`: on a new preview branch, as one commit on the deployed one. */
  readonly straightens: boolean;
  readonly files: readonly Differing[];
}

const STAYS =
  "It changes the preview branch alone, which stays in the repository; reset_static_preview_branch leaves it behind";

/** What is to be done, by how the branches stand and what the rules ask. */
function wayOf(
  { parting, files, theirs }: Standing,
  { isLinear }: BranchRules,
): { way: Way; straightens: boolean } {
  if (files.length === 0) return { way: "none", straightens: false };
  const isBent = isLinear && !parting.isStraight;
  if (parting.behind === 0 && !isBent) return { way: "live", straightens: false };
  // A branch that has older workflows may not be moved to newer ones without the right to change them; a new branch begins there.
  const hasWorkflows = theirs.some(({ path }) => path.startsWith(".github/workflows/"));
  return { way: "join", straightens: isLinear || hasWorkflows };
}

/** The deployment of exactly that commit. Throws E_NOT_BUILT, of a build that failed with what it said last. */
async function requireBuilt(hosting: HostingClient, commit: string, preview: string): Promise<void> {
  const found = await hosting.ofCommit(commit, "preview");
  if (found?.commit_sha === commit && found.status === "success") return;
  const what = `Commit ${commit} of branch "${preview}"`;
  if (found === null || found.commit_sha !== commit) {
    throw new GatewayError(
      "E_NOT_BUILT",
      `${what} is not known to the hosting as a preview; ask check_static_deploy with that commit_sha, which says whether it ` +
        "will be built, and call again once it has succeeded",
    );
  }
  if (found.status === "pending" || found.status === "building") {
    throw new GatewayError(
      "E_NOT_BUILT",
      `${what} is being built; wait with check_static_deploy (commit_sha, wait_seconds), look at its preview, and call again`,
    );
  }
  const said = found.status === "failure" ? await logOf(hosting, found) : found.note ?? "";
  throw new GatewayError(
    "E_NOT_BUILT",
    `${what}: its build ended as ${found.status}${
      said === "" ? "" : `: ${said}`
    }. Mend it on the preview branch, and call ` +
      "again once check_static_deploy says that the new commit has succeeded",
  );
}

const LOG_CHARACTERS = 1200;

/** The last lines of a build; none where they cannot be read, for the refusal stands without them. */
async function logOf(hosting: HostingClient, found: Deployment): Promise<string> {
  try {
    return (await hosting.logTail(found)).join(" | ").slice(-LOG_CHARACTERS);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
    return `what it said could not be read, see ${found.log_url}`;
  }
}

/** What a person should know of where production is built from, a sentence; nothing where that is the deployed branch. */
async function productionWarnings(hosting: HostingClient, deployed: string): Promise<string[]> {
  const { production_branch, builds_production } = await hosting.builds();
  if (production_branch !== null && production_branch !== deployed) {
    return [
      `The hosting's project is deployed from branch "${production_branch}", not "${deployed}": visitors will not get this`,
    ];
  }
  return builds_production
    ? []
    : ["The hosting's project builds no pushes to its production branch by itself"];
}

function summaryOf(state: State, { name }: Site, count: number): string {
  const { way, straightens, deployed, preview } = state;
  if (way === "none") {
    return `Publish nothing of ${name}: branch "${deployed}" has had everything of branch "${preview}" already`;
  }
  const files = counted(count, "file");
  if (way === "live") return `Publish ${files} of ${name}: move branch "${deployed}" to branch "${preview}"`;
  return straightens
    ? `Put branch "${preview}" of ${name} as one commit on "${deployed}" onto a new preview branch; nothing goes live yet`
    : `Bring what "${deployed}" has gained into branch "${preview}" of ${name}; nothing goes live yet`;
}

const LOOK_AGAIN =
  "Nothing is live yet: wait for the build of commit_sha with check_static_deploy, look at its preview, and call publish_static_preview again";

const NOTHING_NEW =
  "Write to the preview first. What was published and taken back since comes back with undo_change of the change that took it back";

/** The rows of a preview: which branch leads where, then every file. */
function changesOf(state: State, { files, theirs }: Standing): Change[] {
  const { way, straightens, deployed, live, preview, head } = state;
  if (way === "none") return [];
  if (way === "live") return [{ field: deployed, from: live, to: head }, ...rowsOf(files)];
  const to = straightens ? `one commit on ${live}` : `a merge of ${head} and ${live}`;
  const branch = straightens ? "a new preview branch" : preview;
  return [{ field: branch, from: straightens ? null : head, to }, ...rowsOf(straightens ? files : theirs)];
}

/** What the repository's rules ask of the deployed branch. Throws E_MAIN_BRANCH_LOCKED. */
async function rulesOf({ client: { release }, deployed }: Branches): Promise<BranchRules> {
  const rules = await release.rules(deployed);
  checkRules(rules, deployed);
  return rules;
}

async function planned(ctx: Context): Promise<Plan<State>> {
  const { site } = ctx;
  const branches = await branchesOf(ctx);
  const { client, deployed, live, preview, head } = branches;
  const [rules, standing] = await allOrThrow(rulesOf(branches), standingOf(branches, site));
  const { files, parting } = standing;
  const state: State = { ...wayOf(standing, rules), deployed, live, preview, head, files };
  const plan = {
    summary: summaryOf(state, site, files.length),
    changes: changesOf(state, standing),
    revision: {
      [deployed]: live,
      [preview]: head,
      "their common commit": parting.base,
      "what is done": state.way,
    },
    onlyShown: true,
    state,
  } as const;
  if (state.way !== "live") return { ...plan, final: STAYS };
  const hosting = await ctx.use(cloudflarePages);
  const [, production] = await allOrThrow(
    requireBuilt(hosting, head, preview),
    productionWarnings(hosting, deployed),
  );
  return {
    ...plan,
    shows: async () => await textsBetween(await client.view(live), files, site),
    paths: files.map(({ path }) => ownPath(path, site)),
    before: { of: { target_branch: "main", branch: deployed }, values: keptFor(standingFiles(files, site)) },
    warnings: [
      ...removedWarnings(files),
      ...production,
      ...ruleWarnings(rules, deployed),
      ...leftOut(files, parting),
    ],
  };
}

const moved = (branch: string) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `Branch "${branch}" was moved by somebody else since it was looked at, so nothing was published; preview again and look at ` +
      "what is there now",
    { outcome: "none" },
  );

/** A commit that has both branches, which is built and looked at before anything goes live. */
async function join(ctx: Context, state: State): Promise<WriteResult> {
  const { deployed, live, preview, head, files, straightens } = state;
  const client = await ctx.use(github);
  const line = straightens ? `Put ${preview} on ${deployed}` : `Bring ${deployed} into ${preview}`;
  const message = commitMessage(line, ctx.caller.token.id);
  const edits = files.map(({ path, to }) =>
    to === null
      ? { path: ownPath(path, ctx.site), bytes: null }
      : { path: ownPath(path, ctx.site), blob: to.sha, mode: to.mode }
  );
  const on = (branch: string, parents: readonly string[], at: string | null) =>
    client.release.join({ files: live, parents }, edits, message, { branch, at, made: ctx.made });
  const joined = straightens
    ? await newPreview(client, ctx, preview, (branch) => on(branch, [live], null))
    : await on(preview, [head, live], head);
  if (joined === null) throw moved(preview);
  const { branch, commit_sha, proof } = joined;
  ctx.annotate({ result_id: commit_sha });
  return compared({
    ...{ state: "joined", branch: deployed, preview_branch: branch, commit_sha, files: files.length },
    next: LOOK_AGAIN,
    ...proof,
  });
}

/** The host's own refusal to move the branch, with the way that is open. */
async function refusedByRule(thrown: unknown, deployed: string): Promise<unknown> {
  const { RepoError } = await import("../../platforms/github/errors.ts"); // large, and not needed to start
  if (!(thrown instanceof RepoError) || !thrown.ruledOut) return thrown;
  return new GatewayError(
    "E_MAIN_BRANCH_LOCKED",
    `Branch "${deployed}" was not moved, a rule of the repository forbids it: ${thrown.message}. propose_static_changes opens a ` +
      "pull request of the preview branch",
    { upstream: thrown.upstream, cause: thrown, outcome: "none" },
  );
}

/** How the production deployment of a commit is doing; one that is not known yet comes within seconds. */
async function productionOf(ctx: Context, commit: string) {
  try {
    const found = await (await ctx.use(cloudflarePages)).ofCommit(commit, "production");
    if (found === null) return { found: false, status: null, log_url: null };
    return { found: true, status: found.status, deployment_id: found.id, log_url: found.log_url };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
    return { found: false, status: null, log_url: null, note: thrown.message };
  }
}

async function goLive(ctx: Context, state: State): Promise<WriteResult> {
  const { deployed, live, preview, head, files } = state;
  const { release } = await ctx.use(github);
  const target = { branch: deployed, at: live, grant: ctx.grant, made: ctx.made };
  const proof = await release.advance(target, head).catch(async (thrown) => {
    throw await refusedByRule(thrown, deployed);
  });
  if (proof === null) throw moved(deployed);
  ctx.annotate({ result_id: head });
  const done = {
    ...{
      state: "published",
      branch: deployed,
      preview_branch: preview,
      commit_sha: head,
      previous_sha: live,
    },
    files: files.length,
    ...ctx.site.base_url === null ? {} : { address: ctx.site.base_url },
    deployment: await productionOf(ctx, head),
    take_back: "undo_change with this request_id: one commit that puts back what stood there",
    next: "Visitors get it once the production deployment of commit_sha has succeeded: check_static_deploy",
  };
  const left = Object.fromEntries(files.map(({ path, to }) => [ownPath(path, ctx.site), to?.sha ?? null]));
  return await seenLater(compared({ ...done, ...proof }).leaving(left), { branch: deployed }, ctx);
}

export default tool("publish_static_preview", {
  plan: (_, ctx) => planned(ctx),
  async run(_, ctx, { changes, state }) {
    ctx.annotate({ changes });
    if (state.way === "live") return await goLive(ctx, state);
    if (state.way === "join") return await join(ctx, state);
    const { deployed, live, preview } = state;
    return compared({
      ...{ state: "unchanged", branch: deployed, preview_branch: preview },
      ...{ commit_sha: live, files: 0, next: NOTHING_NEW, differences: [] },
    });
  },
  restore: revertingFiles,
});
