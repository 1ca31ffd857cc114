/** What the discovery tools say of platforms they cannot ask. */
import { GatewayError } from "../../errors.ts";
import type { Site } from "../../model.ts";

/** Refuses a site whose platform this tool cannot ask: E_NOT_SUPPORTED. */
export function notSupported(site: Site, what: string): never {
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    `Site "${site.id}" is a ${site.platform} site; ${what}`,
  );
}
