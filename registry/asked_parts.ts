/** The parts of an answer that a call asks for: those that there are, those that another name means, and what is said of the rest. */
import { type Path, type Step, textOf } from "../core/answer_parts.ts";
import { clipped } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { namesOf, pathsOf, plainName, stepsOf, type Ways } from "./answer_names.ts";

/** What is answered of a path that names no part. */
export interface NotFound {
  readonly asked: string;
  /** The part that means the same, and is in the answer. */
  readonly answered?: string;
  /** What may have been meant, and is not in the answer. */
  readonly instead?: readonly string[];
}

/** Paths that a call asks for, compared with what there is. */
export interface AskedParts {
  /** What there is of them, in their order. */
  readonly paths: readonly Path[];
  /** Of those, what may be there or not: texts of the paths. */
  readonly open: ReadonlySet<string>;
  readonly not_found: readonly NotFound[];
  /** What there is where a path failed for which nothing is known in its place. */
  readonly there: readonly string[];
}

/** Names that mean the same in answers; one is taken for another only where a place has one of them alone. */
const SAME: readonly (readonly string[])[] = [
  ["modified_gmt", "modified", "modified_at", "updated_at", "changed_at", "last_modified"],
  ["created_on", "created_at", "created"],
  ["url", "address", "link", "permalink", "page_url"],
  ["id", "post_id", "page_id"],
  ["content_html", "content", "html"],
  ["status", "state"],
  ["title", "name"],
  ["total", "count", "total_count"],
  ["scheduled_at", "scheduled_for", "publish_at"],
].map((names) => names.map(plainName));
/** What callers call the list of an answer that has one. */
const LISTS: readonly string[] = ["items", "results", "rows", "data", "entries", "records", "list"];
const KINDS_OF_LISTS: readonly string[] = ["posts", "pages", "drafts", "sites", "files", "content"];

/** So many names are told, and so many are looked through for one that was meant. */
const TOLD_MAX = 30;
const MEANT_MAX = 400;

/** The one of `known` that is the same name in another spelling, or that alone means the same; null where none does. */
export function sameName(name: string, known: readonly string[]): string | null {
  const wanted = plainName(name);
  const spelt = known.filter((one) => plainName(one) === wanted);
  if (spelt.length > 0) return spelt.length === 1 ? spelt[0]! : null;
  const group = SAME.find((names) => names.includes(wanted)) ?? [];
  const others = known.filter((one) => group.includes(plainName(one)));
  return others.length === 1 ? others[0]! : null;
}

/** A path as far as it leads. */
type Walked =
  | { readonly steps: readonly Step[]; readonly isOpen: boolean; readonly isSame: boolean }
  | { readonly before: string; readonly known: readonly string[] };

const leads = (walked: Walked): walked is Extract<Walked, { steps: unknown }> => "steps" in walked;

function walk(steps: readonly Step[], root: Ways): Walked {
  const taken: Step[] = [];
  let ways = root;
  let isSame = true;
  for (let at = 0; at < steps.length;) {
    const step = steps[at]!;
    const { known, isOpen } = namesOf(ways);
    const count = step.name === "" ? 1 : stepsOf(steps.slice(at).map(({ name }) => name), known);
    if (count > 0) {
      const whole = steps.slice(at, at + count);
      taken.push(...whole);
      if (step.name !== "") ways = known.get(whole.map(({ name }) => name).join("."))!;
      at += count;
      continue;
    }
    if (isOpen) return { steps: [...taken, ...steps.slice(at)], isOpen, isSame };
    // What has no parts is meant itself.
    if (known.size === 0 && taken.length > 0) return { steps: taken, isOpen: false, isSame: false };
    const names = [...known.keys()];
    const same = sameName(step.name, names);
    if (same === null) return { before: taken.map(({ name }) => name).join("."), known: names };
    taken.push({ name: same, range: step.range });
    ways = known.get(same)!;
    isSame = false;
    at++;
  }
  return { steps: taken, isOpen: false, isSame };
}

/** A path whose first name is unknown, through the only list of the answer, or without a list that the answer does not have. */
function otherwise(steps: readonly Step[], root: Ways): readonly Step[] | null {
  const [first, ...rest] = steps;
  if (first === undefined) return null;
  const [list, ...more] = namesOf(root).lists;
  const only = list === undefined || more.length > 0 ? null : list;
  const isAList = LISTS.includes(first.name) || rest.length > 0 && KINDS_OF_LISTS.includes(first.name);
  const ways = [
    ...only !== null && isAList ? [[{ name: only, range: first.range }, ...rest]] : [],
    ...only === null ? [] : [[{ name: only, range: null }, ...steps]],
    ...isAList && rest.length > 0 && first.range === null ? [rest] : [],
  ];
  for (const way of ways) {
    const walked = walk(way, root);
    if (leads(walked)) return walked.steps;
  }
  return null;
}

/** Compares the paths with what there is; where nothing is known each may be there. */
export function askedParts(paths: readonly Path[], root: Ways): AskedParts {
  const found: Path[] = [];
  const open = new Set<string>();
  const not_found: NotFound[] = [];
  let there: readonly string[] = [];
  for (const path of paths) {
    const walked = root.length === 0
      ? { steps: path.steps, isOpen: true, isSame: true }
      : walk(path.steps, root);
    const steps = leads(walked) ? walked.steps : walked.before === "" ? otherwise(path.steps, root) : null;
    if (steps !== null) {
      const isSame = leads(walked) && walked.isSame;
      const taken = isSame ? path : { text: textOf(steps), steps };
      found.push(taken);
      if (!leads(walked) || walked.isOpen) open.add(taken.text);
      if (!isSame) not_found.push({ asked: clipped(path.text), answered: taken.text });
      continue;
    }
    const { before, known } = walked as Exclude<Walked, { steps: unknown }>;
    const here = known.slice(0, TOLD_MAX);
    const meant = meantBy(path, before, here, root);
    not_found.push({ asked: clipped(path.text), ...meant === null ? {} : { instead: [meant] } });
    if (meant === null && there.length === 0) there = here.map((name) => below(before, name));
  }
  return { paths: found, open, not_found, there };
}

/** So many of several faults are told. */
const FAULTS_MAX = 8;

/** Why nothing can be answered of paths of which none names a part, in a sentence: what was meant, and what there is. */
export function nothingFound(paths: readonly Path[], root: Ways): string {
  const told = paths.slice(0, FAULTS_MAX).map((path, at) => {
    const walked = walk(path.steps, root) as Exclude<Walked, { steps: unknown }>;
    const here = walked.known.slice(0, TOLD_MAX);
    const meant = meantBy(path, walked.before, here, root);
    const asked = JSON.stringify(clipped(path.text));
    const why = at === 0 ? `${asked} is no part of the answer` : `nor is ${asked}`;
    const instead = meant === null ? "" : `${at === 0 ? "; " : ", "}did you mean ${JSON.stringify(meant)}`;
    const there = at === 0 ? `; ${walked.before === "" ? "it" : walked.before} has ${here.join(", ")}` : "";
    return `${why}${instead}${there}`;
  });
  return told.join("; ");
}

const below = (before: string, name: string) => before === "" ? name : `${before}.${name}`;

/** The path of that name elsewhere, however it is spelt, and else the one that is spelt most like it. */
function meantBy({ steps }: Path, before: string, here: readonly string[], root: Ways): string | null {
  const bare = steps.map((one) => one.name);
  const name = bare.at(-1)!;
  const all = pathsOf(root).slice(0, MEANT_MAX);
  const called = all.filter((one) => plainName(one.split(".").at(-1)!) === plainName(name));
  const whole = called.filter((one) => one.endsWith(`.${bare.join(".")}`));
  const beside = called.filter((one) => one.startsWith(`${before}.`));
  const found = shortest(whole) ?? shortest(beside) ?? shortest(called);
  if (found !== null) return found;
  const near = bare.length === levelOf(before) + 1 ? nearest(name, here) : null;
  if (near !== null) return below(before, near);
  return before === "" ? nearest(bare.join("."), all) : null; // the part that is right makes anything look near
}

const levelOf = (path: string) => path === "" ? 0 : path.split(".").length;

const shortest = (paths: readonly string[]): string | null =>
  paths.toSorted((a, b) => a.split(".").length - b.split(".").length)[0] ?? null;
