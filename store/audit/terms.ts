/** What rows of the audit are looked up by, and where the index says which rows of a bundle that are. */
import { type AuditRow, UNSUCCESSFUL, UNSUCCESSFUL_STATUSES } from "../../core/model.ts";
import { idsOf, pathsOf, sitesOf } from "./segment.ts";
import { sha256 } from "../database.ts";
import type { AuditQuery } from "../store.ts";

const TERM_CHARACTERS_MAX = 64;

/** A kind of value that rows are looked up by. */
export type Dimension =
  | "token"
  | "name"
  | "client"
  | "person"
  | "site"
  | "tool"
  | "status"
  | "outcome"
  | "path"
  | "id"
  | "set"
  | "made";

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
  take("name", row.token_name);
  if (row.client_id !== undefined) take("client", row.client_id);
  if (row.owner_user_id !== null) take("person", row.owner_user_id);
  for (const site of sitesOf(row)) take("site", site);
  take("tool", row.tool);
  for (const path of pathsOf(row)) take("path", path);
  for (const id of idsOf(row)) take("id", id);
  if (row.set_id !== undefined) take("set", row.set_id);
  if (row.status !== "started") take("status", row.status);
  if (UNSUCCESSFUL_STATUSES.includes(row.status)) take("status", UNSUCCESSFUL);
  if (row.outcome !== undefined && row.outcome !== "unknown") take("outcome", row.outcome);
  if (row.outcome === "made") { for (const site of sitesOf(row)) take("made", site); }
}

/** What the rows of a query have in common, as far as the index tells. */
export function termsOf(
  {
    token_id,
    token_name,
    client_id,
    owner_user_id,
    site_id,
    tool,
    path,
    id,
    set_id,
    status,
    outcome,
  }: AuditQuery,
): Term[] {
  const isOfChanges = outcome === "made" && site_id !== undefined; // one term for both: fewer entries to walk
  return given([
    ["set", set_id],
    ["id", id],
    ["path", path],
    ["tool", tool],
    ["site", isOfChanges ? undefined : site_id],
    ["made", isOfChanges ? site_id : undefined],
    ["client", client_id],
    ["token", token_id],
    ["name", token_name],
    ["person", owner_user_id],
    ["status", status === "started" ? undefined : status],
    ["outcome", isOfChanges || outcome === "unknown" ? undefined : outcome],
  ]);
}

/** The same without what an index that a version of before made may lack; null where that is all of it. */
export function olderTermsOf(query: AuditQuery): Term[] | null {
  const { path, id, token_name, outcome, site_id, status, ...older } = query;
  const isMade = outcome === "made" && site_id !== undefined;
  if ((path ?? id ?? token_name) === undefined && !isMade && status !== UNSUCCESSFUL) return null;
  const known = status === UNSUCCESSFUL ? {} : { status };
  return [...termsOf({ ...older, ...known }), ...termsOf({ site_id }), ...termsOf({ outcome })];
}

const given = (terms: readonly (readonly [Dimension, string | undefined])[]): Term[] =>
  terms.filter((term): term is Term => term[1] !== undefined);
