/** What is known of a write once it was made: whether it was stored as asked for, and what else to say of it. */
import type { ContentProof } from "../../core/content.ts";
import type { Change } from "../../core/model.ts";
import { nearest } from "../../core/nearest.ts";
import type { Resolved } from "./resolved.ts";
import { shownName } from "./unheld.ts";

/** What was found of a write. */
export interface Verdict {
  readonly verified: boolean | null;
  /** Why `verified` is null. */
  readonly reason?: string;
  readonly warnings: readonly string[];
  readonly changes: readonly Change[];
  /** The record that was written, where another of the site's own tools shows it. */
  readonly shown?: Readonly<Record<string, unknown>>;
}

/** A verdict of a write that nothing proves. */
export const unproven = (reason: string): Verdict => ({ verified: null, reason, warnings: [], changes: [] });

/** Why nothing is proven where nothing can be asked. */
export const NO_READER = "The site has no tool of its own that reads back what this one writes";

/** A verdict as a caller is told it. */
export function proofOf({ verified, reason, warnings }: Verdict): ContentProof {
  const why = verified === null ? { verified_reason: reason ?? NO_READER } : {};
  return { verified, ...why, warnings };
}

const SHOWN_MAX = 5;
const NAME_CHARACTERS = 64;

/** The arguments that the tool's schema does not name; none where it leaves room for others, or names none at all. */
function unknownArguments({ target: { input_schema }, targetArgs }: Resolved): [string, string | null][] {
  const { properties, additionalProperties, patternProperties } = input_schema;
  const known = Object.keys(typeof properties === "object" && properties !== null ? properties : {});
  const isOpen = (additionalProperties ?? false) !== false || patternProperties !== undefined;
  if (known.length === 0 || isOpen) return [];
  const served = known.map(shownName);
  return Object.keys(targetArgs).filter((name) => !known.includes(name))
    .map((name) => [name, nearest(name, served)]);
}

/** The arguments that the tool may ignore, a sentence each. */
export function ignoredArguments(call: Resolved): string[] {
  return unknownArguments(call).slice(0, SHOWN_MAX).map(([name, near]) =>
    `${name.slice(0, NAME_CHARACTERS)}: the site's own tool names no such argument, and may have ignored it` +
    (near === null ? "" : `; did you mean ${near}`)
  );
}

/** What was found of a write, with the arguments that its tool may have ignored. */
export function judged(verdict: Verdict, call: Resolved): Verdict {
  const warnings = ignoredArguments(call);
  if (warnings.length === 0) return verdict;
  const proof = verdict.verified === true
    ? { verified: null, reason: "Not all arguments are ones that the site's own tool names" }
    : {};
  return { ...verdict, ...proof, warnings: [...verdict.warnings, ...warnings] };
}
