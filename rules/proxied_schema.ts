/** The schemas of sites' own tools as callers are shown them: what is no schema of arguments is left out, and prose unless it was read. */
import { canonical, sizeOf } from "../lib/canonical.ts";
import { isFormat, isOneWord } from "./proxied_plain.ts";

/** A schema as it came: any JSON. */
export type StrangeSchema = Readonly<Record<string, unknown>>;

const VALUES_MAX = 4000;
const LEVELS_MAX = 24;
const PROPERTIES_MAX = 200;
const ENUM_MAX = 200;
const TEXT_CHARACTERS = { title: 100, description: 1000, pattern: 200 } as const;

const TYPES = ["string", "integer", "number", "boolean", "object", "array", "null"];
const NUMBERS = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["minItems", "maxItems", "minProperties", "maxProperties"],
];
const PROPERTY = /^[A-Za-z0-9_.$[\]-]{1,64}$/;
/** A value of an enum that gives no orders: three words at most. */
const PLAIN_VALUE = /^(?:[\w.:/#%+@-]{1,48}(?: [\w.:/#%+@-]{1,24}){0,2})?$/;
const LOCAL_REF = /^#(?:\/(?:\$defs|definitions)\/[\w.-]{1,64})?$/;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What PHP writes for an object without members. */
const asRecord = (value: unknown): unknown => Array.isArray(value) && value.length === 0 ? {} : value;

/** A text without control, direction, private and unassigned characters, cut where it is long. */
export function cleanText(text: string, characters: number): string {
  const clean = text.normalize("NFC").replace(/[\s\p{Z}]+/gu, " ").replace(
    /[\p{C}\p{Variation_Selector}]/gu,
    "",
  ).trim();
  return clean.length <= characters ? clean : `${clean.slice(0, characters).toWellFormed()}…`;
}

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
  const unnamed = required.find((name) => typeof name !== "string" || !PROPERTY.test(name));
  if (unnamed !== undefined) {
    return `its input schema requires an argument that cannot be named: ${
      JSON.stringify(unnamed).slice(0, 64)
    }`;
  }
  return null;
}

/** How a schema is shown. */
export interface Showing {
  /** Whether a person has read its texts: only then they are shown. */
  readonly read: boolean;
  /** Our words for arguments, not for what stands within them, by their name, where its own are not shown. */
  readonly words: Readonly<Record<string, string>>;
}

/** The schema as callers are shown it; one that `schemaFault` lets pass. */
export function shownSchema(given: StrangeSchema, how: Showing): Record<string, unknown> {
  return { ...shownPart(asRecord(given), how), type: "object" };
}

function shownPart(given: unknown, how: Showing): Record<string, unknown> {
  const schema = asRecord(given);
  if (!isRecord(schema)) return {};
  const shown: Record<string, unknown> = {};
  const put = (key: string, value: unknown) => {
    if (value !== undefined) shown[key] = value;
  };
  put("type", typesOf(schema.type));
  if (how.read) {
    for (const [key, most] of Object.entries(TEXT_CHARACTERS)) {
      const text = schema[key];
      if (typeof text !== "string" || text === "") continue;
      if (key !== "pattern") put(key, cleanText(text, most));
      else if (text === cleanText(text, most)) put(key, text); // a pattern that was cut is another one
    }
  }
  for (const key of NUMBERS) if (Number.isFinite(schema[key])) put(key, schema[key]);
  if (typeof schema.uniqueItems === "boolean") put("uniqueItems", schema.uniqueItems);
  if (typeof schema.format === "string" && isFormat(schema.format)) put("format", schema.format);
  if (typeof schema.$ref === "string" && LOCAL_REF.test(schema.$ref) && isNamed(schema.$ref.slice(2), how)) {
    put("$ref", schema.$ref);
  }
  if (isPlain(schema.default, how)) put("default", schema.default);
  if (Object.hasOwn(schema, "const") && isPlain(schema.const, how)) put("const", schema.const);
  put("enum", enumOf(schema.enum, how));
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const all: unknown = schema[key];
    if (Array.isArray(all) && all.length > 0) put(key, all.map((one) => shownPart(one, how)));
  }
  if (schema.items !== undefined) {
    put("items", Array.isArray(schema.items) ? {} : shownPart(schema.items, how));
  }
  put(
    "additionalProperties",
    typeof schema.additionalProperties === "boolean"
      ? schema.additionalProperties
      : isRecord(schema.additionalProperties)
      ? shownPart(schema.additionalProperties, how)
      : undefined,
  );
  for (const key of ["$defs", "definitions"]) put(key, partsOf(schema[key], how));
  const properties = partsOf(schema.properties, how, how.read ? {} : how.words);
  put("properties", properties);
  put("required", requiredOf(schema.required, properties));
  return shown;
}

function typesOf(type: unknown): unknown {
  const one = (word: unknown) => typeof word === "string" && TYPES.includes(word);
  if (one(type)) return type;
  return Array.isArray(type) && type.length > 0 && type.length <= TYPES.length && type.every(one)
    ? type
    : undefined;
}

/** A name or value is shown unread where it is one word. */
const isNamed = (text: string, { read }: Showing) => read || isOneWord(text);

function isPlain(value: unknown, how: Showing): boolean {
  if (typeof value === "string") return PLAIN_VALUE.test(value) && isNamed(value, how);
  return typeof value === "boolean" || value === null || Number.isFinite(value);
}

/** All of its values or none: with some left out, those could not be given. */
function enumOf(values: unknown, how: Showing): unknown {
  const fits = Array.isArray(values) && values.length > 0 && values.length <= ENUM_MAX &&
    values.every((one) => isPlain(one, how));
  return fits ? values : undefined;
}

function partsOf(
  given: unknown,
  how: Showing,
  words: Readonly<Record<string, string>> = {},
): Record<string, unknown> | undefined {
  const parts = asRecord(given);
  if (!isRecord(parts)) return undefined;
  const named = Object.entries(parts).filter(([name]) =>
    PROPERTY.test(name) && name !== "__proto__" && isNamed(name, how)
  );
  return Object.fromEntries(
    named.slice(0, PROPERTIES_MAX).map(([name, part]) => {
      const description = Object.hasOwn(words, name) ? { description: words[name] } : {};
      return [name, { ...shownPart(part, { ...how, words: {} }), ...description }];
    }),
  );
}

function requiredOf(required: unknown, properties: Record<string, unknown> = {}): string[] | undefined {
  if (!Array.isArray(required)) return undefined;
  const names = required.filter((name): name is string => typeof name === "string" && PROPERTY.test(name));
  const known = [...new Set(names)].filter((name) => Object.hasOwn(properties, name));
  return known.length > 0 ? known : undefined;
}

/**
 * One schema for several: they themselves where they say the same, else a loose one. There an argument on which they
 * agree is as they say, any other is left open, and only what all require is required.
 */
export function mergedSchema(
  schemas: readonly Record<string, unknown>[],
): { readonly schema: Record<string, unknown>; readonly differ: boolean } {
  const [first = { type: "object" }, ...others] = [
    ...new Map(schemas.map((one) => [canonical(one), one])).values(),
  ];
  if (others.length === 0) return { schema: first, differ: false };
  const all = [first, ...others];
  const byName = new Map<string, Set<string>>();
  for (const { properties = {} } of all) {
    for (const [name, part] of Object.entries(properties as Record<string, unknown>)) {
      byName.set(name, (byName.get(name) ?? new Set()).add(canonical(part)));
    }
  }
  const properties = [...byName].map(([name, texts]) => {
    const [only = "{}"] = texts;
    // What refers to a definition means the one of its own schema.
    return [name, texts.size === 1 && !only.includes('"$ref"') ? JSON.parse(only) : {}] as const;
  });
  const required = all.map((one) => one.required as string[] | undefined ?? []);
  const demanded = required[0]!.filter((name) => required.every((names) => names.includes(name)));
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(demanded.length > 0 ? { required: demanded } : {}),
    },
    differ: true,
  };
}
