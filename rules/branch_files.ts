/** Files of a branch that a site is built from: what of them runs, where, and how they are named in a sentence. */
import { LIMITS } from "../core/model.ts";
import type { ScriptRaise } from "./code_pages/script_raises.ts";
import { scriptRaises } from "./code_pages/script_raises.ts";
import { isShown, runsAsServed, runsInBuild } from "./file.ts";

/** Where script in a page or file runs. */
export const SHOWN_ON_BRANCH =
  "in the browser of everyone who opens the branch's preview, and of visitors once the site is deployed with it";

const NAMED_MAX = 5;
/** Where a document has one of these it may be read in another encoding, in which other parts of it are script. */
// deno-lint-ignore no-control-regex
const OTHER_ENCODING = /[\0-\x08\x0b\x0e-\x1f]/;

/** What one file makes of the call that writes it, by what runs it where; `name` is the argument that holds its text. */
export async function fileRaises(path: string, bytes: Uint8Array, name = path): Promise<ScriptRaise[]> {
  const raises = [...builtRaises([{ path, bytes }]), ...servedRaises([path])];
  if (!isShown(path) && !(path.startsWith("public/") && beginsAsMarkup(bytes))) return raises;
  const text = textOf(bytes);
  if (text === null) return [...raises, mayHoldScript([path])];
  return [...raises, ...await scriptRaises({ [name]: text }, SHOWN_ON_BRANCH)];
}

/** The text that every browser reads the bytes as; null where they could be read in two ways. */
function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return OTHER_ENCODING.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** Files below public that browsers run, or that say what they run. */
export function servedRaises(paths: readonly string[]): ScriptRaise[] {
  const served = paths.filter(runsAsServed);
  if (served.length === 0) return [];
  const verb = served.length === 1 ? "is or decides" : "are or decide";
  return [{ tier: 2, because: `${named(served)} ${verb} what runs ${SHOWN_ON_BRANCH}` }];
}

/** Documents whose script nobody has looked for. */
export function documentRaises(paths: readonly string[]): ScriptRaise[] {
  const shown = paths.filter(isShown);
  return shown.length === 0 ? [] : [mayHoldScript(shown)];
}

/** Files that nobody has read and that could be documents. */
export const unreadRaises = (paths: readonly string[]): ScriptRaise[] =>
  paths.length === 0 ? [] : [mayHoldScript(paths)];

const mayHoldScript = (paths: readonly string[]): ScriptRaise => ({
  tier: 2,
  because: `${named(paths)} may hold script, which then runs ${SHOWN_ON_BRANCH}`,
});

/** Marks of encodings, and white space in one or two bytes. */
const BEFORE_MARKUP = new Set([0xef, 0xbb, 0xbf, 0xfe, 0xff, 0, 9, 10, 12, 13, 32]);

/** Whether a file could be shown as HTML or XML whatever it is called: there are a hundred names for kinds of XML. */
const beginsAsMarkup = (bytes: Uint8Array): boolean => bytes.find((one) => !BEFORE_MARKUP.has(one)) === 0x3c;

/** Files that the build runs as code, as what raises a write of them. */
export function builtRaises(
  files: readonly { readonly path: string; readonly bytes: Uint8Array | null }[],
): ScriptRaise[] {
  const styleOf = (bytes: Uint8Array | null) =>
    new TextDecoder().decode(bytes?.subarray(0, LIMITS.STATIC_FILE_BYTES));
  const run = files.filter(({ path, bytes }) => runsInBuild(path, () => styleOf(bytes))).map(({ path }) =>
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
