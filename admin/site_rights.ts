/** What an admin may do with sites: manage his or her own; what is a super-admin's stays with the master token. */
import type { AdminPorts } from "./ports.ts";
import { type AdminCaller, forbidden, isManaged } from "./rights.ts";
import type { SiteInput } from "../store/store.ts";

/** Whether a site is the caller's to manage. */
export function isOwnSite({ user }: AdminCaller, id: string): boolean {
  return user === null || user.allowed_sites.includes("*") || user.allowed_sites.includes(id);
}

/** Throws E_FORBIDDEN for an admin of some sites only, whose a new one would not be. */
export function assertMayRegister({ user }: AdminCaller): void {
  if (user === null || user.allowed_sites.includes("*")) return;
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
  for (const [name, { user: bound }] of connectors.siteFields) {
    const id = (input as Readonly<Record<string, unknown>>)[name];
    if (!bound || typeof id !== "string" || id === user.id) continue;
    const other = await store.users.get(id);
    if (other === null || !isManaged(user, other)) {
      throw forbidden(`${name}: you may bind your own accounts and those of users you manage`);
    }
  }
}
