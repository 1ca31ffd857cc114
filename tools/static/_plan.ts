/** What a write to a static site would do, as its preview shows it. */
import { isShown, runsInBuild } from "../../rules/file.ts";
import { type Change, LIMITS } from "../../core/model.ts";
import type { Planned, Pushed } from "../../platforms/github/client.ts";
import type { Raise, Revision } from "../../registry/tool.ts";
import { branchWords, type Standing } from "./_target.ts";

/** A page or file as a preview shows it: where, which file, how large. */
export interface Shown {
  readonly path: string;
  readonly sha: string | null;
  readonly size: number | null;
  /** null when it would be taken out. */
  readonly bytes: number | null;
}

/** Where script in a page or file runs. */
export const SHOWN_ON_BRANCH =
  "in the browser of everyone who opens the branch's preview, and of visitors once the site is deployed with it";

const NAMED_MAX = 5;

/** Files that the build runs as code, as what raises a write of them. */
export function builtRaises(
  files: readonly { readonly path: string; readonly bytes: Uint8Array | null }[],
): Raise[] {
  const textOf = (bytes: Uint8Array | null) =>
    new TextDecoder().decode(bytes?.subarray(0, LIMITS.STATIC_FILE_BYTES));
  const run = files.filter(({ path, bytes }) => runsInBuild(path, () => textOf(bytes))).map(({ path }) =>
    path
  );
  if (run.length === 0) return [];
  const [verb, whose] = run.length === 1 ? ["is", "its"] : ["are", "their"];
  return [{
    tier: 2,
    because: `${
      named(run)
    } ${verb} source that the build of the branch runs, ${whose} code with the build's own rights`,
  }];
}

/** Documents among many files, whose script nobody has looked for. */
export function documentRaises(paths: readonly string[]): Raise[] {
  const shown = paths.filter(isShown);
  return shown.length === 0
    ? []
    : [{ tier: 2, because: `${named(shown)} may hold script, which then runs ${SHOWN_ON_BRANCH}` }];
}

/** Paths for a sentence, of many the first. */
export function named(paths: readonly string[]): string {
  const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
  return paths.slice(0, NAMED_MAX).map((path) => JSON.stringify(path)).join(", ") + more;
}

/** The files as they stand, by path; null where there is none. */
export const revisionOf = (files: readonly Pick<Shown, "path" | "sha">[]): Revision =>
  Object.fromEntries(files.map(({ path, sha }) => [path, sha]));

/** What the write relies on, as the plan found it; a caller who names the sha is told by that: E_SHA_MISMATCH. */
export const plannedOn = (
  { view }: Pick<Standing, "view">,
  { revision }: { readonly revision: Revision },
  { sha }: { readonly sha?: string } = {},
): Planned | undefined => sha === undefined ? { commit: view.commit, files: revision } : undefined;

/** Sentence and changes of a preview: what happens, on which branch, and each file's bytes before and after. */
export function planOf(
  what: string,
  to: Pick<Standing, "branch" | "merged">,
  files: readonly Shown[],
): { summary: string; changes: Change[]; revision: Revision; paths: string[] } {
  return {
    summary: `${what} on ${branchWords(to)}`,
    changes: [
      { field: "branch", from: null, to: to.branch ?? "a new preview branch" },
      ...files.map(({ path, sha, size, bytes }) => ({
        field: path,
        from: sha === null ? null : { sha, bytes: size },
        to: bytes === null ? null : { bytes },
      })),
    ],
    revision: revisionOf(files),
    paths: files.map(({ path }) => path),
  };
}

/** The changes of a plan as they were made: the branch by its name, which the preview of a new one cannot know. */
export function madeOn(
  { branch, unchanged }: Pick<Pushed, "branch" | "unchanged">,
  changes: readonly Change[],
): readonly Change[] {
  const [, ...files] = changes;
  return unchanged ? changes : [{ field: "branch", from: null, to: branch }, ...files];
}
