/** What a tool answers, as its manifest writes it: a form that reads like an answer, and the JSON Schema it stands for. */
import { isFields } from "../core/values.ts";
import type { Schema } from "./dialect.ts";
import { SHAPES } from "./result_shapes.ts";

/** The words of the form, and the schema of each; `any` is data of a site or of a vendor, and says whose. */
const WORDS: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  integer: { type: "integer" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  null: { type: "null" },
  object: { type: "object", additionalProperties: true },
  any: {},
  date: { type: "string", format: "date" },
  "date-time": { type: "string", format: "date-time" },
  uri: { type: "string", format: "uri" },
  id: { anyOf: [{ type: "integer" }, { type: "string" }] },
};
/** Of these nothing is known but what their descriptions say. */
const UNTOLD: readonly string[] = ["any", "object"];

const VALUES = "one of ";
const BEHIND = " -- ";
/** Keys of a map that are no keys of the answer. */
const ABOUT = "$";
const EITHER = "$any";
const WITH = "$with";
const EVERY = "*";
/** `$proven: sometimes`, of a write that may be answered before it is done. */
const PROVEN = "$proven";

/** The schema that a result's form stands for. A part that says nothing is `{}`; `resultFaults` tells of it. */
export const resultSchema = (form: unknown): Schema => read(form, "result", []);

/** Whether every answer of the write says what was proven of it. */
export const isProven = (form: unknown): boolean => !isFields(form) || form[PROVEN] !== "sometimes";

/** What of a form says nothing, a sentence each. */
export function resultFaults(form: unknown): string[] {
  const found: string[] = [];
  read(form, "result", found);
  return found;
}

function read(form: unknown, at: string, found: string[]): Schema {
  if (typeof form === "string") return ofText(form, at, found);
  if (Array.isArray(form)) {
    if (form.length !== 1) found.push(`${at}: a list has one form, of its items; for several use ${EITHER}`);
    return { type: "array", items: read(form[0] ?? "null", `${at}[]`, found) };
  }
  if (isFields(form)) return ofMap(form, at, found);
  found.push(`${at}: expected words, a list of one form, or a map of names to forms`);
  return {};
}

/** `integer | null -- share of 1`, `one of draft | published`, `$shape`. */
function ofText(text: string, at: string, found: string[]): Schema {
  const cut = text.indexOf(BEHIND);
  const words = (cut < 0 ? text : text.slice(0, cut)).trim();
  const description = cut < 0 ? undefined : text.slice(cut + BEHIND.length).trim();
  const isList = words.startsWith(VALUES);
  const parts = (isList ? words.slice(VALUES.length) : words).split("|").map((one) => one.trim());
  if (description === undefined && parts.some((one) => !isList && UNTOLD.includes(one))) {
    found.push(`${at}: "${words}" says nothing; say behind "--" whose data it is`);
  }
  const schema = isList ? values(parts) : union(parts.map((one) => {
    if (one.startsWith("$") && SHAPES[one.slice(1)] !== undefined) {
      return read(SHAPES[one.slice(1)], at, found);
    }
    if (WORDS[one] === undefined) {
      found.push(
        `${at}: "${one}" is no word; there are ${Object.keys(WORDS).join(", ")}, and $ with a shape`,
      );
    }
    return WORDS[one] ?? {};
  }));
  return description === undefined ? schema : { ...schema, description };
}

/** Values that a key can have, of one kind or several. */
function values(words: readonly string[]): Schema {
  const all = words.map((word) => word === "true" ? true : word === "false" ? false : word);
  const kinds = [...new Set(all.filter((one) => one !== "null").map((one) => typeof one))];
  const alike = kinds.map((kind): Schema => ({
    type: kind as "string" | "boolean",
    enum: all.filter((one) => one !== "null" && typeof one === kind),
  }));
  return union(all.includes("null") ? [...alike, { type: "null" }] : alike);
}

function union(ways: readonly Schema[]): Schema {
  const flat = ways.flatMap((one) => one.anyOf && !one.description ? one.anyOf : [one]);
  return flat.length === 1 ? flat[0]! : { anyOf: flat };
}

/** A map of names to forms: `name?` may be left out, `name~` may be null, `*` is every other name. */
function ofMap(form: Readonly<Record<string, unknown>>, at: string, found: string[]): Schema {
  const { [ABOUT]: about, [EITHER]: either, [WITH]: base, [PROVEN]: _, ...named } = form;
  const description = typeof about === "string" ? { description: about } : {};
  if (Array.isArray(either)) {
    const ways = either.map((one, index) => read(one, `${at}(${index})`, found));
    const common = Object.keys(named).length > 0 || base !== undefined
      ? ofMap({ ...(base === undefined ? {} : { [WITH]: base }), ...named }, at, found)
      : undefined;
    return { ...union(common ? ways.map((one) => joined(common, one)) : ways), ...description };
  }
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  let others: Schema["additionalProperties"];
  for (const one of base === undefined ? [] : String(base).split(",").map((name) => name.trim())) {
    if (SHAPES[one] === undefined) found.push(`${at}: there is no shape "${one}"`);
    const shape = read(SHAPES[one] ?? {}, at, found);
    Object.assign(properties, shape.properties);
    required.push(...shape.required ?? []);
    others = shape.additionalProperties ?? others;
  }
  for (const [key, inner] of Object.entries(named)) {
    const [name, optional, nullable] = ofKey(key);
    const bare = read(inner, `${at}.${name}`, found);
    const schema = nullable ? orNull(bare) : bare;
    if (name === EVERY) others = schema;
    else properties[name] = schema;
    if (!optional && name !== EVERY) required.push(name);
  }
  return {
    type: "object",
    ...description,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
    ...(others === undefined ? {} : { additionalProperties: others }),
  };
}

function orNull({ description, ...bare }: Schema): Schema {
  return { ...union([bare, { type: "null" }]), ...(description === undefined ? {} : { description }) };
}

function ofKey(key: string): [name: string, optional: boolean, nullable: boolean] {
  const nullable = key.endsWith("~");
  const rest = nullable ? key.slice(0, -1) : key;
  const optional = rest.endsWith("?");
  return [optional ? rest.slice(0, -1) : rest, optional, nullable];
}

/** An object that has the keys of both; of one that may be several things each has those of the other. */
export function joined(some: Schema, more: Schema): Schema {
  if (some.anyOf) return { ...some, anyOf: some.anyOf.map((one) => joined(one, more)) };
  if (more.anyOf) return { ...more, anyOf: more.anyOf.map((one) => joined(some, one)) };
  return {
    ...some,
    ...more,
    properties: { ...some.properties, ...more.properties },
    required: [...new Set([...some.required ?? [], ...more.required ?? []])],
  };
}
