/** Schemas of what people send, whose faults are sentences: what was expected, what came instead, which names are known. */
import { z } from "zod";
import { nearest } from "./nearest.ts";
import { cut } from "./values.ts";

const SHOWN_CHARACTERS = 60;
const UNKNOWN_KEYS_MAX = 20;

/** A text in quotes, control characters escaped, cut where it is long. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text, SHOWN_CHARACTERS));
}

function shown(value: unknown, hidden: boolean): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "string") return hidden ? "that text" : quoted(value);
  return hidden && value !== null ? `a ${typeof value}` : String(value);
}

type Explain = (issue: { readonly input?: unknown }) => string;

/** Says that `allowed` was expected; a hidden value is never quoted. */
export function expected(allowed: string, hidden = false): Explain {
  return ({ input }) =>
    input === undefined ? "is required" : `expected ${allowed}, not ${shown(input, hidden)}`;
}

/** "did you mean …", or the names that are allowed there. */
export function hint(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === null ? `known are ${known.join(", ")}` : `did you mean ${near}`;
}

/** An object that holds these fields and no other. */
export function closed<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  const explain = expected("an object");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? JSON.stringify(issue.keys.slice(0, UNKNOWN_KEYS_MAX).map((key) => [key, hint(key, known)]))
        : explain(issue),
  });
}

/** A text of that form; `allowed` says in words which. */
export function text(allowed: string, pattern: RegExp, hidden = false) {
  const error = expected(allowed, hidden);
  return z.string({ error }).regex(pattern, { error });
}

/** One of these words. */
export function choice<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: expected(`one of ${values.join(", ")}`) });
}

/** True or false. */
export const yesNo = z.boolean({ error: expected("true or false") });
