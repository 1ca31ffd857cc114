/** The files of one commit below a site's prefix. */
import { GatewayError } from "../../core/errors.ts";
import { blobOf, type Tree, type TreeEntry, treeOf } from "./git.ts";
import { unreadable } from "./errors.ts";
import { folded, twinWords } from "./names.ts";
import type { RepoWire } from "./wire.ts";

/** A file; `path` is relative to the site's prefix. */
export interface Entry {
  readonly path: string;
  readonly sha: string;
  /** Bytes. */
  readonly size: number;
  /** git's mode, as 100644. */
  readonly mode: string;
}

/** Regular files; a link may point at anything and is none. */
const FILES: ReadonlySet<string> = new Set(["100644", "100755"]);

/** Paths of a tree by the form in which names are alike, and its folders by their composed form. */
interface Names {
  readonly all: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, string>;
  readonly folders: ReadonlyMap<string, ReadonlySet<string>>;
}

function namesOf(entries: readonly TreeEntry[]): Names {
  const folders = new Map<string, Set<string>>();
  for (const { path, type } of entries) {
    if (type !== "tree") continue;
    const composed = path.normalize("NFC");
    folders.set(composed, (folders.get(composed) ?? new Set()).add(path));
  }
  const files = entries.filter(({ type }) => type !== "tree");
  const named = (some: readonly TreeEntry[]) => new Map(some.map(({ path }) => [folded(path), path]));
  return { all: named(entries), files: named(files), folders };
}

/**
 * A path that is taken for that one, which is not there; else what is above it in another form alone: a folder, or a file in
 * another case or form where no such folder is, for not every machine can have both.
 */
function alike({ all, files, folders }: Names, full: string): string | undefined {
  const parts = full.split("/");
  for (let count = 1; count < parts.length; count++) {
    const above = parts.slice(0, count).join("/");
    const forms = folders.get(above.normalize("NFC"));
    if (forms && !forms.has(above)) return [...forms][0];
    const file = forms ? undefined : files.get(folded(above));
    if (file !== undefined) return file;
  }
  return all.get(folded(full));
}

/** The files at one commit. A repository without a commit has none, and no files. */
export class View {
  readonly #wire: RepoWire;
  readonly #prefix: string;
  #whole: Promise<Tree> | undefined;
  #byPath: ReadonlyMap<string, TreeEntry> | undefined;
  #names: Names | undefined;
  readonly #folders = new Map<string, Promise<Tree | null>>();

  /** Bytes that no commit has yet, by git's names of them. */
  #made: ReadonlyMap<string, Uint8Array<ArrayBuffer>> = new Map();
  /** Whether it holds what is not committed yet. */
  isAhead = false;

  /** `tree` is the name of the commit's tree, or anything that leads to it. */
  constructor(
    wire: RepoWire,
    prefix: string | null,
    readonly commit: string | null,
    readonly tree: string | null,
  ) {
    this.#wire = wire;
    this.#prefix = prefix === null ? "" : `${prefix}/`;
  }

  /** The same files, read on behalf of another call. */
  by(wire: RepoWire): View {
    const view = new View(
      wire,
      this.#prefix === "" ? null : this.#prefix.slice(0, -1),
      this.commit,
      this.tree,
    );
    view.#whole = this.#whole;
    view.#made = this.#made;
    view.isAhead = this.isAhead;
    return view;
  }

  /** The files as those edits would leave them, on the same commit; of a view whose files are all known. */
  async with(
    edits: readonly { readonly path: string; readonly bytes?: Uint8Array | null }[],
    names: ReadonlyMap<string, string>,
  ): Promise<View> {
    const { entries } = await this.#all();
    const all = new Map(entries.map((one) => [one.path, one]));
    const made = new Map(this.#made);
    for (const { path, bytes } of edits) {
      const [full, sha] = [this.#prefix + path, names.get(path)!];
      const before = all.get(full);
      all.set(full, {
        path: full,
        mode: before?.mode ?? "100644",
        type: "blob",
        sha,
        size: bytes?.byteLength ?? null,
      });
      if (bytes) made.set(sha, new Uint8Array(bytes));
      for (let at = full.lastIndexOf("/"); at > 0; at = full.lastIndexOf("/", at - 1)) {
        const folder = full.slice(0, at);
        if (!all.has(folder)) all.set(folder, { path: folder, mode: "040000", type: "tree", sha: "" });
      }
    }
    const view = this.by(this.#wire);
    view.#whole = Promise.resolve({ sha: "", tree: [...all.values()], truncated: false });
    view.#made = made;
    view.isAhead = true;
    return view;
  }

  /**
   * The file at a path; null when there is none. Throws E_BAD_PATH for a folder, a link or a submodule, and for a path
   * that has a file or link where it needs a folder.
   */
  async find(path: string): Promise<Entry | null> {
    const found = await this.#at(this.#prefix + path);
    if (!found) {
      await this.#requireFolders(path);
      return null;
    }
    if (found.type === "blob" && FILES.has(found.mode)) return this.#file(found);
    const what = found.type === "tree" ? "a folder" : found.type === "commit" ? "a submodule" : "a link";
    throw new GatewayError("E_BAD_PATH", `path: ${JSON.stringify(path)} is ${what} there, not a file`);
  }

  /**
   * Where a caller's path leads: to the file of exactly that name, else to none yet, under the name's composed form.
   * Throws what `find` throws, and E_BAD_PATH naming `field` where what is there differs in case or Unicode form only.
   */
  async place(
    path: string,
    field = "path",
  ): Promise<{ readonly path: string; readonly entry: Entry | null }> {
    const entry = await this.find(path);
    if (entry !== null) return { path, entry };
    const twin = await this.twin(path);
    if (twin === null) return { path: path.normalize("NFC"), entry };
    throw new GatewayError(
      "E_BAD_PATH",
      `${field}: there is no ${JSON.stringify(path)}, but there is ${
        twinWords(path, twin)
      }; give that name exactly, ` +
        "or choose another",
    );
  }

  /**
   * A path that is there and differs from this one, which is not, in case or Unicode form only; also a folder above it
   * in another Unicode form. Null for none.
   */
  async twin(path: string): Promise<string | null> {
    const { entries, truncated } = await this.#all();
    const full = this.#prefix + path;
    if (!truncated) this.#names ??= namesOf(entries);
    const found = truncated ? await this.#walkAlike(full) : this.#names && alike(this.#names, full);
    return found === undefined ? null : found.slice(this.#prefix.length);
  }

  /** The files whose path begins with that text, in the order of their paths; `truncated` where not all are known. */
  async list(beginning = ""): Promise<{ entries: Entry[]; truncated: boolean }> {
    const full = this.#prefix + beginning;
    let { entries, truncated } = await this.#all();
    if (truncated && full.includes("/")) {
      const folder = full.slice(0, full.lastIndexOf("/"));
      const at = await this.#walk(folder);
      const below = at?.type === "tree" ? await treeOf(this.#wire, at.sha, true) : null;
      entries = (below?.tree ?? []).map((one) => ({ ...one, path: `${folder}/${one.path}` }));
      truncated = below?.truncated ?? await this.#cutShort();
    }
    const files = entries.filter((one) =>
      one.type === "blob" && FILES.has(one.mode) && one.path.startsWith(full)
    );
    return { entries: files.map((one) => this.#file(one)), truncated };
  }

  /** Every path below the prefix that is no folder, links and submodules included, as far as all are known. */
  async paths(): Promise<string[]> {
    const { entries } = await this.#all();
    const own = entries.filter(({ path, type }) => type !== "tree" && path.startsWith(this.#prefix));
    return own.map(({ path }) => path.slice(this.#prefix.length));
  }

  /** How many entries the whole commit has, folders not counted; null where not all are known. */
  async count(): Promise<number | null> {
    const { entries, truncated } = await this.#all();
    return truncated ? null : entries.filter(({ type }) => type !== "tree").length;
  }

  /** A file's bytes; those of a small one are asked for once. */
  async bytes({ sha, size }: Pick<Entry, "sha" | "size">): Promise<Uint8Array<ArrayBuffer>> {
    return this.#made.get(sha) ?? await blobOf(this.#wire, sha, size);
  }

  #file({ path, sha, size, mode }: TreeEntry): Entry {
    return { path: path.slice(this.#prefix.length), sha, size: size ?? 0, mode };
  }

  async #requireFolders(path: string): Promise<void> {
    const parts = path.split("/");
    for (let count = 1; count < parts.length; count++) {
      const above = parts.slice(0, count).join("/");
      const found = await this.#at(this.#prefix + above);
      if (!found) return;
      if (found.type === "tree") continue;
      throw new GatewayError(
        "E_BAD_PATH",
        `path: ${JSON.stringify(path)} cannot be: ${JSON.stringify(above)} is there and no folder`,
      );
    }
  }

  /** The entry at a path of the repository. */
  async #at(full: string): Promise<TreeEntry | undefined> {
    const { entries, truncated } = await this.#all();
    if (truncated) return await this.#walk(full);
    this.#byPath ??= new Map(entries.map((one) => [one.path, one]));
    return this.#byPath.get(full);
  }

  async #all(): Promise<{ entries: readonly TreeEntry[]; truncated: boolean }> {
    if (this.tree === null) return { entries: [], truncated: false };
    this.#whole ??= this.#tree(this.tree);
    const { tree, truncated } = await this.#whole;
    return { entries: tree, truncated };
  }

  async #tree(name: string): Promise<Tree> {
    const tree = await treeOf(this.#wire, name, true);
    if (tree) return tree;
    throw unreadable(this.#wire.repo, 404, false);
  }

  /** Where the whole is too large for one answer: from folder to folder. */
  async #walk(full: string): Promise<TreeEntry | undefined> {
    const parts = full.split("/");
    let found: TreeEntry | undefined;
    let name = this.tree;
    for (const part of parts) {
      if (name === null || (found && found.type !== "tree")) return undefined;
      const folder = await this.#folder(name);
      found = folder?.tree.find((one) => one.path === part);
      if (!found) return undefined;
      name = found.sha;
    }
    return found && { ...found, path: full };
  }

  /** The same among names that are taken for those of the path, of each folder the one that is most like it. */
  async #walkAlike(full: string): Promise<string | undefined> {
    const parts = full.split("/");
    const walked: string[] = [];
    let name = this.tree;
    for (const [at, part] of parts.entries()) {
      const folder = name === null ? null : await this.#folder(name);
      const all = folder?.tree.filter((one) => folded(one.path) === folded(part)) ?? [];
      const found = all.find((one) => one.path === part) ??
        all.find((one) => one.path.normalize("NFC") === part.normalize("NFC")) ?? all[0];
      if (!found) return undefined;
      walked.push(found.path);
      const isForm = found.path !== part && found.path.normalize("NFC") === part.normalize("NFC");
      if (at === parts.length - 1 || isForm || found.type !== "tree") return walked.join("/");
      name = found.type === "tree" ? found.sha : null;
    }
    return undefined;
  }

  /** Whether a folder that was walked through is not listed to its end, so that what it does not show may be there. */
  async #cutShort(): Promise<boolean> {
    return (await Promise.all(this.#folders.values())).some((folder) => folder?.truncated);
  }

  #folder(name: string): Promise<Tree | null> {
    const known = this.#folders.get(name);
    if (known) return known;
    const asked = treeOf(this.#wire, name, false);
    this.#folders.set(name, asked);
    return asked;
  }
}
