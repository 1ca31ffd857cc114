/** Reads a server's list of tools; what PHP makes of an empty object is set right. */
import { isFields } from "../../core/values.ts";
import type { UpstreamTool } from "./types.ts";

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Keywords of JSON Schema whose value holds schemas by name, is a schema, and is a list of schemas. */
const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "definitions",
  "$defs",
]);
const ONE: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "additionalItems",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);
const SEVERAL: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);

/** A tool as it was listed; null for an entry that has no name to call it by. */
export function toolOf(row: unknown): UpstreamTool | null {
  if (!isFields(row) || typeof row.name !== "string" || row.name === "") return null;
  const notes = isFields(row.annotations) ? row.annotations : {};
  const title = [row.title, notes.title].find((one) => typeof one === "string");
  const schema = isEmptyList(row.inputSchema) ? {} : row.inputSchema;
  return {
    name: row.name,
    ...(typeof title === "string" ? { title } : {}),
    description: typeof row.description === "string" ? row.description : "",
    input_schema: isFields(schema) ? repaired(schema) : {},
    hints: {
      ...hint("read_only", notes.readOnlyHint),
      ...hint("destructive", notes.destructiveHint),
      ...hint("idempotent", notes.idempotentHint),
    },
    ...faultOf(schema),
  };
}

const hint = (name: string, value: unknown) => typeof value === "boolean" ? { [name]: value } : {};

function faultOf(schema: unknown): Pick<UpstreamTool, "fault"> {
  if (!isFields(schema)) return { fault: "its input schema is no JSON Schema object" };
  const { type } = schema;
  return type === undefined || type === "object" ? {} : { fault: "its input schema is not one of an object" };
}

/** The schema with `{}` wherever PHP wrote `[]` for an empty object. */
function repaired(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, repairedPart(keyword, value)]),
  );
}

function repairedPart(keyword: string, value: unknown): unknown {
  if (NAMED.has(keyword)) {
    if (isEmptyList(value)) return {};
    if (!isFields(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asSchema(one)]));
  }
  if (SEVERAL.has(keyword) && Array.isArray(value) && value.length > 0) return value.map(asSchema);
  return ONE.has(keyword) ? asSchema(value) : value;
}

const asSchema = (value: unknown): unknown =>
  isEmptyList(value) ? {} : isFields(value) ? repaired(value) : value;
