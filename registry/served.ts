/** A schema as lists show it: what an agent chooses and fills by, without what only tells apart the values it never sends. */
import { closed, type Schema } from "./dialect.ts";

/** Bounds of texts: a call that breaks one is refused with a sentence, and OpenAPI has them all. */
const LEFT_OUT: ReadonlySet<string> = new Set(["pattern", "minLength", "maxLength"]);

/** The schema with its objects closed and the bounds of its texts left out, at every depth. */
export const served = (schema: Schema): Schema => trimmed(closed(schema));

function trimmed(schema: Schema): Schema {
  const { properties, items, anyOf, additionalProperties: extra, ...rest } = schema;
  const kept = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !LEFT_OUT.has(keyword)));
  const named = Object.entries(properties ?? {}).map(([name, one]) => [name, trimmed(one)]);
  return {
    ...kept,
    ...(properties && (named.length > 0 || extra === false) ? { properties: Object.fromEntries(named) } : {}),
    ...(items ? { items: trimmed(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(withoutFloor) } : {}),
    ...(extra === undefined
      ? {}
      : { additionalProperties: typeof extra === "object" ? trimmed(extra) : extra }),
  };
}

/** Of values of several types only the types are told apart. */
function withoutFloor(schema: Schema): Schema {
  const { minimum: _, ...rest } = trimmed(schema);
  return rest;
}
