/** What cannot be the schema of the arguments of a site's own tool. */
import { sizeOf } from "../../core/canonical.ts";

const VALUES_MAX = 4000;
const LEVELS_MAX = 24;
/** What model providers take for the name of an argument: for another one they refuse a request with all of its tools. */
export const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What PHP writes for an object without members. */
export const asRecord = (value: unknown): unknown => Array.isArray(value) && value.length === 0 ? {} : value;

/** Why that cannot be the schema of a tool's arguments; null where it can. */
export function schemaFault(given: unknown): string | null {
  const schema = asRecord(given);
  if (!isRecord(schema)) return "its input schema is not an object";
  const { values, levels } = sizeOf(schema, VALUES_MAX);
  if (values > VALUES_MAX) return `its input schema has more than ${VALUES_MAX} values`;
  if (levels > LEVELS_MAX) return `its input schema is nested deeper than ${LEVELS_MAX} levels`;
  if (schema.type !== undefined && schema.type !== "object") {
    return "its input schema is not one of an object";
  }
  const properties = asRecord(schema.properties ?? {});
  if (!isRecord(properties)) return "its input schema has properties that are no object";
  const strange = Object.entries(properties).find(([, one]) =>
    !isRecord(asRecord(one)) && typeof one !== "boolean"
  );
  if (strange) {
    return `its input schema has a property that is no schema: ${JSON.stringify(strange[0].slice(0, 64))}`;
  }
  const { required = [] } = schema;
  if (!Array.isArray(required)) return "its input schema has a required that is no list";
  if (required.includes("site_id")) return "its input schema requires a site_id, which is the gateway's own";
  const unnamed = required.find((name) => typeof name !== "string" || !PROPERTY.test(name));
  if (unnamed !== undefined) {
    return `its input schema requires an argument that cannot be named: ${
      JSON.stringify(unnamed).slice(0, 64)
    }`;
  }
  return null;
}
