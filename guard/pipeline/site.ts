/** Which site a call is about, and whether the caller may reach it. */
import { clipped, GatewayError } from "../../core/errors.ts";
import { isFields } from "../../core/values.ts";
import type { Caller, Site } from "../../core/model.ts";
import type { AskedList } from "../../registry/asked_list.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import type { Manifest } from "../../registry/manifest.ts";
import { OFFERED_WRITE } from "../../registry/source.ts";
import type { Store } from "../../store/store.ts";
import { withinCap } from "./risk.ts";
import { inScope, reaches, reachesAll } from "./scope.ts";

/** Where sites are looked up; the list only to name those that were meant. */
type Sites = Pick<Store["sites"], "get"> & Partial<Pick<Store["sites"], "list">>;

/** Of so few sites a caller who named none is told all, and of those that may be meant so many. */
const CHOICES_MAX = 6;
const MEANT_MAX = 3;

/** The sites in the caller's scope, as far as they can be listed. */
const reachable = async (sites: Sites, caller: Caller): Promise<readonly Site[]> =>
  inScope(await sites.list?.() ?? [], caller);

/** The sites in the caller's scope that have that name, address, host or spelling of the id, as the end of a sentence. */
async function sitesMeant(sites: Sites, caller: Caller, text: string): Promise<string> {
  const wanted = text.trim().toLowerCase();
  const host = hostOf(wanted);
  const meant = (await reachable(sites, caller)).filter(({ id, name, base_url }) =>
    [id, name].some((one) => one.toLowerCase() === wanted) ||
    (host !== null && base_url !== null && hostOf(base_url) === host)
  );
  if (meant.length === 0 || meant.length > MEANT_MAX) return "";
  return `, did you mean ${meant.map(({ id }) => JSON.stringify(id)).join(" or ")}`;
}

/** The host of an address or of what is written without http://, without www; null where it is none. */
function hostOf(text: string): string | null {
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (url === null || !url.host.includes(".")) return null;
  return url.host.startsWith("www.") ? url.host.slice(4) : url.host;
}

/** The few sites that there are to choose from, as the end of a sentence. */
async function choices(sites: Sites, caller: Caller): Promise<string> {
  const all = await reachable(sites, caller);
  if (all.length === 0 || all.length > CHOICES_MAX) return "";
  return `: ${all.map(({ id, platform }) => `${JSON.stringify(id)} (${platform})`).join(", ")}`;
}

/**
 * Step 9. The registered site of that id. Throws E_BAD_INPUT when it is missing, E_SCOPE_DENIED when it is out of
 * scope (audited as denied; whether it exists is told only to a caller who may see all), E_NOT_FOUND otherwise.
 */
export async function findSite(
  sites: Sites,
  caller: Caller,
  id: string | undefined,
  field = "site_id",
): Promise<Site> {
  if (id === undefined) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field} is required; list_sites names the sites you may use${await choices(sites, caller)}`,
    );
  }
  if (!reaches(caller, id)) throw outOfScope(id, field, await sitesMeant(sites, caller, id));
  const site = await sites.get(id);
  if (site) return site;
  const hint = reachesAll(caller)
    ? "list_sites names those there are"
    : "the token names it, yet it is not there";
  throw new GatewayError(
    "E_NOT_FOUND",
    `${field}: no site ${JSON.stringify(id.slice(0, 64))} is registered${await sitesMeant(
      sites,
      caller,
      id,
    )}; ${hint}`,
  );
}

/** E_SCOPE_DENIED for a site that the caller does not reach, audited as denied; it says nothing of the site. */
function outOfScope(id: string, field: string, meant = ""): GatewayError {
  return new GatewayError(
    "E_SCOPE_DENIED",
    `${field}: the site ${
      JSON.stringify(id.slice(0, 64))
    } is outside what the token may use${meant}; list_sites names those inside`,
    { audit: "denied" },
  );
}

/**
 * What to say of a tool that is not there for the caller, by the site it was called for: of one out of scope nothing but
 * that, so that nobody learns which tools it has.
 */
export function notThere(thrown: unknown, caller: Caller, siteId: unknown): unknown {
  const isUnknown = thrown instanceof GatewayError && thrown.code === "E_TOOL_NOT_FOUND";
  if (!isUnknown || typeof siteId !== "string" || siteId === "" || reaches(caller, siteId)) return thrown;
  return outOfScope(siteId, "site_id");
}

/** Whether the list of tools names that site for the tool: not one where it writes to who may only read. */
const isShown = (caller: Caller, offer: ToolEntry["offer"], site: string) =>
  withinCap(caller, OFFERED_WRITE) || !offer?.writesAt.includes(site);

const NAMED_MAX = 20;

/** The sites, quoted; of very many the first. */
function named(ids: readonly string[]): string {
  const more = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : "";
  return ids.slice(0, NAMED_MAX).map((id) => JSON.stringify(id)).join(", ") + more;
}

/**
 * Step 9 for a tool that certain sites offer, of which the caller reaches one at least. The named site, else the one in
 * the caller's scope, and on the caller's list, that offers it. Throws E_AMBIGUOUS_SITE naming them where several do, E_BAD_INPUT for a site that
 * does not, and what findSite throws.
 */
export async function findOfferingSite(
  sites: Sites,
  caller: Caller,
  { name, offer }: Pick<ToolEntry, "name" | "offer">,
  id: string | undefined,
): Promise<Site> {
  const all = offer?.sites ?? [];
  const site = id === undefined ? null : await findSite(sites, caller, id);
  if (site && all.includes(site.id)) return site;
  const reached = all.filter((one) => reaches(caller, one));
  const shown = reached.filter((one) => isShown(caller, offer, one));
  const offering = shown.length > 0 ? shown : reached;
  if (site) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `site_id: ${
        JSON.stringify(site.id)
      } does not offer "${name}"; take a tool that it offers, or, if another ` +
        `site was meant, one of ${named(offering)}`,
    );
  }
  if (offering.length > 1) {
    throw new GatewayError(
      "E_AMBIGUOUS_SITE",
      `site_id: several sites offer "${name}"; give one of ${named(offering)}`,
    );
  }
  return await findSite(sites, caller, offering[0]);
}

/** The site of a call: as its arguments name it, else that of the address. Throws E_BAD_INPUT where they differ. */
export function siteMeant(asked: AskedList | undefined, given: string | undefined): string | undefined {
  const [site] = asked?.sites ?? [];
  if (site === undefined || given === site) return given ?? site;
  if (given === undefined) return site;
  throw new GatewayError(
    "E_BAD_INPUT",
    `site_id: the address of this request is that of the site ${JSON.stringify(clipped(site))}, ` +
      `and the call names ${JSON.stringify(clipped(given))}; leave site_id out, or call the tool at /mcp`,
  );
}

/**
 * A call's arguments, in which each call that they hold is on the address's one site where it names none: a client of
 * `/mcp/<site>` is shown no `site_id`. Where the call says on which sites all of them are, they stay as they are.
 */
export function callsOnSite<Given extends { readonly args: Record<string, unknown> }>(
  given: Given,
  { calls }: Pick<Manifest, "calls">,
  asked: AskedList | undefined,
): Given {
  const [site, ...others] = asked?.sites ?? [];
  if (calls.length === 0 || site === undefined || others.length > 0 || given.args["for_each"] !== undefined) {
    return given;
  }
  const named = (call: unknown) =>
    isFields(call) && isFields(call["arguments"] ?? {})
      ? { ...call, arguments: { site_id: site, ...call["arguments"] as object } }
      : call;
  const args = Object.fromEntries(
    calls.map((name) => {
      const value = given.args[name];
      return [name, Array.isArray(value) ? value.map(named) : value];
    }).filter(([, value]) => value !== undefined),
  );
  return { ...given, args: { ...given.args, ...args } };
}
