/** Turns a schema of the manifests' dialect into one of OpenAPI 3.0. */
import { isFields } from "../core/values.ts";
import type { Schema } from "../registry/dialect.ts";

/** A schema as OpenAPI 3.0 writes it: no `null` type, `items` on every array, no empty `required`. */
export type OpenApiSchema = Record<string, unknown>;

const COPIED = [
  "description",
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
  const only = whereNullable(schema);
  if (only !== null) return { ...toOpenApi(only), ...copied(schema), nullable: true };
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

/**
 * What OpenAPI takes as it is. A default is told in words: generators of clients take an argument that has one in the
 * schema for one that must be given.
 */
function copied(schema: Schema): OpenApiSchema {
  const same = Object.fromEntries(
    COPIED.flatMap((key) => schema[key] === undefined ? [] : [[key, schema[key]]]),
  );
  if (schema.default === undefined) return same;
  const said = schema.description === undefined ? "" : `${schema.description.replace(/\.$/, "")}. `;
  return { ...same, description: `${said}Default: ${JSON.stringify(schema.default)}` };
}

/** The one thing that it is where it is not null; null where it is several, or never null. */
function whereNullable({ anyOf = [] }: Schema): Schema | null {
  const [only, ...others] = anyOf.filter(({ type }) => type !== "null");
  if (anyOf.length !== 2 || only === undefined || others.length > 0) return null;
  return only.enum === undefined ? only : { ...only, enum: [...only.enum, null] };
}

/** Names under which a document holds values, not schemas. */
const VALUES: readonly string[] = ["example", "examples", "enum"];

/** A document of OpenAPI 3.0 as 3.1 writes it, where schemas are JSON Schema: what may be null has two types. */
export function asVersion31(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(asVersion31);
  if (!isFields(part)) return part;
  const { nullable, ...rest } = part;
  const same = Object.entries(rest).map(([key, one]) => [key, VALUES.includes(key) ? one : asVersion31(one)]);
  const more = nullable === true && typeof part.type === "string" ? { type: [part.type, "null"] } : {};
  return { ...Object.fromEntries(same), ...more };
}

/** The alternatives without `null`, each nullable in its place; `null` alone stays. */
function alternatives(schemas: readonly Schema[]): OpenApiSchema[] {
  const rest = schemas.filter((schema) => schema.type !== "null");
  if (rest.length === schemas.length || rest.length === 0) return schemas.map(toOpenApi);
  return rest.map((schema) => ({ ...toOpenApi(schema), nullable: true }));
}
