/** One commit on one branch, whatever the number of files: built aside, looked at, then the branch is moved to it. */
import { GatewayError } from "../../core/errors.ts";
import type { Making } from "../../core/model.ts";
import type { Compared } from "../_content/compared.ts";
import { isDoubtful } from "../_http/failures.ts";
import type { PublishGrant } from "../_http/request.ts";
import { ended } from "../../core/async.ts";
import { RepoError } from "./errors.ts";
import { build, type Edit, inFull } from "./build.ts";
import { commitOf, headOf, makeCommit } from "./git.ts";
import { besideSeed, firstCommit, replaceSeed, requireOpen, requireRoot, SEED } from "./initial_commit.ts";
import { moveBranch, type Moved } from "./refs.ts";
import { View } from "./view.ts";
import { type RepoWire, requireRepository } from "./wire.ts";

/** Where a commit goes. */
export interface PushTarget {
  readonly branch: string;
  /** Where the branch begins when it is not there; without it an absent branch is E_NOT_FOUND. */
  readonly from?: string;
  readonly message: string;
  /** What the write was planned on; one that is another now is E_STALE_PREVIEW. */
  readonly planned?: Planned;
  /** The right to reach the deployed branch. */
  readonly grant?: PublishGrant;
  /** Told of the commit once the branch leads to it, or may; of a seed where nothing took its place. */
  readonly made?: Making;
}

export type { Edit } from "./build.ts";

/** A commit that was made. */
export interface Pushed {
  readonly branch: string;
  readonly commit_sha: string;
  /** git's name of each file written, by its path. */
  readonly shas: ReadonlyMap<string, string>;
  /** Set when everything was there already: there is no new commit, and `commit_sha` is the newest commit. */
  readonly unchanged: boolean;
  /** Set where the push made the branch. */
  readonly begun?: true;
  /** The repository's address for people, where the host told it with the commit. */
  readonly web?: string | null;
  /** The commit's tree was read back and its files are those written; whether the branch still ends at it. */
  readonly proof: Compared;
  /** How many other writes, which waited for the same branch, are in the commit; absent where there is none. */
  readonly beside?: number;
}

/** What is proven where nothing had to be compared any more. */
export const PROVEN: Compared = { differences: [] };

/** What is proven once a branch was moved to a commit. */
export const proofOf = (moved: Moved): Compared =>
  moved === "past"
    ? {
      differences: [],
      uncompared:
        "somebody has gone on from the commit since, and what the branch holds now was not compared",
    }
    : PROVEN;

/** What to change, decided on the files that are there; throws where that forbids it. */
export type Decide = (view: View) => Promise<readonly Edit[]>;

/** How often a write is decided on anew where the branch moves under it. */
export const TRIES = 3;

/**
 * Commits what `decide` answers on top of the branch; asks it again when the branch moved meanwhile, each in its turn
 * then. Throws what `decide` throws, E_STALE_PREVIEW where a file is not as it was planned on, E_SHA_MISMATCH when the
 * branch moved three times, E_UPSTREAM.
 */
export async function push(
  wire: RepoWire,
  prefix: string | null,
  target: PushTarget,
  decide: Decide,
): Promise<Pushed> {
  const line = `${wire.ctx.settings.REPO_API_BASE} ${wire.repo?.toLowerCase()} ${target.branch}`;
  const once = () => tryOnce(wire, prefix, target, decide);
  const left = () => wire.ctx.deadline - wire.ctx.now();
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const pushed = await (attempt === 0 && !LINES.has(line) ? once() : inLine(line, left(), once));
    if (pushed !== null) return pushed;
  }
  throw moved(target);
}

/** Somebody else was first each time. */
export const moved = ({ branch }: Pick<PushTarget, "branch">) =>
  new GatewayError(
    "E_SHA_MISMATCH",
    `Branch "${branch}" moved ${TRIES} times while this was written; nothing was pushed: try again`,
  );

/** The last in line for each branch that moved under somebody: of many at once only one a round would get through. */
const LINES = new Map<string, Promise<unknown>>();

/** Does the work once everybody who came to that line before has ended, well or not, or after that time. */
async function inLine<T>(line: string, ms: number, work: () => Promise<T>): Promise<T> {
  const before = LINES.get(line);
  const turn = (async () => {
    if (before) await ended(before, ms);
    return await work();
  })();
  LINES.set(line, turn);
  try {
    return await turn;
  } finally {
    if (LINES.get(line) === turn) LINES.delete(line);
  }
}

/** One try; null when the branch moved meanwhile. */
export async function tryOnce(
  wire: RepoWire,
  prefix: string | null,
  target: PushTarget,
  decide: Decide,
): Promise<Pushed | null> {
  const found = await headOf(wire, target.branch);
  if (found === "empty") return await pushFirst(wire, prefix, target, decide);
  const base = found ?? (target.from === undefined ? null : await headOf(wire, target.from));
  if (base === null || base === "empty") return await noBranch(wire, target.from ?? target.branch);
  const view = await viewOf(wire, prefix, base);
  if (target.planned) await requirePlanned(view, target.planned);
  const { tree, shas } = await build(wire, prefix, view, await decide(view));
  if (tree === view.tree) {
    const branch = found === null ? target.from ?? target.branch : target.branch;
    return { branch, commit_sha: base, shas, unchanged: true, proof: PROVEN };
  }
  const made = await makeCommit(wire, { message: target.message, tree, parents: [base] });
  const { sha: commit_sha, web } = made;
  const moved = await moveTo(wire, target, found, commit_sha);
  if (moved === "elsewhere") return null;
  const pushed = { branch: target.branch, commit_sha, shas, unchanged: false, web, proof: proofOf(moved) };
  return found === null ? { ...pushed, begun: true } : pushed;
}

/**
 * Moves the branch from where it is (null: makes it) to the commit, which is recorded as made, or as unsure where the answer was
 * lost. Throws E_UPSTREAM.
 */
export async function moveTo(wire: RepoWire, target: PushTarget, from: string | null, commit: string) {
  const made = { what: "commit", id: commit, name: `on branch ${target.branch}` };
  try {
    const moved = await moveBranch(wire, target, from, commit);
    if (moved !== "elsewhere") target.made?.(made);
    return moved;
  } catch (thrown) {
    if (isDoubtful(thrown)) target.made?.({ ...made, unsure: true });
    throw thrown;
  }
}

/** The files at a commit. Throws RepoError where it cannot be read. */
export async function viewOf(wire: RepoWire, prefix: string | null, sha: string): Promise<View> {
  const commit = await commitOf(wire, sha);
  if (commit) return new View(wire, prefix, commit.sha, commit.tree.sha);
  throw new RepoError(
    `Repository "${wire.repo}" has lost the commit ${sha}; look at it before trying again`,
    404,
    "",
  );
}

/** The first commit of an empty repository; it can only go to the default branch. */
async function pushFirst(
  wire: RepoWire,
  prefix: string | null,
  target: PushTarget,
  decide: Decide,
): Promise<Pushed> {
  const view = new View(wire, prefix, null, null);
  if (target.planned) await requirePlanned(view, target.planned);
  const edits = await decide(view);
  const full = inFull(prefix, edits);
  const [only] = full;
  if (full.length === 1 && only?.bytes) {
    const made = await firstCommit(wire, target, only.path, only.bytes);
    target.made?.({ what: "commit", id: made.commit_sha, name: `on branch ${target.branch}` });
    return {
      branch: target.branch,
      commit_sha: made.commit_sha,
      shas: new Map([[edits[0]!.path, made.sha]]),
      unchanged: false,
      proof: PROVEN,
    };
  }
  await requireOpen(wire, target.branch);
  const seed = await firstCommit(wire, target, SEED, new TextEncoder().encode("* text=auto\n"));
  try {
    await requireRoot(wire, target.branch, seed.commit_sha);
    return await overSeed(wire, prefix, { view, edits, target, seed: seed.commit_sha });
  } catch (thrown) {
    const name = `a ${SEED} on branch ${target.branch}`;
    target.made?.({ what: "commit", id: seed.commit_sha, name });
    throw thrown;
  }
}

/** Puts the whole first commit in the place of the seed. */
async function overSeed(
  wire: RepoWire,
  prefix: string | null,
  { view, edits, target, seed }: { view: View; edits: readonly Edit[]; target: PushTarget; seed: string },
): Promise<Pushed> {
  const { branch, made } = target;
  try {
    const { shas, tree } = await build(wire, prefix, view, edits);
    const { commit_sha, moved } = await placed(wire, target, seed, tree);
    made?.({ what: "commit", id: commit_sha, name: `on branch ${branch}` });
    return { branch, commit_sha, shas, unchanged: false, proof: proofOf(moved) };
  } catch (thrown) {
    throw besideSeed(thrown, branch);
  }
}

/** Has a commit of that tree take the seed's place; where a rule forbids that it comes on top, and the seed's file goes. */
async function placed(wire: RepoWire, target: PushTarget, seed: string, tree: string) {
  const commit = async (parents: string[]) =>
    (await makeCommit(wire, { message: target.message, tree, parents })).sha;
  const root = await commit([]);
  try {
    return { commit_sha: root, moved: await replaceSeed(wire, target, seed, root) };
  } catch (thrown) {
    if (!(thrown instanceof RepoError) || !thrown.ruledOut) throw thrown;
    const next = await commit([seed]);
    return { commit_sha: next, moved: await replaceSeed(wire, target, seed, next, false) };
  }
}

/** Throws E_NOT_FOUND for a branch that is not there, RepoError where there is not even a repository. */
export async function noBranch(wire: RepoWire, branch: string): Promise<never> {
  await requireRepository(wire);
  throw new GatewayError(
    "E_NOT_FOUND",
    `Repository "${wire.repo}" has no branch "${branch}"; check the site's repo_branch`,
  );
}

/** The files a write was planned on, at one commit: git's name of each by its path, null where there was none. */
export interface Planned {
  readonly commit: string | null;
  readonly files: Readonly<Record<string, unknown>>;
}

/** Refuses a branch that has moved since and where one of those files is another now: E_STALE_PREVIEW naming it. */
export async function requirePlanned(view: View, { commit, files }: Planned): Promise<void> {
  if (view.commit === commit && !view.isAhead) return;
  for (const [path, sha] of Object.entries(files)) {
    const now = (await view.find(path))?.sha ?? null;
    if (now === sha) continue;
    const what = sha === null ? "was made" : now === null ? "was taken out" : "was changed";
    throw new GatewayError(
      "E_STALE_PREVIEW",
      `${
        JSON.stringify(path)
      }: ${what} by somebody else since it was looked at, so nothing was written; preview again ` +
        "and look at what is there now",
    );
  }
}
