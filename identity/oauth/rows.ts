/** Rows of the audit for what becomes of clients that people let in. */
import type { Grant, User } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import { type Actor, adminRow, appendOrLog } from "../../guard/audit/admin_row.ts";

/** What appending needs. */
export interface RowPorts {
  readonly store: Pick<Store, "audit">;
  now(): number;
  newId(): string;
  log(event: Record<string, unknown>): void;
}

/** A person who is signed in. */
export const byPerson = ({ id, email }: Pick<User, "id" | "email">): Actor => ({
  token_id: "session",
  token_name: email,
  owner_user_id: id,
});
/** The client itself. */
export const byClient = ({ id, client_name, user_id }: Grant): Actor => ({
  token_id: id,
  token_name: client_name,
  owner_user_id: user_id,
});

/** Appends what was done about a client; `what` holds no secret. */
export async function appendClientRow(
  { store, now, newId, log }: RowPorts,
  by: Actor,
  tool: "client.grant" | "client.connect" | "client.end",
  what: Readonly<Record<string, unknown>>,
): Promise<void> {
  await appendOrLog({ audit: store.audit, log }, adminRow(newId(), by, now(), tool, what));
}
