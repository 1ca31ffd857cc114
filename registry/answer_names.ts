/** Names of parts of an answer: those that its manifest tells of, and those that an answer turned out to have. */
import { memoize } from "../core/made_once.ts";
import { isFields } from "../core/values.ts";
import { type Answering, resultOf } from "./answers.ts";
import type { Schema } from "./dialect.ts";

/** What can stand at one place of an answer. */
export type Ways = readonly Schema[];

/** The names of a place, with what stands behind each; `isOpen` where there can be others. */
export interface Names {
  readonly known: ReadonlyMap<string, Ways>;
  /** Those of them that are lists. */
  readonly lists: ReadonlySet<string>;
  readonly isOpen: boolean;
}

/** What a tool's answers hold, by its manifest; nothing where that does not say it. */
export const resultWays: (manifest: Answering) => Ways = memoize((manifest: Answering): Ways => {
  const schema = resultOf(manifest);
  return schema === null ? [] : flat([schema]);
});

/** Alternatives one by one, and of lists the items: paths go through lists by themselves. */
function flat(ways: Ways): Ways {
  return ways.flatMap((one) => {
    if (one.anyOf) return flat(one.anyOf);
    return one.type === "array" ? flat([one.items ?? {}]) : [one];
  });
}

const isList = ({ type, anyOf }: Schema): boolean => type === "array" || (anyOf ?? []).some(isList);

/** The names that the place can have. */
export function namesOf(ways: Ways): Names {
  const known = new Map<string, Ways>();
  const lists = new Set<string>();
  let isOpen = false;
  for (const { type, properties, additionalProperties: extra } of ways) {
    // What is no object has no names; of what has no type nothing is known.
    if (type === undefined || type === "object" && (extra || !properties)) isOpen = true;
    for (const [name, inner] of Object.entries(properties ?? {})) {
      known.set(name, [...known.get(name) ?? [], ...flat([inner])]);
      if (isList(inner)) lists.add(name);
    }
  }
  return { known, lists, isOpen };
}

/** How many steps the first name that is known takes, which may hold dots itself; 0 where none is. */
export function stepsOf(names: readonly string[], known: ReadonlyMap<string, Ways>): number {
  let joined = "";
  for (const [at, name] of names.entries()) {
    joined = at === 0 ? name : `${joined}.${name}`;
    if (known.has(joined)) return at + 1;
  }
  return 0;
}

/** A name without what spellings differ in. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll("_", "").replaceAll("-", "");

/** Every path that is known, those of the upper levels first. */
export function pathsOf(ways: Ways, before = "", depth: number = DEPTH_MAX): readonly string[] {
  if (depth === 0) return [];
  const rows = [...namesOf(ways).known].map(([name, inner]) => ({
    path: before === "" ? name : `${before}.${name}`,
    inner,
  }));
  return [
    ...rows.map(({ path }) => path),
    ...rows.flatMap(({ path, inner }) => pathsOf(inner, path, depth - 1)),
  ];
}

const DEPTH_MAX = 5;
/** So many items of a list, and names of an object, are looked at. */
const ITEMS_MAX = 20;
const KEYS_MAX = 100;

/** The same of an answer whose names nobody knew beforehand. */
export const valueWays = (value: unknown): Ways => flat([schemaOf(value, DEPTH_MAX + 1)]);

function schemaOf(value: unknown, depth: number): Schema {
  if (value === null || depth === 0) return {};
  if (Array.isArray(value)) {
    return {
      type: "array",
      items: { anyOf: value.slice(0, ITEMS_MAX).map((one) => schemaOf(one, depth - 1)) },
    };
  }
  if (!isFields(value)) return { type: "string" }; // what is no object has no names
  const named = Object.entries(value).slice(0, KEYS_MAX).map(([name, one]) =>
    [name, schemaOf(one, depth - 1)] as const
  );
  return { type: "object", properties: Object.fromEntries(named) };
}
