/** What an admin may do with sites: manage his or her own; what is a super-admin's stays with the master token. */
import { FLAGS, type Site, SITE_POLICIES } from "../core/model.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { AdminPorts } from "./ports.ts";
import { quoted } from "../core/faults.ts";
import { type AdminCaller, forbidden, isManaged, isWithin } from "../identity/rights.ts";
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

/**
 * Throws E_FORBIDDEN for what only the master token sets, and for an account that is not the admin's to bind. `before`
 * is the site as it is now; null for one to be registered.
 */
export async function assertMaySet(
  { user }: AdminCaller,
  input: SiteInput,
  before: Pick<Site, "flags" | "project_id"> | null,
  { connectors, store }: AdminPorts,
): Promise<void> {
  if (user === null) return;
  for (const field of SITE_POLICIES) {
    if (input[field] !== undefined) {
      throw forbidden(`${field}: only a super-admin changes it, with the master token`);
    }
  }
  const given = input as Readonly<Record<string, unknown>>;
  const all = user.allowed_sites.includes("*");
  if (!all && input.project_id !== undefined) throw forbidden("project_id: that takes an admin of all sites");
  const left = before?.project_id ?? null;
  if (left !== null && input.project_id !== undefined && input.project_id !== left) {
    const policy = (await store.projects.get(left))?.confirm_policy ?? "flag";
    if (policy !== "flag") {
      throw forbidden(
        `project_id: the project ${
          quoted(left)
        } asks for the confirm_policy "${policy}", which the site would leave; ` +
          "that takes the master token",
      );
    }
  }
  const shared = sharedField(given, connectors);
  if (shared !== null && !all) {
    throw forbidden(
      `${shared.field}: it chooses what the site uses at ${shared.product}, in an account that other sites share; that ` +
        "takes an admin of all sites, or the master token",
    );
  }
  const flag = FLAGS.find((one) => before?.flags[one]);
  if (shared !== null && flag !== undefined) {
    throw forbidden(
      `${shared.field}: the site has ${flag}, which a super-admin set for what it uses now; that takes the master token`,
    );
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
 * Who asks what a site could be linked to must be allowed to link it: throws E_FORBIDDEN otherwise. Answers, by the name
 * of a connector, why the account that it uses is not shown to the caller all the same: it is of somebody whose account
 * the caller may not bind.
 */
export async function closedAccounts(
  caller: AdminCaller,
  site: Site,
  ports: AdminPorts,
): Promise<ReadonlyMap<string, string>> {
  const closed = new Map<string, string>();
  const { user } = caller;
  if (user === null) return closed;
  for (const { name, linkable = {}, account, product } of ports.connectors.all) {
    const fields = Object.values(linkable).map(({ field }) => field);
    if (fields.length === 0) continue;
    const change = Object.fromEntries(fields.map((field) => [field, null]));
    await assertMaySet(caller, change as SiteInput, site, ports);
    const bound = account?.user(site) ?? null;
    if (bound === null || bound === user.id) continue;
    const other = await ports.store.users.get(bound);
    if (other !== null && isManaged(user, other)) continue;
    closed.set(
      name,
      `The site is bound to the account of a user you do not manage, so what that account reaches at ${product} is not ` +
        "shown to you; that takes the master token",
    );
  }
  return closed;
}

/**
 * A field that chooses something in an account which other sites share: a repository of the gateway's own app, a
 * property that somebody connected. An admin of some sites would reach those of others with it.
 */
function sharedField(
  given: Readonly<Record<string, unknown>>,
  { all }: Connectors,
): { readonly field: string; readonly product: string } | null {
  for (const { product, credentials = {}, siteFields = {} } of all) {
    // What is reached with the site's own credential is the site's.
    if (Object.keys(credentials).length > 0) continue;
    const found = Object.entries(siteFields).find(([name, one]) => given[name] !== undefined && !one.user);
    if (found !== undefined) return { field: found[0], product };
  }
  return null;
}
