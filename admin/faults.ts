/** What is wrong with a body, one sentence a fault, each naming its field. */
import { z } from "zod";
import { GatewayError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";

const SHOWN_CHARACTERS = 60;
const FAULTS_MAX = 20;

/** A text in quotes, control characters escaped, cut where it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}

function shown(value: unknown, hidden: boolean): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "string") return hidden ? "that text" : quoted(value);
  return hidden && value !== null ? `a ${typeof value}` : String(value);
}

type Explain = (issue: { readonly input?: unknown }) => string;

/** Tells that `allowed` was expected; a hidden value is never quoted. */
export function expected(allowed: string, hidden = false): Explain {
  return ({ input }) =>
    input === undefined ? "is required" : `expected ${allowed}, not ${shown(input, hidden)}`;
}

/** "did you mean …", or the names that may stand there. */
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
        ? JSON.stringify(issue.keys.slice(0, FAULTS_MAX).map((key) => [key, hint(key, known)]))
        : explain(issue),
  });
}

function place(path: readonly PropertyKey[]): string {
  return path.map((step, at) => typeof step === "number" ? `[${step}]` : `${at ? "." : ""}${String(step)}`)
    .join("");
}

function sentences(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") {
    // `closed` wrote it so: a message is all that an issue carries.
    return (JSON.parse(issue.message) as [string, string][]).map(([key, said]) => {
      const name = /^[\w-]{1,60}$/.test(key) ? key : quoted(key);
      return `${place([...issue.path, name])}: unknown field, ${said}`;
    });
  }
  const at = place(issue.path);
  if (at === "") return [`The body: ${issue.message}`];
  return [issue.message === "is required" ? `${at} is required` : `${at}: ${issue.message}`];
}

/** The value as the schema gives it back; throws E_BAD_INPUT with every fault. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  throw refused(found.error.issues.flatMap(sentences));
}

/** The refusal that tells these faults. */
export function refused(faults: readonly string[]): GatewayError {
  const told = faults.slice(0, FAULTS_MAX);
  if (faults.length > told.length) told.push(`and ${faults.length - told.length} more`);
  return new GatewayError("E_BAD_INPUT", told.join("; "));
}

/** Throws E_BAD_INPUT when there is any fault. */
export function refuseAny(faults: readonly string[]): void {
  if (faults.length > 0) throw refused(faults);
}
