/** Preview branches as an operator sees and cleans them: which are merged, what keeps one, and how one is deleted. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { FoundPreview, FoundPreviews, PreviewOrder, Removal } from "../_connector/operator.ts";
import { LIMITS } from "../../core/model.ts";
import { pushedSince } from "../../rules/branch.ts";
import { listedRules } from "./branch_rules.ts";
import { PULLS_WAY, RepoError } from "./errors.ts";
import { defaultBranch, headOf } from "./git.ts";
import { standingOf } from "./merged.ts";
import { isPreviewName, PREVIEW_PREFIX } from "./names.ts";
import { isUnknown } from "./refs.ts";
import type { RepoSettings } from "./settings.ts";
import { encoded, RepoWire } from "./wire.ts";

const REFS = z.array(z.object({ ref: z.string(), object: z.object({ sha: z.string() }) }));
const SHOWN = z.object({
  protected: z.boolean(),
  commit: z.object({
    sha: z.string(),
    commit: z.object({ committer: z.object({ date: z.string() }).nullish().catch(null) }),
  }),
});
const COUNTED = z.object({ ahead_by: z.number().int().nonnegative() });
const PULLS = z.array(z.object({
  number: z.number(),
  html_url: z.string(),
  head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish().catch(null) }),
  base: z.object({ ref: z.string() }),
}));
type Pull = z.infer<typeof PULLS>[number];

const PER_PAGE = 100;
/** With more open pull requests than that nobody knows which branches have one. */
const PULL_PAGES = 10;
/** So much time must be left for another branch to be looked at. */
const ONE_MS = 10_000;

/** What all branches are held against. */
interface Ground {
  readonly wire: RepoWire;
  readonly head: string;
  readonly deployed: string;
  /** Branches that stay whatever they hold. */
  readonly kept: ReadonlySet<string>;
  /** Open pull requests; an error where they cannot be read. */
  readonly pulls: readonly Pull[] | GatewayError;
}

/** See PreviewsSpec.look. Of all branches LIMITS.PREVIEW_BRANCHES_MAX are looked at, the oldest first. */
export async function lookAtPreviews(
  ctx: SiteContext<RepoSettings>,
  { only, deployed: others }: PreviewOrder,
): Promise<FoundPreviews> {
  const wire = new RepoWire(ctx, ctx.site.repo ?? "");
  const branches: FoundPreview[] = [];
  let [deployed, left]: [string | null, number] = [null, 0];
  try {
    const first = await defaultBranch(wire);
    deployed = ctx.site.repo_branch ?? first;
    const refs = (await named(wire)).filter(({ branch }) => only === null || only.has(branch));
    left = refs.length;
    if (refs.length === 0) return { deployed, branches, left, problem: null };
    const head = await headOf(wire, deployed);
    if (head === null || head === "empty") throw undeployed(wire, deployed);
    const kept = new Set([deployed, first, ...others]);
    const ground: Ground = { wire, head, deployed, kept, pulls: await openPulls(wire) };
    for (const { branch } of refs.slice(0, LIMITS.PREVIEW_BRANCHES_MAX)) {
      if (ctx.deadline - ctx.now() < ONE_MS) break;
      const found = await oneOf(ground, branch);
      left--;
      if (found !== null) branches.push(found);
    }
    return { deployed, branches, left, problem: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
    return { deployed, branches, left, problem: thrown };
  }
}

const undeployed = (wire: RepoWire, branch: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `Repository "${wire.repo}" has no branch "${branch}", so nothing is known to be merged; check the site's repo_branch`,
  );

/** Every branch below the prefix, the oldest first by its name. */
async function named(wire: RepoWire): Promise<{ readonly branch: string }[]> {
  const path = `/git/matching-refs/heads/${encoded(PREVIEW_PREFIX.slice(0, -1))}`;
  const refs = await wire.ask({ method: "GET", path, schema: REFS }).catch((thrown) => {
    if (thrown instanceof RepoError && thrown.empty) return [];
    throw thrown;
  });
  const begun = (branch: string) => Number(branch.split("/").at(-1)) || Infinity;
  return refs.map(({ ref }) => ({ branch: ref.replace(/^refs\/heads\//, "") }))
    .filter(({ branch }) => branch.startsWith(PREVIEW_PREFIX))
    .sort((a, b) => begun(a.branch) < begun(b.branch) ? -1 : 1);
}

/** All open pull requests, whoever opened them and wherever they lead. */
async function openPulls(wire: RepoWire): Promise<readonly Pull[] | GatewayError> {
  const found: Pull[] = [];
  try {
    for (let page = 1; page <= PULL_PAGES; page++) {
      const query = { state: "open", per_page: PER_PAGE, page };
      const some = await wire.ask({ method: "GET", path: "/pulls", query, schema: PULLS, right: "propose" });
      found.push(...some);
      if (some.length < PER_PAGE) return found;
    }
    return new GatewayError("E_UPSTREAM", "there are more open pull requests than are looked through");
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL" || waits(thrown)) throw thrown;
    const lacks = thrown.upstream === 403 || thrown.upstream === 422;
    return new GatewayError("E_UPSTREAM", lacks ? PULLS_WAY : thrown.message, { cause: thrown });
  }
}

/** Whether the host asks to be left alone, so that nothing more is asked. */
const waits = (thrown: GatewayError) => thrown.retryAfter !== undefined;

/** What is found of one branch; null where it is gone meanwhile. What fails keeps it, but for a host that asks to be left alone. */
async function oneOf(ground: Ground, branch: string): Promise<FoundPreview | null> {
  const { wire, head, deployed } = ground;
  const shown = await shownAs(wire, branch);
  if (shown === null) return null;
  const { commit: { sha: commit, commit: { committer } } } = shown;
  const found = { branch, commit, committed_at: committer?.date ?? null, pull_request: null };
  try {
    const is = await standingOf(wire, commit, head);
    const { ahead_by } = await wire.ask({
      method: "GET",
      path: `/compare/${head}...${commit}`,
      query: { per_page: 1, page: 2 },
      schema: COUNTED,
    });
    const merged = is !== "merged" ? null : ahead_by === 0 ? "commits" : "content";
    const pull = pullOf(ground, branch);
    const keep = called(ground, branch) ??
      (merged === null ? notMerged(ahead_by, deployed) : await kept(ground, shown, branch));
    const pull_request = pull === undefined ? null : { number: pull.number, url: pull.html_url };
    return { ...found, merged, not_deployed: ahead_by, pull_request, keep };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL" || waits(thrown)) throw thrown;
    return { ...found, merged: null, not_deployed: null, keep: thrown.message };
  }
}

const notMerged = (ahead: number, deployed: string) =>
  ahead === 1
    ? `1 commit is not on "${deployed}", nor is what it changed`
    : `${ahead} commits are not on "${deployed}", nor is what they changed`;

/** Why a branch stays by its name alone; null where that says nothing. */
function called({ kept }: Ground, branch: string): string | null {
  if (kept.has(branch)) return "a site is deployed from it, or it is the repository's default branch";
  return isPreviewName(branch)
    ? null
    : "the gateway did not make it: it is not called as a preview branch is";
}

function pullOf({ wire, pulls }: Ground, branch: string): Pull | undefined {
  if (pulls instanceof GatewayError) return undefined;
  const isOwn = ({ repo }: Pull["head"]) =>
    !repo || repo.full_name.toLowerCase() === wire.repo?.toLowerCase();
  return pulls.find(({ head, base }) => (head.ref === branch && isOwn(head)) || base.ref === branch);
}

/** Why a merged branch stays; null where nothing keeps it. */
async function kept(
  ground: Ground,
  shown: z.infer<typeof SHOWN>,
  branch: string,
): Promise<string | null> {
  const { wire, pulls } = ground;
  if (pulls instanceof GatewayError) {
    return `whether a pull request is open is not known: ${pulls.message}`;
  }
  const pull = pullOf(ground, branch);
  if (pull !== undefined) return `pull request ${pull.number} is open`;
  return shown.protected || await isRuled(wire, branch) ? PROTECTED : null;
}

const PROTECTED = "a rule of the repository protects it";

const isRuled = async (wire: RepoWire, branch: string): Promise<boolean> =>
  (await listedRules(wire, branch)).some(({ type }) => type === "deletion" || type === "update");

async function shownAs(wire: RepoWire, branch: string): Promise<z.infer<typeof SHOWN> | null> {
  try {
    return await wire.ask({ method: "GET", path: `/branches/${encoded(branch)}`, schema: SHOWN });
  } catch (thrown) {
    if (thrown instanceof RepoError && thrown.upstream === 404) return null;
    throw thrown;
  }
}

const left = (reason: string): Removal => ({ outcome: "left", reason });
const GONE = "it is not there any more";

/**
 * See PreviewsSpec.remove. The host deletes a branch whatever it ends at, so it is read right before; what somebody pushes
 * between the two requests goes with it (docs/decisions/0169-a-merged-preview-branch-is-no-content.md).
 */
export async function removePreview(
  ctx: SiteContext<RepoSettings>,
  { branch, commit }: Pick<FoundPreview, "branch" | "commit">,
): Promise<Removal> {
  const wire = new RepoWire(ctx, ctx.site.repo ?? "");
  await wire.requireWrite();
  const shown = await shownAs(wire, branch);
  if (shown === null) return left(GONE);
  if (shown.protected) return left(PROTECTED);
  if (shown.commit.sha !== commit) return left(pushedSince(shown.commit.sha));
  await wire.requireWrite(); // the read may have shown that the repository has another name
  try {
    const path = `/git/refs/heads/${encoded(branch)}`;
    await wire.ask({ method: "DELETE", path, schema: z.unknown() });
    return { outcome: "deleted", reason: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
    if (isUnknown(thrown)) return await settled(wire, branch, commit);
    const said = thrown instanceof RepoError ? thrown.said : "";
    if (/does not exist/i.test(said)) return left(GONE);
    const wait = thrown.retryAfter;
    return { ...left(thrown.message), ...wait === undefined ? {} : { wait } };
  }
}

/** What the branch says after a request whose outcome is not known. */
async function settled(wire: RepoWire, branch: string, commit: string): Promise<Removal> {
  try {
    const head = await headOf(wire, branch, true);
    if (head === null || head === "empty") return { outcome: "deleted", reason: null };
    return left(
      head === commit ? "the host failed to delete it, and it is as it was: try again" : pushedSince(head),
    );
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return {
      outcome: "unknown",
      reason: "no answer came, and nothing shows whether it is there: list again before trying again",
    };
  }
}
