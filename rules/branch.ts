/** What a branch, and anything a repository is read at, may be called. */
import { GatewayError } from "../core/errors.ts";

/** Names git and the repository host take. */
export const BRANCH = /^(?![/.-])(?!.*(\.\.|\/\/|\/\.|@\{|\.lock$|[/.]$))[^\s\p{Cc}~^:?*[\\]{1,200}$/u;

/** Those that read as nothing else: no full reference, not the current commit, and no commit's own name. */
export const PLAIN_BRANCH = new RegExp(`^(?!(?:refs|heads)/|head$|[0-9a-f]{40}$)${BRANCH.source}`, "iu");

/** The name of a branch to be made, as it was given. Throws E_BAD_INPUT for what is none, or reads as something else. */
export function branchName(text: string, field: string): string {
  if (PLAIN_BRANCH.test(text)) return text;
  throw new GatewayError("E_BAD_INPUT", `${field}: expected a branch name such as main or staging`);
}

/** The name of a branch, tag or commit as it was given. Throws E_BAD_INPUT for what is none. */
export function refName(text: string, field: string): string {
  if (BRANCH.test(text)) return text;
  throw new GatewayError("E_BAD_INPUT", `${field}: expected a branch, tag or commit such as main`);
}

/** What a caller reads the token's own preview branch by. */
export const PREVIEW = "preview";

/**
 * The branch, tag or commit that a caller reads at: "preview" is the token's own preview branch, and everything else is
 * what it says. Throws E_NOT_FOUND where the token has no preview branch on the site.
 */
export async function readAt(
  ref: string | undefined,
  previews: { get(): Promise<string | null> },
): Promise<string | undefined> {
  if (ref !== PREVIEW) return ref;
  const branch = await previews.get();
  if (branch !== null) return branch;
  throw new GatewayError(
    "E_NOT_FOUND",
    "ref: this token has no preview branch on the site yet, its next write to one begins it; leave ref out to read the " +
      "deployed branch",
  );
}

/** Why a branch stays that ends at another commit than it was listed with. */
export const pushedSince = (head: string): string =>
  `somebody has pushed to it since it was listed: it ends at ${head} now`;
