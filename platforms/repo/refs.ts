/** Moving a branch to a commit, and knowing whether it did. */
import { z } from "zod";
import { GatewayError } from "../../errors.ts";
import { OUTCOME_UNKNOWN } from "../failures.ts";
import type { PublishGrant } from "../platform.ts";
import { RepoError } from "./errors.ts";
import { headOf } from "./git.ts";
import { encoded, type RepoWire } from "./wire.ts";

const MOVED = z.object({ object: z.object({ sha: z.string() }) });

/** A branch to be moved, and the right to where it is the deployed one. */
export interface Move {
  readonly branch: string;
  readonly grant?: PublishGrant;
}

/**
 * Moves a branch from the commit it stood at (null: makes it) to one made on top of that. False when somebody else
 * moved or made it first. A failure without an answer is looked into: the branch itself tells. Throws E_UPSTREAM.
 */
export async function moveBranch(
  wire: RepoWire,
  { branch, grant }: Move,
  from: string | null,
  to: string,
): Promise<boolean> {
  try {
    const asked = from === null
      ? { method: "POST", path: "/git/refs", json: { ref: `refs/heads/${branch}`, sha: to } } as const
      : {
        method: "PATCH",
        path: `/git/refs/heads/${encoded(branch)}`,
        json: { sha: to, force: false },
      } as const;
    const { object } = await wire.ask({ ...asked, schema: MOVED, grant });
    if (object.sha === to) return true;
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
    if (isConflict(thrown)) return false;
    if (!isUnknown(thrown)) throw thrown;
  }
  return await settled(wire, branch, from, to);
}

/** Somebody else was first (contracts/static.md, "Upstream -> code"). */
const isConflict = (error: GatewayError) =>
  error instanceof RepoError &&
  ((error.upstream === 422 && /fast forward|already exists|does not exist/i.test(error.said)) ||
    (error.upstream === 409 && !error.empty));

/** Whether the request may have been carried out all the same. */
const isUnknown = (error: GatewayError) => (error.upstream ?? 500) >= 500;

/** What the branch says after a request whose outcome is not known. */
async function settled(wire: RepoWire, branch: string, from: string | null, to: string): Promise<boolean> {
  let head: string | null;
  try {
    head = await headOf(wire, branch);
  } catch (thrown) {
    throw new RepoError(
      `Repository "${wire.repo}": branch "${branch}" was to be moved to the commit ${to}, and no answer came; ` +
        OUTCOME_UNKNOWN,
      thrown instanceof RepoError ? thrown.upstream ?? 502 : 504,
      "",
    );
  }
  if (head === to) return true;
  if (head !== from) return false;
  throw new RepoError(
    `Repository "${wire.repo}": the host failed to move branch "${branch}", which stands where it did: try again`,
    502,
    "",
  );
}
