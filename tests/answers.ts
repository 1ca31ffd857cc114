/** Holds what tools answer in tests to what their manifests say of it. */
import assert from "node:assert/strict";
import { answerSchema } from "../registry/answers.ts";
import type { Schema } from "../registry/dialect.ts";
import type { ToolEntry } from "../registry/entry.ts";
import { isFields } from "../core/values.ts";

/** So many differences of an answer are named. */
const NAMED_MAX = 5;

const schemas = new Map<unknown, Schema | null>();

/** The answers of one gateway; what is not as its manifest says is kept until somebody asks. */
export class Answers {
  readonly #differences = new Set<string>();

  /** Of a tool of a site's own nothing is promised. */
  readonly judge = ({ name, manifest, offer }: ToolEntry, value: unknown): void => {
    if (offer !== undefined) return;
    if (!schemas.has(manifest)) schemas.set(manifest, answerSchema(manifest));
    const schema = schemas.get(manifest);
    if (!schema) return;
    const answer: unknown = JSON.parse(JSON.stringify(value) ?? "null");
    for (const one of misfits(schema, answer, name).slice(0, NAMED_MAX)) this.#differences.add(one);
  };

  /** Throws where an answer was not as its manifest says. */
  assertAsPromised(): void {
    assert.deepEqual([...this.#differences], [], "answers that are not as `result` of the manifest says");
  }
}

/**
 * Where a value is not what the schema says, a sentence each. A key that the schema does not name is a difference here,
 * though callers must expect new ones: what is answered is to be described.
 */
export function misfits(schema: Schema, value: unknown, at: string): string[] {
  if (schema.anyOf) return ofSeveral(schema.anyOf, value, at);
  const { type, enum: values } = schema;
  if (type === undefined) return [];
  if (!isOf(type, value)) return [`${at}: is ${shown(value)}, not ${type}`];
  if (values && !(values as readonly unknown[]).includes(value)) {
    return [`${at}: is ${shown(value)}, not one of ${values.join(", ")}`];
  }
  if (schema.format && !isAs(schema.format, String(value))) {
    return [`${at}: is ${shown(value)}, no ${schema.format}`];
  }
  if (Array.isArray(value)) {
    const found = value.flatMap((one) => misfits(schema.items ?? {}, one, `${at}[]`));
    return [...new Set(found)];
  }
  return isFields(value) ? ofObject(schema, value, at) : [];
}

function ofObject(schema: Schema, value: Record<string, unknown>, at: string): string[] {
  const { properties = {}, required = [], additionalProperties: extra } = schema;
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name}: is missing`);
  const wrong = Object.entries(value).flatMap(([name, one]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) return misfits(own, one, `${at}.${name}`);
    if (extra === true) return [];
    return isFields(extra) ? misfits(extra, one, `${at}.*`) : [`${at}.${name}: is not described`];
  });
  return [...missing, ...wrong];
}

/** Of several things that it may be, the differences from the one that it is nearest to. */
function ofSeveral(ways: readonly Schema[], value: unknown, at: string): string[] {
  const alike = ways.filter(({ type }) => type === undefined || isOf(type, value));
  const all = (alike.length > 0 ? alike : ways).map((way) => misfits(way, value, at));
  return all.reduce((nearest, one) => one.length < nearest.length ? one : nearest);
}

const KINDS: Readonly<Record<NonNullable<Schema["type"]>, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  array: Array.isArray,
  object: isFields,
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
};
const isOf = (type: NonNullable<Schema["type"]>, value: unknown) => KINDS[type](value);

/** A date and time has its offset: https://www.rfc-editor.org/rfc/rfc3339#section-5.6 */
function isAs(format: NonNullable<Schema["format"]>, text: string): boolean {
  if (format === "uri") return URL.canParse(text);
  const [day = "", time] = text.split("T");
  const isDay = day.length === "2026-11-21".length && !Number.isNaN(Date.parse(`${day}T00:00:00Z`));
  if (format === "date") return isDay && time === undefined;
  const zone = text.endsWith("Z") || ["+", "-"].includes(text.at(-"+00:00".length) ?? "");
  return isDay && time !== undefined && zone && !Number.isNaN(Date.parse(text));
}

const shown = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 80);
