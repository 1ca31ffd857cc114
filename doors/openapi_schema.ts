/** Turns a schema of the manifests' dialect into one of OpenAPI 3.0. */
import type { Schema } from "../registry/dialect.ts";

/** A schema as OpenAPI 3.0 writes it: no `null` type, `items` on every array, no empty `required`. */
export type OpenApiSchema = Record<string, unknown>;

const COPIED = [
  "description",
  "default",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
] as const;

/** The same schema for OpenAPI 3.0. What may be null is `nullable`. */
export function toOpenApi(schema: Schema): OpenApiSchema {
  if (schema.type === "null") return { ...copied(schema), type: "string", nullable: true, enum: [null] };
  const out = copied(schema);
  if (schema.type !== undefined) out.type = schema.type;
  if (schema.enum !== undefined) {
    out.enum = schema.enum;
    if (schema.enum.includes(null)) out.nullable = true;
  }
  if (schema.type === "array") out.items = schema.items === undefined ? {} : toOpenApi(schema.items);
  const { properties, required, additionalProperties, anyOf } = schema;
  if (properties !== undefined) {
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, toOpenApi(property)]),
    );
  }
  if (required !== undefined && required.length > 0) out.required = required;
  if (additionalProperties !== undefined) {
    out.additionalProperties = typeof additionalProperties === "boolean"
      ? additionalProperties
      : toOpenApi(additionalProperties);
  }
  if (anyOf !== undefined) out.anyOf = alternatives(anyOf);
  return out;
}

function copied(schema: Schema): OpenApiSchema {
  return Object.fromEntries(COPIED.flatMap((key) => schema[key] === undefined ? [] : [[key, schema[key]]]));
}

/** The alternatives without `null`, each nullable in its place; `null` alone stays. */
function alternatives(schemas: readonly Schema[]): OpenApiSchema[] {
  const rest = schemas.filter((schema) => schema.type !== "null");
  if (rest.length === schemas.length || rest.length === 0) return schemas.map(toOpenApi);
  return rest.map((schema) => ({ ...toOpenApi(schema), nullable: true }));
}
