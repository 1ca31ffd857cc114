/** Which names of sites' own tools nobody can approve: those that destroy, publish, or reach below the content. */
import { forbiddenWord } from "./names.ts";
import { wordList, wordsOf } from "./words.ts";

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

/** Forms of the words that nothing is run by, which say that it is done: who is called so and does not read does it. */
const DOES: readonly string[] = [
  ...["deletes", "deleting", "deletion", "deletions", "trashes", "trashing", "erases", "erasing", "erasure"],
  ...["destroys", "destroying", "destruction", "purges", "purging", "wipes", "wiping", "dropping"],
  ...["uninstalls", "uninstalling", "uninstallation", "deactivates", "deactivating", "deactivation"],
  ...["publishes", "publishing", "unpublishes", "unpublishing"],
];
/** Words of what was done, of who does it, and of what takes away without being forbidden. */
const MAY_DO: readonly string[] = [
  ...[
    "deleted",
    "trashed",
    "destroyed",
    "purged",
    "erased",
    "wiped",
    "dropped",
    "uninstalled",
    "deactivated",
  ],
  ...["published", "unpublished", "publisher", "publication", "public", "live", "launch", "release"],
  ...[
    "remove",
    "removes",
    "removed",
    "removing",
    "removal",
    "clear",
    "clears",
    "cleared",
    "clearing",
    "cleanup",
  ],
  ...["reset", "resets", "empty", "empties", "overwrite", "overwrites", "truncate", "archive", "archives"],
];

const wordOf = (name: string, among: readonly string[]): string | null => {
  const words = wordsOf(name);
  return among.find((one) => words.has(one)) ?? null;
};

/** Why a tool of that name can be approved as a read and as nothing else; null where it may write. */
export function onlyReads(name: string): string | null {
  const word = wordOf(name, DOES);
  return word === null
    ? null
    : `its name has the word "${word}", and nothing is deleted or published through it`;
}

/** What who approves a tool of that name looks out for; null where its name says nothing of the kind. */
export function caution(name: string): string | null {
  const word = wordOf(name, [...DOES, ...MAY_DO]);
  return word === null
    ? null
    : `Its name has the word "${word}": find out whether it takes something away or shows it to visitors before you ` +
      "approve it, for there is no preview and no undo.";
}
