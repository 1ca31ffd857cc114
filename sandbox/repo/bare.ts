/** One bare repository: its branches, commits and files, through loose objects and the `git` binary. */
import { type Commit, readCommit, type Signature, writeCommit } from "./commits.ts";
import { isSha, Objects, type RunGit } from "./objects.ts";
import { type Change, changedTree, type Entry, entryAt, type Mode } from "./trees.ts";

const NONE = "0".repeat(40);

/** A row of a tree's listing. */
export interface Row {
  readonly path: string;
  readonly mode: Mode;
  readonly type: "blob" | "tree" | "commit";
  readonly sha: string;
  /** Bytes of a blob. */
  readonly size?: number;
}

/** A file's new content: text, bytes, or null to take it away. */
export type FileContent = string | Uint8Array | null;

// A machine's own settings and hooks must not change what is tested.
const ENV = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" };

/** Runs git; with `input` on its standard input. */
export async function runGit(args: readonly string[], input?: Uint8Array): ReturnType<RunGit> {
  const command = new Deno.Command("git", {
    args: [...args],
    env: ENV,
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    // A git that has had enough closes its input: its exit code tells.
    await writer.write(input).then(() => writer.close()).catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  return { code, stdout, stderr: new TextDecoder().decode(stderr).trim() };
}

/** Whether git takes that as the name of a branch or a reference. */
export function isRefName(name: string): boolean {
  if (name === "" || name === "@" || name.endsWith(".") || name.includes("..") || name.includes("@{")) {
    return false;
  }
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(name)) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock")) &&
    !name.startsWith("-");
}

/** A bare repository on disk. */
export class Bare {
  readonly objects: Objects;

  private constructor(readonly path: string, readonly branch: string) {
    this.objects = new Objects(`${path}/objects`, (args, input) => this.run(args, input));
  }

  /** Makes an empty one, whose default branch is `branch`. */
  static async make(path: string, branch: string): Promise<Bare> {
    const made = await runGit([
      "init",
      "--bare",
      "--quiet",
      "--template=",
      `--initial-branch=${branch}`,
      path,
    ]);
    if (made.code !== 0) throw new Error(`git init failed: ${made.stderr}`);
    return new Bare(path, branch);
  }

  /** Runs git here. */
  run(args: readonly string[], input?: Uint8Array): ReturnType<RunGit> {
    return runGit([`--git-dir=${this.path}`, ...args], input);
  }

  /** Runs git here and answers its output as text. Throws an Error with git's own words when it fails. */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr}`);
    return new TextDecoder().decode(stdout);
  }

  /** What a full reference (`refs/heads/main`) points at; null when there is none. */
  async ref(ref: string): Promise<string | null> {
    if (!isRefName(ref)) return null;
    const read = (file: string) => Deno.readTextFile(`${this.path}/${file}`).catch(() => "");
    const loose = (await read(ref)).trim();
    if (isSha(loose)) return loose;
    const packed = (await read("packed-refs")).split("\n").find((line) => line.endsWith(` ${ref}`));
    return packed?.slice(0, 40) ?? null;
  }

  /** The head of a branch; null when there is none. */
  head(branch: string): Promise<string | null> {
    return this.ref(`refs/heads/${branch}`);
  }

  /** Whether no branch has a commit yet. */
  async empty(): Promise<boolean> {
    if (await this.head(this.branch) !== null) return false;
    return (await this.git("for-each-ref", "--count=1", "refs/heads/")) === "";
  }

  /**
   * Points a reference from `was` (null: it must not exist) to `to` (null: take it away), all or nothing. Answers null
   * when done, else git's reason.
   */
  async move(ref: string, to: string | null, was: string | null): Promise<string | null> {
    const args = to === null ? ["-d", ref, was ?? NONE] : [ref, to, was ?? NONE];
    const { code, stderr } = await this.run(["update-ref", ...args]);
    return code === 0 ? null : stderr;
  }

  /** A commit by its full name; null when there is none. */
  async commit(sha: string): Promise<Commit | null> {
    const bytes = await this.objects.readAs("commit", sha);
    return bytes && readCommit(bytes);
  }

  /** Stores a commit and answers its name; no branch moves. */
  addCommit(commit: Commit): Promise<string> {
    return this.objects.write("commit", writeCommit(commit));
  }

  /** Whether one commit is, or comes after, another. */
  async follows(to: string, from: string): Promise<boolean> {
    if (to === from || (await this.commit(to))?.parents.includes(from)) return true;
    return (await this.run(["merge-base", "--is-ancestor", from, to])).code === 0;
  }

  /** The commit a branch, tag, reference or (shortened) sha means; null when there is none. */
  async resolve(name: string): Promise<string | null> {
    for (const ref of [`refs/heads/${name}`, `refs/tags/${name}`, name, `refs/${name}`]) {
      const at = ref.startsWith("refs/") ? await this.ref(ref) : null;
      if (at !== null) return await this.#peeled(at);
    }
    if (isSha(name)) return await this.#peeled(name);
    if (!/^[0-9a-f]{7,39}$/.test(name)) return null;
    const { code, stdout } = await this.run(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
    return code === 0 ? new TextDecoder().decode(stdout).trim() : null;
  }

  async #peeled(sha: string): Promise<string | null> {
    const found = await this.objects.read(sha);
    if (found?.type === "commit") return sha;
    const target = found?.type === "tag" &&
      /^object ([0-9a-f]{40})/.exec(new TextDecoder().decode(found.body));
    return target ? await this.#peeled(target[1]!) : null;
  }

  /** What a path of a commit stands for; null when there is nothing. */
  async entry(commit: string, path: string): Promise<Entry | null> {
    const found = await this.commit(commit);
    return found && await entryAt(this.objects, found.tree, path);
  }

  /** The rows of a tree, with all below it when `deep`. */
  async list(tree: string, deep: boolean): Promise<Row[]> {
    const args = ["ls-tree", "-l", "-z", ...(deep ? ["-r", "-t"] : []), tree];
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`git ls-tree failed: ${stderr}`);
    return new TextDecoder().decode(stdout).split("\0").filter(Boolean).map((line) => {
      const [head = "", ...path] = line.split("\t");
      const [mode, type, sha = "", size] = head.split(/ +/);
      return {
        path: path.join("\t"),
        mode: mode as Mode,
        type: type as Row["type"],
        sha,
        ...(type === "blob" ? { size: Number(size) } : {}),
      };
    });
  }

  /** Commits files onto a branch (begun at the default branch's head where absent) and answers the commit's name. */
  async put(
    branch: string,
    files: Readonly<Record<string, FileContent>>,
    by: Signature,
    message: string,
  ): Promise<string> {
    const own = await this.head(branch);
    const head = own ?? await this.head(this.branch);
    const base = head === null ? null : (await this.commit(head))!.tree;
    const changes: Change[] = [];
    for (const [path, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const sha = bytes && await this.objects.write("blob", bytes);
      changes.push({ path, entry: sha && { mode: "100644", sha } || null });
    }
    const tree = await changedTree(this.objects, base, changes);
    const parents = head === null ? [] : [head];
    const sha = await this.addCommit({ tree, parents, author: by, committer: by, message });
    const failed = await this.move(`refs/heads/${branch}`, sha, own);
    if (failed !== null) throw new Error(`The branch ${branch} could not be moved: ${failed}`);
    return sha;
  }
}
