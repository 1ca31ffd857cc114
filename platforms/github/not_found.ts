/** What is said of what is not there: the host answers 404 alike for a repository, a branch and a file. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { RepoWire } from "./wire.ts";

/** Throws RepoError where the repository itself is not there, or no longer within the app's reach. */
export async function requireRepository(wire: RepoWire): Promise<void> {
  await wire.ask({ method: "GET", path: "", schema: z.object({ id: z.number() }) });
}

/** Throws E_NOT_FOUND for a ref that leads nowhere, RepoError where there is not even a repository. */
export async function noRef(wire: RepoWire, ref: string, given: boolean): Promise<never> {
  await requireRepository(wire);
  const field = given ? "ref" : "The site's repo_branch";
  throw new GatewayError(
    "E_NOT_FOUND",
    `${field}: repository "${wire.repo}" has no branch, tag or commit ${JSON.stringify(ref)}`,
  );
}
