/** What a branch, and anything a repository is read at, may be called. */
import { GatewayError } from "../../errors.ts";

/** Names git and the repository host take. */
export const BRANCH = /^(?![/.-])(?!.*(\.\.|\/\/|\/\.|@\{|\.lock$|[/.]$))[^\s\p{Cc}~^:?*[\\]{1,200}$/u;

/** What reads as something else than a branch: a full reference, the current commit, or a commit's own name. */
const MISLEADING = /^(refs\/|heads\/|head$|[0-9a-f]{40}$)/i;

/** The name of a branch to be made, as it was given. Throws E_BAD_INPUT for what is none, or reads as something else. */
export function branchName(text: string, field: string): string {
  if (BRANCH.test(text) && !MISLEADING.test(text)) return text;
  throw new GatewayError("E_BAD_INPUT", `${field}: expected a branch name such as main or staging`);
}

/** The name of a branch, tag or commit as it was given. Throws E_BAD_INPUT for what is none. */
export function refName(text: string, field: string): string {
  if (BRANCH.test(text)) return text;
  throw new GatewayError("E_BAD_INPUT", `${field}: expected a branch, tag or commit such as main`);
}
