/** What an admin change made of a record, as the audit keeps it: what it was and what it is, and no secret. */
import type { CredentialKind, Site } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import type { SiteInput } from "../store/store.ts";

/** Entries of a list that are kept whole; of a longer one, those that came or went. */
const ITEMS_MAX = 20;

type Fields = Record<string, unknown>;

/** The fields in which two states of a record differ; of fields that hold an object, the keys that do. */
export function differences(before: object, after: object): { before: Fields; after: Fields } {
  const [was, is] = [before as Readonly<Fields>, after as Readonly<Fields>];
  const found: { before: Fields; after: Fields } = { before: {}, after: {} };
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const one = was[name] ?? null;
    const other = is[name] ?? null;
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    const within = isFields(one) && isFields(other) ? differences(one, other) : null;
    found.before[name] = within?.before ?? brief(one, other, "removed");
    found.after[name] = within?.after ?? brief(other, one, "added");
  }
  return found;
}

/** The same of a site, of a new one what was set; of credentials, which were set, changed or removed. */
export function siteDifferences(before: Site | null, after: Site, given: SiteInput["credentials"] = {}) {
  const { before: was, after: is } = differences(before === null ? {} : bare(before), bare(after));
  const had: readonly CredentialKind[] = before?.credentials ?? [];
  const kinds = new Set([...had, ...after.credentials]);
  const credentials = [...kinds].flatMap((kind) => {
    if (!after.credentials.includes(kind)) return [[kind, "removed"]];
    if (!had.includes(kind)) return [[kind, "set"]];
    return given[kind] ? [[kind, "changed"]] : [];
  });
  return {
    ...(before !== null && { before: was }),
    after: is,
    ...(credentials.length > 0 && { credentials: Object.fromEntries(credentials) }),
  };
}

/** What of a site is nobody's order, or no more than the presence of a secret, is left out. */
function bare({ credentials: _, credentials_version: __, created_at: ___, updated_at: ____, ...site }: Site) {
  return site;
}

function brief(value: unknown, other: unknown, word: "added" | "removed"): unknown {
  if (!Array.isArray(value) || value.length <= ITEMS_MAX) return value;
  const known = new Set(Array.isArray(other) ? other : []);
  return { count: value.length, [word]: value.filter((one) => !known.has(one)) };
}
