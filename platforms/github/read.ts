/** One file of a repository. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { allOrThrow } from "../../core/async.ts";
import { RepoError, unreadable } from "./errors.ts";
import { blobOf, fromBase64, proven, treeOf } from "./git.ts";
import { twinWords } from "./names.ts";
import { View } from "./view.ts";
import { encoded, noRef, type RepoWire } from "./wire.ts";

/** A file as it is now. */
export interface File {
  readonly path: string;
  /** git's name of the bytes. */
  readonly sha: string;
  readonly size: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where a person can look at it; null where the host does not say. */
  readonly html_url: string | null;
}

/** Which file; `path` is relative to the prefix, `limit` the most bytes it may have. */
export interface Wanted {
  readonly prefix: string | null;
  readonly path: string;
  /** The branch, tag or commit that was asked for; without one it is `branch`. */
  readonly ref?: string;
  readonly branch: string;
  readonly limit: number;
}

const FILE = z.object({
  type: z.string(),
  sha: z.string(),
  size: z.number(),
  content: z.string().catch(""),
  html_url: z.string().nullable().catch(null),
});
/** A folder's entries. */
export const LISTED = z.array(z.object({ name: z.string(), type: z.string(), sha: z.string() }));
/** A folder's listing ends there, silently. */
const LISTED_MAX = 1000;
const LOOKS = 3;

/**
 * The file at a path; looked at again when it changes meanwhile. Throws E_NOT_FOUND, E_BAD_PATH, E_FILE_TOO_LARGE,
 * RepoError.
 */
export async function readFile(wire: RepoWire, wanted: Wanted): Promise<File> {
  const { path, limit } = wanted;
  for (let look = 0; look < LOOKS; look++) {
    const found = await readListed(wire, wanted);
    if (found === null) continue;
    const { sha, size, content, html_url } = found;
    if (size > limit) throw tooLarge(path, `has ${size} bytes, over the ${limit} that are read`);
    const bytes = content === "" && size > 0
      ? await blobOf(wire, sha, size)
      : await proven(wire, fromBase64(wire, content), sha);
    return { path, sha, size, bytes, html_url };
  }
  throw unreadable(wire.repo, 200, false);
}

/**
 * What the host says of the file; null where it contradicts itself. The host follows links, and a link may lead to what
 * may not be read, so the folder is asked as well what the path really is.
 */
async function readListed(wire: RepoWire, wanted: Wanted): Promise<z.infer<typeof FILE> | null> {
  const { prefix, path, branch, ref = branch } = wanted;
  const full = prefix === null ? path : `${prefix}/${path}`;
  const folder = full.includes("/") ? full.slice(0, full.lastIndexOf("/")) : "";
  const [found, listed] = await allOrThrow(
    contents(wire, wanted, full, z.union([FILE, z.array(z.unknown())])),
    contents(wire, wanted, folder, z.union([LISTED, FILE])),
  );
  if (found === null || listed === null) return await missing(wire, wanted);
  if (Array.isArray(found)) throw noFile(path, "a folder");
  // In a folder's list the host calls a submodule a file.
  if (found.type !== "file" || !Array.isArray(listed)) throw noFile(path, "a link or a submodule");
  const entry = listed.find(({ name }) => `${folder && `${folder}/`}${name}` === full);
  if (entry && entry.type !== "file") throw noFile(path, "a link or a submodule");
  const beyond = listed.length >= LISTED_MAX && !entry;
  const real = beyond ? await inTree(wire, prefix, path, ref) : entry?.sha;
  return real === found.sha ? found : null;
}

/** Throws E_FILE_TOO_LARGE, RepoError; null where nothing is there. */
async function contents<T>(
  wire: RepoWire,
  { path: wanted, branch, ref = branch }: Wanted,
  full: string,
  schema: z.ZodType<T>,
): Promise<T | null> {
  const path = full === "" ? "/contents" : `/contents/${encoded(full)}`;
  try {
    return await wire.ask({ method: "GET", path, query: { ref }, schema });
  } catch (thrown) {
    if (!(thrown instanceof RepoError)) throw thrown;
    if (thrown.upstream === 404 || thrown.empty) return null;
    if (thrown.upstream === 403 && /up to \d+ MB/i.test(thrown.said)) {
      throw tooLarge(wanted, "is over the 100 MB that the host hands out");
    }
    throw thrown;
  }
}

/** Of a folder too large to be listed: git's name of the file, undefined where there is none. */
async function inTree(
  wire: RepoWire,
  prefix: string | null,
  path: string,
  ref: string,
): Promise<string | undefined> {
  return (await new View(wire, prefix, null, ref).find(path))?.sha;
}

/** Says what of it is missing. */
async function missing(wire: RepoWire, { prefix, path, branch, ref: given }: Wanted): Promise<never> {
  const ref = given ?? branch;
  const tree = await treeOf(wire, ref, false).catch((thrown) => {
    if (thrown instanceof RepoError && thrown.empty) return "empty";
    throw thrown;
  });
  if (tree === null) return await noRef(wire, ref, given !== undefined);
  const twin = tree === "empty" ? null : await new View(wire, prefix, null, ref).twin(path);
  const instead = twin === null
    ? "; list_static_files and list_md_from_repo name those there are"
    : `, but it has ${twinWords(path, twin)}; give that name exactly`;
  throw new GatewayError(
    "E_NOT_FOUND",
    `path: repository "${wire.repo}" has no file ${JSON.stringify(path)} at "${ref}"${instead}`,
  );
}

const noFile = (path: string, what: string) =>
  new GatewayError("E_BAD_PATH", `path: ${JSON.stringify(path)} is ${what}, not a file`);

const tooLarge = (path: string, what: string) =>
  new GatewayError("E_FILE_TOO_LARGE", `path: ${JSON.stringify(path)} ${what}; clone the repository for it`);
