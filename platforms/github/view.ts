/** The files of one commit below a site's prefix. */
import { GatewayError } from "../../errors.ts";
import { blobOf, type Tree, type TreeEntry, treeOf } from "./git.ts";
import { unreadable } from "./errors.ts";
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

const SMALL_BYTES = 64 * 1024;

/** What stands at one commit. A repository without a commit has none, and no files. */
export class View {
  readonly #wire: RepoWire;
  readonly #prefix: string;
  #whole: Promise<Tree> | undefined;
  #byPath: ReadonlyMap<string, TreeEntry> | undefined;
  readonly #small = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  readonly #folders = new Map<string, Promise<Tree | null>>();

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
    if (size > SMALL_BYTES) return await blobOf(this.#wire, sha, size);
    const asked = this.#small.get(sha) ?? blobOf(this.#wire, sha, size);
    this.#small.set(sha, asked);
    return await asked;
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

  /** What stands at a path of the repository. */
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
