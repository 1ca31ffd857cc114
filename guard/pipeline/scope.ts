/** What a token may use: tools, super-admin tools, sites; and what of the tools a request leaves out. */
import { GatewayError } from "../../core/errors.ts";
import { memoize } from "../../core/made_once.ts";
import type { Caller, Site, Tier } from "../../core/model.ts";
import { type AskedList, EVERYTHING, wants } from "../../registry/asked_list.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import { type Capped, withinCap } from "./risk.ts";

/** Whether the list of the request is that of searching: then what tells of tools is on it, whatever the token may use. */
export const searches = ({ token }: Caller, narrowed: AskedList | undefined): boolean =>
  narrowed?.search ?? token.listing === "search";

const has = (allowed: readonly string[], name: string) => allowed.includes("*") || allowed.includes(name);

/** E_SCOPE_DENIED for a tool that the token does not name, audited as denied. */
export const outOfScope = (name: string) =>
  new GatewayError(
    "E_SCOPE_DENIED",
    `The token may not use "${name}"; ask for a token whose allowed_tools name it`,
    { audit: "denied" },
  );

/** Steps 5 and 6; what only tells of the caller's own tools every token may call that searches. Throws E_SCOPE_DENIED or E_SUPER_ADMIN_ONLY, both audited as denied. */
export function toolScope({ caller, name, decision }: Capped, tier: Tier, isGuide = false): void {
  decision.begin("scope");
  if (!has(caller.token.allowed_tools, name) && !isGuide) throw outOfScope(name);
  decision.begin("super_admin");
  if (tier === 4 && !caller.superAdmin) {
    throw new GatewayError(
      "E_SUPER_ADMIN_ONLY",
      `"${name}" is for super-admin tokens only, those made under the master token`,
      { audit: "denied" },
    );
  }
}

/**
 * In step 4. Throws E_SCOPE_DENIED, audited as denied, for a tool that the address or the headers leave out. A tool of the
 * one site that the address names may be called whether the list has it or not.
 */
export function withinRequest(asked: AskedList, entry: ToolEntry): void {
  if (asked === EVERYTHING || wants({ ...asked, own: false }, entry)) return;
  throw new GatewayError(
    "E_SCOPE_DENIED",
    `"${entry.name}" is left out by the address or the headers of this request (groups, tools or readonly); ` +
      `it is of the group "${entry.group}": call it at /mcp without them`,
    { audit: "denied" },
  );
}

/** Whether steps 5 to 7 let the caller use a tool of that name and tier, whatever the arguments. */
export function mayUse(caller: Caller, name: string, tier: Tier): boolean {
  return has(caller.token.allowed_tools, name) && (tier < 4 || caller.superAdmin) && withinCap(caller, tier);
}

/** Whether both the token and its owner reach the site. */
export function reaches(caller: Caller, siteId: string): boolean {
  return has(caller.token.allowed_sites, siteId) &&
    (!caller.owner || has(caller.owner.allowed_sites, siteId));
}

/** The sites that both the token and its owner name; `*` where both name all. */
export function sitesInScope({ token, owner }: Caller): readonly string[] {
  if (!owner || owner.allowed_sites.includes("*")) return token.allowed_sites;
  if (token.allowed_sites.includes("*")) return owner.allowed_sites;
  return token.allowed_sites.filter((id) => owner.allowed_sites.includes(id));
}

const NOBODYS: readonly string[] = [];
type Cuts = WeakMap<readonly string[], WeakMap<readonly string[], readonly Site[]>>;
const cutsOf = memoize((_: readonly Site[]): Cuts => new WeakMap());

/** The sites that the caller reaches; of the same list for the same grants the same list again. */
export function inScope(sites: readonly Site[], caller: Caller): readonly Site[] {
  if (reachesAll(caller)) return sites;
  const reached = () => sites.filter((site) => reaches(caller, site.id));
  const { token, owner } = caller;
  if (![sites, token.allowed_sites, owner?.allowed_sites].every(Object.isFrozen)) return reached();
  const cuts = cutsOf(sites);
  const ofToken = cuts.get(token.allowed_sites) ?? new WeakMap();
  cuts.set(token.allowed_sites, ofToken);
  const ofOwner = owner?.allowed_sites ?? NOBODYS;
  const known = ofToken.get(ofOwner);
  if (known !== undefined) return known;
  const cut = Object.freeze(reached());
  ofToken.set(ofOwner, cut);
  return cut;
}

/** Whether the caller may know of every site. */
export function reachesAll(caller: Caller): boolean {
  return caller.token.allowed_sites.includes("*") &&
    (!caller.owner || caller.owner.allowed_sites.includes("*"));
}
