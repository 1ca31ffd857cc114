/** The form of a tool's arguments, made from its schema: a field for what has a line, JSON for what has none. */
import { isDeepStrictEqual } from "node:util";
import type { Child } from "hono/jsx";
import { isFields } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import { Area, Choices, Field, Select } from "../form.tsx";

type Schema = Readonly<Record<string, unknown>>;
/** What is wrong, by field; what belongs to none stands under "". */
export type ArgumentFaults = Readonly<Record<string, string>>;

/** How a value is filled in. */
type Kind = "choice" | "line" | "text" | "number" | "yesno" | "list" | "several" | "group" | "json";

/** Before the names of arguments, which may be any. */
const PREFIX = "arg.";
/** The field that stands for all others. */
export const AS_JSON = "as_json";
const LINE_CHARACTERS = 300;
const NUMBERS: readonly unknown[] = ["integer", "number"];
const SCALARS: readonly unknown[] = ["string", "boolean", ...NUMBERS];

const listOf = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
const schemaIn = (value: unknown): Schema => isFields(value) ? value : {};
const namesIn = (value: unknown): readonly string[] =>
  listOf(value).filter((one): one is string => typeof one === "string");
const isScalar = (value: unknown) => value === null || typeof value !== "object";

/** The kinds of value that a schema allows, without null; nothing where it says it in another way. */
function typesOf({ type, anyOf, enum: values }: Schema): readonly unknown[] {
  if (anyOf !== undefined) return listOf(anyOf).flatMap((one) => typesOf(schemaIn(one)));
  const named = Array.isArray(type)
    ? type
    : type === undefined
    ? listOf(values).map((one) => typeof one)
    : [type];
  return named.filter((one) => one !== "null");
}

/** The one schema that is meant beside null. */
function plainOf(schema: Schema): Schema {
  const ways = listOf(schema["anyOf"]).map(schemaIn).filter(({ type }) => type !== "null");
  return ways.length === 1 ? { ...schema, ...ways[0], anyOf: undefined } : schema;
}

/** `isText` says whether it has several lines; where it is left out its length does. */
function kindOf(schema: Schema, isText: boolean | undefined, isInner: boolean): Kind {
  const types = typesOf(schema);
  const values = listOf(schema["enum"]);
  if (values.length > 0 && values.every(isScalar)) return "choice";
  if (types.length === 0) return "json";
  if (types.every((one) => one === "boolean")) return "yesno";
  if (types.every((one) => NUMBERS.includes(one))) return "number";
  if (types.every((one) => SCALARS.includes(one))) {
    const { maxLength, pattern, format } = schema;
    const isLong = isText ?? (typeof maxLength === "number" && maxLength > LINE_CHARACTERS);
    return isLong && pattern === undefined && format === undefined ? "text" : "line";
  }
  if (types.length > 1) return "json";
  if (types[0] === "array") {
    const items = schemaIn(schema["items"]);
    if (listOf(items["enum"]).length > 0) return "several";
    const inner = typesOf(items);
    return inner.length > 0 && inner.every((one) => SCALARS.includes(one)) ? "list" : "json";
  }
  const inner = Object.values(schemaIn(schema["properties"])).map(schemaIn).map(plainOf);
  const isSimple = inner.length > 0 && inner.every((one) => kindOf(one, undefined, true) !== "json");
  return !isInner && isSimple && schema["additionalProperties"] !== true ? "group" : "json";
}

/** An argument, as a form has it. */
interface Argument {
  /** With the name of what it is in before it. */
  readonly name: string;
  readonly schema: Schema;
  readonly kind: Kind;
  readonly isRequired: boolean;
  readonly inner: readonly Argument[];
}

/** What a form asks for. */
export interface FormOf {
  readonly schema: Schema;
  /** Arguments that are texts of several lines. */
  readonly texts: readonly string[];
}

/** The arguments of a schema; those that have to be given come first. */
export function argumentsIn({ schema, texts }: FormOf, within = ""): readonly Argument[] {
  const required = namesIn(schema["required"]);
  const all = Object.entries(schemaIn(schema["properties"])).map(([name, value]): Argument => {
    const own = plainOf(schemaIn(value));
    const isText = name.endsWith("title") ? false : texts.includes(name) || undefined;
    const kind = kindOf(own, isText, within !== "");
    const inner = kind === "group" ? argumentsIn({ schema: own, texts }, `${within}${name}.`) : [];
    return { name: within + name, schema: own, kind, isRequired: required.includes(name), inner };
  });
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

/** An example of what a schema allows. */
function exampleOf(given: Schema, depth = 0): unknown {
  const schema = plainOf(given);
  const { default: preset, enum: values, type, format, minimum, anyOf } = schema;
  if (preset !== undefined) return preset;
  if (listOf(values).length > 0) return listOf(values)[0];
  if (listOf(anyOf).length > 0) return exampleOf(schemaIn(listOf(anyOf)[0]), depth);
  switch (Array.isArray(type) ? type.find((one) => one !== "null") : type) {
    case "integer":
    case "number":
      return typeof minimum === "number" ? minimum : 1;
    case "boolean":
      return true;
    case "array":
      return depth > 3 ? [] : [exampleOf(schemaIn(schema["items"]), depth + 1)];
    case "object": {
      const required = namesIn(schema["required"]);
      const all = Object.entries(schemaIn(schema["properties"]));
      const shown = required.length > 0 ? all.filter(([name]) => required.includes(name)) : all.slice(0, 4);
      if (depth > 3) return {};
      return Object.fromEntries(shown.map(([name, one]) => [name, exampleOf(schemaIn(one), depth + 1)]));
    }
    default:
      return format === "date" ? "2026-11-21" : format === "date-time" ? "2026-11-21T10:00:00Z" : "…";
  }
}

/** What a form says: the arguments as the tool takes them, or what could not be read. What was left empty is left out. */
export function readArguments(
  of: FormOf,
  form: URLSearchParams,
): { readonly args: Record<string, unknown>; readonly faults: ArgumentFaults } {
  const whole = form.get(AS_JSON)?.trim() ?? "";
  if (whole !== "") {
    const value = parsed(whole);
    if (isFields(value)) return { args: value, faults: {} };
    return { args: {}, faults: { [AS_JSON]: 'It is not a JSON object, such as {"title": "New"}' } };
  }
  const faults: Record<string, string> = {};
  return { args: valuesOf(argumentsIn(of), form, faults), faults };
}

function valuesOf(all: readonly Argument[], form: URLSearchParams, faults: Record<string, string>) {
  const args: Record<string, unknown> = {};
  for (const one of all) {
    const value = one.kind === "group" ? groupOf(one, form, faults) : valueOf(one, form, faults);
    if (value !== undefined) args[one.name.slice(one.name.lastIndexOf(".") + 1)] = value;
  }
  return args;
}

function groupOf({ inner }: Argument, form: URLSearchParams, faults: Record<string, string>) {
  const values = valuesOf(inner, form, faults);
  return Object.keys(values).length === 0 ? undefined : values;
}

function valueOf(
  { name, kind, schema }: Argument,
  form: URLSearchParams,
  faults: Record<string, string>,
): unknown {
  if (kind === "several") {
    const all = form.getAll(PREFIX + name);
    const values = listOf(schemaIn(schema["items"])["enum"]);
    return all.length === 0
      ? undefined
      : all.map((text) => values.find((one) => String(one) === text) ?? text);
  }
  const text = (form.get(PREFIX + name) ?? "").replaceAll("\r\n", "\n");
  if (kind === "text" ? text === "" : text.trim() === "") return undefined;
  switch (kind) {
    case "choice":
      return listOf(schema["enum"]).find((one) => String(one) === text) ?? text;
    case "yesno":
      return text === "true" ? true : text === "false" ? false : text;
    case "number":
      return numberOr(text);
    case "list": {
      const isNumber = typesOf(schemaIn(schema["items"])).some((one) => NUMBERS.includes(one));
      const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
      return isNumber ? lines.map(numberOr) : lines;
    }
    case "json": {
      const value = parsed(text);
      if (value === undefined) faults[name] = "It is not JSON; the example shows how it is written";
      return value;
    }
    default:
      return typesOf(schema).some((one) => NUMBERS.includes(one)) ? numberOr(text.trim()) : text;
  }
}

/** A number where it is one as it is written; else the text, of which the gateway says what is wrong. */
function numberOr(text: string): number | string {
  const number = Number(text.trim());
  return text.trim() !== "" && String(number) === text.trim() ? number : text.trim();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Arguments as the fields of a form; as JSON where fields would say something else, such as null or an empty list. */
export function fieldsFrom(of: FormOf, args: Readonly<Record<string, unknown>>): URLSearchParams {
  const form = new URLSearchParams();
  put(argumentsIn(of), args, form);
  const isSame = isDeepStrictEqual(readArguments(of, form), { args, faults: {} });
  return isSame && !hasLineEnd(form, of)
    ? form
    : new URLSearchParams({ [AS_JSON]: JSON.stringify(args, null, 2) });
}

/** Whether a field of one line would lose a line end. */
const hasLineEnd = (form: URLSearchParams, of: FormOf): boolean =>
  argumentsIn(of).flatMap((one) => [one, ...one.inner]).some(({ name, kind }) =>
    (kind === "line" || kind === "number") && (form.get(PREFIX + name) ?? "").includes("\n")
  );

function put(all: readonly Argument[], args: Readonly<Record<string, unknown>>, form: URLSearchParams): void {
  for (const { name, kind, inner } of all) {
    const value = args[name.slice(name.lastIndexOf(".") + 1)];
    if (value === undefined) continue;
    if (kind === "group") put(inner, schemaIn(value), form);
    else if (kind === "several") { for (const one of listOf(value)) form.append(PREFIX + name, String(one)); }
    else if (kind === "list") form.set(PREFIX + name, listOf(value).join("\n"));
    else form.set(PREFIX + name, kind === "json" ? JSON.stringify(value, null, 2) : String(value));
  }
}

/** What is wrong with arguments, by the fields that the sentences of a refusal name. */
export function faultsIn(sentences: readonly string[], of: FormOf): ArgumentFaults {
  const names = argumentsIn(of).flatMap(({ name, inner }) => [name, ...inner.map((one) => one.name)])
    .sort((one, other) => other.length - one.length);
  const faults: Record<string, string> = {};
  for (const sentence of sentences) {
    const name = names.find((one) =>
      sentence.startsWith(one) && [" ", ":", ",", ".", "["].includes(sentence[one.length] ?? "")
    ) ?? "";
    faults[name] = faults[name] === undefined ? sentence : `${faults[name]}; ${sentence}`;
  }
  return faults;
}

/** The fields. */
export function ArgumentFields(
  { of, form, faults }: {
    readonly of: FormOf;
    readonly form: URLSearchParams;
    readonly faults: ArgumentFaults;
  },
): Child {
  const all = argumentsIn(of);
  const whole = form.get(AS_JSON) ?? "";
  return (
    <>
      {all.length === 0 && <p class="hint">It takes no arguments beside the site.</p>}
      {all.map((one) => <ArgumentField one={one} form={form} faults={faults} />)}
      <details class="part" open={whole !== "" || faults[AS_JSON] !== undefined}>
        <summary>All arguments as JSON instead</summary>
        <Area
          name={AS_JSON}
          label="Arguments as JSON"
          hint={`Where something stands here, the fields above are not read. Such as: ${
            JSON.stringify(exampleOf({ type: "object", ...of.schema })).slice(0, LINE_CHARACTERS)
          }`}
          value={whole}
          error={sentenceOf(faults[AS_JSON])}
        />
      </details>
    </>
  );
}

const sentenceOf = (fault: string | undefined) => fault === undefined ? undefined : `${seen(fault)}.`;

function ArgumentField(
  { one, form, faults }: {
    readonly one: Argument;
    readonly form: URLSearchParams;
    readonly faults: ArgumentFaults;
  },
): Child {
  const { name, kind, schema, isRequired, inner } = one;
  const field = PREFIX + name;
  const label = isRequired ? `${seen(name)} (required)` : seen(name);
  const error = sentenceOf(faults[name]);
  const hint = hintOf(one);
  const value = form.get(field) ?? "";
  const shared = { name: field, label, hint, error };
  const none = { value: "", label: isRequired ? "Choose one" : presetOf(schema) };
  switch (kind) {
    case "group":
      return (
        <fieldset>
          <legend>{label}</legend>
          {hint && <p class="hint">{hint}</p>}
          {error && <p class="error">{error}</p>}
          {inner.map((each) => <ArgumentField one={each} form={form} faults={faults} />)}
        </fieldset>
      );
    case "several": {
      const chosen = form.getAll(field);
      const choices = listOf(schemaIn(schema["items"])["enum"]).map(String);
      return (
        <Choices
          name={field}
          legend={label}
          hint={hint}
          error={error}
          choices={choices.map((of) => ({ value: of, label: seen(of), checked: chosen.includes(of) }))}
        />
      );
    }
    case "choice": {
      const options = listOf(schema["enum"]).map((of) => ({ value: String(of), label: seen(String(of)) }));
      return <Select {...shared} value={value} options={[none, ...options]} />;
    }
    case "yesno":
      return (
        <Select
          {...shared}
          value={value}
          options={[none, { value: "true", label: "yes" }, { value: "false", label: "no" }]}
        />
      );
    case "line":
    case "number":
      return <Field {...shared} value={value} required={false} />;
    default:
      return <Area {...shared} value={value} />;
  }
}

const presetOf = ({ default: preset }: Schema) =>
  preset === undefined ? "Leave it out" : `Leave it out, which is: ${seen(JSON.stringify(preset))}`;

/** What is said of an argument, with how it is written where that is not plain. */
function hintOf({ kind, schema }: Argument): string {
  const { description, format, minimum, maximum, default: preset } = schema;
  const bounds = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
  ].filter(Boolean).join(", ");
  const how = kind === "list"
    ? "One a line."
    : kind === "json"
    ? `As JSON, such as: ${JSON.stringify(exampleOf(schema)).slice(0, LINE_CHARACTERS)}`
    : format === "date" || format === "date-time"
    ? `Such as ${exampleOf(schema)}.`
    : "";
  const isSelect = kind === "choice" || kind === "yesno";
  return seen(
    [
      typeof description === "string" ? description : "",
      bounds && `A number, ${bounds}.`,
      how,
      preset === undefined || isSelect ? "" : `Where it is left out: ${JSON.stringify(preset)}.`,
    ].filter(Boolean).join(" "),
  );
}
