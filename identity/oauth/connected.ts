/** Clients that people let in: lists of them, their end, and the rows of the audit about them. */
import { GatewayError } from "../../core/errors.ts";
import type { ClientReport, Grant, User } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import { type Actor, adminRow, appendOrLog, OPERATOR } from "../../guard/audit/admin_row.ts";

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
  tool: "client.grant" | "client.connect" | "client.end" | "client.repeat",
  what: Readonly<Record<string, unknown>>,
): Promise<void> {
  await appendOrLog({ audit: store.audit, log }, adminRow(newId(), by, now(), tool, what));
}

/** What it needs. */
export type ConnectedPorts = RowPorts & { readonly store: Pick<Store, "oauthGrants" | "users"> };

/** The connected clients of one gateway. */
export class ConnectedClients {
  constructor(private readonly ports: ConnectedPorts) {}

  /** Of one user or of all, oldest first. */
  async list(user_id?: string): Promise<ClientReport[]> {
    const { store } = this.ports;
    const found = await store.oauthGrants.list(user_id);
    return await Promise.all(found.map(async ({ grant, refreshed_at }) => ({
      grant_id: grant.id,
      client_name: grant.client_name,
      client_id: grant.client_id,
      redirect_host: grant.redirect_host,
      user_id: grant.user_id,
      email: (await store.users.get(grant.user_id))?.email ?? null,
      allowed_sites: grant.allowed_sites,
      groups: grant.groups,
      max_risk: grant.max_risk,
      confirm_policy: grant.confirm_policy ?? "preview",
      created_at: grant.created_at,
      refreshed_at: new Date(refreshed_at).toISOString(),
      expires_at: new Date(grant.expires_at).toISOString(),
    })));
  }

  /**
   * Ends one with all its tokens, for the operator or for that user, of theirs alone. Throws E_NOT_FOUND, which does not
   * tell whether there is one of somebody else's.
   */
  async end(
    grant_id: string,
    user?: Pick<User, "id" | "email">,
  ): Promise<{ grant_id: string; client_name: string }> {
    const { oauthGrants } = this.ports.store;
    const grant = await oauthGrants.get(grant_id);
    const own = grant !== null && (user === undefined || grant.user_id === user.id);
    const why = user === undefined ? "an operator ended it" : "its user ended it";
    const ended = own ? await oauthGrants.end(grant_id, why) : null;
    if (ended === null) {
      throw new GatewayError(
        "E_NOT_FOUND",
        `No connected client ${JSON.stringify(grant_id.slice(0, 60))}; list the connected clients to find it`,
      );
    }
    const { client_id, client_name } = ended;
    const by = user === undefined ? OPERATOR : byPerson(user);
    await appendClientRow(this.ports, by, "client.end", { grant_id, client_id, client_name, why });
    return { grant_id, client_name };
  }
}
