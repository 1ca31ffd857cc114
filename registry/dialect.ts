/** The JSON Schema subset of manifests: what is refused at boot, how a call is checked, how types are printed. */
import { counted } from "../core/one_line.ts";
import { z } from "zod";
import { clipped, GatewayError } from "../core/errors.ts";
import { finder } from "../core/ids.ts";
import { isFields } from "../core/values.ts";
import { givenInstead, ID_PATTERN, isWrapped, LINE_PATTERN, nameMeant, placeOf } from "./input_hints.ts";

/** A schema of the dialect; `faults` says whether something is one. */
export interface Schema {
  readonly type?: "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: "date" | "date-time" | "uri";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const ANYWHERE = ["type", "description", "enum", "default"];
const BY_TYPE: Record<string, readonly string[]> = {
  string: ["pattern", "format", "minLength", "maxLength"],
  integer: ["minimum", "maximum"],
  number: ["minimum", "maximum"],
  boolean: [],
  null: [],
  object: ["properties", "required", "additionalProperties"],
  array: ["items", "minItems", "maxItems"],
};
const FORMATS = ["date", "date-time", "uri"];

/** Everything outside the dialect, a sentence each, with its path. */
export function faults(schema: unknown, at = "input"): string[] {
  if (!isFields(schema)) return [`${at}: expected a schema object`];
  if (schema.anyOf !== undefined) return anyOfFaults(schema, at);
  const type = schema.type;
  if (typeof type !== "string" || !(type in BY_TYPE)) {
    return [`${at}: "type" must be one of ${Object.keys(BY_TYPE).join(", ")}`];
  }
  const allowed = [...ANYWHERE, ...BY_TYPE[type]!];
  const found = Object.keys(schema).filter((key) => !allowed.includes(key))
    .map((key) => `${at}: keyword "${key}" is not in the dialect for type ${type}`);
  if (schema.format !== undefined && !FORMATS.includes(String(schema.format))) {
    found.push(`${at}: format "${schema.format}" is not one of ${FORMATS.join(", ")}`);
  }
  if (schema.pattern !== undefined && !compiles(String(schema.pattern))) {
    found.push(`${at}: pattern is not a regular expression`);
  }
  if (schema.enum !== undefined && (!Array.isArray(schema.enum) || schema.enum.length === 0)) {
    found.push(`${at}: enum must be a list of at least one value`);
  }
  if (type === "array") found.push(...faults(schema.items, `${at}.items`));
  if (type === "object") found.push(...objectFaults(schema, at));
  return found.length ? found : defaultFaults(schema, at);
}

function anyOfFaults(schema: Record<string, unknown>, at: string): string[] {
  const extra = Object.keys(schema).filter((key) => !["anyOf", "description", "default"].includes(key));
  if (extra.length) return [`${at}: "${extra.join('", "')}" cannot be used with anyOf`];
  if (!Array.isArray(schema.anyOf) || schema.anyOf.length < 2) {
    return [`${at}: anyOf needs two schemas or more`];
  }
  return schema.anyOf.flatMap((one, index) => faults(one, `${at}.anyOf[${index}]`));
}

function objectFaults(schema: Record<string, unknown>, at: string): string[] {
  const properties = schema.properties ?? {};
  if (!isFields(properties)) return [`${at}: properties must be a map of names to schemas`];
  const found = Object.entries(properties).flatMap(([name, one]) => faults(one, `${at}.${name}`));
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (!(String(name) in properties)) found.push(`${at}: required names "${name}", which is not a property`);
  }
  if (isFields(schema.additionalProperties)) found.push(...faults(schema.additionalProperties, `${at}.*`));
  return found;
}

function defaultFaults(schema: Record<string, unknown>, at: string): string[] {
  if (schema.default === undefined) return [];
  const { default: value, ...bare } = schema;
  return fits(bare as Schema, value) ? [] : [`${at}: the default does not fit its own schema`];
}

/** Whether a value is what a schema allows. For a value that is judged once: where it must, a schema is made for it. */
export function fits(schema: Schema, value: unknown): boolean {
  if (schema.enum) return (schema.enum as readonly unknown[]).includes(value);
  if (schema.type === "boolean") return typeof value === "boolean";
  return z.fromJSONSchema(closed(schema) as never).safeParse(value, ONCE).success;
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** For a schema that judges one value: to compile it would take longer. */
export const ONCE = { jitless: true };

/** The schema with every object closed that does not say otherwise. */
export function closed(schema: Schema): Schema {
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map(closed) };
  if (schema.type === "array" && schema.items) return { ...schema, items: closed(schema.items) };
  if (schema.type !== "object") return schema;
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, one]) => [name, closed(one)]),
  );
  const extra = schema.additionalProperties ?? false;
  return { ...schema, properties, additionalProperties: typeof extra === "object" ? closed(extra) : extra };
}

/** A body can hold faults without number: so many are looked at, and so many told. */
const ISSUES_MAX = 50;
const SENTENCES_MAX = 3;

/**
 * A check of arguments against an object schema: answers a copy with defaults filled in, or throws E_BAD_INPUT whose
 * message names up to three fields, what was wrong with each and what is allowed.
 */
export function checker(schema: Schema): (args: Record<string, unknown>) => Record<string, unknown> {
  // Made when it is first needed: of a hundred tools that takes longer than reading them.
  let compiled: z.ZodType | undefined;
  return (args) => {
    compiled ??= z.fromJSONSchema(closed(schema) as never);
    const outcome = compiled.safeParse(args);
    if (outcome.success) return outcome.data as Record<string, unknown>;
    const sentences = outcome.error.issues.slice(0, ISSUES_MAX).flatMap((issue) =>
      sentence(issue, args, schema)
    );
    const faults = [...new Set(sentences)].slice(0, SENTENCES_MAX);
    throw new GatewayError("E_BAD_INPUT", faults.join("; "), { faults });
  };
}

type Issue = z.core.$ZodIssue;

/** `within` is the field that the schema is of, where that is not the whole. */
function sentence(issue: Issue, args: unknown, schema: Schema, within = ""): string[] {
  const path = issue.path.map((part) => typeof part === "number" ? `[${part}]` : `.${String(part)}`).join("");
  const field = clipped(within === "" && path.startsWith(".") ? path.slice(1) : within + path);
  const value = issue.path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown>)?.[part], args);
  if (issue.code === "unrecognized_keys") return unknownKeys(issue.keys, issue.path, field, schema, value);
  if (value === undefined) return [`${field} is required${finder(field)}`];
  const wanted = schemaAt(schema, issue.path);
  const own = asItsKind(issue, value, wanted);
  if (own !== null) return own.issues.flatMap((one) => sentence(one, value, own.schema, field));
  const isRequired = schemaAt(schema, issue.path.slice(0, -1))?.required?.includes(String(issue.path.at(-1)));
  const given = givenInstead(value, wanted, isRequired ?? typeof issue.path.at(-1) === "number");
  return [
    `${field}: expected ${expected(issue, wanted)}${given}${
      meant(
        wanted,
        value,
        typeof issue.path.at(-1) === "number" ? schemaAt(schema, issue.path.slice(0, -1)) : undefined,
      )
    }${finder(field)}`,
  ];
}

/** What is wrong with an object as the one object that it may be, beside values of other kinds; null for anything else. */
function asItsKind(issue: Issue, value: unknown, wanted: Schema | undefined) {
  if (issue.code !== "invalid_union" || !isFields(value)) return null;
  const objects = (wanted?.anyOf ?? []).flatMap((schema, at) =>
    schema.type === "object" ? [{ schema, issues: issue.errors[at] ?? [] }] : []
  );
  const [only] = objects;
  return objects.length === 1 && only!.issues.length > 0 ? only! : null;
}

/**
 * What it is that has to fit a pattern, which says little to whoever gave a name in place of an id; and of a value of
 * another kind than a text, or of a number that is too large; of an item what its list is.
 */
function meant(schema: Schema | undefined, value: unknown, list: Schema | undefined): string {
  const isUnclear = [schema, ...schema?.anyOf ?? []].some((one) =>
    one?.pattern !== undefined ||
    typeof value === "number" && (one?.type === "string" || value > (one?.maximum ?? value))
  );
  const description = schema?.description ?? list?.description;
  return isUnclear && description ? ` (${description.replace(/\.$/, "")})` : "";
}

function unknownKeys(
  keys: readonly string[],
  path: readonly PropertyKey[],
  field: string,
  schema: Schema,
  value: unknown,
): string[] {
  const properties = schemaAt(schema, path)?.properties ?? {};
  const known = Object.keys(properties);
  const everywhere = path.length ? [] : ["site_id", "confirm", "confirm_token"];
  return keys.slice(0, SENTENCES_MAX).map((key) => {
    const group = known.find((one) => Object.hasOwn(properties[one]?.properties ?? {}, key));
    const name = clipped(field ? `${field}.${key}` : key);
    if (isFields(value) && isWrapped(key, value[key], known)) {
      return `${name}: unknown argument; what is in it are the arguments: give them without it, as they are`;
    }
    const place = placeOf(key, known, field === "");
    if (place !== null) return `${name}: unknown argument; ${place}`;
    const near = group === undefined ? nameMeant(key, known, everywhere) : `${group}.${key}`;
    if (near) return `${name}: unknown argument, did you mean ${near}`;
    return `${name}: unknown argument, ${
      known.length ? `known are ${known.join(", ")}` : "none is taken here"
    }`;
  });
}

function schemaAt(schema: Schema | undefined, path: readonly PropertyKey[]): Schema | undefined {
  return path.reduce<Schema | undefined>((whole, part) => {
    const at = whole?.anyOf?.find(({ type }) => type === (typeof part === "number" ? "array" : "object")) ??
      whole;
    if (typeof part === "number") return at?.items;
    const extra = at?.additionalProperties;
    return at?.properties?.[String(part)] ?? (typeof extra === "object" ? extra : undefined);
  }, schema);
}

/** Of so few names an object's are told. */
const NAMES_SHOWN_MAX = 6;

const NOUNS: Record<string, string> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

const FORMAT_WORDS: Record<string, string> = {
  date: "a date such as 2026-11-21",
  "date-time": "a date and time such as 2026-11-21T10:00:00Z",
  uri: "an address such as https://example.com/page",
};

/** What a schema allows, in words. */
function expected(issue: Issue | null, schema: Schema | undefined): string {
  if (!schema) return issue?.message ?? "something else";
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => expected(null, one)))].join(" or ");
  if (schema.enum) return `one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`;
  if (schema.format) return FORMAT_WORDS[schema.format] ?? "something else";
  const names = Object.keys(schema.properties ?? {});
  const noun = names.length > 0 && names.length <= NAMES_SHOWN_MAX
    ? `an object {${names.join(", ")}}`
    : NOUNS[schema.type ?? ""] ?? "something else";
  const sizes = [
    schema.minLength !== undefined && `at least ${counted(schema.minLength, "character")}`,
    schema.maxLength !== undefined && `at most ${counted(schema.maxLength, "character")}`,
    schema.minItems !== undefined && `at least ${counted(schema.minItems, "item")}`,
    schema.maxItems !== undefined && `at most ${counted(schema.maxItems, "item")}`,
  ].filter(Boolean).join(" and ");
  const bounds = [
    schema.minimum !== undefined && `>= ${schema.minimum}`,
    schema.maximum !== undefined && `<= ${schema.maximum}`,
  ].filter(Boolean).join(" and ");
  if (schema.pattern === ID_PATTERN) return "an id of letters, digits, - and _";
  const form = schema.pattern === LINE_PATTERN
    ? "on one line, without line breaks"
    : schema.pattern && `matching ${schema.pattern}`;
  const words = [noun, sizes && `of ${sizes}`, bounds, form];
  return words.filter(Boolean).join(" ");
}

/** The TypeScript type of a schema, as text. */
export function typeText(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(" | ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (schema.type === "array") return `(${typeText(schema.items ?? {})})[]`;
  if (schema.type === "integer") return "number";
  if (schema.type !== "object") return schema.type ?? "unknown";
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => {
    const there = required.has(name) || one.default !== undefined;
    return `${JSON.stringify(name)}${there ? "" : "?"}: ${typeText(one)};`;
  });
  const extra = schema.additionalProperties;
  if (!extra) return fields.length ? `{ ${fields.join(" ")} }` : "Record<string, never>";
  const rest = `Record<string, ${typeof extra === "object" ? typeText(extra) : "unknown"}>`;
  return fields.length ? `{ ${fields.join(" ")} } & ${rest}` : rest;
}
