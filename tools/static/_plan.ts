/** What a write to a static site would do, as its preview shows it. */
import type { Change } from "../../model.ts";
import type { Pushed } from "../../platforms/github/client.ts";
import { branchWords, type Standing } from "./_target.ts";

/** A page or file as a preview shows it: where, which file, how large. */
export interface Shown {
  readonly path: string;
  readonly sha: string | null;
  readonly size: number | null;
  /** null when it would be taken out. */
  readonly bytes: number | null;
}

/** Sentence and changes of a preview: what happens, on which branch, and each file's bytes before and after. */
export function planOf(
  what: string,
  { branch, view }: Pick<Standing, "branch" | "view">,
  files: readonly Shown[],
): { summary: string; changes: Change[]; revision: string | null } {
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
    revision: view.commit,
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
