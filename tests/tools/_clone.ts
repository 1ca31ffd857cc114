/** A clone of a sandbox repository: what anybody would find there, and what a commit changed, as git itself tells. */
import assert from "node:assert/strict";
import { found } from "../../sandbox/github/setup.ts";
import type { GitHubStandIn } from "../../sandbox/github/start.ts";
import { runGit } from "../../sandbox/github/git.ts";
import { scratchFolder } from "../../sandbox/core/scratch.ts";

/** Who writes past the gateway. */
const SOMEBODY = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];

/** One commit. */
export interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Its paths, as git's `status path`: A added, M changed, D taken out. */
  readonly changes: readonly string[];
}

/** A working copy in a folder of its own, removed at the end. */
export class Clone implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  /** Clones a bare repository at a branch; without one at its default branch. */
  static async of(path: string, branch?: string): Promise<Clone> {
    const folder = await scratchFolder("clone-");
    const clone = new Clone(folder);
    const at = branch === undefined ? [] : ["--branch", branch];
    await clone.git("clone", "--quiet", "--no-hardlinks", ...at, path, ".");
    return clone;
  }

  /** Runs git there and answers its output. Throws an Error with git's words when it fails. */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runGit(["-C", this.folder, ...SOMEBODY, ...args]);
    if (code !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr}`);
    return new TextDecoder().decode(stdout);
  }

  /** The bytes of a file; null where there is none. */
  async bytes(path: string): Promise<Uint8Array | null> {
    try {
      return await Deno.readFile(`${this.folder}/${path}`);
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound) return null;
      throw thrown;
    }
  }

  /** A commit of the clone's branch; without a name the newest. */
  async commit(name = "HEAD"): Promise<Commit> {
    const [sha = "", parents = "", ...message] = (await this.git("log", "-1", "--format=%H%n%P%n%B", name))
      .split("\n");
    const tree = ["diff-tree", "--root", "--no-commit-id", "--name-status", "--no-renames", "-r", "-z", name];
    const found = (await this.git(...tree)).split("\0").filter(Boolean);
    const changes = found.flatMap((status, at) => (at % 2 === 0 ? [`${status} ${found[at + 1]}`] : []));
    return {
      sha,
      parents: parents.split(" ").filter(Boolean),
      message: message.join("\n").replace(/\n$/, ""),
      changes,
    };
  }

  /** Commits the whole folder and pushes it to a branch of the repository; answers the commit's name. */
  async push(branch: string, message = "By hand"): Promise<string> {
    await this.git("add", "--all", "--force", ".");
    await this.git("commit", "--quiet", "--message", message);
    await this.git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
    return (await this.git("rev-parse", "HEAD")).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** The newest commit of a branch as the host holds it, reported as a clone would report it. */
export async function heldBranch(
  { state }: Pick<GitHubStandIn, "state">,
  name: string,
  branch: string,
): Promise<Pick<Clone, "bytes" | "commit"> & AsyncDisposable> {
  const { bare } = found(state, name);
  const sha = await bare.head(branch);
  assert.ok(sha, `there is no branch ${branch}`);
  const { parents, message } = (await bare.commit(sha))!;
  const filesOf = async (commit: string | undefined) => {
    const rows = commit === undefined ? [] : await bare.list(commit, true);
    return new Map(rows.filter(({ type }) => type === "blob").map(({ path, sha }) => [path, sha]));
  };
  const [before, after] = [await filesOf(parents[0]), await filesOf(sha)];
  const changes = [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((path) => {
    if (!after.has(path)) return [`D ${path}`];
    if (!before.has(path)) return [`A ${path}`];
    return before.get(path) === after.get(path) ? [] : [`M ${path}`];
  });
  return {
    commit: () => Promise.resolve({ sha, parents, message, changes }),
    bytes: async (path) => after.has(path) ? await bare.objects.readAs("blob", after.get(path)!) : null,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
