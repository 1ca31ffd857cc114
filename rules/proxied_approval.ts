/** Which names of sites' own tools nobody can approve: those that destroy, publish, or reach below the content. */
import { forbiddenWord } from "./proxied_names.ts";
import { wordList, wordsOf } from "./proxied_words.ts";

/** Whole words of a name that reaches files, databases, code, accounts or what undoes others' work. */
const BELOW_CONTENT: readonly string[] = [
  ...["file", "files", "directory", "directories", "sandbox", "rollback", "restore"],
  ...["query", "queries", "table", "tables", "row", "rows", "sql", "cli", "php"],
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

/** Why a tool of that name is hidden, whatever anybody says of it; null where it is not. */
export function hiddenReason(name: string): string | null {
  const word = forbiddenWord(name);
  return word === null
    ? null
    : `its name has the word "${word}", and nothing is deleted or published through it`;
}

/** Why nobody can approve a tool of that name; null where somebody can. */
export function neverApproved(name: string): string | null {
  const hidden = hiddenReason(name);
  if (hidden !== null) return hidden;
  const plain = wordList(name).join("-");
  const misleading = Object.entries(MISLEADING).find(([one]) => plain === one || plain.endsWith(`-${one}`));
  if (misleading) return misleading[1];
  const words = wordsOf(name);
  const word = BELOW_CONTENT.find((one) => words.has(one));
  return word === undefined ? null : `its name has the word "${word}": it reaches below the site's content`;
}
