/** Bringing one branch to another: what parts them, what differs, what the host's rules ask, and the commit that joins both. */
import { z } from "zod";
import { allOrThrow } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Making } from "../../core/model.ts";
import type { Compared } from "../_content/compared.ts";
import type { PublishGrant } from "../_http/request.ts";
import { listedRules } from "./branch_rules.ts";
import { build, type Edit } from "./build.ts";
import { RepoError } from "./errors.ts";
import { makeCommit, treeOf } from "./git.ts";
import { moveTo, proofOf, viewOf } from "./push.ts";
import { encoded, type RepoWire } from "./wire.ts";

const NAMED = z.object({ sha: z.string() });
const COMPARISON = z.object({
  html_url: z.string().nullish().catch(null),
  ahead_by: z.number(),
  behind_by: z.number(),
  merge_base_commit: NAMED,
  commits: z.array(z.object({ parents: z.array(z.unknown()) })),
});
const BRANCH = z.object({ protected: z.boolean().catch(false) });

/** How two commits stand to each other. */
export interface Parting {
  /** The newest commit that both lead to. */
  readonly base: string;
  /** How many commits the second has that the first has not, and the other way round. */
  readonly ahead: number;
  readonly behind: number;
  /** Whether none of those ahead is a merge; false also where not all of them are known. */
  readonly isStraight: boolean;
  /** Where a person sees the comparison; null where the host does not say. */
  readonly web: string | null;
}

/** A file as a commit has it. */
export interface Side {
  readonly sha: string;
  readonly bytes: number;
  /** git's mode; only 100644 and 100755 are files. */
  readonly mode: string;
}

/** A path of the repository whose content, or mode, differs between two commits; null where it is not there. */
export interface Differing {
  readonly path: string;
  readonly from: Side | null;
  readonly to: Side | null;
}

/** What the host asks of a branch, as far as the app may read it (docs/upstreams/github.md). */
export interface BranchRules {
  /** Whether nobody may move it but by a pull request. */
  readonly byPullRequest: boolean;
  readonly isLinear: boolean;
  /** Whether only chosen accounts may move it; whether the app is one of them is not told. */
  readonly isClosed: boolean;
  /** The checks that a commit must have passed. */
  readonly checks: readonly string[];
  /** Whether there is classic protection, whose rules the app may not read. */
  readonly isProtected: boolean;
}

/** A commit that joins two branches, and the branch that leads to it. */
export interface Joined {
  readonly branch: string;
  readonly commit_sha: string;
  readonly proof: Compared;
}

/** A branch that is to lead to a commit. */
export interface Target {
  readonly branch: string;
  /** Where it was read to be; null to make it. */
  readonly at: string | null;
  readonly grant?: PublishGrant;
  readonly made?: Making;
}

/** What is needed to bring one branch to another. Every method throws E_UPSTREAM. */
export interface Release {
  /** Reads only. Throws E_NOT_FOUND where the two have no commit in common. */
  parting(first: string, second: string): Promise<Parting>;
  /** Reads only: all paths that differ, in their order. Throws E_NOT_SUPPORTED where the host does not list all files. */
  differing(first: string, second: string): Promise<readonly Differing[]>;
  /** Reads only. */
  rules(branch: string): Promise<BranchRules>;
  /**
   * Makes a commit of the first parent's files with those edits in them, and has the branch lead to it. Null where somebody
   * else moved or made the branch first: nothing leads to the commit then.
   */
  join(
    on: { readonly files: string; readonly parents: readonly string[] },
    edits: readonly Edit[],
    message: string,
    target: Target,
  ): Promise<Joined | null>;
  /** Moves a branch forward to a commit that is there; null where somebody else was first. Never tried again. */
  advance(target: Target, to: string): Promise<Compared | null>;
}

/** The work on the repository that a wire leads to; paths of edits are below the prefix, all others are whole. */
export function releaseOf(wire: RepoWire, prefix: string | null): Release {
  return {
    parting: (first, second) => parting(wire, first, second),
    differing: (first, second) => differing(wire, first, second),
    rules: (branch) => rules(wire, branch),
    async join({ files, parents }, edits, message, target) {
      const { tree } = await build(wire, prefix, await viewOf(wire, prefix, files), edits);
      const { sha } = await makeCommit(wire, { message, tree, parents });
      const moved = await moveTo(wire, { ...target, message }, target.at, sha);
      return moved === "elsewhere" ? null : { branch: target.branch, commit_sha: sha, proof: proofOf(moved) };
    },
    async advance(target, to) {
      const moved = await moveTo(wire, { ...target, message: "" }, target.at, to);
      return moved === "elsewhere" ? null : proofOf(moved);
    },
  };
}

async function parting(wire: RepoWire, first: string, second: string): Promise<Parting> {
  const path = `/compare/${encoded(`${first}...${second}`)}`;
  try {
    const found = await wire.ask({ method: "GET", path, schema: COMPARISON, max_bytes: COMPARISON_BYTES });
    const { ahead_by: ahead, behind_by: behind, merge_base_commit: { sha: base }, commits, html_url } = found;
    const isStraight = commits.length === ahead && commits.every(({ parents }) => parents.length < 2);
    return { base, ahead, behind, isStraight, web: html_url?.startsWith("http") ? html_url : null };
  } catch (thrown) {
    if (!(thrown instanceof RepoError) || thrown.upstream !== 404) throw thrown;
    throw new GatewayError(
      "E_NOT_FOUND",
      `Repository "${wire.repo}": the two branches have no commit in common, or one of them was rewritten meanwhile; begin a ` +
        "new preview with reset_static_preview_branch",
    );
  }
}

/** Texts of 250 commits and patches of 300 files. */
const COMPARISON_BYTES = 32 * 1024 * 1024;

async function differing(wire: RepoWire, first: string, second: string): Promise<Differing[]> {
  const [was, is] = await allOrThrow(sidesAt(wire, first), sidesAt(wire, second));
  const paths = new Set([...was.keys(), ...is.keys()]);
  return [...paths].toSorted().flatMap((path) => {
    const [from, to] = [was.get(path) ?? null, is.get(path) ?? null];
    return from?.sha === to?.sha && from?.mode === to?.mode ? [] : [{ path, from, to }];
  });
}

async function sidesAt(wire: RepoWire, commit: string): Promise<Map<string, Side>> {
  const found = await treeOf(wire, commit, true);
  if (found === null) {
    const lost = `Repository "${wire.repo}" has lost the commit ${commit}; look at it before trying again`;
    throw new RepoError(lost, 404, "");
  }
  if (found.truncated) {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `Repository "${wire.repo}" has more files than its host lists at once, so nobody could be shown all that would change; ` +
        "merge the branch at the host",
    );
  }
  const files = found.tree.filter(({ type }) => type !== "tree");
  return new Map(files.map(({ path, sha, size, mode }) => [path, { sha, bytes: size ?? 0, mode }]));
}

async function rules(wire: RepoWire, branch: string): Promise<BranchRules> {
  const [listed, found] = await allOrThrow(
    listedRules(wire, branch),
    wire.ask({ method: "GET", path: `/branches/${encoded(branch)}`, schema: BRANCH }),
  );
  const has = (...types: string[]) => listed.some(({ type }) => types.includes(type));
  return {
    byPullRequest: has("pull_request", "merge_queue"),
    isLinear: has("required_linear_history"),
    isClosed: has("update"),
    checks: listed.flatMap(({ parameters }) =>
      parameters?.required_status_checks?.map(({ context }) => context) ?? []
    ),
    isProtected: found.protected && listed.length === 0,
  };
}
