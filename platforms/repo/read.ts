/** One file of a repository. */
import { z } from "zod";
import { GatewayError } from "../../errors.ts";
import { together } from "../waiting.ts";
import { blobOf, fromBase64, proven, treeOf } from "./git.ts";
import { RepoError, unreadable } from "./errors.ts";
import { View } from "./view.ts";
import { encoded, type RepoWire } from "./wire.ts";

/** A file as it stands. */
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
  readonly ref: string;
  readonly limit: number;
}

const FILE = z.object({
  type: z.string(),
  sha: z.string(),
  size: z.number(),
  content: z.string().catch(""),
  html_url: z.string().nullable().catch(null),
});
const LISTED = z.array(z.object({ name: z.string(), type: z.string(), sha: z.string() }));
/** A folder's listing ends there, silently. */
const LISTED_MAX = 1000;

/**
 * The file at a path. The host follows links, and a link may lead to what may not be read, so the folder is asked as
 * well what the path really is. Throws E_NOT_FOUND, E_BAD_PATH, E_FILE_TOO_LARGE, RepoError.
 */
export async function readFile(wire: RepoWire, wanted: Wanted): Promise<File> {
  const { prefix, path, ref, limit } = wanted;
  const full = prefix === null ? path : `${prefix}/${path}`;
  const folder = full.includes("/") ? full.slice(0, full.lastIndexOf("/")) : "";
  const [found, listed] = await together(
    contents(wire, full, ref, z.union([FILE, z.array(z.unknown())])),
    contents(wire, folder, ref, z.union([LISTED, FILE])),
  );
  if (found === null || listed === null) throw missing(wire, wanted);
  if (Array.isArray(found)) throw noFile(path, "a folder");
  const entry = Array.isArray(listed)
    ? listed.find(({ name }) => `${folder && `${folder}/`}${name}` === full)
    : null;
  const beyond = Array.isArray(listed) && listed.length >= LISTED_MAX && !entry;
  const real = beyond ? await inTree(wire, wanted) : entry && entry.type === "file" ? entry.sha : null;
  if (real === null) throw noFile(path, "a link or a submodule");
  if (real !== found.sha) throw unreadable(wire.repo, 200, false);
  if (found.size > limit) {
    throw new GatewayError(
      "E_FILE_TOO_LARGE",
      `path: ${
        JSON.stringify(path)
      } has ${found.size} bytes, over the ${limit} that are read; clone the repository for it`,
    );
  }
  const { sha, size, html_url } = found;
  const bytes = found.content === "" && size > 0
    ? await blobOf(wire, sha, size)
    : await proven(wire, fromBase64(wire, found.content), sha);
  return { path, sha, size, bytes, html_url };
}

async function contents<T>(
  wire: RepoWire,
  full: string,
  ref: string,
  schema: z.ZodType<T>,
): Promise<T | null> {
  const path = full === "" ? "/contents" : `/contents/${encoded(full)}`;
  try {
    return await wire.ask({ method: "GET", path, query: { ref }, schema });
  } catch (thrown) {
    if (thrown instanceof RepoError && (thrown.upstream === 404 || thrown.empty)) return null;
    throw thrown;
  }
}

/** Of a folder too large to be listed: git's name of the file, null when it is none. */
async function inTree(wire: RepoWire, { prefix, path, ref }: Wanted): Promise<string | null> {
  const tree = await treeOf(wire, ref, false);
  return tree && ((await new View(wire, prefix, null, ref).find(path))?.sha ?? null);
}

const missing = (wire: RepoWire, { path, ref }: Wanted) =>
  new GatewayError(
    "E_NOT_FOUND",
    `path: repository "${wire.repo}" has no file ${
      JSON.stringify(path)
    } at "${ref}"; list the files to see what is there`,
  );

const noFile = (path: string, what: string) =>
  new GatewayError("E_BAD_PATH", `path: ${JSON.stringify(path)} is ${what}, not a file`);
