/** What arguments say that name tools, abilities and operations: which of these are never run. */
import { memoize } from "../../core/made_once.ts";
import type { Steps } from "../../core/steps.ts";
import { DESTROYS } from "./names.ts";
import { type Place, unreadable, walk } from "./walk.ts";
import type { Unpacked } from "./unpacked.ts";
import { wordList, wordsOf } from "./words.ts";

const FORBIDDEN: readonly string[] = [...DESTROYS, "unprivate"];

/** The forbidden word in what an argument names, as any server could read it; null where there is none. */
function forbiddenIn(name: string): string | null {
  const words = wordsOf(name);
  return FORBIDDEN.find((word) => words.has(word)) ?? null;
}

/** Words for a tool, an ability or an operation, as arguments that name one are called. */
const NAMING: ReadonlySet<string> = new Set([
  "tool",
  "tools",
  "ability",
  "abilities",
  "operation",
  "operations",
  "op",
  "ops",
  "action",
  "actions",
  "command",
  "commands",
  "method",
  "verb",
  "function",
  "callback",
  "mode",
  "task",
  "tasks",
  "job",
  "cmd",
  "intent",
  "procedure",
]);
/** Within what such an argument holds, and behind such a word. */
const OF_IT: ReadonlySet<string> = new Set(["name", "names", "type", "id", "kind", "slug"]);
/** Beside these, `name` is that of what is run. */
const ARGUMENTS: readonly string[] = ["arguments", "args", "parameters", "params"];
/** What is run and with what, in one object: a call within a call. */
const CALLED: readonly string[] = ["ability_name", "ability", "tool_name", "tool"];

/** An argument that names what is never done, or runs a tool where that cannot be judged. */
export interface NamedFault {
  readonly field: string;
  readonly value: string;
  /** The forbidden word; null for a call within the arguments. */
  readonly word: string | null;
}

/**
 * The first argument, at any depth, that names a tool, an ability or an operation by a forbidden word, or a call of
 * another tool within the arguments. Null where there is none.
 */
export function namedForbidden(
  args: Readonly<Record<string, unknown>>,
  steps?: Steps,
): NamedFault | null {
  return walk(args, (place, inner) => {
    const { field, value } = place;
    if (typeof value === "string" && names(place) && !isToDo(place)) {
      const word = forbiddenIn(value);
      if (word !== null) return { field, value, word };
    }
    const word = isNo(value) ? null : wordOfKey(place);
    if (word !== null) return { field, value: place.key, word };
    return isCall(value) ? { field, value: "", word: null } : looselyNamed(place, inner);
  }, steps) ?? null;
}

/** The forbidden word in a name that stands as a key where operations or tools are listed: `operations: [{delete: …}]`. */
const wordOfKey = ({ key, within }: Place): string | null =>
  key !== "" && within !== null && holdsNames(within) ? forbiddenIn(key) : null;

const isNo = (value: unknown) => value === false || value === null || value === "";

/** In a text that means to be JSON and is none, a name and what it is called. */
const LOOSE_NAME =
  /(?:tools?|abilit(?:y|ies)|operations?|ops?|actions?|commands?|method)(?:_name)?[^\w:=]{0,200}[:=]\W{0,200}([\w/-]{1,80})/gi;

function looselyNamed(place: Place, inner: Unpacked | undefined): NamedFault | undefined {
  const { field, value } = place;
  if (typeof value !== "string" || !unreadable(place, inner)) return undefined;
  for (const [, name = ""] of value.matchAll(LOOSE_NAME)) {
    const word = forbiddenIn(name);
    if (word !== null) return { field, value: name, word };
  }
  return undefined;
}

const isCall = (value: unknown) =>
  typeof value === "object" && value !== null &&
  CALLED.some((key) => typeof (value as Record<string, unknown>)[key] === "string") &&
  ARGUMENTS.some((key) => key in value);

/** What people have to do is called so as well, in words of theirs: a task, the next action. */
const TO_DO = /^(tasks?|jobs?|(next|last|required|recommended|suggested) actions?|follow up actions?)$/;
/** Whose methods are operations: a shipping method is chosen, and a teaching method is none. */
const METHODS_OF: ReadonlySet<string> = new Set(["http", "request", "rest", "api", "rpc", "tool", "ability"]);

/** Whether it is a sentence that says what a person has to do. */
function isToDo({ key, value, within }: Place): boolean {
  if (typeof value !== "string" || !/\S\s+\S/.test(value)) return false;
  return hasToDo(key) || (within !== null && isTask(within));
}

/** Whether it is, or is an item of, what is called after what people have to do. */
const isTask = memoize(({ key, within }: Place): boolean =>
  key === "" ? within !== null && isTask(within) : hasToDo(key)
);

function hasToDo(key: string): boolean {
  const words = wordList(key);
  return [1, 2, 3].some((count) => TO_DO.test(words.slice(-count).join(" ")));
}

const names = memoize((place: Place): boolean => {
  const { key, within } = place;
  // A list's items mean what the list is called.
  if (key === "") return within !== null && names(within);
  const words = wordList(key);
  const last = words.at(-1) ?? "";
  // What is called "call to action" is a text for visitors.
  const before = words.at(-2);
  const isChosen = last === "method" && before !== undefined && !METHODS_OF.has(before);
  if (NAMING.has(last) && before !== "to" && !isChosen) return true;
  if (!OF_IT.has(last)) return false;
  if (words.length > 1) return NAMING.has(words.at(-2)!) && words.at(-3) !== "to";
  return (within !== null && holdsNames(within)) || (last === "name" && besideArguments(within));
});

/** Whether it is, or is an item of, what is called after tools, abilities or operations. */
const holdsNames = memoize(({ key, within }: Place): boolean => {
  if (key === "") return within !== null && holdsNames(within);
  return NAMING.has(wordList(key).at(-1) ?? "");
});

const besideArguments = (within: Place | null) =>
  typeof within?.value === "object" && within.value !== null &&
  ARGUMENTS.some((key) => key in (within.value as object));
