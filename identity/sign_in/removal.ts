/** The removal of a user, and of all that was in the user's name. */
import type { User } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import type { Actor, RecordAction } from "../rights.ts";

/** What it depends on. */
export interface RemovalPorts {
  readonly store: Pick<
    Store,
    "users" | "signIns" | "invitations" | "personSessions" | "accounts" | "oauthGrants"
  >;
  readonly record: RecordAction;
}

/** A user who was removed, and how much of theirs ended with them. */
export interface Removed {
  readonly user: User;
  readonly ended: {
    readonly sessions_ended: number;
    readonly accounts_forgotten: number;
    readonly clients_ended: number;
  };
}

/**
 * Removes a user and all ways in: sign-in, sessions, invitations, connected accounts and clients. Null where there is none.
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
  const accounts_forgotten = (await store.accounts.disconnectAll(id)).length;
  return { sessions_ended, accounts_forgotten, clients_ended: await endClients(ports, by, id) };
}

/** How many there were; one that is ended elsewhere meanwhile has its row from there. */
async function endClients({ store, record }: RemovalPorts, by: Actor, user_id: string): Promise<number> {
  const why = "its user was removed";
  let count = 0;
  for (const { grant: { id: grant_id, client_id, client_name } } of await store.oauthGrants.list(user_id)) {
    if (await store.oauthGrants.end(grant_id, why) === null) continue;
    await record(by, "client.end", { grant_id, client_id, client_name, why });
    count++;
  }
  return count;
}
