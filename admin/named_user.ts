/** Who is meant where an operator names a user: by id, or by e-mail address. */
import { GatewayError } from "../core/errors.ts";
import { quoted } from "../core/faults.ts";
import { type AdminCaller, isManaged } from "../identity/rights.ts";
import type { AdminPorts } from "./ports.ts";

/**
 * The id of the user who is meant by id or e-mail address. An id is answered as it is: a user who was removed is still known
 * by it. Of an address that is not of somebody whom the caller may manage, nothing is said. Throws E_NOT_FOUND.
 */
export async function userIdOf(
  { store: { users } }: Pick<AdminPorts, "store">,
  { user: caller }: AdminCaller,
  wanted: string,
): Promise<string> {
  if (!wanted.includes("@")) return wanted;
  const found = await users.byEmail(wanted);
  if (found !== null && (found.id === caller?.id || isManaged(caller, found))) return found.id;
  throw noUser(wanted);
}

/**
 * A body whose fields that name a user hold ids. Fields are those of connectors that bind a site to somebody. Throws
 * E_NOT_FOUND for an address that is nobody's.
 */
export async function withUserIds(ports: AdminPorts, caller: AdminCaller, given: object): Promise<object> {
  const named = Object.entries(given).filter((one): one is [string, string] =>
    typeof one[1] === "string" && one[1].includes("@") &&
    ports.connectors.siteFields.get(one[0])?.user === true
  );
  const ids = await Promise.all(
    named.map(async ([name, user]) => [name, await userIdOf(ports, caller, user)]),
  );
  return { ...given, ...Object.fromEntries(ids) };
}

/** What is said where there is no such user. */
export const noUser = (wanted: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `No user ${quoted(wanted)}; list the users to find it, and name one who was removed by the id`,
  );
