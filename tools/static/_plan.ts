/** What a write to a static site would do, as its preview shows it. */
import type { Change } from "../../model.ts";
import type { Pushed } from "../../platforms/github/client.ts";
import type { Revision } from "../../registry/tool.ts";
import { branchWords, type Standing } from "./_target.ts";

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

/** Sentence and changes of a preview: what happens, on which branch, and each file's bytes before and after. */
export function planOf(
  what: string,
  { branch }: Pick<Standing, "branch">,
  files: readonly Shown[],
): { summary: string; changes: Change[]; revision: Revision } {
  return {
    summary: `${what} on ${branchWords(branch)}`,
    changes: [
      { field: "branch", from: null, to: branch ?? "a new preview branch" },
      ...files.map(({ path, sha, size, bytes }) => ({
        field: path,
        from: sha === null ? null : { sha, bytes: size },
        to: bytes === null ? null : { bytes },
      })),
    ],
    revision: revisionOf(files),
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
