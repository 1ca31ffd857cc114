/** Rows of the audit for what an operator or the gateway itself did: no call, no site, no tier. */
import { GatewayError } from "../../core/errors.ts";
import type { AuditRow } from "../../core/model.ts";
import type { AuditStore } from "../../store/store.ts";

/** Who did it. */
export interface Actor {
  readonly token_id: string;
  readonly token_name: string;
  readonly owner_user_id: string | null;
}
/** Whoever holds the master token. */
export const OPERATOR: Actor = { token_id: "master", token_name: "master token", owner_user_id: null };
/** The person who opened a one-time link. */
export const byLink = (user_id: string): Actor => ({
  token_id: "link",
  token_name: "one-time link",
  owner_user_id: user_id,
});

/** A row of something that went well; `what` holds no secret. */
export function adminRow(id: string, by: Actor, at: number, tool: string, what: unknown): AuditRow {
  return {
    id,
    at: new Date(at).toISOString(),
    door: "admin",
    request_id: id,
    ...by,
    site_id: null,
    tool,
    tier: null,
    arguments: what,
    status: "ok",
    error: null,
    duration_ms: null,
  };
}

/** How long that took which began with the row; a clock that was set back says nothing. */
export const tookSince = ({ at }: Pick<AuditRow, "at">, now: number): number =>
  Math.max(0, now - Date.parse(at));

/** What a row is written to, and where it is told of where that fails. */
export interface RowSinks {
  readonly audit: Pick<AuditStore, "append">;
  log(event: Record<string, unknown>): void;
}

/** Appends a row of what an operator or a person did; where it cannot be written the log has it, and E_INTERNAL is thrown. */
export async function appendOrLog({ audit, log }: RowSinks, row: AuditRow): Promise<void> {
  try {
    await audit.append(row);
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    const { at, request_id, tool, token_id, token_name, owner_user_id, status, arguments: what } = row;
    const by = { token_id, token_name, owner_user_id };
    log({
      event: "audit_failed",
      at,
      request_id,
      tool,
      ...by,
      status,
      arguments: what,
      cause: String(cause),
    });
    throw new GatewayError(
      "E_INTERNAL",
      "The audit log cannot be written at the moment. What you asked for may be done all the same, so look before " +
        `you ask again; the gateway's operator finds it in the log under request id "${request_id}"`,
      { cause: thrown },
    );
  }
}

/** Appends such rows to the audit; each resolves once it is durable. `more` is for what did not go well, or for a site. */
export function recorder(sinks: RowSinks, newId: () => string, now: () => number) {
  return (
    by: Actor,
    tool: string,
    what: object,
    more: Partial<Pick<AuditRow, "status" | "error" | "site_id">> = {},
  ): Promise<void> => appendOrLog(sinks, { ...adminRow(newId(), by, now(), tool, what), ...more });
}
