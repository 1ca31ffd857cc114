/** One bare repository: its branches, commits and files, in memory until somebody works in its folder with `git`. */
import { type Commit, readCommit, type Signature, writeCommit } from "./commits.ts";
import { entries, initBare, runGit } from "./git.ts";
import { isSha, Objects, type RunGit } from "./objects.ts";
import { type Change, changedTree, type Entry, entryAt, type Mode, readTree, typeOf } from "./trees.ts";

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

/** A bare repository. */
export class Bare {
  readonly objects: Objects;
  /** What references point at while nothing is on disk. */
  #held: Map<string, string> | null = new Map();
  #stored: Promise<string> | undefined;

  /** An empty one, whose default branch is `branch`; its folder is made when it is first needed. */
  constructor(private readonly folder: string, readonly branch: string) {
    this.objects = new Objects(`${folder}/objects`, (args, input) => this.run(args, input));
  }

  /** Its folder, as git wants it: from here on others may work in it. */
  path(): Promise<string> {
    return this.#stored ??= this.#store();
  }

  async #store(): Promise<string> {
    await initBare(this.folder, this.branch);
    await this.objects.store();
    for (const [ref, sha] of this.#held ?? []) {
      const file = `${this.folder}/${ref}`;
      Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      Deno.writeTextFileSync(file, `${sha}\n`);
    }
    this.#held = null;
    this.objects.release();
    return this.folder;
  }

  /** Runs git here. */
  async run(args: readonly string[], input?: Uint8Array): ReturnType<RunGit> {
    return await runGit([`--git-dir=${await this.path()}`, ...args], input);
  }

  /** Runs git here and answers its output as text. Throws an Error with git's own words when it fails. */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr}`);
    return new TextDecoder().decode(stdout);
  }

  #text(file: string): Promise<string> {
    return Deno.readTextFile(`${this.folder}/${file}`).catch(() => "");
  }

  /** The references git has packed into one file, by their full names. */
  async #packed(): Promise<Map<string, string>> {
    const lines = (await this.#text("packed-refs")).matchAll(/^([0-9a-f]{40}) (\S+)$/gm);
    return new Map(Array.from(lines, ([, sha = "", ref = ""]) => [ref, sha]));
  }

  /** What a full reference (`refs/heads/main`) points at; null when there is none. */
  async ref(ref: string): Promise<string | null> {
    if (!isRefName(ref)) return null;
    if (this.#held) return this.#held.get(ref) ?? null;
    const loose = (await this.#text(ref)).trim();
    return isSha(loose) ? loose : (await this.#packed()).get(ref) ?? null;
  }

  /** What every reference in a folder (`refs/heads`) points at, by their full names in git's order. */
  async refs(folder: string): Promise<Record<string, string>> {
    const sorted = (refs: Iterable<[string, string]>) =>
      Object.fromEntries([...refs].sort(([a], [b]) => a < b ? -1 : 1));
    if (this.#held) return sorted([...this.#held].filter(([ref]) => ref.startsWith(`${folder}/`)));
    const found = new Map([...await this.#packed()].filter(([ref]) => ref.startsWith(`${folder}/`)));
    const walk = async (below: string): Promise<void> => {
      for (const { name, isDirectory } of await entries(`${this.folder}/${below}`)) {
        const ref = `${below}/${name}`;
        const sha = isDirectory ? await walk(ref) : (await this.#text(ref)).trim();
        if (isSha(sha)) found.set(ref, sha);
      }
    };
    await walk(folder);
    return sorted(found);
  }

  /** The head of a branch; null when there is none. */
  head(branch: string): Promise<string | null> {
    return this.ref(`refs/heads/${branch}`);
  }

  /** Whether no branch has a commit yet. */
  async empty(): Promise<boolean> {
    if (await this.head(this.branch) !== null) return false;
    return Object.keys(await this.refs("refs/heads")).length === 0;
  }

  /**
   * Points a reference from `was` (null: it must not exist) to `to` (null: take it away), all or nothing. Answers null
   * when done, else git's reason.
   */
  async move(ref: string, to: string | null, was: string | null): Promise<string | null> {
    if (this.#held) return await this.#moveHeld(this.#held, ref, to, was);
    const args = to === null ? ["-d", ref, was ?? NONE] : [ref, to, was ?? NONE];
    const { code, stderr } = await this.run(["update-ref", ...args]);
    return code === 0 ? null : stderr;
  }

  /** As `git update-ref` judges it. */
  async #moveHeld(held: Map<string, string>, ref: string, to: string | null, was: string | null) {
    if (!isRefName(ref)) return `${ref} is no name of a reference`;
    const type = to === null ? "commit" : (await this.objects.read(to))?.type;
    if (type === undefined || (type !== "commit" && ref.startsWith("refs/heads/"))) {
      return `${to} is no commit`;
    }
    const is = held.get(ref) ?? null;
    if (is !== was) return `${ref} is at ${is}, not at ${was}`;
    const apart = [...held.keys()].every((one) => !one.startsWith(`${ref}/`) && !ref.startsWith(`${one}/`));
    if (!apart) return `${ref} is below, or above, another reference`;
    if (to === null) held.delete(ref);
    else held.set(ref, to);
    return null;
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
    if (!this.#held) return (await this.run(["merge-base", "--is-ancestor", from, to])).code === 0;
    const before = [to];
    for (const sha of before) before.push(...(await this.commit(sha))?.parents ?? []);
    return before.includes(from);
  }

  /** A commit and all that it leads to, each behind what leads to it. */
  async lineage(start: string): Promise<string[]> {
    const done = new Set<string>();
    const walk: { readonly sha: string; readonly parents: string[] }[] = [];
    const enter = async (sha: string) => {
      if (done.has(sha)) return;
      done.add(sha);
      walk.push({ sha, parents: [...(await this.commit(sha))?.parents ?? []] });
    };
    const last: string[] = [];
    await enter(start);
    for (let top = walk.at(-1); top !== undefined; top = walk.at(-1)) {
      const parent = top.parents.shift();
      if (parent === undefined) last.push(walk.pop()!.sha);
      else await enter(parent);
    }
    return last.reverse();
  }

  /** What a commit leads to and another (null: none) does not, each behind what leads to it. */
  async between(from: string | null, to: string): Promise<string[]> {
    const before = new Set(from === null ? [] : await this.lineage(from));
    return (await this.lineage(to)).filter((sha) => !before.has(sha));
  }

  /** The commit a branch, tag, reference or (shortened) sha means; null when there is none. */
  async resolve(name: string): Promise<string | null> {
    for (const ref of [`refs/heads/${name}`, `refs/tags/${name}`, name, `refs/${name}`]) {
      const at = ref.startsWith("refs/") ? await this.ref(ref) : null;
      if (at !== null) return await this.#peeled(at);
    }
    if (isSha(name)) return await this.#peeled(name);
    if (!/^[0-9a-f]{7,39}$/.test(name)) return null;
    if (this.#held) {
      const [only, ...others] = this.objects.named(name);
      return only !== undefined && others.length === 0 && await this.commit(only) !== null ? only : null;
    }
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

  /** The rows of a tree or of a commit's, in git's order, with all below it when `deep`. Throws an Error for no tree. */
  async list(sha: string, deep: boolean): Promise<Row[]> {
    const tree = (await this.commit(sha))?.tree ?? sha;
    const bytes = await this.objects.readAs("tree", tree);
    if (bytes === null) throw new Error(`${sha} is no tree`);
    const rows: Row[] = [];
    for (const [path, { mode, sha }] of readTree(bytes)) {
      const type = typeOf(mode);
      const size = type === "blob" ? await this.objects.size(sha) : null;
      rows.push({ path, mode, type, sha, ...(size === null ? {} : { size }) });
      if (type !== "tree" || !deep) continue;
      for (const row of await this.list(sha, deep)) rows.push({ ...row, path: `${path}/${row.path}` });
    }
    return rows;
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
