/** Moving a branch to a commit, and knowing whether it did. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { PublishGrant } from "../_http/request.ts";
import { RepoError } from "./errors.ts";
import { commitOf, headOf } from "./git.ts";
import { encoded, type RepoWire } from "./wire.ts";

const MOVED = z.object({ object: z.object({ sha: z.string() }) });

/**
 * Where a branch is after a move: at the commit, past it where somebody has committed on top of it since, or
 * elsewhere where somebody else was first.
 */
export type Moved = "at" | "past" | "elsewhere";

/** A branch to be moved, and the right to where it is the deployed one. */
export interface Move {
  readonly branch: string;
  readonly grant?: PublishGrant;
}

/**
 * Moves a branch from the commit that was read (null: makes it) to a commit on top of that, or with `force` to any.
 * Answers "elsewhere" when somebody else moved or made it first. A failure without an answer is looked into: the branch
 * itself tells.
 * Throws E_UPSTREAM.
 */
export async function moveBranch(
  wire: RepoWire,
  { branch, grant }: Move,
  from: string | null,
  to: string,
  force = false,
): Promise<Moved> {
  try {
    const asked = from === null
      ? { method: "POST", path: "/git/refs", json: { ref: `refs/heads/${branch}`, sha: to } } as const
      : {
        method: "PATCH",
        path: `/git/refs/heads/${encoded(branch)}`,
        json: { sha: to, force },
      } as const;
    const { object } = await wire.ask({ ...asked, schema: MOVED, grant });
    if (object.sha === to) return "at";
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
    if (isConflict(thrown)) return "elsewhere";
    if (from === null && thrown.upstream === 422) await requireRoom(wire, branch);
    if (thrown instanceof RepoError && thrown.unclear && await hasMoved(wire, branch, from)) {
      return "elsewhere";
    }
    if (!isUnknown(thrown)) throw thrown;
  }
  return await settled(wire, branch, from, to);
}

/**
 * Refuses a branch that cannot be made because of one that is called like the beginning of its name, which git keeps as a
 * file where the new one needs a folder. Throws E_UPSTREAM naming it.
 */
async function requireRoom(wire: RepoWire, branch: string): Promise<void> {
  const parts = branch.split("/");
  for (let count = 1; count < parts.length; count++) {
    const above = parts.slice(0, count).join("/");
    const head = await headOf(wire, above).catch(() => null);
    if (head === null || head === "empty") continue;
    throw new GatewayError(
      "E_UPSTREAM",
      `Repository "${wire.repo}" has a branch "${above}", and git makes no branch "${branch}" beside it; nothing was ` +
        `written: rename or delete "${above}" at the host, then call again`,
      { upstream: 422, outcome: "none" },
    );
  }
}

/** Somebody else was first (docs/upstreams/github.md, "What an answer means"). */
const isConflict = (error: GatewayError) =>
  error instanceof RepoError && !error.ruledOut &&
  ((error.upstream === 422 && /fast forward|already exists|does not exist/i.test(error.said)) ||
    (error.upstream === 409 && !error.empty));

/** Whether the branch was moved since; false where that cannot be learned. */
const hasMoved = async (wire: RepoWire, branch: string, from: string | null): Promise<boolean> =>
  await headOf(wire, branch, true).catch(() => from) !== from;

/** Whether the request may have been carried out all the same. */
export const isUnknown = (error: GatewayError) => (error.upstream ?? 500) >= 500;

/** What the branch says after a request whose outcome is not known: somebody may have gone on from the commit since. */
async function settled(wire: RepoWire, branch: string, from: string | null, to: string): Promise<Moved> {
  let head: string | null;
  try {
    head = await headOf(wire, branch, true);
    if (head === to) return "at";
    if (head !== null && head !== from) return await leadsTo(wire, head, to) ? "past" : "elsewhere";
  } catch (thrown) {
    throw new RepoError(
      `Repository "${wire.repo}": branch "${branch}" was to be moved to the commit ${to}, and no answer came`,
      thrown instanceof RepoError ? thrown.upstream ?? 502 : 504,
      "",
      { inDoubt: true },
    );
  }
  if (head !== from) return "elsewhere";
  throw new RepoError(
    `Repository "${wire.repo}": the host failed to move branch "${branch}", which is where it was`,
    502,
    "",
  );
}

/** Commits looked at for one that others may have gone on from. */
const LOOKED_AT_MAX = 30;

/** Whether a commit is that one or was made on top of it. Throws RepoError where that is too far back to be found. */
async function leadsTo(wire: RepoWire, head: string, to: string): Promise<boolean> {
  const before = new Set((await commitOf(wire, to, true))?.parents.map(({ sha }) => sha));
  const seen = new Set([head]);
  for (const sha of seen) {
    if (sha === to) return true;
    if (before.has(sha)) continue;
    if (seen.size > LOOKED_AT_MAX) throw new RepoError("too far back", 502, "");
    for (const parent of (await commitOf(wire, sha, true))?.parents ?? []) seen.add(parent.sha);
  }
  return false;
}
