/** What a write to a static site would do, as its preview shows it. */
import type { Change } from "../../core/model.ts";
import type { Planned, Pushed } from "../../platforms/github/client.ts";
import type { Revision } from "../../registry/tool.ts";
import { branchWords, type Standing } from "./_target.ts";

export {
  builtRaises,
  documentRaises,
  fileRaises,
  named,
  servedRaises,
  SHOWN_ON_BRANCH,
  unreadRaises,
} from "../../rules/branch_files.ts";

/** A page or file as a preview shows it: where, which file, how large. */
export interface Shown {
  readonly path: string;
  readonly sha: string | null;
  readonly size: number | null;
  /** null when it would be taken out. */
  readonly bytes: number | null;
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
