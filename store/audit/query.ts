/** What rows a query means: checked once, then asked of each line and row. */
import { GatewayError } from "../../core/errors.ts";
import {
  ASKED_STATUSES,
  type AuditRow,
  MORE_PATHS,
  OUTCOMES,
  UNSUCCESSFUL,
  UNSUCCESSFUL_STATUSES,
} from "../../core/model.ts";
import { endOf, type Span } from "./late.ts";
import { firstIdAt, idsOf, MORE_PATHS_NEEDLE, parseRow, pathsOf, sitesOf } from "./segment.ts";
import type { AuditQuery } from "../store.ts";

/** A query made ready. */
export interface Filter {
  readonly query: AuditQuery;
  /** No segment before this id holds a matching row; null when there may be any. */
  readonly firstId: string | null;
  /** No segment from this id on holds a matching row, but for those that are late; null when there may be any. */
  readonly endId: string | null;
  readonly span: Span;
  /** Whether rows are selected at all. */
  readonly selective: boolean;
  /** The row of a line when it matches; null when it does not or is no row. */
  pick(line: string): AuditRow | null;
}

/** Checks a query; E_BAD_INPUT naming the field that is wrong. */
export function makeFilter(query: AuditQuery): Filter {
  const from = time("from", query.from);
  const to = time("to", query.to);
  if (query.status !== undefined && !ASKED_STATUSES.includes(query.status)) {
    throw new GatewayError("E_BAD_INPUT", `status: expected one of ${ASKED_STATUSES.join(", ")}`);
  }
  if (query.outcome !== undefined && !OUTCOMES.includes(query.outcome)) {
    throw new GatewayError("E_BAD_INPUT", `outcome: expected one of ${OUTCOMES.join(", ")}`);
  }
  const { token_id, token_name, client_id, owner_user_id, site_id, tool, path, id, set_id, status, outcome } =
    query;
  const statuses = status === undefined ? null : status === UNSUCCESSFUL ? UNSUCCESSFUL_STATUSES : [status];
  const needles = [
    ...client_id === undefined ? [] : [`"client_id":${JSON.stringify(client_id)}`],
    ...owner_user_id === undefined ? [] : [`"owner_user_id":${JSON.stringify(owner_user_id)}`],
    ...token_id === undefined ? [] : [`"token_id":${JSON.stringify(token_id)}`],
    ...token_name === undefined ? [] : [`"token_name":${JSON.stringify(token_name)}`],
    ...site_id === undefined ? [] : [`site_id":${JSON.stringify(site_id)}`],
    ...tool === undefined ? [] : [`"tool":${JSON.stringify(tool)}`],
    ...path === undefined ? [] : [path === MORE_PATHS ? MORE_PATHS_NEEDLE : JSON.stringify(path)],
    ...id === undefined ? [] : [JSON.stringify(id).slice(1, -1)],
    ...set_id === undefined ? [] : [`"set_id":${JSON.stringify(set_id)}`],
    ...status === undefined || status === UNSUCCESSFUL ? [] : [`"status":${JSON.stringify(status)}`],
    ...outcome === undefined ? [] : [`"outcome":${JSON.stringify(outcome)}`],
  ];
  const matches = (row: AuditRow) => {
    if (token_id !== undefined && row.token_id !== token_id) return false;
    if (token_name !== undefined && row.token_name !== token_name) return false;
    if (client_id !== undefined && row.client_id !== client_id) return false;
    if (owner_user_id !== undefined && row.owner_user_id !== owner_user_id) return false;
    if (site_id !== undefined && !sitesOf(row).includes(site_id)) return false;
    if (tool !== undefined && row.tool !== tool) return false;
    if (path !== undefined && !pathsOf(row).includes(path)) return false;
    if (id !== undefined && !idsOf(row).includes(id)) return false;
    if (set_id !== undefined && row.set_id !== set_id) return false;
    if (statuses !== null && !statuses.includes(row.status)) return false;
    if (outcome !== undefined && row.outcome !== outcome) return false;
    if (from === null && to === null) return true;
    const at = Date.parse(row.at);
    return (from === null || at >= from) && (to === null || at < to);
  };
  return {
    query,
    firstId: from === null ? null : firstIdAt(from),
    endId: to === null ? null : endOf(to),
    span: { from, to },
    selective: needles.length > 0 || status !== undefined || from !== null || to !== null,
    pick(line) {
      for (const needle of needles) if (!line.includes(needle)) return null;
      const row = parseRow(line);
      return row !== null && matches(row) ? row : null;
    },
  };
}

function time(field: "from" | "to", value: string | undefined): number | null {
  if (value === undefined) return null;
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) {
    throw new GatewayError("E_BAD_INPUT", `${field}: "${value.slice(0, 40)}" is no ISO 8601 time`);
  }
  return ms;
}
