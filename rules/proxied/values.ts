/** Which values of arguments are shown of sites' own tools: none that a write would be refused for. */
import { payloadFault } from "./payload.ts";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keywords whose schemas stand where the schema they are in does. */
const SAME_PLACE = ["anyOf", "oneOf", "allOf"] as const;

/**
 * The schema of a write without the values of arguments that would publish, or set a status to more than a draft, which
 * are refused. With `anyStatus` for records whose states are none of content's.
 */
export function withoutPublishing(
  schema: Record<string, unknown>,
  anyStatus = false,
  name = "",
): Record<string, unknown> {
  const inner = (part: unknown, key = name) =>
    isRecord(part) ? withoutPublishing(part, anyStatus, key) : part;
  const left: Record<string, unknown> = { ...schema };
  if (isRecord(schema.properties)) {
    left.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, part]) => [key, inner(part, key)]),
    );
  }
  if (isRecord(schema.items)) left.items = inner(schema.items);
  for (const key of SAME_PLACE) {
    const parts = schema[key];
    if (Array.isArray(parts)) left[key] = parts.map((one) => inner(one));
  }
  if (!Array.isArray(schema.enum) || name === "") return left;
  const values = schema.enum.filter((value) => payloadFault({ [name]: value }, anyStatus) === null);
  if (values.length === 0 || values.length === schema.enum.length) return left;
  const { default: preset, ...more } = left;
  return { ...more, enum: values, ...(values.includes(preset) ? { default: preset } : {}) };
}

/** The schema with those arguments as texts, of these values where there are any; the others as they are. */
export function withValues(
  schema: Record<string, unknown>,
  values: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  if (!isRecord(schema.properties)) return schema;
  const properties = Object.entries(schema.properties).map(([name, part]) => {
    if (!Object.hasOwn(values, name)) return [name, part] as const;
    const description = isRecord(part) && part.description !== undefined
      ? { description: part.description }
      : {};
    const known = values[name]!.length > 0 ? { enum: values[name] } : {};
    return [name, { type: "string", ...known, ...description }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
