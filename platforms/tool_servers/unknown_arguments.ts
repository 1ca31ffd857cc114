/** Arguments of a write that the site's own tool does not name: such tools ignore them, and report a success. */
import { nearest } from "../../core/nearest.ts";
import { bareName } from "../../rules/proxied/arguments.ts";
import type { Verdict } from "./read_back.ts";
import type { Resolved } from "./resolved.ts";

/** Where in a request an argument goes, which callers are not shown. */
const PREFIXES = ["path_", "query_", "body_"];
const SHOWN_MAX = 5;
const NAME_CHARACTERS = 64;

/** The arguments that the tool's schema does not name; none where it leaves room for others, or names none at all. */
function unknownArguments({ target, targetArgs }: Resolved): [string, string | null][] {
  const { input_schema, shown_by } = target;
  const { properties, additionalProperties, patternProperties } = input_schema;
  const known = Object.keys(typeof properties === "object" && properties !== null ? properties : {});
  const isOpen = (additionalProperties ?? false) !== false || patternProperties !== undefined;
  if (known.length === 0 || isOpen) return [];
  const served = known.map((name) => bareName(name, PREFIXES));
  const isKnown = (name: string) =>
    known.includes(name) || (shown_by !== undefined && bareName(name, PREFIXES) === shown_by.id);
  return Object.keys(targetArgs).filter((name) => !isKnown(name))
    .map((name) => [name, nearest(name, served)]);
}

/** What was found of a write, with what of it nobody can have done. */
export function judged(verdict: Verdict, call: Resolved): Verdict {
  const unknown = unknownArguments(call);
  if (unknown.length === 0) return verdict;
  const warnings = unknown.slice(0, SHOWN_MAX).map(([name, near]) =>
    `${name.slice(0, NAME_CHARACTERS)}: the site's own tool names no such argument, and may have ignored it` +
    (near === null ? "" : `; did you mean ${near}`)
  );
  const proof = verdict.verified === true
    ? { verified: null, reason: "Not all arguments are ones that the site's own tool names" }
    : {};
  return { ...verdict, ...proof, warnings: [...verdict.warnings, ...warnings] };
}
