/** The removal of a user, and of all that was in the user's name. */
import type { User } from "../../model.ts";
import type { Store } from "../../store/store.ts";
import type { Actor, RecordAction } from "../actor.ts";

/** What it stands on. */
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

/** Removes a user and all ways in: sign-in, sessions, invitations, connected accounts and clients. Null where there is none. */
export async function removeUser(ports: RemovalPorts, by: Actor, id: string): Promise<Removed | null> {
  const { store, record } = ports;
  const user = await store.users.remove(id);
  if (user === null) return null;
  await store.invitations.withdraw(id);
  await store.signIns.remove(id);
  const sessions_ended = await store.personSessions.endAll(id);
  const accounts_forgotten = (await store.accounts.disconnectAll(id)).length;
  const clients_ended = await endClients(ports, by, id);
  const ended = { sessions_ended, accounts_forgotten, clients_ended };
  await record(by, "user.remove", { user_id: id, email: user.email, ...ended });
  return { user, ended };
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
