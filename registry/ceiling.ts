/** What is left of a tool under a risk ceiling: whole, without what would raise it above, or nothing. */
import type { Tier } from "../core/model.ts";
import type { Schema } from "./dialect.ts";
import type { ToolEntry } from "./entry.ts";
import { definition, type Manifest } from "./manifest.ts";

/** What was left of each tool, by ceiling; the same object each time, so that its texts are written once. */
const LEFT = new WeakMap<ToolEntry, (ToolEntry | null)[]>();

/**
 * The tool as a caller of that ceiling is shown it; null where none of its calls would be let through. Values of an
 * argument that alone would raise it above are taken out of its schema, and the argument with them where one value is
 * left that it has anyway. What only sites, several arguments or the live state decide stays.
 */
export function underCeiling(entry: ToolEntry, ceiling: Tier): ToolEntry | null {
  const known = LEFT.get(entry) ?? [];
  LEFT.set(entry, known);
  return known[ceiling] ??= leftOf(entry, ceiling);
}

function leftOf(entry: ToolEntry, ceiling: Tier): ToolEntry | null {
  const { manifest } = entry;
  if (manifest.tier > ceiling) return null;
  const raise = manifest.raise.filter((one) => one.tier <= ceiling || !isNarrowing(one.when));
  if (raise.length === manifest.raise.length) return entry;
  let input = manifest.input;
  for (const { when, tier } of manifest.raise) {
    if (tier > ceiling && isNarrowing(when)) input = without(input, ...Object.entries(when)[0]!);
  }
  const left: Manifest = { ...manifest, raise, input };
  return { ...entry, manifest: left, definition: definition(left) };
}

/** Whether one value of one argument is all that a condition asks for. */
function isNarrowing(when: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(when);
  return names.length === 1 && names[0] !== "platform";
}

/** The schema without that value of an argument. */
function without(input: Schema, name: string, value: unknown): Schema {
  const { [name]: schema, ...others } = input.properties ?? {};
  if (schema === undefined) return input;
  const values = schema.type === "boolean" ? [true, false] : schema.enum ?? [];
  const left = values.filter((one) => one !== value);
  if (left.length === 0) return input;
  if (left.length === 1 && left[0] === schema.default) return { ...input, properties: others };
  const properties = { ...input.properties, [name]: { ...schema, enum: left } as Schema };
  return { ...input, properties };
}
