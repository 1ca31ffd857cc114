/** Arguments of another's tool, held to the types that its server lists, and states of content to those of drafts. */
import { GatewayError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { oneLine } from "../../core/one_line.ts";
import { Steps } from "../../core/steps.ts";
import { isFields } from "../../core/values.ts";
import { hasLead, parseMoment } from "../schedule.ts";

/** A JSON Schema as its server lists it. */
type Schema = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

/** An argument that cannot be sent. */
export interface ArgumentFault {
  /** How it is written: `position.mode`, `tags[2]`. */
  readonly field: string;
  /** Why, as a part of a sentence. */
  readonly because: string;
}

/** How the arguments of a tool are judged. */
export interface Typing {
  /** The server's own schema of all arguments. */
  readonly schema: Schema;
  /** Arguments that are texts, whatever the schema says, with the values that are accepted; none where any is. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** An argument that the server takes though its schema does not name it. */
  readonly also?: string | undefined;
  /** The name of an argument as callers know it. */
  shown(name: string): string;
}

/** Deeper than any schema of arguments means something. */
const LEVELS_MAX = 16;
const VALUES_SHOWN = 12;
const NAMES_SHOWN = 40;
const TEXT_CHARACTERS = 120;

/**
 * The first argument that the schema does not name, or that is of another type than it says; null where there is none. An
 * object without named properties, such as `settings`, takes any value; patterns and bounds are left to the server.
 * Throws E_BAD_INPUT where a schema makes it too much work.
 */
export function typeFault(args: Arguments, { schema, values, also, shown }: Typing): ArgumentFault | null {
  const steps = new Steps();
  const { properties, required, isOpen } = wholeOf(schema, steps);
  for (const [name, value] of Object.entries(args)) {
    const field = shown(name);
    if (!Object.hasOwn(properties, name)) {
      if (isOpen || field === also) continue;
      return { field, because: unknownName(field, Object.keys(properties).map(shown)) };
    }
    if (value === undefined || value === null) continue;
    const texts = Object.hasOwn(values, field) ? values[field]! : [];
    const isText = typeof value === "string" && Object.hasOwn(values, field);
    if (isText && (texts.length === 0 || texts.includes(value))) continue;
    if (texts.length > 0) return { field, because: `expected one of ${texts.join(", ")}` };
    const fault = valueFault(value, properties[name], { field, root: schema, levels: LEVELS_MAX, steps });
    if (fault !== null) return { field: fault.field, because: fault.because() };
  }
  const missing = required.find((one) => args[one] === undefined || args[one] === null);
  return missing === undefined ? null : { field: shown(missing), because: "is required" };
}

/** What a schema says of all arguments, in itself and in the parts of which it is made. */
function wholeOf(root: Schema, steps: Steps) {
  const properties: Record<string, unknown> = Object.create(null);
  const required: string[] = [];
  let isOpen = false;
  const take = (given: unknown, isSure: boolean, levels: number) => {
    const schema = resolved(given, root);
    const named = Object.entries(fieldsOf(schema?.properties));
    steps.take(1 + named.length);
    if (schema === null || levels === 0) return;
    for (const [name, one] of named) {
      properties[name] = Object.hasOwn(properties, name) ? { anyOf: [properties[name], one] } : one;
    }
    const needed = isSure ? listOf(schema.required) : [];
    steps.take(needed.length);
    for (const one of needed) if (typeof one === "string") required.push(one);
    isOpen ||= isFields(schema.additionalProperties) || schema.additionalProperties === true ||
      schema.patternProperties !== undefined;
    for (const one of listOf(schema.allOf)) take(one, isSure, levels - 1);
    for (const one of [...listOf(schema.anyOf), ...listOf(schema.oneOf)]) take(one, false, levels - 1);
  };
  take(root, true, LEVELS_MAX);
  return { properties, required, isOpen };
}

function unknownName(field: string, known: readonly string[]): string {
  const near = nearest(field, known);
  if (near !== null) return `unknown argument, did you mean ${shownText(near)}`;
  const names = known.slice(0, NAMES_SHOWN).map(shownText);
  const all = known.length === 0 ? "it takes none" : `it takes ${names.join(", ")}`;
  return `unknown argument; ${all}`;
}

/** What a server calls something, as a part of our sentence. */
const shownText = (text: unknown) =>
  typeof text === "object" ? "an object" : oneLine(String(text), TEXT_CHARACTERS);

/** A fault that is put into words only where it is the one that is told. */
interface Fault {
  readonly field: string;
  because(): string;
}

/** Where a value is, and what its schema is a part of. */
interface Place {
  readonly field: string;
  readonly root: Schema;
  readonly levels: number;
  readonly steps: Steps;
}

function valueFault(value: unknown, given: unknown, place: Place): Fault | null {
  place.steps.take();
  const schema = resolved(given, place.root);
  if (schema === null || place.levels === 0) return null;
  const within = { ...place, levels: place.levels - 1 };
  const ways = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (ways.length > 0 && !ways.some((one) => valueFault(value, one, within) === null)) {
    return { field: place.field, because: () => "is none of the kinds of value that it takes" };
  }
  for (const one of listOf(schema.allOf)) {
    const fault = valueFault(value, one, within);
    if (fault !== null) return fault;
  }
  const allowed = Object.hasOwn(schema, "const") ? [schema.const] : listOf(schema.enum);
  const types = [schema.type].flat().filter((one): one is string => typeof one === "string");
  place.steps.take(allowed.length + types.length);
  if (allowed.length > 0 && !allowed.some((one) => isSame(one, value))) {
    const because = () => `expected one of ${allowed.slice(0, VALUES_SHOWN).map(shownText).join(", ")}`;
    return { field: place.field, because };
  }
  if (types.length > 0 && !types.some((one) => isOf(one, value, schema))) {
    return { field: place.field, because: () => `expected ${types.map(worded).join(" or ")}` };
  }
  return innerFault(value, schema, within);
}

/** What the members of an object, and the items of a list, say. */
function innerFault(value: unknown, schema: Schema, place: Place): Fault | null {
  if (Array.isArray(value)) {
    if (Array.isArray(schema.items)) return null;
    for (const [at, one] of value.entries()) {
      const fault = valueFault(one, schema.items, { ...place, field: `${place.field}[${at}]` });
      if (fault !== null) return fault;
    }
    return null;
  }
  if (!isFields(value)) return null;
  const properties = fieldsOf(schema.properties);
  for (const [name, one] of Object.entries(value)) {
    place.steps.take();
    const field = `${place.field}.${name}`;
    if (Object.hasOwn(properties, name)) {
      const fault = one === null ? null : valueFault(one, properties[name], { ...place, field });
      if (fault !== null) return fault;
    } else if (schema.additionalProperties === false && hasNames(properties)) {
      return { field, because: () => unknownName(name, Object.keys(properties)) };
    }
  }
  return null;
}

/** What a schema says, through references to its own definitions; null for one that says nothing. */
function resolved(given: unknown, root: Schema): Schema | null {
  let schema = given;
  for (let hops = 0; isFields(schema) && typeof schema.$ref === "string"; hops++) {
    const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(schema.$ref) ?? [];
    const all = place === undefined ? {} : fieldsOf(root[place]);
    if (name === undefined || !Object.hasOwn(all, name) || hops === LEVELS_MAX) return null;
    schema = all[name];
  }
  return isFields(schema) ? schema : null;
}

const WITH_NAMES = new WeakMap<object, boolean>();

/** Whether an object names anything; found out once, for a schema may be asked for each of many values. */
function hasNames(properties: object): boolean {
  const known = WITH_NAMES.get(properties) ?? Object.keys(properties).length > 0;
  WITH_NAMES.set(properties, known);
  return known;
}

const NUMBER = /^\s*-?\d+(\.\d+)?\s*$/;

/** Whether a value is the one that a schema names: a number may be written as a text. */
const isSame = (named: unknown, value: unknown): boolean =>
  typeof named === "object" || typeof value === "object"
    ? typeof named === typeof value
    : String(named) === String(value);

/** Whether a value is of that type, as servers in PHP and JavaScript read it: a number may be written as a text. */
function isOf(type: string, value: unknown, { properties }: Schema): boolean {
  switch (type) {
    case "string":
      return typeof value === "string" || typeof value === "number";
    case "integer":
      return Number.isInteger(typeof value === "string" && NUMBER.test(value) ? Number(value) : value);
    case "number":
      return Number.isFinite(value) || (typeof value === "string" && NUMBER.test(value));
    case "boolean":
      return typeof value === "boolean" || value === 0 || value === 1 || value === "true" ||
        value === "false";
    case "array":
      return Array.isArray(value);
    // Some servers call whatever they do not describe an object.
    case "object":
      return !hasNames(fieldsOf(properties)) || isFields(value) ||
        (Array.isArray(value) && value.length === 0);
    case "null":
      return value === null;
    default:
      return true;
  }
}

const worded = (type: string) =>
  ({
    string: "a text",
    integer: "a whole number",
    number: "a number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
    null: "nothing",
  })[type] ?? type;

/** States of content that visitors do not see. */
const DRAFTS: readonly string[] = ["draft", "pending"];

/**
 * The first state of content, at one of the places where a tool takes them (`status`, `page_settings.post_status`), other
 * than "draft" and "pending"; null where there is none.
 */
export function stateFault(args: Arguments, places: readonly string[]): ArgumentFault | null {
  for (const place of places) {
    const names = place.split(".");
    let value: unknown = args;
    for (const [depth, name] of names.entries()) {
      if (value === undefined || value === null) break;
      if (Array.isArray(value) && value.length === 0) value = {}; // as PHP has it
      if (!isFields(value)) return { field: names.slice(0, depth).join("."), because: "expected an object" };
      value = Object.hasOwn(value, name) ? value[name] : undefined;
    }
    if (value === undefined || value === null) continue;
    if (typeof value === "string" && DRAFTS.includes(value.toLowerCase())) continue;
    return {
      field: place,
      because:
        `${
          quoted(value)
        } is not allowed; use "draft" or "pending", for publish_post and publish_page publish ` +
        "where the site allows it",
    };
  }
  return null;
}

/**
 * Holds a post that visitors see by itself to a draft, or to a schedule at least 60 s ahead; `moment` is the argument that
 * says when. Throws E_FORBIDDEN_OP, E_BAD_INPUT where its moment cannot be read.
 */
export function assertUnpublished(args: Arguments, moment: string, now: number): void {
  const { status } = args;
  const said = typeof status === "string" ? status.toLowerCase() : null;
  if (said === "draft") return;
  const way = `send status "draft", or "scheduled" with ${moment} at least 60 s ahead`;
  const refused = (field: string, what: string) =>
    new GatewayError("E_FORBIDDEN_OP", `${field}: ${what}; ${way}`);
  if (said !== "scheduled") {
    throw refused(
      "status",
      status === undefined ? "is missing" : `${quoted(status)} is neither a draft nor for later`,
    );
  }
  const when = args[moment];
  if (typeof when !== "string") throw refused(moment, "a scheduled post needs it as a text");
  if (!hasLead(parseMoment(when, moment).at, now)) {
    throw refused(moment, `${quoted(when)} is not at least 60 s ahead`);
  }
}

const VALUE_SHOWN = 80;
const quoted = (value: unknown) => (JSON.stringify(value) ?? "").slice(0, VALUE_SHOWN);

/** The schema without the values of states that `stateFault` refuses. */
export function withoutStates(
  schema: Record<string, unknown>,
  places: readonly string[],
): Record<string, unknown> {
  return places.reduce((whole, place) => withDrafts(whole, place.split(".")), schema);
}

function withDrafts(schema: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const [name, ...inner] = names;
  if (name === undefined) {
    const values = listOf(schema.enum).filter((one) => DRAFTS.includes(String(one)));
    const { default: preset, enum: _, ...more } = schema;
    const kept = DRAFTS.includes(String(preset)) ? { default: preset } : {};
    return { ...more, ...kept, ...(values.length > 0 ? { enum: values } : {}) };
  }
  const properties = fieldsOf(schema.properties);
  const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isFields(part)) return schema;
  return { ...schema, properties: { ...properties, [name]: withDrafts({ ...part }, inner) } };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => isFields(value) ? value : {};
const listOf = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
