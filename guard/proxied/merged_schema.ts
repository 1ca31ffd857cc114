/** One schema for the tools of several sites that have one name: what holds at all of them, and where what is different. */
import { canonical } from "../../core/canonical.ts";
import { memoize } from "../../core/made_once.ts";

/** A schema as it is shown. */
type Schema = Readonly<Record<string, unknown>>;

/** A schema, and the sites that have it. */
export interface Way {
  readonly schema: Schema;
  readonly sites: readonly string[];
}

/** What sites say of one argument. */
interface Said {
  readonly part: Schema;
  readonly sites: readonly string[];
  readonly isRequired: boolean;
}

/** So many values and texts are named; of more it is said that there are more. */
const NAMED_MAX = 4;
const SITES_MAX = 6;
const VALUES_MAX = 200;

/** What is compared is an object that stays as it is, and most sites have the same. */
const textOf = memoize((schema: Schema) => canonical(schema));
const propertiesOf = ({ properties }: Schema) => (properties ?? {}) as Readonly<Record<string, Schema>>;
const requiredOf = memoize(({ required }: Schema): ReadonlySet<string> =>
  new Set((required ?? []) as string[])
);
const sitesOf = (all: readonly Pick<Way, "sites">[]) => all.flatMap(({ sites }) => sites);

/**
 * One schema for several: they themselves where they say the same, else a loose one. There an argument is as all say that
 * say anything of it, only what all require is required, and its description names the sites at which it differs.
 */
export function mergedSchema(ways: readonly Way[]): { readonly schema: Schema; readonly differ: boolean } {
  const alike = [...Map.groupBy(ways, ({ schema }) => textOf(schema)).values()]
    .map((same): Way => ({ schema: same[0]!.schema, sites: sitesOf(same) }));
  const [first = { schema: { type: "object" }, sites: [] }, ...others] = alike;
  if (others.length === 0) return { schema: first.schema, differ: false };
  const names = new Set(alike.flatMap(({ schema }) => Object.keys(propertiesOf(schema))));
  const properties = [...names].map((name) => {
    const having = alike.filter(({ schema }) => Object.hasOwn(propertiesOf(schema), name));
    const said = having.map(({ schema, sites }): Said => ({
      part: propertiesOf(schema)[name]!,
      sites,
      isRequired: requiredOf(schema).has(name),
    }));
    return [name, mergedArgument(said, sitesOf(alike))] as const;
  });
  const required = common(alike.map(({ schema }) => [...requiredOf(schema)]));
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
    },
    differ: true,
  };
}

/** An argument as its sites say it, with what of it is not alike at all of them. */
function mergedArgument(said: readonly Said[], all: readonly string[]): Schema {
  const part = mergedPart(said.map((one) => one.part));
  const notes = [whereNote(said, all), valuesNote(part, said)].filter((one) => one !== "");
  const words = described(said);
  const text = notes.length === 0 ? words : [sentence(words), ...notes].join(" ").trim();
  return text === "" ? part : { ...part, description: text };
}

/** The sites that have it and that require it, where these are not all. */
function whereNote(said: readonly Said[], all: readonly string[]): string {
  const having = sitesOf(said);
  const requiring = sitesOf(said.filter(({ isRequired }) => isRequired));
  const lacking = without(all, having);
  const free = without(having, requiring);
  const isFew = lacking.length < having.length;
  if (lacking.length > 0 && free.length === 0) {
    return isFew
      ? `Not on ${named(lacking)}; required on the others.`
      : `Only on ${named(having)}; required there.`;
  }
  const where = lacking.length === 0 ? "" : isFew ? `Not on ${named(lacking)}.` : `Only on ${named(having)}.`;
  if (requiring.length === 0 || free.length === 0) return where;
  const isMost = free.length < requiring.length;
  return `${where} ${isMost ? `Not required on ${named(free)}.` : `Required on ${named(requiring)}.`}`.trim();
}

const without = (some: readonly string[], others: readonly string[]) => [
  ...new Set(some).difference(new Set(others)),
];

/** What all say that say anything: of what differs its types and values, which are those of any, and what stands within. */
function mergedPart(parts: readonly Schema[]): Schema {
  const bare = parts.map(({ title: _, description: __, ...rest }) => withTypes(rest));
  const said = [
    ...new Map(bare.filter((one) => Object.keys(one).length > 0).map((one) => [canonical(one), one]))
      .values(),
  ];
  if (said.length < 2) return said[0] ?? {};
  const keys = new Set(said.flatMap((one) => Object.keys(one)));
  const merged = [...keys].map((key) => [key, mergedKeyword(key, said)] as const);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

function mergedKeyword(key: string, said: readonly Schema[]): unknown {
  const values = said.map((one) => one[key]).filter((one) => one !== undefined);
  // Of another kind of value these say nothing, and alternatives are of whatever type.
  if (key === "type") return said.some(({ anyOf }) => anyOf !== undefined) ? undefined : ofAny(values);
  if (key === "items") return mergedInner(values as Schema[]);
  if (key === "properties") return mergedProperties(values as Schema[]);
  if (values.length < said.length) return undefined;
  if (key === "enum") return ofAny(values);
  if (key === "required") return common(values as string[][]);
  return new Set(values.map(canonical)).size === 1 ? values[0] : undefined;
}

/** The schema with the types of its values where it says none, and with one value as its values. */
function withTypes({ const: only, ...rest }: Schema): Schema {
  const values = rest.enum ?? (only === undefined ? undefined : [only]);
  if (!Array.isArray(values)) return rest;
  const types = values.map((value) => value === null ? "null" : typeof value);
  return { ...rest, enum: values, type: rest.type ?? ofAny(types) };
}

/** What stands within an argument, in the words of the first that has some. */
function mergedInner(parts: readonly Schema[]): Schema {
  const description = parts.find((one) => one.description !== undefined)?.description;
  return { ...mergedPart(parts), ...(description === undefined ? {} : { description }) };
}

function mergedProperties(all: readonly Schema[]): Schema {
  const names = new Set(all.flatMap((one) => Object.keys(one)));
  return Object.fromEntries([...names].map((name) => {
    const own = all.flatMap((one) => Object.hasOwn(one, name) ? [one[name] as Schema] : []);
    return [name, mergedInner(own)];
  }));
}

function ofAny(values: readonly unknown[]): unknown {
  const all = [...new Set(values.flat())];
  if (all.length > VALUES_MAX) return undefined;
  return all.length === 1 && values.every((one) => !Array.isArray(one)) ? all[0] : all;
}

const common = (all: readonly (readonly string[])[]): string[] => [
  ...all.map((one) => new Set(one)).reduce((some, others) => some.intersection(others)),
];

/** The words of one, or of each with its sites. */
function described(said: readonly Said[]): string {
  const ways = Map.groupBy(said, ({ part }) => String(part.description ?? ""));
  ways.delete("");
  const all = [...ways];
  if (all.length < 2) return all[0]?.[0] ?? "";
  const more = all.length > NAMED_MAX ? ["Other sites describe it otherwise."] : [];
  const each = all.slice(0, NAMED_MAX).map(([text, of]) => sentence(`On ${named(sitesOf(of))}: ${text}`));
  return [...each, ...more].join(" ");
}

const sentence = (text: string) => text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;

/** Values that not all of its sites take. */
function valuesNote({ enum: values }: Schema, said: readonly Said[]): string {
  if (!Array.isArray(values)) return "";
  const listing = said.filter(({ part }) => Array.isArray(part.enum))
    .map(({ part, sites }) => ({ sites, known: new Set(part.enum as unknown[]) }));
  const some = values.flatMap((value) => {
    const having = listing.filter(({ known }) => known.has(value));
    return having.length === listing.length ? [] : [`${JSON.stringify(value)} on ${named(sitesOf(having))}`];
  });
  if (some.length === 0) return "";
  const more = some.length > NAMED_MAX ? "; other values differ too" : "";
  return `Only ${some.slice(0, NAMED_MAX).join(", ")}${more}.`;
}

/** Of many it is only said that there are some: a list of them costs more than it tells. */
const named = (sites: readonly string[]) => sites.length > SITES_MAX ? "some sites" : sites.join(", ");
