/** The git objects of a repository as the host's API gives them (docs/upstreams/github.md). */
import { z } from "zod";
import { RepoError, unreadable } from "./errors.ts";
import { InBase64 } from "../_http/json_body.ts";
import { remembered } from "./memory.ts";
import { blobName } from "./names.ts";
import { encoded, type RepoWire } from "./wire.ts";

const SHA_NAME = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const SHA = z.string().regex(SHA_NAME);
const NAMED = z.object({ sha: SHA });
/** A branch. */
export const REF = z.object({ object: z.object({ sha: SHA }) });
/** A commit. */
export const COMMIT = z.object({
  html_url: z.string().nullish().catch(null),
  sha: SHA,
  tree: NAMED,
  parents: z.array(NAMED),
});
const ENTRY = z.object({
  path: z.string(),
  mode: z.string(),
  type: z.string(),
  sha: SHA,
  size: z.number().nullish(),
});
/** A tree. */
export const TREE = z.object({ sha: z.string(), tree: z.array(ENTRY), truncated: z.boolean().catch(false) });
const BLOB = z.object({ content: z.string(), encoding: z.literal("base64") });

/** One entry of a tree; `path` is relative to the tree. */
export type TreeEntry = z.infer<typeof ENTRY>;
export type Tree = z.infer<typeof TREE>;
export type Commit = z.infer<typeof COMMIT>;

/** The repository itself. */
export const REPOSITORY = z.object({ default_branch: z.string().min(1) });

const TREE_BYTES = 32 * 1024 * 1024;
/** What is kept of a commit takes no more. */
const COMMIT_BYTES = 1024;
/** Files up to this length are kept for a while. */
const SMALL_BYTES = 64 * 1024;
/** Base64 with line ends, and a little around it. */
const bytesOnWire = (size: number) => Math.ceil(size * 1.5) + 4096;

/** The answer, or null where the host has no such object: for a name that can be none it answers 422. */
async function ifThere<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof RepoError && [404, 422].includes(thrown.upstream ?? 0)) return null;
    throw thrown;
  }
}

/** The name of the default branch, also of an empty repository. */
export async function defaultBranch(wire: RepoWire): Promise<string> {
  const known = wire.ctx.cache.get<string>("default_branch");
  if (known) return known;
  const { default_branch } = await wire.ask({ method: "GET", path: "", schema: REPOSITORY });
  wire.ctx.cache.set("default_branch", default_branch, 5 * 60_000);
  return default_branch;
}

/** The newest commit of a branch; null when there is no such branch, "empty" where the repository has no commit. */
export async function headOf(
  wire: RepoWire,
  branch: string,
  cleanup?: true,
): Promise<string | null | "empty"> {
  const asked = wire.ask({ method: "GET", path: `/git/ref/heads/${encoded(branch)}`, schema: REF, cleanup });
  try {
    return (await asked).object.sha;
  } catch (thrown) {
    if (thrown instanceof RepoError && thrown.empty) return "empty";
    if (thrown instanceof RepoError && thrown.upstream === 404) return null;
    throw thrown;
  }
}

/** A commit, null where there is none of that name. It is asked for once, for it never says anything else. */
export async function commitOf(wire: RepoWire, sha: string, cleanup?: true): Promise<Commit | null> {
  const path = `/git/commits/${encoded(sha)}`;
  return await remembered(wire.ctx, "objects").once(`commit ${sha}`, async () => {
    const asked = wire.ask({ method: "GET", path, schema: COMMIT, cleanup });
    const commit = await ifThere(asked);
    return commit && { value: commit, bytes: commit.sha === sha ? COMMIT_BYTES : Infinity };
  });
}

/**
 * A tree by its own name or that of anything that leads to one; null where there is none. By the name of an object it is
 * asked for once.
 */
export async function treeOf(wire: RepoWire, name: string, recursive: boolean): Promise<Tree | null> {
  const query = recursive ? { recursive: "1" } : undefined;
  const path = `/git/trees/${encodeURIComponent(name)}`;
  const find = async () => {
    const asked = wire.ask({ method: "GET", path, query, schema: TREE, max_bytes: TREE_BYTES });
    const tree = await ifThere(asked);
    return tree && { value: tree, bytes: tree.sha === name ? bytesOfTree(tree) : Infinity };
  };
  if (!SHA_NAME.test(name)) return (await find())?.value ?? null;
  return await remembered(wire.ctx, "objects").once(`${recursive ? "whole" : "tree"} ${name}`, find);
}

/** What an entry takes beside its path, about. */
const ENTRY_BYTES = 240;
/** One that the host cut short is not kept. */
const bytesOfTree = ({ tree, truncated }: Tree) =>
  truncated ? Infinity : tree.reduce((sum, { path }) => sum + ENTRY_BYTES + 2 * path.length, ENTRY_BYTES);

/** The bytes of a blob of that size; those of a small one are asked for once. */
export async function blobOf(wire: RepoWire, sha: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
  if (size > SMALL_BYTES) return await bytesOfBlob(wire, sha, size);
  const found = await remembered(wire.ctx, "blobs").once(`blob ${sha}`, async () => {
    const value = await bytesOfBlob(wire, sha, size);
    return { value, bytes: value.byteLength + ENTRY_BYTES };
  });
  return found!;
}

async function bytesOfBlob(wire: RepoWire, sha: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const path = `/git/blobs/${sha}`;
  const { content } = await wire.ask({ method: "GET", path, schema: BLOB, max_bytes: bytesOnWire(size) });
  return await proven(wire, fromBase64(wire, content), sha);
}

/** The bytes, once they are those git names so: what is read may be written back. Throws RepoError where they are not. */
export async function proven(
  wire: RepoWire,
  bytes: Uint8Array<ArrayBuffer>,
  sha: string,
): Promise<Uint8Array<ArrayBuffer>> {
  if (await blobName(bytes) === sha) return bytes;
  throw unreadable(wire.repo, 200, false);
}

/** Bytes of base64 as the host writes it, line ends included. Throws RepoError where it is none. */
export function fromBase64(wire: RepoWire, text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    throw unreadable(wire.repo, 200, false);
  }
}

/** Makes a blob; answers its name. Nothing points to it yet. */
export async function makeBlob(wire: RepoWire, bytes: Uint8Array): Promise<string> {
  const json = { content: new InBase64(bytes), encoding: "base64" };
  return (await wire.ask({ method: "POST", path: "/git/blobs", json, schema: NAMED, effect: "read" })).sha;
}

/** One entry to put into a tree: text, the name of a blob, or null to take the path out. */
export type NewEntry =
  & { readonly path: string; readonly mode: string; readonly type: "blob" }
  & ({ readonly content: string } | { readonly sha: string | null });

/** Makes a tree of another with entries put in; answers its name. Nothing points to it yet. */
export async function makeTree(
  wire: RepoWire,
  base_tree: string | undefined,
  tree: readonly NewEntry[],
): Promise<string> {
  const json = { ...(base_tree === undefined ? {} : { base_tree }), tree };
  const schema = z.object({ sha: SHA });
  const asked = {
    method: "POST",
    path: "/git/trees",
    json,
    schema,
    effect: "read",
    max_bytes: TREE_BYTES,
  } as const;
  return (await wire.ask(asked)).sha;
}

/** A commit that was made, and the repository's address for people; null where the host does not tell it. */
export interface MadeCommit {
  readonly sha: string;
  readonly web: string | null;
}

/** Where a person looks at the repository, by the address of one of its commits. */
function webOf(html_url: string | null | undefined, sha: string): string | null {
  const end = `/commit/${sha}`;
  return html_url?.startsWith("http") && html_url.endsWith(end) ? html_url.slice(0, -end.length) : null;
}

/** Makes a commit. Nothing points to it yet. */
export async function makeCommit(
  wire: RepoWire,
  json: { message: string; tree: string; parents: readonly string[] },
): Promise<MadeCommit> {
  const asked = { method: "POST", path: "/git/commits", json, schema: COMMIT, effect: "read" } as const;
  const made = await wire.ask(asked);
  if (made.tree.sha !== json.tree) throw unreadable(wire.repo, 201, false);
  remembered(wire.ctx, "objects").set(`commit ${made.sha}`, made, COMMIT_BYTES);
  return { sha: made.sha, web: webOf(made.html_url, made.sha) };
}
