/** What a client reads of an answer, taken from the schema that it reads with: names and types, and never a value. */
import { z } from "zod";

/** A type of a value in JSON. */
export type Kind = "string" | "number" | "boolean" | "null" | "object" | "list";

/** One way in which a value is read. */
export type Form =
  | { readonly kind: "string" | "number" | "boolean" | "null" }
  | { readonly kind: "list"; readonly items: Shape }
  | {
    readonly kind: "object";
    readonly names: Readonly<Record<string, Part>>;
    /** What stands under any name, of a map whose names are data; null for what is no map. */
    readonly map: Shape | null;
  };
/** Every way in which a value is read; any value is where there is none. */
export type Shape = readonly Form[];

/** What stands under a name. */
export interface Part {
  readonly shape: Shape;
  /** Whether the client can do nothing with an object that lacks it. */
  readonly needed: boolean;
}

const TYPES = z.registry<{ types: readonly Kind[] }>();

/** The same schema, which takes any value, with the types that it makes something of. */
export function readsTypes<Schema extends z.ZodType>(schema: Schema, ...types: readonly Kind[]): Schema {
  TYPES.add(schema, { types });
  return schema;
}

/** As `z.toJSONSchema` writes one, as far as it is read here. */
interface Written {
  readonly type?: string | readonly string[];
  readonly types?: readonly Kind[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Written[];
  readonly oneOf?: readonly Written[];
  readonly allOf?: readonly Written[];
  readonly properties?: Readonly<Record<string, Written>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Written | boolean;
  readonly items?: Written | boolean;
  readonly prefixItems?: readonly Written[];
  readonly default?: unknown;
}

/** What that schema reads. */
export function shapeOf(schema: z.ZodType): Shape {
  return formsOf(z.toJSONSchema(schema, { io: "input", unrepresentable: "any", metadata: TYPES }) as Written);
}

/** The type of a value of JSON. */
export function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  const kind = typeof value;
  return kind === "string" || kind === "number" || kind === "boolean" ? kind : "object";
}

function formsOf(written: Written): Shape {
  const { anyOf, oneOf, allOf } = written;
  const ways = anyOf ?? oneOf;
  if (ways !== undefined) {
    const all = ways.map(formsOf);
    return all.some((one) => one.length === 0) ? [] : all.flat();
  }
  if (allOf !== undefined) return joined(allOf.map(formsOf));
  return typesOf(written).map((type) => formOf(type, written));
}

function typesOf({ type, types, const: only, enum: words }: Written): readonly string[] {
  if (types !== undefined) return types;
  if (type !== undefined) return typeof type === "string" ? [type] : type;
  return [...new Set([...words ?? [], ...only === undefined ? [] : [only]].map(kindOf))];
}

function formOf(type: string, written: Written): Form {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return { kind: type };
    case "number":
    case "integer":
      return { kind: "number" };
    case "array":
    case "list":
      return { kind: "list", items: itemsOf(written) };
    default:
      return objectOf(written);
  }
}

function itemsOf({ items, prefixItems = [] }: Written): Shape {
  if (prefixItems.length > 0) return prefixItems.flatMap(formsOf);
  return typeof items === "object" ? formsOf(items) : [];
}

function objectOf({ properties, required = [], additionalProperties: others }: Written): Form {
  const names = Object.entries(properties ?? {}).map(([name, written]): [string, Part] => {
    const shape = formsOf(written);
    // What has a default, or takes anything, may be left out.
    return [name, { shape, needed: required.includes(name) && !("default" in written) && shape.length > 0 }];
  });
  const map = properties === undefined && others !== undefined && others !== false
    ? formsOf(others === true ? {} : others)
    : null;
  return { kind: "object", names: Object.fromEntries(names), map };
}

/** Objects that must be all of these at once, as one object. */
function joined(all: readonly Shape[]): Shape {
  const objects = all.flat().flatMap((form) => form.kind === "object" ? [form] : []);
  return [{ kind: "object", names: Object.assign({}, ...objects.map(({ names }) => names)), map: null }];
}
