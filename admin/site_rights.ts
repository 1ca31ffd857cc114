/** What an admin may do with sites: manage his or her own; what is a super-admin's stays with the master token. */
import type { Connectors } from "../registry/connectors.ts";
import type { AdminPorts } from "./ports.ts";
import { type AdminCaller, forbidden, isManaged, isWithin } from "./rights.ts";
import type { SiteInput } from "../store/store.ts";

/** Whether a site is the caller's to manage. */
export function isOwnSite({ user }: AdminCaller, id: string): boolean {
  return user === null || isWithin([id], user.allowed_sites);
}

/** Whether every site is the caller's to manage, those to come too. */
export function managesAllSites({ user }: AdminCaller): boolean {
  return user === null || user.allowed_sites.includes("*");
}

/** Throws E_FORBIDDEN for an admin of some sites only, whose a new one would not be. */
export function assertMayRegister(caller: AdminCaller): void {
  if (managesAllSites(caller)) return;
  throw forbidden("A new site would not be among yours; it takes an admin of all sites, or the master token");
}

/** Throws E_FORBIDDEN for what only the master token sets, and for an account that is not the admin's to bind. */
export async function assertMaySet(
  { user }: AdminCaller,
  input: SiteInput,
  { connectors, store }: AdminPorts,
): Promise<void> {
  if (user === null) return;
  for (const field of ["flags", "confirm_policy"] as const) {
    if (input[field] !== undefined) {
      throw forbidden(`${field}: only a super-admin changes it, with the master token`);
    }
  }
  const given = input as Readonly<Record<string, unknown>>;
  if (!user.allowed_sites.includes("*")) {
    if (input.project_id !== undefined) throw forbidden("project_id: that takes an admin of all sites");
    assertOwnCredential(given, connectors);
  }
  for (const [name, { user: bound }] of connectors.siteFields) {
    const id = given[name];
    if (!bound || typeof id !== "string" || id === user.id) continue;
    const other = await store.users.get(id);
    if (other === null || !isManaged(user, other)) {
      throw forbidden(`${name}: you may bind your own accounts and those of users you manage`);
    }
  }
}

/**
 * Throws E_FORBIDDEN for a field that chooses something in an account which other sites share: a repository of the
 * gateway's own app, a property that somebody connected. An admin of some sites would reach those of others with it.
 */
function assertOwnCredential(given: Readonly<Record<string, unknown>>, { all }: Connectors): void {
  for (const { product, credentials = {}, siteFields = {} } of all) {
    // What is reached with the site's own credential is the site's.
    if (Object.keys(credentials).length > 0) continue;
    const field = Object.entries(siteFields).find(([name, one]) => given[name] !== undefined && !one.user)
      ?.[0];
    if (field === undefined) continue;
    throw forbidden(
      `${field}: it chooses what the site uses at ${product}, in an account that other sites share; that takes an admin ` +
        "of all sites, or the master token",
    );
  }
}
