/** The schemas that manifests share by name, put in place of `{ $ref: name }`. */
import type { Schema } from "./dialect.ts";

/** The shared schemas a manifest may name as `{ $ref: id }`. */
export const SHARED: Readonly<Record<string, Schema>> = {
  id: {
    anyOf: [
      { type: "integer", minimum: 1 },
      { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$" },
    ],
  },
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Replaces every `{ $ref: name, … }` by the shared schema of that name, of SHARED or of those given; an unknown name
 * stays, for `faults` to report.
 */
export function resolveShared(schema: unknown, more: Readonly<Record<string, Schema>> = {}): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolveShared(one, more));
  if (!isRecord(schema)) return schema;
  const { $ref, ...rest } = schema;
  const shared = typeof $ref === "string" ? SHARED[$ref] ?? more[$ref] : undefined;
  if (shared) return { ...shared, ...rest };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolveShared(value, more)]));
}
