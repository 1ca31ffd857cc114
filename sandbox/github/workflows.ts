/** The workflow folder: changing what is in it needs a permission of its own. */
import { may, type RepoAsk } from "./access.ts";
import { entryAt } from "./trees.ts";

const FOLDER = ".github/workflows";

/** Whether going from one tree (null: none) to another changes workflows without the permission to. */
export async function touchesWorkflows(ask: RepoAsk, from: string | null, to: string): Promise<boolean> {
  if (may(ask.token, "workflows", "write")) return false;
  const { objects } = ask.repo.bare;
  const was = from === null ? null : await entryAt(objects, from, FOLDER);
  const is = await entryAt(objects, to, FOLDER);
  return (was?.sha ?? null) !== (is?.sha ?? null);
}
