/** What rows of the audit are looked up by, and where the index says which rows of a bundle that are. */
import type { AuditRow } from "../core/model.ts";
import { idsOf, pathsOf, sitesOf } from "./audit_segment.ts";
import { sha256 } from "./database.ts";
import type { AuditQuery } from "./store.ts";

const TERM_CHARACTERS_MAX = 64;

/** A kind of value that rows are looked up by. */
export type Dimension =
  | "token"
  | "client"
  | "person"
  | "site"
  | "tool"
  | "status"
  | "outcome"
  | "path"
  | "id";

/** Those that an index made by a version of before may lack. */
export const isLater = ([dimension]: Term): boolean => dimension === "path" || dimension === "id";

/** A value that rows are looked up by. */
export type Term = readonly [dimension: Dimension, value: string];

/** The key of an index entry, whose value says which rows have the term of the bundle with that last segment. */
export function termKey([dimension, value]: Term, last: string): string[] {
  const term = value.length <= TERM_CHARACTERS_MAX ? value : `#${sha256(value)}`;
  return ["audit", "rows", dimension, term, last];
}

/** Calls `take` with what a row is found under. What waits for an outcome, or has none that is known, is found by its mark. */
export function eachTerm(row: AuditRow, take: (dimension: Dimension, value: string) => void): void {
  take("token", row.token_id);
  if (row.client_id !== undefined) take("client", row.client_id);
  if (row.owner_user_id !== null) take("person", row.owner_user_id);
  for (const site of sitesOf(row)) take("site", site);
  take("tool", row.tool);
  for (const path of pathsOf(row)) take("path", path);
  for (const id of idsOf(row)) take("id", id);
  if (row.status !== "started") take("status", row.status);
  if (row.outcome !== undefined && row.outcome !== "unknown") take("outcome", row.outcome);
}

/** What the rows of a query have in common, as far as the index tells. */
export function termsOf(
  { token_id, client_id, owner_user_id, site_id, tool, path, id, status, outcome }: AuditQuery,
): Term[] {
  const terms: (readonly [Dimension, string | undefined])[] = [
    ["id", id],
    ["path", path],
    ["tool", tool],
    ["site", site_id],
    ["client", client_id],
    ["token", token_id],
    ["person", owner_user_id],
    ["status", status === "started" ? undefined : status],
    ["outcome", outcome === "unknown" ? undefined : outcome],
  ];
  return terms.filter((term): term is Term => term[1] !== undefined);
}
