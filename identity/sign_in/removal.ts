/** The removal of a user, and of all that was in the user's name. */
import { isWorking, type User } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import type { Actor, RecordAction } from "../rights.ts";

/** What it depends on. */
export interface RemovalPorts {
  readonly store: Pick<
    Store,
    "users" | "signIns" | "invitations" | "personSessions" | "tokens" | "accounts" | "oauthGrants"
  >;
  now(): number;
  readonly record: RecordAction;
}

/** A user who was removed, and how much of theirs ended with them. */
export interface Removed {
  readonly user: User;
  readonly ended: {
    readonly sessions_ended: number;
    /** Tokens that worked until then; each has a row `token.revoke`, as each client has `client.end`. */
    readonly tokens_ended: number;
    readonly accounts_forgotten: number;
    readonly clients_ended: number;
  };
}

/**
 * Removes a user and all ways in: sign-in, sessions, invitations, tokens, connected accounts and clients. Null where there is none.
 * The user goes last, so that a removal that failed half-way can be asked for again; what was made meanwhile goes then.
 */
export async function removeUser(ports: RemovalPorts, by: Actor, id: string): Promise<Removed | null> {
  const { store, record } = ports;
  if (await store.users.get(id) === null) return null;
  const ended = await endAll(ports, by, id);
  const user = await store.users.remove(id);
  if (user === null) return null;
  await record(by, "user.remove", { user_id: id, email: user.email, ...ended });
  const late = await endAll(ports, by, id);
  return {
    user,
    ended: {
      sessions_ended: ended.sessions_ended + late.sessions_ended,
      tokens_ended: ended.tokens_ended + late.tokens_ended,
      accounts_forgotten: ended.accounts_forgotten + late.accounts_forgotten,
      clients_ended: ended.clients_ended + late.clients_ended,
    },
  };
}

async function endAll(ports: RemovalPorts, by: Actor, id: string): Promise<Removed["ended"]> {
  const { store } = ports;
  await store.invitations.withdraw(id);
  await store.signIns.remove(id);
  const sessions_ended = await store.personSessions.endAll(id);
  const tokens_ended = await revokeTokens(ports, by, id);
  const accounts_forgotten = (await store.accounts.disconnectAll(id)).length;
  const clients_ended = await endClients(ports, by, id);
  return { sessions_ended, tokens_ended, accounts_forgotten, clients_ended };
}

const WHY = "its user was removed";

async function revokeTokens({ store, record, now }: RemovalPorts, by: Actor, id: string): Promise<number> {
  const own = (await store.tokens.list()).filter((token) =>
    token.owner_user_id === id && isWorking(token, now())
  );
  for (const { id: token } of own) {
    await store.tokens.revoke(token);
    await record(by, "token.revoke", { token, why: WHY });
  }
  return own.length;
}

/** How many there were; one that is ended elsewhere meanwhile has its row from there. */
async function endClients({ store, record }: RemovalPorts, by: Actor, user_id: string): Promise<number> {
  let count = 0;
  for (const { grant: { id: grant_id, client_id, client_name } } of await store.oauthGrants.list(user_id)) {
    if (await store.oauthGrants.end(grant_id, WHY) === null) continue;
    await record(by, "client.end", { grant_id, client_id, client_name, why: WHY });
    count++;
  }
  return count;
}
