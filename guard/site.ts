/** Which site a call is about, and whether the caller may reach it. */
import { GatewayError } from "../errors.ts";
import type { Caller, Site } from "../model.ts";
import type { Store } from "../store/store.ts";
import { reaches, reachesAll } from "./scope.ts";

/**
 * Step 9. The registered site of that id. Throws E_BAD_INPUT when it is missing, E_SCOPE_DENIED when it is out of
 * scope (audited as denied; whether it exists is told only to a caller who may see all), E_NOT_FOUND otherwise.
 */
export async function findSite(
  sites: Pick<Store["sites"], "get">,
  caller: Caller,
  id: string | undefined,
  field = "site_id",
): Promise<Site> {
  if (id === undefined) {
    throw new GatewayError("E_BAD_INPUT", `${field} is required; list_sites names the sites you may use`);
  }
  if (!reaches(caller, id)) {
    throw new GatewayError(
      "E_SCOPE_DENIED",
      `${field}: the site ${
        JSON.stringify(id.slice(0, 64))
      } is outside what the token may use; list_sites names those inside`,
      { audit: "denied" },
    );
  }
  const site = await sites.get(id);
  if (site) return site;
  const hint = reachesAll(caller)
    ? "list_sites names those there are"
    : "the token names it, yet it is not there";
  throw new GatewayError(
    "E_NOT_FOUND",
    `${field}: no site ${JSON.stringify(id.slice(0, 64))} is registered; ${hint}`,
  );
}
