/** Files as they stood before a write: kept by git's names of their blobs, and read again to be put back. */
import { GatewayError } from "../../core/errors.ts";
import type { RepoClient } from "./client.ts";
import { SET_BACK } from "./names.ts";
import type { Pushed } from "./push.ts";
import type { View } from "./view.ts";

/** A file that was there before a write. */
export interface Former {
  readonly path: string;
  /** git's name of its bytes, which the host keeps as long as a commit leads to them. */
  readonly sha: string;
  readonly bytes: number;
}

/** A file as a write finds it; null where there is none. */
interface Found {
  readonly path: string;
  readonly sha: string | null;
  readonly size: number | null;
}

const THERE = "file ";
const ABSENT = "no file ";

/**
 * What is kept of files that are about to be written: of each git's name of it, or that it is not there. Null where none
 * of them is there, as what was only made is never taken out again, unless the `absent` are kept too.
 */
export function keptFiles(files: readonly Found[], absent = false): Readonly<Record<string, unknown>> | null {
  if (!absent && files.every(({ sha }) => sha === null)) return null;
  return Object.fromEntries(
    files.map(({ path, sha, size }) =>
      sha === null ? [ABSENT + path, true] : [THERE + path, { sha, bytes: size ?? 0 }]
    ),
  );
}

/** The files to put back, and those that were not there before, which stay. */
export function formerOf(
  kept: Readonly<Record<string, unknown>>,
): { readonly files: readonly Former[]; readonly made: readonly string[] } {
  const files: Former[] = [];
  const made: string[] = [];
  for (const [name, value] of Object.entries(kept)) {
    if (name.startsWith(ABSENT)) made.push(name.slice(ABSENT.length));
    if (!name.startsWith(THERE)) continue;
    files.push({ path: name.slice(THERE.length), ...value as Omit<Former, "path"> });
  }
  return { files, made };
}

/** What is kept before a write: what names it, the branch among that, and the files that it replaces. */
interface Kept {
  readonly of: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * What `leaving` of a write's result takes: the files that a push replaced as it left them, where it made a commit, and
 * what was kept before it with the branch's name, where only the push tells that.
 */
export function leavingOf<Before extends Kept>(
  before: Before | undefined,
  { branch, shas, unchanged }: Pick<Pushed, "branch" | "shas" | "unchanged">,
): [left: Readonly<Record<string, string | null>> | undefined, before?: Before] {
  if (before === undefined || unchanged) return [undefined];
  const left = Object.fromEntries(
    formerOf(before.values).files.map(({ path }) => [path, shas.get(path) ?? null]),
  );
  return before.of["branch"] === branch ? [left] : [left, { ...before, of: { ...before.of, branch } }];
}

/** Puts them back in one commit, by the names of their blobs, and takes out the paths that were not there. */
export const commitFormer = (
  client: RepoClient,
  target: Parameters<RepoClient["push"]>[0],
  files: readonly Former[],
  out: readonly string[] = [],
): Promise<Pushed> =>
  client.push(target, () =>
    Promise.resolve([
      ...files.map(({ path, sha }) => ({ path, blob: sha })),
      ...out.map((path) => ({ path, bytes: null })),
    ]));

/** What a commit that puts files back is called. */
export const commitFormerLine = (paths: readonly string[]): string =>
  `${SET_BACK}${paths.length === 1 ? paths[0]! : `${paths.length} files`}`;

/**
 * The branch that was written to, rights to write proven; reads only. Throws E_STALE_PREVIEW where it is gone, or another
 * branch is deployed now.
 */
export async function branchWritten(client: RepoClient, branch: string, isDeployed: boolean): Promise<View> {
  const deployed = await client.deployedBranch();
  await client.requireWrite();
  if ((branch === deployed) !== isDeployed) throw isOther(branch, deployed);
  if (await client.head(branch) === null) throw isGone(branch);
  return await client.view(branch);
}

const isOther = (branch: string, deployed: string) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `The change was made on branch "${branch}", and the site's branch is "${deployed}" now, so nothing is set back; look ` +
      "at what stands there, and change it with the tool that did",
  );

const isGone = (branch: string) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `Branch "${branch}", which the change was made on, is not there any more, so there is nothing to set back; what was ` +
      "merged from it stands on another branch, and is changed there",
  );

/** The bytes that stood there. Throws E_NOT_FOUND where the host has dropped them. */
export async function formerBytes(view: View, { path, sha, bytes }: Former): Promise<Uint8Array> {
  try {
    return await view.bytes({ sha, size: bytes });
  } catch (thrown) {
    const { dropped, RepoError } = await import("./errors.ts"); // what words failures is large, and not needed to start
    if (thrown instanceof RepoError && thrown.upstream === 404) throw dropped(path, sha);
    throw thrown;
  }
}
