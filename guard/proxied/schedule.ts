/** When the tools of a site's own server are listed again: each site at a moment of its own, and later after each failure. */
import { LIMITS, type Site } from "../../core/model.ts";
import type { ToolCatalog } from "../../store/store.ts";

/** Of a time to wait at least so much is waited; the rest differs from site to site. */
const SURE_PART = 0.75;
/** No server is left alone for longer because it asks to be. */
const ASKED_MS_MAX = 24 * 60 * 60_000;
/** So many sites are asked without a pause between them. */
const FEW = 20;

/** Whether a server is to be asked now; null for one that never was. */
export function isDue(
  site: Pick<Site, "credentials_version">,
  catalog: ToolCatalog | null,
  now: number,
): boolean {
  if (catalog === null || catalog.credentials_version !== site.credentials_version) return true;
  const tried = Date.parse(catalog.tried_at);
  const wait = Math.max(waitAfter(catalog), askedFor(catalog, tried));
  // A clock that went back says nothing.
  return now < tried || now - tried >= wait;
}

/** How long the server asked to be left alone when it was last tried. */
function askedFor({ not_before }: Pick<ToolCatalog, "not_before">, tried: number): number {
  const asked = Date.parse(not_before ?? "") - tried;
  return Number.isNaN(asked) ? 0 : Math.min(asked, ASKED_MS_MAX);
}

/** How long is waited after the last try: less than LIMITS.TOOL_CATALOG_REFRESH_MS, and after one failure much less. */
export function waitAfter(
  catalog: Pick<ToolCatalog, "site_id" | "source" | "tried_at" | "failures" | "failure">,
): number {
  const { TOOL_CATALOG_REFRESH_MS: most, TOOL_CATALOG_RETRY_MS: least } = LIMITS;
  const failures = failuresOf(catalog);
  const whole = failures === 0 ? most : Math.min(most, least * 2 ** (failures - 1));
  const round = Math.floor(Date.parse(catalog.tried_at) / most);
  return whole * (SURE_PART + (1 - SURE_PART) * shareOf(`${catalog.site_id} ${catalog.source} ${round}`));
}

/** How many tries have failed since the last that did not. */
const failuresOf = ({ failures, failure }: Pick<ToolCatalog, "failures" | "failure">): number =>
  failures ?? (failure === null ? 0 : 1);

/** How many tries have failed once this one did too, with the same credentials. */
export const failuresAfter = (
  { credentials_version }: Pick<ToolCatalog, "credentials_version">,
  before: ToolCatalog | null,
): number => 1 + (before?.credentials_version === credentials_version ? failuresOf(before) : 0);

/**
 * The servers of a site, each time they fail another one first: where the first one hangs, it is not taken for the whole
 * host for ever.
 */
export function inTurn<Server>(servers: readonly Server[], first: ToolCatalog | null): readonly Server[] {
  const at = first === null ? 0 : failuresOf(first) % servers.length;
  return [...servers.slice(at), ...servers.slice(0, at)];
}

/** How long is waited between one site and the next where so many are asked, so that they are spread. */
export const gapFor = (sites: number): number => sites <= FEW ? 0 : LIMITS.TOOL_CATALOG_SPREAD_MS / sites;

/** A number from 0 to 1 that is the same for the same text: FNV-1a, its bits stirred once more. */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const sign of text) hash = Math.imul(hash ^ sign.codePointAt(0)!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
