/** The first commit of an empty repository, where nothing of git's own can be written yet. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { InBase64 } from "../_http/json_body.ts";
import { listedRules } from "./branch_rules.ts";
import { RepoError, unreadable } from "./errors.ts";
import { commitOf, defaultBranch, headOf, treeOf } from "./git.ts";
import { isUnknown, type Move, moveBranch, type Moved } from "./refs.ts";
import { blobName } from "./names.ts";
import { encoded, type RepoWire } from "./wire.ts";

const MADE = z.object({ content: z.object({ sha: z.string() }), commit: z.object({ sha: z.string() }) });

/** The file whose commit makes an empty repository one that git objects can be written to. */
export const SEED = ".gitattributes";

/** Reads only. Throws E_BAD_INPUT for a branch that an empty repository cannot begin with. */
export async function requireFirst(wire: RepoWire, branch: string): Promise<void> {
  const first = await defaultBranch(wire);
  if (branch === first) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    `Repository "${wire.repo}" is empty, so it can only begin with its default branch "${first}", not ` +
      `${
        JSON.stringify(branch)
      }; set the site's repo_branch, or the repository's default branch, to the same`,
  );
}

/**
 * Writes one file, and with it the first commit of the default branch. Throws E_BAD_INPUT for another branch,
 * E_SHA_MISMATCH when somebody else was first, E_UPSTREAM.
 */
export async function firstCommit(
  wire: RepoWire,
  { branch, grant, message }: Move & { readonly message: string },
  path: string,
  bytes: Uint8Array,
): Promise<{ sha: string; commit_sha: string }> {
  await requireFirst(wire, branch);
  const json = { message, content: new InBase64(bytes), branch };
  const asked = { method: "PUT", path: `/contents/${encoded(path)}`, json, schema: MADE, grant } as const;
  const sha = await blobName(bytes);
  let failure: GatewayError = unreadable(wire.repo, 201, true);
  try {
    const { content, commit } = await wire.ask(asked);
    if (content.sha === sha) return { sha, commit_sha: commit.sha };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
    const refused = thrown instanceof RepoError && [409, 422].includes(thrown.upstream ?? 0);
    if (refused && !thrown.ruledOut) throw writtenMeanwhile();
    if (!isUnknown(thrown)) throw thrown;
    failure = thrown;
  }
  return { sha, commit_sha: await settled(wire, branch, path, sha, failure) };
}

const writtenMeanwhile = () =>
  new GatewayError("E_SHA_MISMATCH", "The repository was empty and has been written to meanwhile; try again");

/** The commit that a request without a clear answer made; throws that failure where nothing can be learned of it. */
async function settled(wire: RepoWire, branch: string, path: string, sha: string, failure: GatewayError) {
  const head = await headOf(wire, branch).catch(() => null);
  if (head === null) throw failure;
  if (head === "empty") {
    const still = "the host failed to make the first commit, and it is still empty";
    throw new RepoError(`Repository "${wire.repo}": ${still}`, 502, "");
  }
  const commit = await commitOf(wire, head).catch(() => null);
  const tree = commit && await treeOf(wire, commit.tree.sha, true).catch(() => null);
  if (!tree) throw failure;
  const [file, more] = tree.tree.filter(({ type }) => type !== "tree");
  if (commit.parents.length > 0) throw failure; // somebody went on, perhaps from it
  if (file?.path === path && file.sha === sha && !more) return head;
  throw writtenMeanwhile();
}

/** A failure after the seed was written, which says that the seed is there. */
export function besideSeed(failure: unknown, branch: string): unknown {
  if (!(failure instanceof GatewayError) || failure.code !== "E_UPSTREAM") return failure;
  const { code, message, upstream, excerpt, retryAfter, cause } = failure;
  if (failure.inDoubt) return failure;
  const stands = `branch "${branch}" holds nothing but a ${SEED} now, and can be written to all the same`;
  return new GatewayError(code, `${message}; ${stands}`, {
    upstream,
    excerpt,
    retryAfter,
    cause,
    outcome: "unknown",
  });
}

/** Refuses a seed on top of another's commit, which would be lost with it. Throws E_SHA_MISMATCH, E_UPSTREAM. */
export async function requireRoot(wire: RepoWire, branch: string, seed: string): Promise<void> {
  const parents = (await commitOf(wire, seed))?.parents;
  if (parents?.length !== 0) throw othersWrote(branch);
}

const othersWrote = (branch: string) =>
  new GatewayError(
    "E_SHA_MISMATCH",
    `Branch "${branch}" was begun by somebody else at the same time; nothing of theirs was touched, and nothing but ` +
      `a ${SEED} may be beside it: look at it before trying again`,
    { outcome: "unknown" },
  );

/** What of a branch's rules keeps its second commit from being pushed (docs/upstreams/github.md, "Contents, git objects, branches"). */
const CLOSED: ReadonlySet<string> = new Set([
  "merge_queue",
  "pull_request",
  "required_deployments",
  "required_status_checks",
  "update",
  "workflows",
]);

/**
 * Reads only: refuses a branch whose rules would let the seed be made and nothing after it. Rules that the host does not
 * tell are met later. Throws E_UPSTREAM.
 */
export async function requireOpen(wire: RepoWire, branch: string): Promise<void> {
  const rules = await listedRules(wire, branch).catch((thrown) => {
    if (thrown instanceof RepoError && [403, 404].includes(thrown.upstream ?? 0) && !thrown.retryAfter) {
      return [];
    }
    throw thrown;
  });
  const found = rules.map(({ type }) => type).filter((type) => CLOSED.has(type));
  if (found.length === 0) return;
  throw new GatewayError(
    "E_UPSTREAM",
    `Repository "${wire.repo}" is empty, and rules of its branch "${branch}" (${
      found.join(", ")
    }) let nobody push a project ` +
      "to it; nothing was written: lift them for this app until the project is begun, then call again",
    { upstream: 422, outcome: "none" },
  );
}

/**
 * Moves the branch from the seed to a commit, with `force` to one that is not on top of it, unless somebody wrote meanwhile.
 * Throws E_SHA_MISMATCH, E_UPSTREAM.
 */
export async function replaceSeed(
  wire: RepoWire,
  move: Move,
  seed: string,
  to: string,
  force = true,
): Promise<Moved> {
  if (await headOf(wire, move.branch) !== seed) throw othersWrote(move.branch);
  const moved = await moveBranch(wire, move, seed, to, force);
  if (moved === "elsewhere") throw othersWrote(move.branch);
  return moved;
}
