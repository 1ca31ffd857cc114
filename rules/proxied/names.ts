/** What the names of others' tools say of them: which are never run, which run another tool, which look like ours. */
import { memoizeByName } from "../../core/made_once.ts";
import { isFields } from "../../core/values.ts";

/** What destroys, or makes public. */
const DESTROYS: readonly string[] = [
  ...["delete", "trash", "destroy", "purge", "erase", "wipe", "drop", "uninstall", "deactivate"],
  ...["publish", "unpublish"],
];
/** What reaches files, databases, code, accounts, or undoes the work of others. */
const BELOW_CONTENT: readonly string[] = [
  ...["file", "files", "directory", "directories", "sandbox", "rollback", "restore", "install"],
  ...["query", "queries", "table", "tables", "row", "rows", "sql", "cli", "shell", "eval", "php"],
  ...["snippet", "snippets", "plugin", "plugins", "theme", "themes", "user", "users"],
];
/** Names that sound harmless and are not, by how they end, and why. */
const MISLEADING: Readonly<Record<string, string>> = {
  "update-settings":
    "it changes settings of the whole site, its front page and what search engines see among them",
  "export-content": "it writes every page, drafts too, to a place that anybody can read",
  "reindex-search": "it works on the whole site's database",
  "set-template-conditions": "it decides where a theme's template is shown",
};
/** How words begin that may take away or make public: whoever approves such a tool finds out whether it does. */
const MAY_DO: readonly string[] = [
  ...[
    "delet",
    "trash",
    "destr",
    "purg",
    "eras",
    "wip",
    "dropp",
    "uninstall",
    "deactivat",
    "publi",
    "unpubli",
  ],
  ...["remov", "clear", "cleanup", "reset", "empt", "overwrit", "truncat", "archiv", "launch", "releas"],
];
/** Whose tools run others, and what they run. */
const RUNS: readonly string[] = ["execute", "run", "call", "invoke", "dispatch", "perform"];
const RUN: readonly string[] = ["ability", "abilities", "tool", "tools"];
/** How arguments call what is run, and what that gets. */
export const NAME_KEYS = ["ability_name", "ability", "tool_name", "tool", "name"] as const;
export const ARGUMENT_KEYS = ["parameters", "arguments", "args", "params", "input"] as const;
/** So many tools may run each other by name. */
export const RUN_LEVELS_MAX = 4;

/** What a name must be made of; that of an ability has a slash. */
const NAME = /^[A-Za-z0-9_./-]*$/;
const NAME_CHARACTERS_MAX = 128;

/** The words of a name in their order and in lower case: split at all but letters, and at camel humps. */
export const nameWords = memoizeByName((name: string): readonly string[] => {
  const split = name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return split.toLowerCase().split(/[^a-z]+/).filter((word) => word !== "");
}, NAME_CHARACTERS_MAX);

/** Why no tool of a name is ever run. */
export interface NeverRun {
  /** What of the name says so. */
  readonly word: string;
  /** Part of a sentence. */
  readonly because: string;
}

/** Why a tool of that name is never run, whoever offers or approves it; null where it may be. */
export function neverRun(name: string): NeverRun | null {
  if (name.length > NAME_CHARACTERS_MAX) return { word: name.slice(0, 40), because: "its name is too long" };
  const sign = [...name].find((one) => !NAME.test(one));
  if (sign !== undefined) {
    return { word: sign, because: "its name has others than letters, digits, _, -, . and /" };
  }
  const destroys = destroyingWord(name);
  if (destroys !== null) {
    const because = `its name has the word "${destroys}", and nothing is deleted or published through it`;
    return { word: destroys, because };
  }
  const words = nameWords(name);
  const below = BELOW_CONTENT.find((one) => words.includes(one));
  if (below !== undefined) {
    return { word: below, because: `its name has the word "${below}": it reaches below the site's content` };
  }
  const plain = `-${words.join("-")}`;
  const misleading = Object.entries(MISLEADING).find(([one]) => plain.endsWith(`-${one}`));
  return misleading ? { word: misleading[0], because: misleading[1] } : null;
}

/** The word of a name that says it destroys or publishes, with or without camel humps; null where there is none. */
export function destroyingWord(name: string): string | null {
  const words = [...nameWords(name), ...nameWords(name.toLowerCase())];
  return DESTROYS.find((word) => words.includes(word)) ?? null;
}

/** Whether a tool of that name runs another one that its arguments name. */
export function runsAnother(name: string): boolean {
  const words = nameWords(name);
  return RUNS.some((one) => words.includes(one)) && RUN.some((one) => words.includes(one));
}

/** Why a call is never sent: because of the tool's name, or of the name of one that it runs, down to the fourth. */
export function neverCalled(name: string, args: unknown, level = 0): NeverRun | null {
  const own = neverRun(name);
  if (own !== null || !runsAnother(name) || !isFields(args)) return own;
  if (level === RUN_LEVELS_MAX) return { word: name, because: "tools run each other too deep" };
  const inner = ARGUMENT_KEYS.map((key) => args[key]).find(isFields);
  for (const key of NAME_KEYS) {
    const run = args[key];
    const never = typeof run === "string" ? neverCalled(run, inner, level + 1) : null;
    if (never !== null) return never;
  }
  return null;
}

/** What who approves a tool of that name looks out for; null where its name says nothing of the kind. */
export function caution(name: string): string | null {
  const word = nameWords(name).find((word) => word === "live" || MAY_DO.some((one) => word.startsWith(one)));
  return word === undefined
    ? null
    : `Its name has the word "${word}": find out whether it takes something away or shows it to visitors before you ` +
      "approve it; tool-server try shows that where the site holds its writes.";
}

/** A name as somebody sees it who reads quickly: case and what joins its words do not count, nor 1 for l or 0 for o. */
export const skeleton = (name: string): string =>
  name.toLowerCase().replace(/[^a-z0-9]/g, "").replace(/[1i]/g, "l").replaceAll("0", "o").replaceAll(
    "rn",
    "m",
  );
