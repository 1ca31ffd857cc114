/** The JSON Schema of a site field or a credential: its type in code, and the form of its option on the command line. */
import { z } from "zod";
import type { SiteField } from "../platforms/_connector/connector.ts";
import { type Schema, typeText } from "./dialect.ts";

/** How an option of the command line gives a field's value: a text, a list with commas, or `name=value` pairs. */
export type OptionForm = "text" | "list" | "pairs";

const MADE = new WeakMap<z.ZodType, Schema>();

/** Made once for each: boot asks for the form and for the type of every field. */
function jsonSchema(schema: z.ZodType): Schema {
  const known = MADE.get(schema);
  if (known) return known;
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;
  MADE.set(schema, made);
  return made;
}

/** The form of a field's option. */
export function optionForm({ schema }: SiteField): OptionForm {
  const { type } = jsonSchema(schema);
  return type === "array" ? "list" : type === "object" ? "pairs" : "text";
}

/** How a form asks for a value: a line, lines, one or more of a few, yes or no; of an object each part by itself. */
export type FormControl =
  | { readonly form: "line" | "lines" | "switch" }
  | { readonly form: "one" | "some"; readonly of: readonly string[] };

/** The parts of a field as a form asks for them, by name; the name is empty where the field has no parts. */
export function formControls({ schema }: SiteField): readonly (readonly [string, FormControl])[] {
  const made = jsonSchema(schema);
  if (made.type !== "object") return [["", controlOf(made)]];
  return Object.entries(made.properties ?? {}).map(([name, part]) => [name, controlOf(part)]);
}

function controlOf(schema: Schema): FormControl {
  if (schema.type === "boolean") return { form: "switch" };
  const { enum: of } = (schema.type === "array" ? schema.items ?? {} : schema) as Schema;
  const several = schema.type === "array";
  if (of !== undefined) return { form: several ? "some" : "one", of: of.map(String) };
  return { form: several ? "lines" : "line" };
}

/** The TypeScript type of a field as a site's record holds it, as text. */
export function fieldType({ schema, initial }: SiteField): string {
  const text = typeText(required(jsonSchema(schema)));
  return initial === undefined ? `${text} | null` : text;
}

/** An object within a record has all its parts. */
function required(schema: Schema): Schema {
  return schema.type === "object" ? { ...schema, required: Object.keys(schema.properties ?? {}) } : schema;
}

/** The option of the command line that sets a field. */
export const optionOf = (name: string, { option }: Pick<SiteField, "option">): string =>
  option ?? name.replaceAll("_", "-");

/** The options that `site add` and `site update` have whatever connectors name. */
export const OWN_OPTIONS: readonly string[] = [
  "name",
  "platform",
  "base-url",
  "project",
  "flag",
  "confirm-policy",
  "four-eyes",
  "confirm-proxied",
  "unset",
  "url",
  "json",
  "help",
];
