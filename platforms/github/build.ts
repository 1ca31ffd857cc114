/** The tree of a commit: made of another with files put in and taken out, and read back before anything points to it. */
import { isUtf8 } from "node:buffer";
import { GatewayError } from "../../core/errors.ts";
import { asDropped, RepoError } from "./errors.ts";
import { makeBlob, makeTree, type NewEntry, treeOf } from "./git.ts";
import { View } from "./view.ts";
import { blobName } from "./names.ts";
import { forgetBlobs, storedBlobs, withStored } from "./stored_blobs.ts";
import type { RepoWire } from "./wire.ts";

/** What becomes of one path: its new bytes, or null to take it out; or git's name of bytes that the host has. */
export type Edit =
  & {
    /** Relative to the site's prefix. */
    readonly path: string;
  }
  & ({ readonly bytes: Uint8Array | null; readonly blob?: never } | {
    readonly bytes?: never;
    readonly blob: string;
    /** git's mode where the commit has another, or none. Default: as it stands, else 100644. */
    readonly mode?: string;
  });

/**
 * What one tree may carry as text before the host times out, and how many entries (docs/upstreams/github.md, "Contents,
 * git objects, branches").
 */
export const TREE_TEXT_BYTES = 1.5 * 1024 * 1024;
export const TREE_ENTRIES = 150;
const BLOBS_IN_FLIGHT = 4;

/** The edits with their paths in the repository. */
export const inFull = (prefix: string | null, edits: readonly Edit[]): Edit[] =>
  edits.map((edit) => ({ ...edit, path: prefix === null ? edit.path : `${prefix}/${edit.path}` }));

/**
 * Makes the tree of the view with the edits in it (the view's own where they change nothing), and proves that it holds
 * them and nothing else has changed. Throws RepoError where it does not, E_NOT_FOUND where the host has not the bytes that
 * an edit names.
 */
export async function build(
  wire: RepoWire,
  prefix: string | null,
  view: View,
  edits: readonly Edit[],
): Promise<{ tree: string; shas: Map<string, string> }> {
  const full = inFull(prefix, edits);
  const pieces: Piece[] = [];
  const shas = new Map<string, string>();
  let count = await view.count();
  for (const [at, edit] of edits.entries()) {
    const { path, bytes = null, blob } = edit;
    const standing = await view.find(path);
    const name = blob ?? (bytes && await blobName(bytes));
    if (name !== null) shas.set(path, name);
    const mode = ("mode" in edit ? edit.mode : undefined) ?? standing?.mode ?? "100644";
    if (name === (standing?.sha ?? null) && mode === (standing?.mode ?? mode)) continue;
    if (count !== null) count += Number(name !== null) - Number(standing !== null);
    pieces.push({
      path: full[at]!.path,
      bytes,
      name,
      isThere: blob !== undefined,
      mode,
    });
  }
  let tree = view.tree ?? undefined;
  if (pieces.length === 0 && tree !== undefined) return { tree, shas };
  try {
    for (const chunk of chunks(pieces)) tree = await treeWith(wire, tree, chunk);
  } catch (thrown) {
    throw withStored(wire, thrown, () => pieces.filter(goesThroughBlob).map((piece) => piece.name!));
  }
  if (tree === undefined) throw new GatewayError("E_INTERNAL", "A commit without a file was to be made");
  await prove(wire, tree, new Map(pieces.map(({ path, name }) => [path, name])), count);
  return { tree, shas };
}

interface Piece {
  readonly path: string;
  readonly bytes: Uint8Array | null;
  readonly mode: string;
  readonly name: string | null;
  /** Whether the host has the bytes, so that their name is enough. */
  readonly isThere: boolean;
}

const goesThroughBlob = ({ bytes, isThere }: Piece) => !isThere && bytes !== null && asText(bytes) === null;

async function treeWith(wire: RepoWire, tree: string | undefined, pieces: readonly Piece[]) {
  try {
    return await makeTree(wire, tree, await entries(wire, pieces));
  } catch (thrown) {
    // A tree refused for its content may name a blob that the host has dropped: the next call sends all of them again.
    if (thrown instanceof RepoError && thrown.upstream === 422) forgetBlobs(wire);
    const blobs = pieces.flatMap(({ path, name, isThere }) => isThere ? [{ path, sha: name! }] : []);
    throw asDropped(thrown, blobs);
  }
}

/** Pieces in runs that one tree request carries well. */
function* chunks(pieces: readonly Piece[]): Generator<Piece[]> {
  let chunk: Piece[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    const size = piece.bytes && asText(piece.bytes) !== null ? piece.bytes.byteLength : 0;
    if (chunk.length > 0 && (chunk.length >= TREE_ENTRIES || bytes + size > TREE_TEXT_BYTES)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(piece);
    bytes += size;
  }
  yield chunk;
}

/** What a tree carries itself, as text; everything else goes through a blob. */
function asText(bytes: Uint8Array): string | null {
  if (bytes.byteLength > TREE_TEXT_BYTES) return null;
  return isUtf8(bytes) ? DECODER.decode(bytes) : null;
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** The entries of one tree, blobs sent first; one that fails ends the sending of the others, and none is left under way. */
async function entries(wire: RepoWire, pieces: readonly Piece[]): Promise<NewEntry[]> {
  const made: NewEntry[] = new Array(pieces.length);
  const left = pieces.entries();
  let failed: { readonly thrown: unknown } | undefined;
  const work = async () => {
    for (const [at, piece] of left) {
      try {
        made[at] = await entry(wire, piece);
      } catch (thrown) {
        failed ??= { thrown };
      }
      // Every worker draws from the same list: whoever ends it ends it for all.
      if (failed) break;
    }
  };
  await Promise.all(Array.from({ length: BLOBS_IN_FLIGHT }, work));
  if (failed) throw failed.thrown;
  return made;
}

async function entry(wire: RepoWire, { path, bytes, mode, name, isThere }: Piece): Promise<NewEntry> {
  const file = { path, mode, type: "blob" } as const;
  if (isThere || bytes === null) return { ...file, sha: name };
  const text = asText(bytes);
  if (text !== null) return { ...file, content: text };
  const stored = storedBlobs(wire);
  if (!stored.has(name!)) {
    await provenBlob(wire, bytes, name!);
    stored.add(name!);
  }
  return { ...file, sha: name };
}

async function provenBlob(wire: RepoWire, bytes: Uint8Array, name: string): Promise<void> {
  const sha = await makeBlob(wire, bytes);
  if (sha === name) return;
  throw new RepoError(
    `Repository "${wire.repo}": the host stored other bytes than were sent; nothing was pushed`,
    502,
    "",
  );
}

/** Reads the tree back before anything points to it. */
async function prove(
  wire: RepoWire,
  name: string,
  wanted: ReadonlyMap<string, string | null>,
  count: number | null,
): Promise<void> {
  const tree = await treeOf(wire, name, true);
  if (tree?.truncated) return await proveOneByOne(wire, name, wanted);
  const files = (tree?.tree ?? []).filter(({ type }) => type !== "tree");
  const found = new Map(files.map(({ path, sha }) => [path, sha]));
  const wrong = [...wanted].find(([path, sha]) => (found.get(path) ?? null) !== sha);
  if (tree && !wrong && (count === null || count === files.length)) return;
  throw unproven(wire, wrong?.[0]);
}

async function proveOneByOne(
  wire: RepoWire,
  name: string,
  wanted: ReadonlyMap<string, string | null>,
): Promise<void> {
  const view = new View(wire, null, null, name);
  for (const [path, sha] of wanted) {
    if (((await view.find(path))?.sha ?? null) !== sha) throw unproven(wire, path);
  }
}

const unproven = (wire: RepoWire, path: string | undefined) =>
  new RepoError(
    `Repository "${wire.repo}": the host built another tree than was asked for` +
      `${path === undefined ? "" : ` (${JSON.stringify(path)})`}; nothing was pushed: try again`,
    502,
    "",
  );
