/** Who acts on the admin side, and what of it is audited. */
import type { AuditRow, User } from "../core/model.ts";

/** Who did something, as the audit names it. */
export type Actor = Pick<AuditRow, "token_id" | "token_name" | "owner_user_id">;

/** Whoever holds the master token. */
export const OPERATOR: Actor = { token_id: "master", token_name: "master token", owner_user_id: null };

/** Somebody who has signed in. */
export function actorOfPerson({ id, email }: User): Actor {
  return { token_id: "session", token_name: email, owner_user_id: id };
}

/** Appends a row to the audit; `what` holds no secret. Resolves once it is durable; where it cannot be, the log has it. */
export type RecordAction = (
  by: Actor,
  action: string,
  what: object,
  more?: Partial<Pick<AuditRow, "status" | "error" | "site_id">>,
) => Promise<void>;
