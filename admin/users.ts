/** Users as an operator manages them: listed, made, changed, signed out, removed; for the API, the command line and the pages. */
import type { z } from "zod";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import { RISK_DEFAULT, type User } from "../core/model.ts";
import {
  type AdminCaller,
  assertManaged,
  assertWithin,
  forbidden,
  isManaged,
  isWithin,
} from "../identity/rights.ts";
import { type Removed, removeUser } from "../identity/sign_in/removal.ts";
import { RECORD_ID, userBody, userPatch } from "./bodies.ts";
import { differences } from "./changes.ts";
import { noUser } from "./named_user.ts";
import type { AdminPorts } from "./ports.ts";
import { unknownSites } from "./sites.ts";

/** Those whom the caller may see: oneself and whom one manages, in the order they were made. */
export async function listUsers({ store }: AdminPorts, { user: admin }: AdminCaller): Promise<User[]> {
  return (await store.users.list()).filter((user) => user.id === admin?.id || isManaged(admin, user));
}

/** The user meant, by id or e-mail address, where the caller may manage it. Throws E_NOT_FOUND, E_FORBIDDEN. */
export async function managedUser(
  { store: { users } }: AdminPorts,
  caller: AdminCaller,
  wanted: string,
): Promise<User> {
  const user = wanted.includes("@")
    ? await users.byEmail(wanted)
    : RECORD_ID.test(wanted)
    ? await users.get(wanted)
    : null;
  if (user === null) throw noUser(wanted);
  assertManaged(caller.user, user);
  return user;
}

/** Makes a user, who cannot sign in before an invitation. Throws E_BAD_INPUT with every fault, E_FORBIDDEN. */
export async function createUser(ports: AdminPorts, caller: AdminCaller, given: object): Promise<User> {
  const { users, sites } = ports.store;
  const body: z.output<typeof userBody> = checked(userBody, given);
  const wanted = { ...body, max_risk: body.max_risk ?? RISK_DEFAULT };
  assertGrants(caller.user, wanted);
  refuseAny([...await unknownSites(body.allowed_sites, sites), ...beyondSites(wanted)]);
  const user = await users.create(wanted);
  if (user === null) refuseAny([`email: ${quoted(body.email)} is another user's; change that user`]);
  await ports.record(caller.actor, "user.create", { user_id: user!.id, after: wanted });
  return user!;
}

/**
 * Changes what the body names of a user, who is meant by id or e-mail address. `judge` is shown the record that would be changed, and keeps it as it is by
 * throwing. Throws E_BAD_INPUT with every fault, E_FORBIDDEN, E_NOT_FOUND.
 */
export async function changeUser(
  ports: AdminPorts,
  caller: AdminCaller,
  wanted: string,
  given: object,
  judge?: (stored: User) => void,
): Promise<User> {
  const { users, sites } = ports.store;
  const { user: admin, actor } = caller;
  const patch: z.output<typeof userPatch> = checked(userPatch, given);
  if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
  const before = await managedUser(ports, caller, wanted);
  const { id } = before;
  if (admin !== null) assertGrants(admin, { ...before, ...patch });
  if (patch.allowed_sites) refuseAny(await unknownSites(patch.allowed_sites, sites));
  const seen: User[] = [];
  const user = await users.update(id, patch, (stored) => {
    // Somebody may have made an admin of the user since, or let the user approve.
    assertManaged(admin, stored);
    if (patch.approve_sites) refuseAny(beyondSites({ ...stored, ...patch }));
    judge?.(stored);
    seen.push(stored);
  });
  if (user === null) throw noUser(id);
  await ports.record(actor, "user.change", { user_id: id, ...differences(seen.at(-1)!, user) });
  return user;
}

/** Ends the invitation of a user that is open. Throws E_NOT_FOUND, E_FORBIDDEN. */
export async function withdrawInvitation(ports: AdminPorts, caller: AdminCaller, id: string): Promise<void> {
  const user = await managedUser(ports, caller, id);
  await ports.store.invitations.withdraw(user.id);
  await ports.record(caller.actor, "user.invite", { user_id: user.id, withdrawn: true });
}

/** Ends every session of a user; answers how many there were. Throws E_NOT_FOUND, E_FORBIDDEN. */
export async function endSessions(ports: AdminPorts, caller: AdminCaller, id: string): Promise<number> {
  const user = await managedUser(ports, caller, id);
  const count = await ports.store.personSessions.endAll(user.id);
  await ports.record(caller.actor, "session.end", { user_id: user.id, sessions_ended: count });
  return count;
}

/** Removes a user and all ways in. Throws E_NOT_FOUND, E_FORBIDDEN. */
export async function removeManagedUser(
  ports: AdminPorts,
  caller: AdminCaller,
  wanted: string,
): Promise<Removed> {
  const { id } = await managedUser(ports, caller, wanted);
  const removed = await removeUser(ports, caller.actor, id);
  if (removed === null) throw noUser(id);
  return removed;
}

/** Throws E_FORBIDDEN where an admin would make somebody who is not his or hers to manage. */
function assertGrants(
  admin: User | null,
  wanted: Pick<User, "role" | "allowed_sites" | "max_risk" | "approve_sites">,
): void {
  if (admin !== null && (wanted.approve_sites ?? []).length > 0) {
    throw forbidden("approve_sites: only the master token says who approves");
  }
  if (admin !== null && wanted.role !== "member") {
    throw forbidden("role: only the master token makes an admin; an admin makes members");
  }
  assertWithin(admin, wanted);
}

/** Where a person would approve on sites that are not the person's own. */
function beyondSites({ allowed_sites, approve_sites = [] }: Pick<User, "allowed_sites" | "approve_sites">) {
  if (approve_sites.includes("*") || isWithin(approve_sites, allowed_sites)) return [];
  return ["approve_sites: a person approves on sites of allowed_sites only; give them there too"];
}
