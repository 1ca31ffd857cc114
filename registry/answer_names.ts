/** Names of parts of an answer, by what its manifest says of it: which there are, and which was meant by one there is not. */
import type { Path } from "../core/answer_parts.ts";
import { clipped } from "../core/errors.ts";
import { memoize } from "../core/made_once.ts";
import { nearest } from "../core/nearest.ts";
import { type Answering, resultOf } from "./answers.ts";
import type { Schema } from "./dialect.ts";

/** What can stand at one place of an answer. */
type Ways = readonly Schema[];

/** The names of a place, with what stands behind each; `isOpen` where there can be others. */
interface Names {
  readonly known: ReadonlyMap<string, Ways>;
  readonly isOpen: boolean;
}

/** So many names are told, and so many are looked through for one that was meant. */
const TOLD_MAX = 30;
const MEANT_MAX = 400;
const DEPTH_MAX = 5;

/**
 * Why the first path that no answer of the tool can have is none: where it fails, what was meant or what there is. Null where
 * each may name something, also where nothing is known: data of a site's or vendor's own can have any name.
 */
export function unknownPart(manifest: Answering, paths: readonly Path[]): string | null {
  const root = resultWays(manifest);
  if (root.length === 0) return null;
  for (const path of paths) {
    const fault = faultOf(path, root);
    if (fault !== null) return fault;
  }
  return null;
}

const resultWays = memoize((manifest: Answering): Ways => {
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

function namesOf(ways: Ways): Names {
  const known = new Map<string, Ways>();
  let isOpen = false;
  for (const { type, properties, additionalProperties: extra } of ways) {
    // What is no object has no names; of what has no type nothing is known.
    if (type === undefined || type === "object" && (extra || !properties)) isOpen = true;
    for (const [name, inner] of Object.entries(properties ?? {})) {
      known.set(name, [...known.get(name) ?? [], ...flat([inner])]);
    }
  }
  return { known, isOpen };
}

function faultOf(path: Path, root: Ways): string | null {
  const { text, steps } = path;
  let ways = root;
  let before = "";
  for (let at = 0; at < steps.length;) {
    const { name } = steps[at]!;
    const { known, isOpen } = namesOf(ways);
    const taken = name === "" ? 1 : stepsOf(steps.slice(at).map((one) => one.name), known);
    if (name !== "" && taken === 0) {
      return isOpen ? null : `${quoted(text)} is no part of the answer; ${hint(path, before, known, root)}`;
    }
    if (name !== "") {
      const whole = steps.slice(at, at + taken).map((one) => one.name).join(".");
      ways = known.get(whole)!;
      before = before === "" ? whole : `${before}.${whole}`;
    }
    at += taken;
  }
  return null;
}

/** How many steps the first name that is known takes, which may hold dots itself; 0 where none is. */
function stepsOf(names: readonly string[], known: ReadonlyMap<string, Ways>): number {
  let joined = "";
  for (const [at, name] of names.entries()) {
    joined = at === 0 ? name : `${joined}.${name}`;
    if (known.has(joined)) return at + 1;
  }
  return 0;
}

const quoted = (text: string) => JSON.stringify(clipped(text));

/** What was meant, where that is plain, and the names that there are at the place. */
function hint(path: Path, before: string, known: ReadonlyMap<string, Ways>, root: Ways): string {
  const here = [...known.keys()].slice(0, TOLD_MAX);
  const there = here.length === 0
    ? `${before} has no parts, ask for ${before} itself`
    : `${before === "" ? "it" : before} has ${here.join(", ")}`;
  const meant = meantBy(path, before, here, root);
  return meant === null ? there : `did you mean ${JSON.stringify(meant)}; ${there}`;
}

/** The path of that name elsewhere, however it is spelt, and else the one that is spelt most like it. */
function meantBy({ steps }: Path, before: string, here: readonly string[], root: Ways): string | null {
  const bare = steps.map((one) => one.name);
  const name = bare.at(-1)!;
  const all = pathsOf(root, "", DEPTH_MAX).slice(0, MEANT_MAX);
  const called = all.filter((one) => plainOf(one.split(".").at(-1)!) === plainOf(name));
  const whole = called.filter((one) => one.endsWith(`.${bare.join(".")}`));
  const beside = called.filter((one) => one.startsWith(`${before}.`));
  const found = shortest(whole) ?? shortest(beside) ?? shortest(called);
  if (found !== null) return found;
  const near = bare.length === levelOf(before) + 1 ? nearest(name, here) : null;
  return near === null ? nearest(bare.join("."), all) : before === "" ? near : `${before}.${near}`;
}

const levelOf = (path: string) => path === "" ? 0 : path.split(".").length;

const plainOf = (name: string) => name.toLowerCase().replaceAll("_", "").replaceAll("-", "");

const shortest = (paths: readonly string[]): string | null =>
  paths.toSorted((a, b) => a.split(".").length - b.split(".").length)[0] ?? null;

/** Every path that is known, those of the upper levels first. */
function pathsOf(ways: Ways, before: string, depth: number): readonly string[] {
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
