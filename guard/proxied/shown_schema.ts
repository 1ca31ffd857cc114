/** The schemas of sites' own tools as callers are shown them: what is no schema of arguments is left out, and prose unless it was read. */
import { canonical, sizeOf } from "../../core/canonical.ts";
import { cut, isFields } from "../../core/values.ts";

/** A schema as it came: any JSON. */
export type StrangeSchema = Readonly<Record<string, unknown>>;

const VALUES_MAX = 4000;
const LEVELS_MAX = 24;
const PROPERTIES_MAX = 200;
const ENUM_MAX = 200;
const TEXT_CHARACTERS = { title: 100, description: 1000, pattern: 200 } as const;
/** So many schemas and values may stand in place of what refers to them, and so deep in each other. */
const REFERRED_MAX = 500;
const REFERRED_LEVELS_MAX = 4;

const TYPES = ["string", "integer", "number", "boolean", "object", "array", "null"];
const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
/** Of a schema of arguments as a whole providers take no other keywords. */
const WHOLE = ["type", "title", "description", "properties", "required", "additionalProperties"];
const FORMATS: ReadonlySet<unknown> = new Set([
  ...["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference"],
  ...["url", "uuid", "regex", "hex-color", "color", "html", "json", "binary", "byte", "int32", "int64"],
  ...["float", "double"],
]);
/** What model providers take for the name of an argument: for another one they refuse a request with all of its tools. */
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;
/** A value of an enum that gives no orders: three words at most. */
const PLAIN_VALUE = /^(?:[\w.:/#%+@-]{1,48}(?: [\w.:/#%+@-]{1,24}){0,2})?$/;
/** As names and values are written: no sentence is put together of what is joined. */
const ONE_WORD = /^[\w.:/#%+@$[\]-]{0,48}$/;
const PARTS_MAX = 6;
const LOCAL_REF = /^#\/(\$defs|definitions)\/([\w.-]{1,64})$/;

/** What PHP writes for an object without members. */
const asRecord = (value: unknown): unknown => Array.isArray(value) && value.length === 0 ? {} : value;

/** Why that cannot be the schema of a tool's arguments; null where it can. */
export function schemaFault(given: unknown): string | null {
  const schema = asRecord(given);
  if (!isFields(schema)) return "its input schema is not an object";
  const { values, levels } = sizeOf(schema, VALUES_MAX);
  if (values > VALUES_MAX) return `its input schema has more than ${VALUES_MAX} values`;
  if (levels > LEVELS_MAX) return `its input schema is nested deeper than ${LEVELS_MAX} levels`;
  if (schema.type !== undefined && schema.type !== "object") {
    return "its input schema is not one of an object";
  }
  const properties = asRecord(schema.properties ?? {});
  if (!isFields(properties)) return "its input schema has properties that are no object";
  const isSchema = (one: unknown) => isFields(asRecord(one)) || typeof one === "boolean";
  const strange = Object.keys(properties).find((name) => !isSchema(properties[name]));
  if (strange !== undefined) {
    return `its input schema has a property that is no schema: ${JSON.stringify(strange.slice(0, 64))}`;
  }
  const { required = [] } = schema;
  if (!Array.isArray(required)) return "its input schema has a required that is no list";
  if (required.includes("site_id")) return "its input schema requires a site_id, which is the gateway's own";
  const unnamed = required.find((name) => typeof name !== "string" || !PROPERTY.test(name));
  if (unnamed === undefined) return null;
  const said = JSON.stringify(unnamed).slice(0, 64);
  return `its input schema requires an argument that cannot be named: ${said}`;
}

/** A text without control, direction, private and unassigned characters, cut where it is long. */
export function cleanText(text: string, characters: number): string {
  const clean = text.normalize("NFC").replace(/[\s\p{Z}]+/gu, " ").replace(
    /[\p{C}\p{Variation_Selector}]/gu,
    "",
  ).trim();
  return cut(clean, characters);
}

/** How a schema is shown. */
export interface Showing {
  /** Whether a person has read its texts: only then they are shown. */
  readonly read: boolean;
  /** Our words for arguments, not for what stands within them, by their name, where its own are not shown. */
  readonly words: Readonly<Record<string, string>>;
}

/** A schema with what it is a part of. */
interface Shown extends Showing {
  readonly root: StrangeSchema;
  /** The definitions it stands within. */
  readonly within: readonly unknown[];
  readonly left: { values: number };
  /** The arguments of what it says more of. */
  readonly beside: Readonly<Record<string, unknown>>;
}

/**
 * The schema as callers are shown it, valid whatever was listed: a model's provider refuses all tools for one that is
 * not. What refers to a definition is shown as that; what says that one of several schemas holds, as any of them. Of one
 * that `schemaFault` lets pass.
 */
export function shownSchema(given: StrangeSchema, how: Showing): Record<string, unknown> {
  const root = asRecord(given) as StrangeSchema;
  const shown = shownPart(root, { ...how, root, within: [], left: { values: REFERRED_MAX }, beside: {} });
  const { allOf = [], anyOf = [] } = shown as Readonly<Record<string, readonly Record<string, unknown>[]>>;
  const parts = [shown, ...allOf, ...anyOf].flatMap((one) => Object.entries(one.properties ?? {}));
  const first = new Map(parts.toReversed());
  const properties = Object.fromEntries(parts.map(([name]) => [name, first.get(name)]));
  const required = [...new Set([shown, ...allOf].flatMap((one) => one.required as string[] ?? []))];
  const whole = {
    ...shown,
    type: "object",
    ...(parts.length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
  return Object.fromEntries(Object.entries(whole).filter(([key]) => WHOLE.includes(key)));
}

function shownPart(given: unknown, how: Shown): Record<string, unknown> {
  const schema = asRecord(given);
  if (!isFields(schema)) return {};
  if (how.within.length > 0) {
    how.left.values -= 1 + (Array.isArray(schema.enum) ? schema.enum.length : 0);
    if (how.left.values < 0) return {};
  }
  const shown: Record<string, unknown> = { ...referred(schema.$ref, how) };
  const put = (key: string, value: unknown) => {
    if (value !== undefined) shown[key] = value;
  };
  put("type", typesOf(schema.type));
  if (how.read) {
    for (const [key, most] of Object.entries(TEXT_CHARACTERS)) {
      const text = schema[key];
      if (typeof text !== "string" || text === "") continue;
      if (key !== "pattern") put(key, cleanText(text, most));
      // A pattern that was cut is another one.
      else if (text === cleanText(text, most) && isPattern(text)) put(key, text);
    }
  }
  for (const key of BOUNDS) if (Number.isFinite(schema[key])) put(key, schema[key]);
  for (const key of COUNTS) {
    if (Number.isSafeInteger(schema[key]) && schema[key] as number >= 0) put(key, schema[key]);
  }
  if (Number.isFinite(schema.multipleOf) && schema.multipleOf as number > 0) {
    put("multipleOf", schema.multipleOf);
  }
  if (typeof schema.uniqueItems === "boolean") put("uniqueItems", schema.uniqueItems);
  if (FORMATS.has(schema.format)) put("format", schema.format);
  if (isPlain(schema.default, how)) put("default", schema.default);
  if (Object.hasOwn(schema, "const") && isPlain(schema.const, how)) put("const", schema.const);
  put("enum", enumOf(schema.enum, how));
  if (schema.items !== undefined) {
    put("items", Array.isArray(schema.items) ? {} : shownPart(schema.items, how));
  }
  const more = schema.additionalProperties;
  put(
    "additionalProperties",
    isFields(more) ? shownPart(more, how) : typeof more === "boolean" ? more : undefined,
  );
  const properties = partsOf(schema, how, how.read ? {} : how.words);
  put("properties", properties);
  const named = { ...how.beside, ...properties };
  put("required", requiredOf(schema.required, named));
  putCombined(shown, schema, { ...how, beside: named });
  return shown;
}

/** Of what is shown of several schemas more than one can hold, although of the whole ones only one could. */
function putCombined(shown: Record<string, unknown>, schema: StrangeSchema, how: Shown): void {
  const partsOf = (key: string) => {
    const all: unknown = schema[key];
    return Array.isArray(all) ? all.map((one) => shownPart(one, how)) : [];
  };
  const isOpen = (one: object) => Object.keys(one).length === 0;
  for (const key of ["anyOf", "oneOf"]) {
    const parts = [...new Map(partsOf(key).map((one) => [canonical(one), one])).values()];
    if (parts.length === 0 || parts.some(isOpen) || shown.anyOf !== undefined) continue;
    const [only, ...others] = parts;
    const isAlone = others.length === 0 && Object.keys(only!).every((name) => shown[name] === undefined);
    Object.assign(shown, isAlone ? only : { anyOf: parts });
  }
  const all = partsOf("allOf").filter((one) => !isOpen(one));
  if (all.length > 0) shown.allOf = all;
  const first = partsOf("prefixItems");
  if (first.length > 0) shown.prefixItems = first;
}

/** What a definition says, as far as it stands in itself or in too many others nowhere. */
function referred(ref: unknown, how: Shown): Record<string, unknown> {
  const [, place, name] = typeof ref === "string" ? LOCAL_REF.exec(ref) ?? [] : [];
  if (place === undefined || name === undefined) return {};
  const all = asRecord(how.root[place]);
  const found = isFields(all) && Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined || how.within.includes(found) || how.within.length >= REFERRED_LEVELS_MAX) {
    return {};
  }
  return shownPart(found, { ...how, within: [...how.within, found], beside: {}, words: {} });
}

function typesOf(type: unknown): unknown {
  const one = (word: unknown) => typeof word === "string" && TYPES.includes(word);
  if (one(type)) return type;
  return Array.isArray(type) && type.length > 0 && type.length <= TYPES.length && type.every(one)
    ? [...new Set(type)]
    : undefined;
}

/** A name or value is shown unread where it is one word. */
function isNamed(text: string, { read }: Showing): boolean {
  if (read) return true;
  const parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/).filter(Boolean);
  return ONE_WORD.test(text) && parts.length <= PARTS_MAX;
}

/** Whether it is a regular expression of schemas, and not of another language. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function isPlain(value: unknown, how: Showing): boolean {
  if (typeof value === "string") return PLAIN_VALUE.test(value) && isNamed(value, how);
  return typeof value === "boolean" || value === null || Number.isFinite(value);
}

/** All of its values or none: with some left out, those could not be given. */
function enumOf(values: unknown, how: Showing): unknown {
  const fits = Array.isArray(values) && values.length > 0 && values.length <= ENUM_MAX &&
    values.every((one) => isPlain(one, how));
  return fits ? [...new Set(values)] : undefined;
}

/** The arguments in an order that depends on nothing a list of tools is compared by: those that are required first. */
function partsOf(
  { properties: given, required = [] }: StrangeSchema,
  how: Shown,
  words: Readonly<Record<string, string>>,
): Record<string, unknown> | undefined {
  const parts = asRecord(given);
  if (!isFields(parts)) return undefined;
  const first: readonly unknown[] = Array.isArray(required) ? required : [];
  const places = new Map(first.map((name, at) => [name, at] as const).toReversed());
  const placeOf = (name: string) => places.get(name) ?? first.length;
  const named = Object.entries(parts).filter(([name]) =>
    PROPERTY.test(name) && name !== "__proto__" && isNamed(name, how)
  ).sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  return Object.fromEntries(
    named.slice(0, PROPERTIES_MAX).map(([name, part]) => {
      const description = Object.hasOwn(words, name) ? { description: words[name] } : {};
      return [name, { ...shownPart(part, { ...how, words: {}, beside: {} }), ...description }];
    }),
  );
}

function requiredOf(required: unknown, properties: Readonly<Record<string, unknown>>): string[] | undefined {
  if (!Array.isArray(required)) return undefined;
  const names = required.filter((name): name is string => typeof name === "string" && PROPERTY.test(name));
  const known = [...new Set(names)].filter((name) => Object.hasOwn(properties, name));
  return known.length > 0 ? known : undefined;
}
/** The schema with those arguments as texts, of these values where there are any; the others as they are. */
export function withValues(
  schema: Record<string, unknown>,
  values: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  if (!isFields(schema.properties)) return schema;
  const properties = Object.entries(schema.properties).map(([name, part]) => {
    if (!Object.hasOwn(values, name)) return [name, part] as const;
    const description = isFields(part) && part.description !== undefined
      ? { description: part.description }
      : {};
    const known = values[name]!.length > 0 ? { enum: values[name] } : {};
    return [name, { type: "string", ...known, ...description }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
