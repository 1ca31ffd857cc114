/** A schema as lists show it: what an agent chooses and fills by, without what only tells apart the values it never sends. */
import { closed, type Schema } from "./dialect.ts";

/** Bounds of texts and lists: a call that breaks one is refused with a sentence, and OpenAPI has them all. */
const LEFT_OUT: ReadonlySet<string> = new Set(["pattern", "minLength", "maxLength", "minItems", "maxItems"]);
/** A count or a page begins there: a floor of so much tells nothing. */
const FLOOR_MAX = 1;

/** The schema with its objects closed and the bounds of its texts and lists left out, at every depth. */
export const served = (schema: Schema): Schema => trimmed(closed(schema));

function trimmed(schema: Schema): Schema {
  const { properties, items, anyOf, additionalProperties: extra, minimum, ...rest } = schema;
  const kept = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !LEFT_OUT.has(keyword)));
  const named = Object.entries(properties ?? {}).map(([name, one]) => [name, trimmed(one)]);
  return {
    ...kept,
    ...(minimum === undefined || minimum <= FLOOR_MAX ? {} : { minimum }),
    ...(properties && (named.length > 0 || extra === false) ? { properties: Object.fromEntries(named) } : {}),
    ...(items ? { items: trimmed(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(trimmed) } : {}),
    ...(extra === undefined
      ? {}
      : { additionalProperties: typeof extra === "object" ? trimmed(extra) : extra }),
  };
}
