/** Files of a branch that a site is built from: what of them runs, where, and how they are named in a sentence. */
import { LIMITS } from "../core/model.ts";
import type { ScriptRaise } from "./code_pages/script_raises.ts";
import { runsInBuild } from "./file.ts";

/** Where script in a page or file runs. */
export const SHOWN_ON_BRANCH =
  "in the browser of everyone who opens the branch's preview, and of visitors once the site is deployed with it";

const NAMED_MAX = 5;

/** Files that the build runs as code, as what raises a write of them. */
export function builtRaises(
  files: readonly { readonly path: string; readonly bytes: Uint8Array | null }[],
): ScriptRaise[] {
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

/** Paths for a sentence, of many the first. */
export function named(paths: readonly string[]): string {
  const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
  return paths.slice(0, NAMED_MAX).map((path) => JSON.stringify(path)).join(", ") + more;
}
