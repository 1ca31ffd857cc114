/** Whether a preview branch has come to the deployed one, by whichever way it was merged. */
import { z } from "zod";
import { commitOf, type Tree, treeOf } from "./git.ts";
import { remembered } from "./memory.ts";
import type { RepoWire } from "./wire.ts";

/**
 * How a preview branch stands to the deployed one: on top of it, with changes of its own beside others' commits, or with
 * nothing that the deployed branch has not got.
 */
export type Standing = "ahead" | "diverged" | "merged";

const LOGGED = z.array(z.object({
  sha: z.string(),
  commit: z.object({ tree: z.object({ sha: z.string() }) }),
}));
type Logged = z.infer<typeof LOGGED>[number];

const PER_PAGE = 100;
/** Further back nothing is looked for: the branch is taken for one that goes on. */
const PAGES = 5;
/** Commits of the deployed branch that are looked into for what the preview changed, the newest first. */
const LOOKED_INTO = 20;
const STANDING_BYTES = 128;

/**
 * How the commit of a preview branch stands to that of the deployed branch. A merge and a fast-forward are seen by the
 * commits; a squash and a rebase by the content: since the two parted, some commit of the deployed branch has every path
 * that the preview changed as the preview has it. Where there is too much to look at it is "diverged".
 */
export async function standingOf(wire: RepoWire, own: string, deployed: string): Promise<Standing> {
  if (own === deployed) return "merged";
  const found = await remembered(wire.ctx, "objects").once(keyOf(own, deployed), async () => {
    const value = await byParents(wire, own, deployed) ?? await compared(wire, own, deployed);
    return { value, bytes: STANDING_BYTES };
  });
  return found!;
}

const keyOf = (own: string, deployed: string) => `standing ${own} ${deployed}`;

/** What the commits say that it was made on: it goes on with what is known of one of them. */
async function byParents(wire: RepoWire, own: string, deployed: string): Promise<Standing | null> {
  const known = remembered(wire.ctx, "objects");
  const parents = (await commitOf(wire, own))?.parents ?? [];
  if (parents.some(({ sha }) => sha === deployed)) return "ahead";
  const found = parents.map(({ sha }) => known.get<Standing>(keyOf(sha, deployed)));
  return found.find((one) => one === "ahead") ?? found.find((one) => one === "diverged") ?? null;
}

async function compared(wire: RepoWire, own: string, deployed: string): Promise<Standing> {
  const mine = await logOf(wire, own, (one) => one.sha === deployed);
  if (mine.some(({ sha }) => sha === deployed)) return "ahead";
  const parted = new Map(mine.map((one) => [one.sha, one]));
  const theirs = await logOf(wire, deployed, ({ sha }) => parted.has(sha));
  if (theirs.some(({ sha }) => sha === own)) return "merged";
  const at = theirs.findIndex(({ sha }) => parted.has(sha));
  if (at === -1) return "diverged";
  const head = mine.find(({ sha }) => sha === own);
  const before = await filesOf(wire, theirs[at]!);
  const after = head && await filesOf(wire, head);
  if (!before || !after) return "diverged";
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((path) =>
    before.get(path) !== after.get(path)
  );
  for (const commit of theirs.slice(0, Math.min(at, LOOKED_INTO))) {
    const files = await filesOf(wire, commit);
    if (files && changed.every((path) => files.get(path) === after.get(path))) return "merged";
  }
  return "diverged";
}

/** Commits from one on, the newest first, up to the page of one that was looked for. */
async function logOf(wire: RepoWire, sha: string, isWanted: (one: Logged) => boolean): Promise<Logged[]> {
  const found: Logged[] = [];
  for (let page = 1; page <= PAGES; page++) {
    const query = { sha, per_page: PER_PAGE, page };
    const some = await wire.ask({ method: "GET", path: "/commits", query, schema: LOGGED });
    found.push(...some);
    if (some.length < PER_PAGE || some.some(isWanted)) break;
  }
  return found;
}

/** Git's name and mode of each file of a commit by its path; null where the host does not list all. */
async function filesOf(wire: RepoWire, { commit }: Logged): Promise<ReadonlyMap<string, string> | null> {
  const tree: Tree | null = await treeOf(wire, commit.tree.sha, true);
  if (tree === null || tree.truncated) return null;
  const files = tree.tree.filter(({ type }) => type !== "tree");
  return new Map(files.map(({ path, mode, sha }) => [path, `${mode} ${sha}`]));
}
