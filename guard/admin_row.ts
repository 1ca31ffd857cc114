/** Rows of the audit for what an operator or the gateway itself did: no call, no site, no tier. */
import type { AuditRow } from "../model.ts";
import type { AuditStore } from "../store/store.ts";

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

/** Appends such rows to the audit; each resolves once it is durable. `more` is for what did not go well, or for a site. */
export function recorder(audit: Pick<AuditStore, "append">, newId: () => string, now: () => number) {
  return (
    by: Actor,
    tool: string,
    what: object,
    more: Partial<Pick<AuditRow, "status" | "error" | "site_id">> = {},
  ): Promise<void> => audit.append({ ...adminRow(newId(), by, now(), tool, what), ...more });
}
