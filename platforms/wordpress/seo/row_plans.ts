/** What plans say of rows that are to be set back; tools begin with it, so it loads nothing that reaches a site. */
import type { Change } from "../../../core/model.ts";
import { isFields } from "../../../core/values.ts";
import type { Compared } from "../../_content/compared.ts";
import type { PartHashes } from "../companion/guarded.ts";
import {
  keptRows,
  type RowSubject,
  rowsWhere,
  type RowValues,
  type StoredRows,
} from "../companion/stored_rows.ts";
import type { Scope } from "../structured_data/entries.ts";
import type { SeoMeta } from "./fields.ts";

/** Rows to be set back, and what stands there now. */
export interface PreparedRows {
  readonly subject: RowSubject;
  /** The post with its SEO as it is now. */
  readonly meta: SeoMeta;
  readonly stored: StoredRows;
  /** The texts that are to stand there. */
  readonly values: RowValues;
  readonly hashes: PartHashes;
  readonly warnings: readonly string[];
}

/** What stands there after it. */
export interface RowsWritten extends Compared {
  readonly meta: SeoMeta;
  readonly stored: StoredRows;
}

/** Whether two values are the same in every part. */
export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A row in the words of arguments: its field where it alone holds that. */
export function fieldOf({ rows }: StoredRows, name: string): string {
  const of = rows[name]?.of ?? name;
  const alone = Object.values(rows).filter((row) => row.of === of).length === 1;
  return alone ? of.replace(".", "_") : name;
}

/** The texts that stand in the same rows now. */
const rowsNow = ({ rows }: StoredRows, values: RowValues): RowValues =>
  Object.fromEntries(Object.keys(values).map((name) => [name, rows[name]?.values ?? []]));

/** The rows as parts of a revision, with the state they go by. */
export const rowParts = (
  { post }: { readonly post: { readonly status: string } },
  rows: RowValues,
): Record<string, unknown> => ({
  ...rows,
  status: post.status,
});

/** What a plan says of rows that are to be set back. */
export function plannedRows(
  { meta, stored, values, warnings }: PreparedRows,
  of: Readonly<Record<string, unknown>>,
) {
  const now = rowsNow(stored, values);
  const shown = (texts: readonly string[]) => texts.length > 1 ? texts : texts[0] ?? null;
  const changes: Change[] = Object.entries(values).filter(([name, texts]) => !isSame(now[name], texts))
    .map(([name, texts]) => ({ field: fieldOf(stored, name), from: shown(now[name]!), to: shown(texts) }));
  return {
    changes,
    revision: rowParts(meta, now),
    before: { of, values: keptRows(stored, now) },
    warnings,
  };
}

/** The parts of that revision after the write. */
export const partsAfter = (
  { meta, stored }: RowsWritten,
  { values }: PreparedRows,
): Record<string, unknown> => rowParts(meta, rowsNow(stored, values));

/** The groups of fields that rows belong to, in the companion plugin's words. */
export const groupsOfRows = ({ stored, values }: PreparedRows): ReadonlySet<string> =>
  new Set(Object.keys(values).map((name) => stored.rows[name]?.of ?? name));

/** An entry of structured data that a write replaces. */
interface ReplacedEntry {
  readonly replaces: { readonly entry_id: string } | null;
  readonly stored?: StoredRows | undefined;
}

/** The rows of the entry that a write replaces; null for a new one, and where the site does not tell. */
export const replacedRows = (
  { replaces, stored }: ReplacedEntry,
): RowValues | null =>
  replaces === null || stored === undefined ? null : rowsWhere(stored, (of) => of === replaces.entry_id);

/** An entry of custom schema with the value that is given. */
interface EntryRows {
  readonly scope: Scope;
  readonly value: unknown;
  readonly stored?: StoredRows | undefined;
}

/** The rows that a change writes to: of an entry of one page those of the schemas that are given. */
export function changedRows({ scope, value, stored }: EntryRows): RowValues | null {
  if (stored === undefined) return null;
  if (scope !== "page" || !isFields(value)) return rowsWhere(stored, () => true);
  const names = Object.keys(value).map((name) => name.split("#"));
  const rows = Object.entries(stored.rows).filter(([row, { values: [key = ""] }]) =>
    names.some(([type, number]) =>
      key.endsWith(`_${type}`) && (number === undefined || row.endsWith(`-${number}`))
    )
  );
  return Object.fromEntries(rows.map(([row, { values }]) => [row, values]));
}

/** The schema plugin that keeps schema page by page; in any other an entry is a setting for many pages. */
const PAGE_BY_PAGE = "rankmath";

/** How far an entry of that plugin reaches. */
export const scopeOf = (provider: string | null | undefined): Scope =>
  provider === PAGE_BY_PAGE ? "page" : "global";
