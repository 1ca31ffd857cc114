/** The client of a site's repository: all that tools see of it, in words that any host of repositories has. */
import { refName } from "../../rules/branch.ts";
import type { SiteContext } from "../_connector/connector.ts";
import { Behind } from "./behind.ts";
import { requireFirst } from "./initial_commit.ts";
import { defaultBranch, headOf, treeOf } from "./git.ts";
import { type LastChange, lastChange } from "./last_change.ts";
import { type Standing, standingOf } from "./merged.ts";
import { type Decide, push, type Pushed, type PushTarget, viewOf } from "./push.ts";
import { type Pulls, pullsOf } from "./pulls.ts";
import { type File, readFile } from "./read.ts";
import { type Release, releaseOf } from "./release.ts";
import type { RepoSettings } from "./settings.ts";
import { isShared, pushTogether } from "./together.ts";
import { View } from "./view.ts";
import { noRef, RepoWire, requireRepository } from "./wire.ts";

export type { Decide, Edit, Pushed, PushTarget } from "./push.ts";
export type { File } from "./read.ts";
export type { LastChange } from "./last_change.ts";
export type { Planned } from "./push.ts";
export type { PullRequest } from "./pulls.ts";
export type { BranchRules, Differing, Parting } from "./release.ts";
export type { Entry, View } from "./view.ts";

/**
 * A repository below the site's prefix. Every method throws E_REPO_APP_NOT_INSTALLED and E_UPSTREAM; paths are relative
 * to the prefix and must have been checked (rules/path.ts).
 */
export interface RepoClient {
  /** The branch that is deployed: the site's repo_branch, without one the repository's default. */
  deployedBranch(): Promise<string>;
  /** The branch the repository itself shows first. */
  defaultBranch(): Promise<string>;
  /** The newest commit of a branch, null when there is no such branch; an empty repository has none. */
  head(branch: string): Promise<string | null>;
  /**
   * The files at a branch, tag or commit; without one at the deployed branch. Throws E_NOT_FOUND, E_BAD_INPUT for what
   * can be none of them; empty has no files.
   */
  view(ref?: string): Promise<View>;
  /** The files at a commit that `head` answered. */
  viewAt(commit: string): Promise<View>;
  /** How the head of a preview branch stands to that of the deployed one; see standingOf(). */
  standing(preview: string, deployed: string): Promise<Standing>;
  /** One file. Throws E_NOT_FOUND, E_BAD_INPUT as view, E_BAD_PATH for what is no file, E_FILE_TOO_LARGE. */
  read(path: string, limit: number, ref?: string): Promise<File>;
  /** Who changed a file last, as of that commit; null where nobody is named. */
  lastChange(path: string, commit: string): Promise<LastChange | null>;
  /**
   * How many commits of the deployed branch a branch lacks; null where the host does not say. `begun` where a push of
   * this call made it.
   */
  behind(branch: string, deployed: string, begun: boolean): Promise<number | null>;
  mayWrite(): Promise<boolean>;
  /** Reads only: refuses an app that may not write. */
  requireWrite(): Promise<void>;
  /** Reads only: refuses a branch that an empty repository cannot begin with. Throws E_BAD_INPUT. */
  requireFirst(branch: string): Promise<void>;
  /** See push(): one commit on one branch. Those that wait for a preview branch share one: pushTogether(). */
  push(target: PushTarget, decide: Decide): Promise<Pushed>;
  /** What brings a preview branch to the deployed one. */
  readonly release: Release;
  /** What proposes it to people. */
  readonly pulls: Pulls;
}

async function view(wire: RepoWire, prefix: string | null, named: string, deployed: string): Promise<View> {
  const head = /^[0-9a-f]{40}$/.test(named) ? named : await headOf(wire, named);
  if (head === "empty") return new View(wire, prefix, null, null);
  if (head !== null && head !== named) return await viewOf(wire, prefix, head);
  const tree = await treeOf(wire, named, false);
  if (tree) return new View(wire, prefix, head, named);
  return await noRef(wire, named, named !== deployed);
}

/** A name that becomes a part of an address: a name with ".." would lead to another address. */
const named = (ref: string | undefined) => ref === undefined ? undefined : refName(ref, "ref");

/** The client of the repository that a site names. */
export function repositoryOf(ctx: SiteContext<RepoSettings>): RepoClient {
  const { repo_branch, repo_prefix } = ctx.site;
  const wire = new RepoWire(ctx, ctx.site.repo ?? "");
  const deployedBranch = async () => repo_branch ?? await defaultBranch(wire);
  const behind = new Behind(wire);
  return {
    deployedBranch,
    defaultBranch: () => defaultBranch(wire),
    async head(branch) {
      const found = await headOf(wire, branch);
      if (found === null && !wire.isThere) await requireRepository(wire);
      const head = found === "empty" ? null : found;
      if (branch === repo_branch) behind.sees(head);
      return head;
    },
    async view(ref) {
      const name = named(ref);
      const deployed = await deployedBranch();
      const found = await view(wire, repo_prefix, name ?? deployed, deployed);
      if ((name ?? deployed) === deployed) behind.sees(found.commit);
      return found;
    },
    viewAt: (commit) => viewOf(wire, repo_prefix, commit),
    async standing(preview, deployed) {
      const found = await standingOf(wire, preview, deployed);
      if (found === "ahead") behind.holds(deployed);
      return found;
    },
    read: async (path, limit, ref) =>
      await readFile(wire, {
        prefix: repo_prefix,
        path,
        ref: named(ref),
        branch: await deployedBranch(),
        limit,
      }),
    lastChange: (path, commit) =>
      lastChange(wire, commit, repo_prefix === null ? path : `${repo_prefix}/${path}`),
    behind: (branch, deployed, begun) => behind.count(branch, deployed, begun),
    mayWrite: () => wire.mayWrite(),
    requireWrite: () => wire.requireWrite(),
    requireFirst: (branch) => requireFirst(wire, branch),
    push: (target, decide) => (isShared(target) ? pushTogether : push)(wire, repo_prefix, target, decide),
    release: releaseOf(wire, repo_prefix),
    pulls: pullsOf(wire),
  };
}
