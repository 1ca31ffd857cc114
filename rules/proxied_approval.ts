/** Which names of sites' own tools nobody can approve: those that destroy, publish, or reach below the content. */

/** Whole words of a name that destroys or publishes; such a tool is hidden, and refused whoever calls it. */
const DESTRUCTIVE: ReadonlySet<string> = new Set([
  "delete",
  "trash",
  "destroy",
  "purge",
  "erase",
  "wipe",
  "drop",
  "uninstall",
  "deactivate",
  "publish",
  "unpublish",
]);

/** Whole words of a name that reaches files, databases, code, accounts or what undoes others' work. */
const BELOW_CONTENT: ReadonlySet<string> = new Set([
  ...["file", "files", "directory", "directories", "sandbox", "rollback", "restore"],
  ...["query", "queries", "table", "tables", "row", "rows", "sql", "cli", "php"],
  ...["snippet", "snippets", "plugin", "plugins", "theme", "themes", "user", "users"],
]);

/** Names that sound harmless and are not: they change how the whole site is shown, or copy drafts where all can read. */
const MISLEADING = ["update-settings", "export-content", "reindex-search"] as const;

/** The words of a name: split where letters end and at camel humps, in lower case. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** Why a tool of that name is hidden, whatever anybody says of it; null where it is not. */
export function hiddenReason(name: string): string | null {
  const word = wordsOf(name).find((one) => DESTRUCTIVE.has(one));
  return word === undefined
    ? null
    : `its name has the word "${word}", and nothing is deleted or published through it`;
}

/** Why nobody can approve a tool of that name; null where somebody can. */
export function neverApproved(name: string): string | null {
  const hidden = hiddenReason(name);
  if (hidden !== null) return hidden;
  const word = wordsOf(name).find((one) => BELOW_CONTENT.has(one));
  if (word !== undefined) return `its name has the word "${word}": it reaches below the site's content`;
  const plain = wordsOf(name).join("-");
  const misleading = MISLEADING.find((one) => plain === one || plain.endsWith(`-${one}`));
  return misleading === undefined ? null : `"${misleading}" reaches further than its name says`;
}

/** A name as somebody sees it who reads quickly: case, separators and look-alike characters do not count. */
export const skeleton = (name: string): string =>
  name.toLowerCase().replace(/[^a-z0-9]/g, "").replace(/[1i]/g, "l").replaceAll("0", "o").replaceAll(
    "rn",
    "m",
  );
