/** What is wrong with a body, one sentence a fault, each naming its field. */
import { z } from "zod";
import { GatewayError } from "./errors.ts";
import { quoted } from "./fields.ts";

export { closed, expected, hint, quoted } from "./fields.ts";

const FAULTS_MAX = 20;

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
  return new GatewayError("E_BAD_INPUT", told.join("; "), { faults: told });
}

/** Throws E_BAD_INPUT when there is any fault. */
export function refuseAny(faults: readonly string[]): void {
  if (faults.length > 0) throw refused(faults);
}
